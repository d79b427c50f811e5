"""The elastic net whose penalty is chosen by cross-validation: the α and ρ of least mean squared error on new rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Claim, Schema
from tenfold.core.field_values import ANYTHING
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import array, boolean, integer, numbers, real, seed, share
from tenfold.estimator.shell.keyword_decisions import (
    any_selection,
    copied,
    gram_is_merged,
    ignored_n_jobs,
    ignored_verbose,
    not_all_penalties,
    some_max_iter,
)
from tenfold.estimator.shell.parameters import Behind, fixed
from tenfold.linear_model.cross_validated.fold_solutions import ByFold, Chosen
from tenfold.linear_model.penalized.penalized import MIN_WIDE_FEATURES, claims_of, descended
from tenfold.linear_model.penalized.penalty_path import LassoPath, follow, grid_of, path_of, summary_of
from tenfold.linear_model.penalized.quadratic import quadratic
from tenfold.stats.fold_summaries import FoldMoments, FoldRows
from tenfold.stats.moments.moments import Moments
from tenfold.stats.rows.wide_rows import Rows


class PathCVModel(NamedTuple):
    """A sparse linear model, and the errors that chose its penalty."""

    coef: Annotated[Array, "feature"]
    intercept: float
    n_iter: int
    dual_gap: Annotated[float, ANYTHING]
    alpha: float
    l1_ratio: float
    alphas: Annotated[Array, "ratio", "alpha"]
    mse_path: Annotated[Array, "ratio", "alpha", "fold"]
    score_digits: float
    """that hold in these errors"""
    schema: Schema


class PathCV(ByFold):
    """Base of `LassoCV` and `ElasticNetCV`: the penalty path of every fold."""

    l1_ratio = fixed(1.0)

    eps: Annotated[float, share(open=True, low=1e-12), not_all_penalties] = 1e-3
    alphas: Annotated[ArrayLike, integer(1, 100_000), array] = 100
    fit_intercept: Annotated[bool, boolean] = True
    positive: Annotated[bool, boolean] = False
    cv: Annotated[Any, None, integer(2), array] = None
    random_state: Annotated[int, seed] = 0
    tol: Annotated[float, real(0)] = 1e-12
    max_iter: Annotated[int, integer(1), some_max_iter] = 10_000
    _: KW_ONLY
    precompute: Annotated[Any, gram_is_merged] = "auto"
    copy_X: Annotated[bool, copied] = True
    verbose: Annotated[int, ignored_verbose] = 0
    n_jobs: Annotated[int | None, ignored_n_jobs] = None
    selection: Annotated[str, any_selection] = "cyclic"

    @property
    def _ratios(self) -> Array:
        return np.atleast_1d(numbers(self.l1_ratio, "l1_ratio"))

    def _wide(self, schema: Schema) -> bool:
        return int(schema.size("feature") or 0) > MIN_WIDE_FEATURES

    def _grid(self, whole: Moments | Rows) -> tuple[Array, Array]:
        problem = quadratic(whole, self.fit_intercept)
        rows = [grid_of(problem, float(ratio), self.positive, self.alphas, self.eps) for ratio in self._ratios]
        return self._ratios, np.stack(rows)

    def _models(self, summary: Moments | Rows, ratios: Array, grid: Array) -> Iterator[tuple[Array, Array]]:
        problem = quadratic(summary, self.fit_intercept)
        for ratio, alphas in zip(ratios, grid, strict=True):
            yield follow(problem, alphas, float(ratio), self.positive, self.tol, self.max_iter)

    def _best(self, summary: Moments | Rows, chosen: Chosen, schema: Schema) -> PathCVModel:
        found = descended(quadratic(summary, self.fit_intercept), self, chosen.alpha, chosen.l1_ratio)
        alpha, l1_ratio, grid, errors, digits = chosen
        return PathCVModel(*found, alpha, l1_ratio, grid, errors, digits, schema)

    def certify(self, model: PathCVModel, summary: FoldMoments | FoldRows) -> tuple[Claim, ...]:
        """How near to the optimum the model of all rows is, and how many digits of the errors hold."""
        problem = quadratic(self._whole(summary), self.fit_intercept)
        gap = problem.gap(model.coef, model.alpha, model.l1_ratio, self.positive)
        return (*claims_of(problem, gap, model.coef, self.tol), *self._chosen(model))

    def is_valid(self, model: PathCVModel, summary: object, schema: Schema) -> bool:  # type: ignore[override]
        many = self.alphas if isinstance(self.alphas, (int, np.integer)) else np.size(self.alphas)
        return super().is_valid(model, summary, schema) and model.alphas.shape == (len(self._ratios), many)

    @property
    @fitted
    def alphas_(self) -> Array:
        """The penalties, the largest first; with several mixtures, a row for each."""
        grid: Array = self._fitted().alphas
        return grid[0] if len(grid) == 1 or not isinstance(self.alphas, (int, np.integer)) else grid

    @property
    @fitted
    def mse_path_(self) -> Array:
        """Mean squared error by penalty and fold; with several mixtures, by mixture first."""
        errors: Array = self._fitted().mse_path
        return errors[0] if len(errors) == 1 else errors

    @fitted
    def path(self) -> LassoPath:
        """The models of all rows for every penalty of the grid, from the summary: no row is read.

        Returns
        -------
        path : LassoPath
        """
        return path_of(self, self._whole(summary_of(self)), self.model_.l1_ratio, self.alphas, self.eps)


class ElasticNetCV(PathCV):
    """Elastic net with the penalty that predicts best, from one scan.

    The rows of each fold are summarized by themselves. Each model that leaves one out is made from the merge of the
    others and scored by the summary of that one, so all folds, mixtures and penalties cost one scan.

    Parameters
    ----------
    l1_ratio : float or array, default=0.5
        The mixtures to try: 1 is the lasso.
    eps : float, default=1e-3
        The least penalty of the grid, as a share of the largest.
    alphas : int or array, default=100
        The penalties to try, or how many.
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns. It is not penalised.
    positive : bool, default=False
        Whether coefficients may not be negative.
    cv : None, int or array, default=None
        None: ten random folds, to which rows are dealt by their places, so that models merge. An int: so many folds of
        rows in a row, as scikit-learn has them; a first pass counts the rows, and models do not merge. An array: the
        fold of each row.
    random_state : int, default=0
        Seed of the lot. None draws one, and the certificate records it.
    tol : float, default=1e-12
        The duality gap at which each descent stops, as a share of half the mean squares of y. Below 1.4e-14 gaps are
        rounding errors, and that is taken instead.
    max_iter : int, default=10000
        Sweeps over the coefficients at most, for each penalty. Where three penalties of a path have taken them all,
        smaller penalties have a hundredth.
    precompute, copy_X, verbose, n_jobs, selection : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    alpha_, l1_ratio_ : float
        The penalty and the mixture of least error.
    alphas_ : array of shape (alphas,) or (mixtures, alphas)
    mse_path_ : array of shape (alphas, folds) or (mixtures, alphas, folds)
    score_digits_ : float
        Digits that rounding leaves of these errors.
    coef_ : array of shape (columns,)
    intercept_ : float
    n_iter_ : int
    dual_gap_ : float
    certificate_ : Certificate
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if the columns have names.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import ElasticNetCV
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> model = ElasticNetCV(l1_ratio=[0.5, 0.9, 1.0]).fit(X, X @ [2.0, 0.0, 0.0, 1.0, 0.0] + X[:, 4] ** 2)
    >>> model.mse_path_.shape, model.certificate_.provenance.passes
    ((3, 100, 10), 1.0)
    """

    law_params = (
        {"alphas": 5},
        {"alphas": 4, "positive": True},
    )

    l1_ratio: Annotated[ArrayLike, share(), array, Behind(None)] = 0.5
