"""Ridge regression whose penalty is chosen by cross-validation: the α of least mean squared error on new rows.

By default each row is left out once. The model without a row need not be fitted: its error follows from the row, the
coefficients and the inverse of the normal matrix (`stats/ridge_leave_one_out.py`), so one more pass gives those of all
rows.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Claim, DataError, Remedy, Schema
from tenfold.core.learner import Done, Initial
from tenfold.core.statistic import Statistic
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import array, boolean, choice, integer, numbers, real, seed
from tenfold.estimator.shell.keyword_decisions import EXACT, FLAG, one_of
from tenfold.estimator.shell.keywords import NoEffect, Refused
from tenfold.linear_model.cross_validated.fold_solutions import (
    ERROR_TIE,
    ByFold,
    Chosen,
    CountedChunks,
    Folds,
    errors_of,
    least_digits,
)
from tenfold.linear_model.least_squares.normal_equations import EPS, from_moments, quick, quick_each
from tenfold.linear_model.penalized.penalized import ROUNDING_ASSUMPTION
from tenfold.stats.fold_summaries import ComomentsByFold, FoldMoments, Pieces, RowsByChunk
from tenfold.stats.moments.moments import Comoments, Moments
from tenfold.stats.ridge_leave_one_out import MIN_RESIDUAL_FREEDOM, LeaveOneOut, LeftOut

if TYPE_CHECKING:
    from tenfold.linear_model.cross_validated.fold_solutions import FoldedModel


class RidgeCVModel(NamedTuple):
    """A ridge regression, and the errors that chose its penalty."""

    coef: Annotated[Array, "feature"]
    intercept: float
    alpha: float
    alphas: Annotated[Array, "ratio", "alpha"]
    mse_path: Annotated[Array, "ratio", "alpha", "fold"]
    score_digits: float
    """that hold in these errors"""
    schema: Schema


class LeavingOut(NamedTuple):
    """The state of a fit that has the models of all penalties, and leaves out each row."""

    step: int
    schema: Schema
    values: Annotated[Array, "alpha", "joint"]
    """coefficients, the intercept last"""
    roots: Annotated[Array, "alpha", "predictor", "direction"]
    """R with RRᵀ the inverse of each penalised normal matrix, the constant first"""
    center: Annotated[Array, "feature"]


by_squared_error = Refused(
    "penalties are chosen by squared error",
    Remedy('tn.tune(tn.Ridge(), {"alpha": [0.1, 1.0, 10.0]}, X, y, scoring="neg_mean_absolute_error")'),
    (None,),
)
best_score_only = Refused(
    "only the best score is kept",
    Remedy('tn.validation_curve(tn.Ridge(), X, y, param_name="alpha", param_range=[0.1, 1.0, 10.0])'),
    (False,),
)


State = Initial | CountedChunks | LeavingOut | Done[RidgeCVModel]
Summary = Pieces | FoldMoments | Moments | LeftOut


class RidgeCV(ByFold):
    """Ridge regression with the penalty that predicts best, from two scans or one.

    By default each row is left out once, as in scikit-learn: one scan finds the models of all penalties, a second the
    error of each row in the model without it, exactly. With folds, the rows of each are summarized by themselves. Each
    model that leaves one out is made from the merge of the others and scored by the summary of that one. The objective
    is that of :class:`Ridge`: the penalty is not multiplied by the number of rows.

    Parameters
    ----------
    alphas : array or float, default=(0.1, 1.0, 10.0)
        The penalties to try.
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns. It is not penalised.
    cv : None, "random", int or array, default=None
        None: each row is left out once; a row of weight 2 counts as two rows, one of which is left out. "random": ten
        random folds in one scan, to which rows are dealt by their places, so that models merge. An int: so many folds
        in the order of the rows, as in scikit-learn; a first pass counts the rows. An array: the fold of each row.
    random_state : int, default=0
        Seed of the random folds. None draws one, and the certificate records it.
    scoring, store_cv_results : optional
        As in scikit-learn; other values raise an error that names an alternative.
    gcv_mode, alpha_per_target : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    alpha_ : float
        The penalty of least error; of equals the largest.
    alphas_ : array of shape (alphas,)
        The largest first.
    mse_path_ : array of shape (alphas, folds)
        Mean squared errors; of rows that are left out one by one, a single column.
    score_digits_ : float
        Digits that rounding leaves of these errors.
    best_score_ : float
        Minus the least mean squared error.
    coef_ : array of shape (columns,)
    intercept_ : float
    certificate_ : Certificate
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if the columns have names.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import RidgeCV
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> y = X @ np.ones(5) + X[:, 0] ** 2
    >>> model = RidgeCV(alphas=np.logspace(-3, 3, 30)).fit(X, y)
    >>> model.mse_path_.shape, model.certificate_.provenance.passes
    ((30, 1), 2.0)
    >>> model = RidgeCV(alphas=np.logspace(-3, 3, 30), cv="random").fit(X, y)
    >>> model.mse_path_.shape, model.certificate_.provenance.passes
    ((30, 10), 1.0)
    """

    law_params = (
        {"alphas": (1.0, 10.0)},
        {"alphas": (1.0, 10.0), "fit_intercept": False},
        {"alphas": (1.0, 10.0), "cv": "random"},
        {"alphas": (1.0, 10.0), "cv": "random", "fit_intercept": False},
    )

    alphas: Annotated[ArrayLike, array, real(0, open=True)] = (0.1, 1.0, 10.0)
    fit_intercept: Annotated[bool, boolean] = True
    cv: Annotated[Any, None, integer(2), array, choice("random")] = None
    random_state: Annotated[int, seed] = 0
    _: KW_ONLY
    scoring: Annotated[Any, by_squared_error] = None
    gcv_mode: Annotated[str | None, NoEffect(EXACT, (one_of("auto", "svd", "eigen"), None))] = None
    store_cv_results: Annotated[bool, best_score_only] = False
    alpha_per_target: Annotated[bool, NoEffect("there is one target", FLAG)] = False

    merges_if = 'with `cv="random"`'

    @property
    def _drawn(self) -> bool:
        """Whether folds are drawn at random."""
        return isinstance(self.cv, str)

    def statistic(self, schema: Schema) -> Comoments | RowsByChunk | ComomentsByFold:  # type: ignore[override]
        # Moments of all rows, which are then left out one by one; or what folds ask for.
        return Comoments(schema.levels) if self.cv is None else super().statistic(schema)

    def ask(self, state: State) -> Statistic | None:
        if not isinstance(state, LeavingOut):
            return super().ask(state)
        return LeaveOneOut(state.values, state.roots, state.center, state.schema.levels)

    def update(  # type: ignore[override]  # what is left out one by one comes on top of folds
        self, state: Initial | CountedChunks | LeavingOut, summary: Summary
    ) -> CountedChunks | LeavingOut | Done[RidgeCVModel]:
        # Fit every penalty, then choose by the errors of rows that are left out; or as folds do.
        if isinstance(summary, Moments):
            grid = self._grid(summary)[1][0]
            found = [from_moments(summary, float(a), self.fit_intercept) for a in grid]
            roots = np.zeros((len(grid), *found[0].root.shape[:1], max(one.root.shape[1] for one in found)))
            for a, one in enumerate(found):
                roots[a, :, : one.root.shape[1]] = one.root
            return LeavingOut(0, state.schema, np.array([one.values for one in found]), roots, found[0].center)
        if isinstance(summary, LeftOut) and isinstance(state, LeavingOut):
            return self._without_each(state, summary)
        assert not isinstance(state, LeavingOut)
        assert isinstance(summary, Pieces | FoldMoments)
        return super().update(state, summary)

    def _without_each(self, state: LeavingOut, s: LeftOut) -> Done:
        """The model of the penalty whose squared error of rows that are left out is least."""
        ratios, grid = self._grid(s)
        if not (s.free > MIN_RESIDUAL_FREEDOM).all():
            alpha = float(grid[0, int(s.free.argmin())])
            raise DataError(
                f"with alpha={alpha:g} a row decides its own prediction, as of one sample, so nothing is known of the "
                "model without it. Remedy: larger alphas, or folds, by cv="
            )
        errors = s.squares / s.weight
        if not np.isfinite(errors).all():
            raise DataError("the errors of the rows are not finite. Remedy: divide the target by its largest value")
        a = int(np.flatnonzero(errors <= errors.min() * (1 + ERROR_TIE))[0])
        size = float(np.sqrt(max(s.base.comoment[-1, -1], 0.0) / s.weight)) + abs(float(s.base.mean[-1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            rough = 4 * EPS * (1.0 / s.free + np.where(errors > 0, size / np.sqrt(errors), 0.0))
        digits = float(np.clip(-np.log10(rough), 0.0, 15.0).min())
        chosen = Chosen(float(grid[0, a]), float(ratios[0]), grid, errors[None, :, None].copy(), digits)
        return Done.of(self._best(s.base, chosen, state.schema))

    def _chosen(self, model: FoldedModel) -> tuple[Claim, ...]:
        if self.cv is not None:
            return super()._chosen(model)
        why = "of the least certain mean squared error of rows that are left out one by one"
        return (Claim("score digits", model.score_digits, "estimated", why, "arithmetic", ROUNDING_ASSUMPTION),)

    def _grid(self, whole: object) -> tuple[Array, Array]:
        given = np.sort(numbers(self.alphas, "alphas").ravel())[::-1]
        if not len(given) or not (given >= 0).all() or not np.isfinite(given).all():
            raise ValueError("alphas must be numbers that are not negative")
        return np.zeros(1), given[None].copy()

    def _fold_errors(self, each: Folds, others: Folds, ratios: Array, grid: Array) -> tuple[Array, float]:
        """All systems at once; those in which a digit is in doubt once more, one by one."""
        assert isinstance(each, FoldMoments)
        assert isinstance(others, FoldMoments)
        values, sure = quick_each(others, grid[0], self.fit_intercept)
        if not sure.all():
            rest = others.each()
            for k, a in np.argwhere(~sure).tolist():
                values[k, a] = from_moments(rest[k], float(grid[0, a]), self.fit_intercept).values
        errors, rough = errors_of(each, values[..., :-1], values[..., -1])
        return errors.T[None].copy(), least_digits(errors, rough)

    def _best(self, summary: Moments, chosen: Chosen, schema: Schema) -> RidgeCVModel:  # type: ignore[override]
        values = quick(summary, chosen.alpha, self.fit_intercept)
        if values is None:
            values = from_moments(summary, chosen.alpha, self.fit_intercept).values
        found = (values[:-1], float(values[-1]), chosen.alpha)
        return RidgeCVModel(*found, chosen.grid, chosen.errors, chosen.digits, schema)

    def certify(self, model: RidgeCVModel, summary: FoldMoments | LeftOut) -> tuple[Claim, ...]:
        """How near to the optimum the model of all rows is, and how many digits of it and of the errors hold."""
        whole = summary.base if isinstance(summary, LeftOut) else self._whole(summary)
        assert isinstance(whole, Moments)
        found = from_moments(whole, model.alpha, self.fit_intercept, np.append(model.coef, model.intercept))
        why = "residual of the normal equations (moments), as a share of the squares of y"
        which = "perturbation of the least certain coefficient, from merged moments"
        return (
            Claim("gap", found.gap, "estimated", why, "objective", ROUNDING_ASSUMPTION),
            Claim("digits", found.digits, "estimated", which, "arithmetic", ROUNDING_ASSUMPTION),
            *self._chosen(model),
        )

    @property
    @fitted
    def alphas_(self) -> Array:
        """Penalties of the grid in decreasing order."""
        return np.asarray(self._fitted().alphas[0])

    @property
    @fitted
    def mse_path_(self) -> Array:
        """Mean squared error by penalty and fold."""
        return np.asarray(self._fitted().mse_path[0])

    @property
    @fitted
    def best_score_(self) -> float:
        """Minus the least mean squared error."""
        return -float(self.mse_path_.mean(axis=1).min())
