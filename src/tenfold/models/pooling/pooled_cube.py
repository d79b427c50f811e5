"""A cube whose cells are pooled in part: each is drawn to its parent, the more the fewer rows it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy import stats

from tenfold.core import Array, Certificate, Claim, Codes, Columns, Design, MatrixLike, Provenance, Schema
from tenfold.estimator.summary_table import Summary
from tenfold.models.cube_level import CubeLevel
from tenfold.models.pooling.cell_products import read_moments, steady_products
from tenfold.models.pooling.linear_mixed_model import LinearMixedModel
from tenfold.models.pooling.pooled_keys import (
    PooledKeys,
    chunks_with_places,
    key_levels,
    numbers_of_cells,
    provenance_of,
)
from tenfold.models.pooling.restricted_likelihood import GroupingFactor
from tenfold.sources.expressions.computed_columns import Computed

INTERCEPT = "intercept"
MIN_CELLS = 10
"""cells of a level, at least, whose components are estimated from many"""
RandomTerms = str | Sequence[str] | Mapping[str, str | Sequence[str]]


class PooledCell(NamedTuple):
    """One cell of a pooled cube."""

    coef: Array
    intercept: float
    standard_errors: Array
    """of the coefficients, then of the intercept"""
    shrinkage: dict[str, float]
    """by random term: 0, the cell's own fit; 1, the parent's"""
    rows: int


@dataclass(frozen=True, eq=False, repr=False)
class PooledCube:
    """The models of a cube's cells, partially pooled: made by `Cube.pool`, and not changed afterwards.

    The coefficients of a cell are those of its parent (a coarser key, or the population) and random effects, whose
    variances are estimated by restricted maximum likelihood (REML) from the summaries of the cells. A cell with few
    rows is drawn to its parent, and an unseen one is its parent, with a wider interval.

    Attributes
    ----------
    coef_ : array of shape (features,)
        Fixed effects: the coefficients of the population.
    intercept_ : float
    standard_errors_ : array
        Of the coefficients, then of the intercept if there is one.
    components_ : pyarrow.Table
        Variance components: the variance of each random term at each level of the key, and that of the residuals.
    covariances_ : dict of arrays
        By the column of the key, the covariance of the random terms of its cells.
    random_terms_ : dict of lists
        By the column of the key, the terms that vary between its cells.
    residual_variance_ : float
    restricted_log_likelihood_ : float
        At the estimates: minus half of lme4's REML criterion.
    certificate_ : Certificate

    See Also
    --------
    Cube.pool : Makes it.

    Examples
    --------
    >>> import numpy as np, pandas as pd, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> store = rng.integers(0, 40, 300)
    >>> sales = pd.DataFrame({"store": store, "size": rng.uniform(1, 5, 300)})
    >>> sales["price"] = 2 * sales["size"] + rng.normal(size=40)[store] + rng.normal(size=300)
    >>> pooled = tn.Cube(tn.LinearRegression(), by="store").fit(tn.scan(sales, target="price")).pool()
    >>> pooled.components_.select(["key", "term", "variance"]).to_pandas().round(2)
             key       term  variance
    0      store  intercept      1.46
    1  residuals                 0.97
    >>> pooled.predict_interval(pd.DataFrame({"store": [3, 99], "size": [2.0, 2.0]}), of="mean").round(1)
    array([[5.1, 6.3],
           [1.6, 6.4]])
    """

    _model: LinearMixedModel
    _levels: tuple[PooledKeys, ...]
    """the finest first"""
    _learner: Any
    _schema: Schema
    _computed: Computed
    _origin: Provenance
    _failed: int

    # ---- the population ----------------------------------------------------------------------------

    @property
    def _terms(self) -> list[str]:
        """The names of the coefficients, the intercept first."""
        return [INTERCEPT, *self._schema.feature_names]

    @cached_property
    def _population(self) -> Array:
        return self._model.coefficients(len(self._levels))[0]

    @property
    def coef_(self) -> Array:
        """The fixed effects of the features."""
        return self._population[1:].copy()

    @property
    def intercept_(self) -> float:
        """The fixed intercept."""
        return float(self._population[0])

    @cached_property
    def standard_errors_(self) -> Array:
        """The standard errors of the fixed effects: of the coefficients, then of the intercept if there is one."""
        errors = self._model.standard_errors(len(self._levels))[0]
        return np.append(errors[1:], errors[:1] if self._learner.fit_intercept else [])

    def conf_int(self, level: float = 0.95) -> Array:
        """Confidence intervals of the fixed effects: of the coefficients, then of the intercept if there is one.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        ends : array of shape (terms, 2)
        """
        values = np.append(self.coef_, self._population[:1])[: len(self.standard_errors_)]
        reach = _quantile(level) * self.standard_errors_
        return np.column_stack([values - reach, values + reach])

    @property
    def random_terms_(self) -> dict[str, list[str]]:
        """By the column of the key, the terms that vary between its cells."""
        factors = self._model.steady.products.factors
        return {factor.name: [self._terms[j] for j in factor.terms] for factor in reversed(factors)}

    @cached_property
    def covariances_(self) -> dict[str, Array]:
        """By the column of the key, the covariance of the random terms of its cells."""
        factors = self._model.steady.products.factors
        return {factors[k].name: self._model.covariance(k) for k in range(len(factors) - 1, -1, -1)}

    @property
    def residual_variance_(self) -> float:
        """The variance of the residuals."""
        return self._model.residual_variance

    @property
    def restricted_log_likelihood_(self) -> float:
        """The restricted log-likelihood at the estimates."""
        return -self._model.deviance / 2

    @property
    def components_(self) -> pa.Table:
        """Variance components: a row for each random term of each level, and one for the residuals."""
        keys, terms, variances = [], [], []
        for name, among in self.random_terms_.items():
            keys += [name] * len(among)
            terms += among
            variances += np.diag(self.covariances_[name]).tolist()
        found = {
            "key": [*keys, "residuals"],
            "term": [*terms, ""],
            "variance": [*variances, self.residual_variance_],
        }
        return pa.table(found | {"standard_deviation": np.sqrt(found["variance"])})

    # ---- cells -------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        """Say what is pooled; `summary()` shows the estimates."""
        random = "; ".join(f"{', '.join(terms)} of {key!r}" for key, terms in self.random_terms_.items())
        return (
            f"<PooledCube: {self._origin.rows:,} rows; cells: {numbers_of_cells(self._levels)}; random {random}; "
            "summary() shows the estimates>"
        )

    def __len__(self) -> int:
        return len(self._levels[0].keys)

    def _level(self, columns: int) -> int:
        """Return the number of the level of so many columns of the key."""
        return len(self._levels) - columns

    def __getitem__(self, key: Any) -> PooledCell:
        """Return a cell; of the first columns of the key, the cell of that coarser key.

        Parameters
        ----------
        key : value, or tuple of values
        """
        key = key if isinstance(key, tuple) else (key,)
        if not 0 < len(key) <= len(self._levels):
            raise KeyError(f"a key has 1 to {len(self._levels)} values, {list(self._levels[0].names)}, not {len(key)}")
        level = self._level(len(key))
        found = self._levels[level]
        place = found.place(key)
        if place < 0:
            raise KeyError(f"there is no cell {key if len(key) > 1 else key[0]!r}; `table()` lists all")
        cells = np.array([place])
        coef, errors = self._model.coefficients(level)[place], self._model.standard_errors(level, cells)[0]
        factor = self._model.steady.products.factors[level]
        kept = dict(zip((self._terms[j] for j in factor.terms), self._model.shrinkage(level)[place].tolist()))
        return PooledCell(coef[1:], float(coef[0]), np.append(errors[1:], errors[0]), kept, int(found.rows[place]))

    def table(self, *by: str) -> pa.Table:
        """Return a row for each cell, in the order of the keys: coefficients, standard errors, and shrinkage.

        Parameters
        ----------
        *by : str
            The first columns of the key, for the cells of a coarser key; by default all.

        Returns
        -------
        table : pyarrow.Table
            The key, the number of rows, `coef_...` and `intercept`, their standard errors `se_...`, and for each
            random term `shrinkage_...`: 0, the cell's own fit; 1, the parent's.
        """
        names = by or self._levels[0].names
        if names != self._levels[0].names[: len(names)]:
            raise ValueError(f"by must be the first columns of the key {list(self._levels[0].names)}, not {list(by)}")
        level = self._level(len(names))
        order, keys = self._levels[level].in_order, self._levels[level].keys
        coef, errors = self._model.coefficients(level)[order], self._model.standard_errors(level, order)
        kept = self._model.shrinkage(level)[order]
        features = self._schema.feature_names
        found = {name: keys.values[name].take(pa.array(order)) for name in names}
        found["rows"] = self._levels[level].rows[order]
        found |= {f"coef_{name}": coef[:, j + 1] for j, name in enumerate(features)} | {"intercept": coef[:, 0]}
        found |= {f"se_{name}": errors[:, j + 1] for j, name in enumerate(features)} | {"se_intercept": errors[:, 0]}
        terms = self._model.steady.products.factors[level].terms.tolist()
        found |= {f"shrinkage_{self._terms[term]}": kept[:, j] for j, term in enumerate(terms)}
        return pa.table(found)

    # ---- rows --------------------------------------------------------------------------------------

    def predict(self, X: MatrixLike, *, return_level: bool = False) -> Any:
        """Predict each row by the coefficients of its cell; of an unseen cell, by those of its parent.

        Parameters
        ----------
        X : frame or Source
            Rows with the columns of the features and of the key.
        return_level : bool, default=False
            Whether to return how many columns of the key the cell of each row was found by.

        Returns
        -------
        y : array of shape (rows,)
        level : array of int, if `return_level`
        """
        each = [(self._model.means(t, at), sum((place >= 0).astype(int) for place in at)) for t, at in self._chunks(X)]
        found, depth = (np.concatenate(some) for some in zip(*each, strict=True))
        return (found, depth) if return_level else found

    def predict_interval(self, X: MatrixLike, level: float = 0.95, of: str = "row") -> Array:
        """Prediction interval of the target of each row, by its cell; wider in an unseen cell.

        Parameters
        ----------
        X : frame or Source
            Rows with the columns of the features and of the key.
        level : float, default=0.95
        of : {"row", "mean"}, default="row"
            The target of one new row, or the mean of the rows of its cell that are equal to it.

        Returns
        -------
        ends : array of shape (rows, 2)
        """
        if of not in ("row", "mean"):
            raise ValueError(f"of is {of!r}, but must be 'row' or 'mean'")
        reach, noise = _quantile(level), self.residual_variance_ if of == "row" else 0.0
        found = []
        for t, places in self._chunks(X):
            middle = self._model.means(t, places)
            spread = reach * np.sqrt(self._model.variances(t, places) + noise)
            found.append(np.column_stack([middle - spread, middle + spread]))
        return np.concatenate(found)

    def _chunks(self, X: MatrixLike) -> Iterator[tuple[Array, list[Codes]]]:
        """Yield steady rows, and the place of the cell of each in each level, the finest first."""
        for chunk, places in chunks_with_places(X, self._learner, self._schema, self._levels, self._computed):
            yield self._steady(chunk.X), places

    def _steady(self, X: Columns) -> Array:
        """Return rows in units of the steady columns, a constant first."""
        units, design = self._model.steady.units, Design.of(X, self._schema.levels)
        found = np.ones((len(X), design.width + 1))
        found[:, 1:] = design @ np.eye(design.width)
        return (found - units.center[:-1]) / units.scale[:-1]

    # ---- how far it can be trusted -----------------------------------------------------------------

    @cached_property
    def certificate_(self) -> Certificate:
        """Convergence, components that are zero, how far cells were drawn to their parents, and the condition."""
        return Certificate(tuple(self._claims()), self._origin)

    def _claims(self) -> Iterator[Claim]:
        model, estimate = self._model, self._model.estimate
        factors = model.steady.products.factors
        slope = float(np.abs(estimate.gradient).max(initial=0.0))
        why = "the largest derivative of the deviance by a parameter of the components that are not zero"
        yield Claim("gradient", slope, "estimated", f"{why}, after {estimate.evaluations} evaluations", "objective")
        if np.isfinite(estimate.decrement):
            why = "by how much the deviance would fall in one more step of Newton's, where it is a parabola"
            yield Claim("gap", estimate.decrement, "estimated", why, "objective", "no lower minimum is elsewhere")
        zero = [
            f"{factor.name}: {self._terms[term]}"
            for level, factor in enumerate(factors)
            for j, term in enumerate(factor.terms)
            if not model.covariance(level)[j, j] > 0
        ]
        singular = sum(int((np.diag(L) == 0).sum()) for L in estimate.factors)
        if singular:
            said = (
                f"variances that are zero ({', '.join(zero)})"
                if zero
                else "no variance is zero, but correlations are 1"
            )
            why = f"directions in which cells do not differ; {said}"
            if np.isfinite(estimate.escape):
                why += f". The deviance rises from there, with a slope of {estimate.escape:.3g} or more"
            yield Claim("boundary", float(singular), "estimated", why, "data")
        for level, (factor, found) in enumerate(zip(factors, self._levels, strict=True)):
            if not len(factor.terms):
                continue
            median = float(np.median(model.shrinkage(level)))
            why = f"the median over the cells of {factor.name!r}: 0, a cell's own fit; 1, its parent's"
            yield Claim("shrinkage", median, "estimated", why, "data", "effects and residuals are normal")
            if len(found.keys) < MIN_CELLS * len(factor.terms):
                why = f"cells of {factor.name!r}: components of so few are more uncertain than intervals have it"
                yield Claim("few cells", float(len(found.keys)), "proved", why, "data")
        units = model.steady.units
        why = "of the correlations of the columns: errors, as shares, can grow so much on the way to the coefficients"
        yield Claim("condition", units.condition, "estimated", why, "arithmetic")
        yield Claim(
            "digits", units.digits, "estimated", "that rounding leaves of the variance of the residuals", "arithmetic"
        )
        dropped = len(self._terms) - len(model.steady.products.fixed) - (not self._learner.fit_intercept)
        if dropped:
            why = (
                "columns without a fixed effect: constant, reference categories, or repeated by the columns before them"
            )
            yield Claim("dropped columns", float(dropped), "proved", why, "data")
        if self._failed:
            why = "cells without a summary: they are predicted by their parents"
            yield Claim("failed cells", float(self._failed), "proved", why, "data")

    def summary(self, level: float = 0.95) -> Summary:
        """A table of the fixed effects, the variance components, and the claims of the certificate.

        Parameters
        ----------
        level : float, default=0.95
            Of the confidence intervals.

        Returns
        -------
        summary : Summary
            Print it, or show it in a notebook.
        """
        header = ("term", "estimate", "std. error", "z", f"{50 * (1 - level):.4g} %", f"{50 * (1 + level):.4g} %")
        names = [*self._schema.feature_names, INTERCEPT]
        values = np.append(self.coef_, self._population[:1])
        rows = tuple(
            (name, *(f"{v:.6g}" for v in (value, error)), f"{value / error if error else np.nan:.3f}",
             *(f"{v:.6g}" for v in ends))
            for name, value, error, ends in zip(names, values, self.standard_errors_, self.conf_int(level))
        )  # fmt: skip
        components = [
            f"{one['key']}{': ' if one['term'] else ''}{one['term']} {one['variance']:.6g}, standard deviation "
            f"{one['standard_deviation']:.6g}"
            for one in self.components_.to_pylist()
        ]
        facts = (
            f"{self._origin.rows:,} rows; cells: {numbers_of_cells(self._levels)}",
            f"restricted log-likelihood {self.restricted_log_likelihood_:.6g}",
        )
        notes = (
            ("Variance components", tuple(components)),
            ("How far this can be trusted", tuple(f"{claim}." for claim in self.certificate_.claims)),
            ("The intervals hold if", (
                "the effects of cells and the residuals are normal, with the same variances in all cells",
                "there are many cells: that the components are estimates is in those of cells to first order",
                "weights count rows: a row of weight 2 is two rows",
            )),
        )  # fmt: skip
        return Summary("PooledCube: linear mixed model by REML", facts, header, rows, notes)


def pool_models(level: CubeLevel, random: RandomTerms) -> PooledCube:
    """Pool the cells of a cube, from their summaries."""
    learner, cells = level.learner, level.cells
    terms = [INTERCEPT, *level.schema.feature_names]
    chosen = _random_terms(random, level.names, terms)
    levels, parents = key_levels(cells, level.names)
    factors = [
        GroupingFactor(names[-1], chosen[len(names) - 1], parent, int(parent.max()) + 1)
        for (names, *_), parent in zip(levels, parents, strict=True)
    ]
    finest = factors[0]
    moments = read_moments(cells, finest.terms[finest.terms > 0] - 1, finest.parent, finest.parents)
    model = LinearMixedModel.of(steady_products(moments, factors, learner.fit_intercept, level.schema.levels, terms))
    failed = int((moments.weight == 0).sum())
    return PooledCube(model, levels, learner, level.schema, level.origin.computed, provenance_of(level), failed)


def _random_terms(random: RandomTerms, names: Sequence[str], terms: Sequence[str]) -> list[Codes]:
    """Return the places of the random terms, by the columns of the key."""
    given = random if isinstance(random, Mapping) else dict.fromkeys(names, random)
    if unknown := sorted({*given} - {*names}):
        raise ValueError(f"random has {unknown}, and the key has the columns {list(names)}")
    found = []
    for name in names:
        some = given.get(name, ())
        wanted = [some] if isinstance(some, str) else list(some)
        if wrong := [term for term in wanted if term not in terms]:
            raise ValueError(f"random terms are among {list(terms)}, not {wrong}")
        found.append(np.array(sorted({terms.index(term) for term in wanted}), np.int64))
    if not any(len(some) for some in found):
        raise ValueError("random names no term. Remedy: random='intercept', or the names of columns too")
    return found


def _quantile(level: float) -> float:
    """How many standard errors an interval reaches to each side."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, but must be between 0 and 1")
    return float(stats.norm.isf((1 - level) / 2))
