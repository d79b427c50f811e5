"""Naive Bayes of mixed columns: within a class, each is drawn by itself, from a distribution of its own kind.

log P(c | x) = log π_c + Σ_j log P(x_j | c) + const, with P(x_j | c) normal, Poisson, of 0 and 1, or of categories. A
value that is missing has no term: that is exact, since columns are independent given the class. Counts by class, and
weight, mean and squares by class, merge; priors and smoothing enter when the model is made from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.compiled.moments.densities import add_log_density
from tenfold.core import Array, Claim, Codes, Columns, DataError, Flags, MatrixLike, Need, Schema
from tenfold.core.field_values import LEVELS, NOT_NAN, NOT_NEGATIVE, OneOf
from tenfold.estimator import GroupScored, OnePass, fitted
from tenfold.estimator.shell.constraints import array, boolean, choice, class_prior, real
from tenfold.naive_bayes.categorical_nb import add_log_shares, log_shares
from tenfold.naive_bayes.counted import times
from tenfold.stats.moments.mixed_columns import MixedByClass, MixedSums, numeric_features
from tenfold.stats.moments.moments import MIN_SQUARE_SCALE, refuse_small

GAUSSIAN, BERNOULLI, POISSON, CATEGORICAL = range(4)
KIND_NAMES = ("gaussian", "bernoulli", "poisson", "categorical")
"""their names, by number"""


class MixedModel(NamedTuple):
    """Log-probabilities of classes, and the distribution of each column within each."""

    class_count: Annotated[Array, "class"]
    class_log_prior: Annotated[Array, "class", NOT_NAN]
    kind: Annotated[Codes, "column", OneOf(GAUSSIAN, BERNOULLI, POISSON, CATEGORICAL)]
    """which distribution each column has"""
    theta: Annotated[Array, "class", "column"]
    """mean, probability of 1, or rate; 0 of a categorical column"""
    var: Annotated[Array, "class", "column", NOT_NEGATIVE]
    """variance of each Gaussian column, 0 of the others"""
    log_prob: Annotated[Array, "class", "value", NOT_NAN]
    """the categories of one column after those of another"""
    n_categories: Annotated[Codes, "column", LEVELS]
    epsilon: float


class NaiveBayes(OnePass, GroupScored):
    """Naive Bayes over columns of all kinds, exact in one pass; missing values are left out.

    Numbers are Gaussian unless listed as `bernoulli` or `poisson`; text, dictionaries and columns that are
    scanned as `categorical` are categories. A missing value, in fitting or predicting, is left out, and
    neither does a category that was not there in fitting.

    Parameters
    ----------
    bernoulli : "auto" or list of columns, default="auto"
        Columns of 0 and 1, by name or number; "auto": numeric columns that hold nothing else.
    poisson : list of columns, optional
        Columns of counts, by name or number.
    alpha : float, default=1.0
        Laplace smoothing: added to the count of each category, and of 0 and 1, if there is no `m`; of counts, this
        many rows at the rate of all classes together.
    m : float, optional
        The m-estimate: the weight of each class that is added to its rows in every column but Gaussian ones.
    p : {"uniform", "marginal"}, default="uniform"
        Prior over categories: uniform, or their frequencies in all classes together.
    var_smoothing : float, default=1e-9
        This share of the largest variance of a Gaussian column is added to every variance.
    fit_prior : bool, default=True
        Whether class probabilities are estimated from the rows; otherwise they are uniform.
    class_prior : array of shape (classes,), optional
        Probability of each class.

    Attributes
    ----------
    classes_ : array
    class_count_, class_log_prior_ : array of shape (classes,)
    distributions_ : dict
        Which distribution each column has.
    theta_, var_ : array of shape (classes, columns)
        Mean, probability of 1 or rate; variance of Gaussian columns.
    feature_log_prob_ : dict
        For each categorical column an array of shape (classes, categories).
    epsilon_ : float
        What was added to the variances.
    certificate_ : Certificate

    See Also
    --------
    GaussianNB, CategoricalNB, BernoulliNB, MultinomialNB : Columns of one kind.
    NomogramDisplay : Plot of the evidence of each column for a row.

    Examples
    --------
    >>> import pandas as pd
    >>> from tenfold import NaiveBayes
    >>> sky, heat = ["sun", "rain", None, "sun"], [25.0, 12.0, 15.0, None]
    >>> frame = pd.DataFrame({"sky": sky, "heat": heat, "wind": [0, 1, 1, 0]})
    >>> model = NaiveBayes().fit(frame, ["go", "stay", "stay", "go"])
    >>> model.distributions_
    {'sky': 'categorical', 'heat': 'gaussian', 'wind': 'bernoulli'}
    >>> model.predict(pd.DataFrame({"sky": ["rain"], "heat": [None], "wind": [1]})).tolist()
    ['stay']
    """

    need = Need("mixed", missing=True, target="class")
    hidden = frozenset({"kind", "log_prob"})
    law_params: ClassVar[Any] = (
        {},
        {"alpha": 0.0, "bernoulli": []},
        {"m": 2.0, "p": "marginal", "fit_prior": False},
    )

    bernoulli: Annotated[str | Sequence[str | int], choice("auto"), array] = "auto"
    poisson: Annotated[Sequence[str | int] | None, array, None] = None
    alpha: Annotated[float, real(0)] = 1.0
    m: Annotated[float | None, real(0), None] = None
    p: Annotated[str, choice("uniform", "marginal")] = "uniform"
    var_smoothing: Annotated[float, real(0)] = 1e-9
    fit_prior: Annotated[bool, boolean] = True
    class_prior: Annotated[ArrayLike | None, array, None] = None

    def statistic(self, schema: Schema) -> MixedByClass:
        class_prior(self.class_prior, np.ones(len(schema.classes)))  # refuses what is none
        self._kinds(schema, None)
        return MixedByClass(len(schema.classes), coded(schema), schema.levels)

    def _kinds(self, schema: Schema, s: MixedSums | None) -> Codes:
        """The distribution of each column; raise if the values of a column do not fit the requested one."""
        kind = np.where(coded(schema), CATEGORICAL, GAUSSIAN)
        auto = isinstance(self.bernoulli, str)
        given = {"bernoulli": () if auto else self.bernoulli, "poisson": self.poisson}
        for number, (name, some) in enumerate(given.items(), start=BERNOULLI):
            at = _numbers(name, [] if some is None else list(some), schema)
            if s is not None:
                _refuse(name, at, s.binary if number == BERNOULLI else s.not_negative, schema)
            if both := [schema.names[j] for j in at if kind[j] not in (GAUSSIAN, number)]:
                raise ValueError(f"columns {both} cannot be {name}: they are {KIND_NAMES[kind[_at(both[0], schema)]]}")
            kind[at] = number
        if s is not None and auto:
            kind[(kind == GAUSSIAN) & s.binary] = BERNOULLI
        return kind

    def solve(self, schema: Schema, s: MixedSums) -> MixedModel:
        # Maximum likelihood of each column in each class; smoothing enters here.
        kind, which = self._kinds(schema, s), coded(schema)
        places, _ = numeric_features(which, schema.levels)
        weight, mean, square = (a[:, places] for a in (s.spread.weight, s.spread.mean, s.spread.square))
        overall, away = _overall(weight, mean, square)
        numbers = kind[~which]
        theta, var, epsilon = np.where(weight > 0, mean, overall), np.zeros_like(mean), float(np.finfo(float).tiny)
        if (gaussian := numbers == GAUSSIAN).any():
            epsilon = max(float(self.var_smoothing * away[gaussian].max()), epsilon)
            squares, means = np.ones(s.spread.mean.shape[1]), np.zeros(s.spread.mean.shape[1])
            squares[places[gaussian]], means[places[gaussian]] = away[gaussian], overall[gaussian]
            refuse_small(squares, means, epsilon, MIN_SQUARE_SCALE)
            own = np.divide(square, weight, out=np.tile(away, (len(weight), 1)), where=weight > 0)
            var[:, gaussian] = own[:, gaussian] + epsilon
        for number, smoothed in ((BERNOULLI, self._shares), (POISSON, self._rates)):
            if (some := numbers == number).any():
                theta[:, some] = smoothed(weight[:, some], mean[:, some], overall[some])
        with np.errstate(divide="ignore"):
            log_prior = np.log(class_prior(self.class_prior, s.counts.weight, self.fit_prior))
        log_prob = log_shares(s.counts.count, schema.levels, self.alpha, self.m, self.p)
        return MixedModel(
            s.counts.weight, log_prior, kind, _wide(theta, which), _wide(var, which), log_prob, schema.levels, epsilon
        )

    def _shares(self, weight: Array, mean: Array, overall: Array) -> Array:
        """The m-estimate of the probability of 1; that of all classes, or one half, where there are no values."""
        added = 2 * self.alpha if self.m is None else self.m
        share = overall if self.p == "marginal" else np.full_like(overall, 0.5)
        return _estimate(weight, mean, added, share, np.where(weight.sum(axis=0) > 0, overall, 0.5))

    def _rates(self, weight: Array, mean: Array, overall: Array) -> Array:
        """The rate of counts, with some rows at the rate of all classes together."""
        return _estimate(weight, mean, self.alpha if self.m is None else self.m, overall, overall)

    def certify(self, model: MixedModel, s: MixedSums) -> tuple[Claim, ...]:
        """The estimate is the optimum; small classes, and the share due to smoothing, are reported."""
        weight, count = s.counts.weight, s.counts.count
        least = int(weight.argmin())
        why = "the merged counts, means and variances themselves, smoothed as asked: closed form"
        few = f"weight of class number {least}, the smallest: its parameters rest on that much"
        claims: tuple[Claim, ...] = (
            Claim("gap", 0.0, "proved", why, "objective"),
            Claim("smallest class", float(weight[least]), "proved", few, "data"),
        )
        if count.size:
            unseen = "share of pairs of class and category that never occurred: smoothing alone"
            claims += (Claim("unseen pairs", float((count == 0).mean()), "proved", unseen, "data"),)
        return claims

    def scores_by(self, models: Sequence[MixedModel], X: Columns, codes: Codes) -> Array:
        out = np.array([model.class_log_prior for model in models])[codes]
        kind = models[0].kind
        if not all(np.array_equal(model.kind, kind) for model in models[1:]):  # a fold may be of 0 and 1 alone
            for g, model in enumerate(models):
                rows = np.flatnonzero(codes == g)
                out[rows] = self.scores_by([model], X.rows(rows), np.zeros(len(rows), np.int64))
            return out
        at = [np.flatnonzero(kind == number) for number in range(len(KIND_NAMES))]
        if len(at[GAUSSIAN]):
            _add_gaussian(models, X.select(at[GAUSSIAN]), at[GAUSSIAN], codes, out)
        if len(at[BERNOULLI]):
            _add_bernoulli(models, X.select(at[BERNOULLI]), at[BERNOULLI], codes, out)
        if len(at[POISSON]):
            _add_poisson(models, X.select(at[POISSON]), at[POISSON], codes, out)
        if len(at[CATEGORICAL]):
            tables = np.array([model.log_prob for model in models])
            levels = models[0].n_categories[at[CATEGORICAL]]
            add_log_shares(X.select(at[CATEGORICAL]), levels, codes, tables, out)
        return out

    @fitted
    def evidence(self, X: MatrixLike) -> Array:
        """Evidence of each column for each row: log P(x_j | c), 0 where it is missing; of counts without log x!.

        Added up over the columns, with `class_log_prior_`, it is log P(c, x) up to what all classes share: the
        difference between two classes is the logarithm of their odds.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        evidence : array of shape (rows, columns, classes)
        """
        found: Array = self._apply(type(self).evidence_from, X, list)
        return found

    def evidence_from(self, model: MixedModel, X: Columns) -> Array:
        """Evidence of each column for each row: rows x columns x classes."""
        each = [column_evidence(model, j, X.column(j)) for j in range(X.shape[1])]
        return np.stack(each, axis=1) if each else np.empty((len(X), 0, len(model.class_count)))

    @property
    @fitted
    def distributions_(self) -> dict[str, str]:
        """The name of the distribution of each column."""
        return {name: KIND_NAMES[k] for name, k in zip(self.schema_.names, self.model_.kind, strict=True)}

    @property
    @fitted
    def feature_log_prob_(self) -> dict[str, Array]:
        """Log-probability of each category of each categorical column, given the class."""
        ends = self.model_.n_categories.cumsum()
        at = np.flatnonzero(self.model_.kind == CATEGORICAL)
        return {
            self.schema_.names[j]: self.model_.log_prob[:, ends[j] - self.model_.n_categories[j] : ends[j]] for j in at
        }

    def is_valid(self, model: MixedModel, summary: MixedSums | None, schema: Schema) -> bool:
        theta, var = model.theta, model.var
        return bool(
            np.array_equal(model.kind == CATEGORICAL, coded(schema))
            and (var[:, model.kind == GAUSSIAN] > 0).all()
            and (theta[:, model.kind != GAUSSIAN] >= 0).all()
            and (theta[:, model.kind == BERNOULLI] <= 1).all()
        )


def coded(schema: Schema) -> Flags:
    """Whether each column enters as codes of categories."""
    return np.array([column.kind == "categorical" for column in schema.columns], dtype=bool)


def column_evidence(model: MixedModel, j: int, x: Array) -> Array:
    """log P(x | c) of values of one column, rows x classes; 0 where it is missing or was never seen."""
    out = np.zeros((len(x), len(model.class_count)))
    codes, X = np.zeros(len(x), np.int64), Columns(np.asarray(x, dtype=np.float64)[:, None], missing=True)
    at = np.array([j])
    match model.kind[j]:
        case 0:
            _add_gaussian([model], X, at, codes, out)
        case 1:
            _add_bernoulli([model], X, at, codes, out)
        case 2:
            _add_poisson([model], X, at, codes, out)
        case _:
            end, k = int(model.n_categories[: j + 1].sum()), model.n_categories[j]
            table = np.ascontiguousarray(model.log_prob[None, :, end - k : end])
            add_log_shares(X, model.n_categories[at], codes, table, out)
    return out


def _add_gaussian(models: Sequence[MixedModel], X: Columns, at: Codes, codes: Codes, out: Array) -> None:
    theta = np.array([model.theta[:, at] for model in models])
    var = np.array([model.var[:, at] for model in models])
    level, narrow = -0.5 * np.log(2 * np.pi * var), 0.5 / var
    for rows, block in X.blocks(dtype=None, checked=False, whole=True):
        add_log_density(block, codes[rows], level, theta, narrow, out[rows])
    if not np.isfinite(out).all():
        X.check()


def _add_bernoulli(models: Sequence[MixedModel], X: Columns, at: Codes, codes: Codes, out: Array) -> None:
    """A number that is neither 0 nor 1 is left out, and so is one that no class has."""
    theta = np.array([model.theta[:, at] for model in models])
    with np.errstate(divide="ignore"):
        table = np.stack([np.log1p(-theta), np.log(theta)], axis=3)
    table = np.where(np.isneginf(table).all(axis=1, keepdims=True), 0.0, table).reshape(*theta.shape[:2], -1)
    known = np.full(X.shape, -1.0)
    for rows, block in X.blocks():
        known[rows] = np.where((block == 0) | (block == 1), block, -1.0)
    add_log_shares(Columns(known), np.full(len(at), 2), codes, table, out)


def _add_poisson(models: Sequence[MixedModel], X: Columns, at: Codes, codes: Codes, out: Array) -> None:
    """x log λ - λ; a number below 0 is left out, and so is a column that is 0 in all classes."""
    for rows, block in X.blocks():
        there = (block >= 0).astype(np.float64)
        x = np.where(there > 0, block, 0.0)
        for g, model in enumerate(models):
            some = codes[rows] == g
            rate = model.theta[:, at]
            with np.errstate(divide="ignore"):
                log_rate = np.where((rate == 0).all(axis=0), 0.0, np.log(rate))
            out[rows.start + np.flatnonzero(some)] += times(x[some], log_rate) - there[some] @ rate.T


def _estimate(weight: Array, mean: Array, added: float, at: Array, otherwise: Array) -> Array:
    """The mean with so much weight added at a value, which is another where there is no weight at all."""
    whole = weight + added
    out = np.tile(otherwise, (len(weight), 1))
    np.divide(weight * np.maximum(mean, 0.0) + added * at, whole, out=out, where=whole > 0)
    return out


def _overall(weight: Array, mean: Array, square: Array) -> tuple[Array, Array]:
    """Mean and variance of each column over all classes; 0 and 1 of one without values."""
    total = weight.sum(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):  # what cannot be squared is no model, and the loop says so
        middle = np.divide((weight * mean).sum(axis=0), total, out=np.zeros_like(total), where=total > 0)
        away = np.where(weight > 0, mean - middle, 0.0)
        spread = (square + weight * away**2).sum(axis=0)
        return middle, np.divide(spread, total, out=np.ones_like(total), where=total > 0)


def _wide(values: Array, which: Flags) -> Array:
    """Expand an array over numeric columns to all columns."""
    out = np.zeros((len(values), len(which)))
    out[:, ~which] = values
    return out


def _at(name: str | int, schema: Schema) -> int:
    """The number of a column that is given by name or number; -1: there is none."""
    if isinstance(name, str):
        return schema.names.index(name) if name in schema.names else -1
    return int(name) if 0 <= name < len(schema.names) else -1


def _numbers(parameter: str, given: list[str | int], schema: Schema) -> list[int]:
    found = [_at(name, schema) for name in given]
    if missing := [name for name, j in zip(given, found, strict=True) if j < 0]:
        raise ValueError(f"{parameter} names {missing}, which are not among the columns {list(schema.names)}")
    return found


def _refuse(parameter: str, at: list[int], fits: Flags, schema: Schema) -> None:
    """Refuse columns whose values are not those of the distribution."""
    wrong = [schema.names[j] for j in at if not fits[j]]
    if wrong:
        what = "numbers other than 0 and 1" if parameter == "bernoulli" else "numbers below 0"
        raise DataError(f"columns {wrong} hold {what}. Remedy: leave them out of {parameter}=, or correct them")
