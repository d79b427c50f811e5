"""Ridge regression whose penalty is chosen by cross-validation: the α of least mean squared error on new rows."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Claim, Schema
from tenfold.estimator.constraints import Constraints, array, boolean, numbers
from tenfold.linear.by_fold import CV, SEED, ByFold, Chosen, Folds, errors_of, least_digits
from tenfold.linear.penalised import USUAL
from tenfold.linear.solving import from_moments, quick, quick_each
from tenfold.stats.folds import FoldMoments, Pieces
from tenfold.stats.moments import Moments


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


class RidgeCV(ByFold):
    """Ridge regression with the penalty that predicts best, from one scan.

    The rows of each fold are summarized by themselves. Each model that leaves one out is made from the merge of the
    others and scored by the summary of that one, so all folds and penalties cost one scan. The objective is that of
    :class:`Ridge`: the penalty is not multiplied by the number of rows.

    Parameters
    ----------
    alphas : array, default=(0.1, 1.0, 10.0)
        The penalties to try.
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns. It is not penalised.
    cv : None, int or array, default=None
        None: ten random folds, to which rows are dealt by their places, so that models merge. An int: so many folds of
        rows in a row, as scikit-learn has them; a first pass counts the rows, and models do not merge. An array: the
        fold of each row.
    random_state : int, default=0
        Seed of the lot.
    scoring, store_cv_results : optional
        As in scikit-learn, but only in the values that say what is done here; the error names the remedy.
    gcv_mode, alpha_per_target : optional
        As in scikit-learn, and without effect: *Coming from scikit-learn* says why.

    Attributes
    ----------
    alpha_ : float
        The penalty of least error; of equals the largest.
    alphas_ : array of shape (alphas,)
        The largest first.
    mse_path_ : array of shape (alphas, folds)
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
    >>> model = RidgeCV(alphas=np.logspace(-3, 3, 30)).fit(X, X @ np.ones(5) + X[:, 0] ** 2)
    >>> model.mse_path_.shape, model.certificate_.provenance.passes
    ((30, 10), 1.0)
    """

    model_type = RidgeCVModel
    summary_types = (Pieces, FoldMoments)
    law_params = (
        {"alphas": (1.0, 10.0)},
        {"alphas": (1.0, 10.0), "fit_intercept": False},
    )
    _parameter_constraints: ClassVar[Constraints] = {
        "alphas": [array],
        "fit_intercept": [boolean],
        "cv": CV,
        "random_state": [SEED],
    }

    def __init__(
        self,
        alphas: ArrayLike = (0.1, 1.0, 10.0),
        fit_intercept: bool = True,
        cv: Any = None,
        random_state: int = 0,
        *,
        scoring: Any = None,
        gcv_mode: str | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.random_state = random_state
        self.scoring = scoring
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    def _grid(self, whole: object) -> tuple[Array, Array]:
        given = np.sort(numbers(self.alphas, "alphas").ravel())[::-1]
        if not len(given) or not (given >= 0).all() or not np.isfinite(given).all():
            raise ValueError("alphas must be numbers that are not negative")
        return np.zeros(1), given[None].copy()

    def _judged(self, each: Folds, others: Folds, ratios: Array, grid: Array) -> tuple[Array, float]:
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

    def certify(self, model: RidgeCVModel, summary: FoldMoments) -> tuple[Claim, ...]:
        """How near to the optimum the model of all rows is, and how many digits of it and of the errors hold."""
        whole = self._whole(summary)
        assert isinstance(whole, Moments)
        found = from_moments(whole, model.alpha, self.fit_intercept, np.append(model.coef, model.intercept))
        why = "residual of the normal equations (moments), as a share of the squares of y"
        which = "perturbation of the least certain coefficient, from merged moments"
        return (
            Claim("gap", found.gap, "estimated", why, "objective", USUAL),
            Claim("digits", found.digits, "estimated", which, "arithmetic", USUAL),
            *self._chosen(model),
        )

    @property
    def alphas_(self) -> Array:
        """The penalties, the largest first."""
        return np.asarray(self._fitted().alphas[0])

    @property
    def mse_path_(self) -> Array:
        """Mean squared error by penalty and fold."""
        return np.asarray(self._fitted().mse_path[0])

    @property
    def best_score_(self) -> float:
        """Minus the least mean squared error."""
        return -float(self.mse_path_.mean(axis=1).min())
