"""Predictions for each row by a model that has not learned from it: scikit-learn's function, over sources too."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.model_selection
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier, is_regressor

from tenfold.core import MatrixLike
from tenfold.core.errors import from_here
from tenfold.engine.progress import progress
from tenfold.estimator.shell.sparse_interface import aligned
from tenfold.metrics.predictors import learners_of
from tenfold.model_selection.cross_validation.candidates import candidates_of
from tenfold.model_selection.cross_validation.fit_and_score import FitAndScore, codes_of, weight_of_fit
from tenfold.model_selection.cross_validation.folds import (
    Folds,
    Grouping,
    folds_of,
    is_known_to_scikit_learn,
)
from tenfold.model_selection.cross_validation.out_of_fold import METHODS, Method, fit_folds, outputs
from tenfold.model_selection.frame_columns import without_column
from tenfold.sources.inputs import is_lazy
from tenfold.theory.checks import one_of

DEFAULT_FOLDS = 5
"""as scikit-learn has it"""


@from_here
def cross_val_predict(
    estimator: BaseEstimator,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    groups: Grouping | None = None,
    cv: Folds | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, ArrayLike] | None = None,
    pre_dispatch: int | str | None = "2*n_jobs",
    method: Method = "predict",
    folds: Folds | None = None,
    shuffle: bool | None = None,
    random_state: int | None = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Predict each row by a model that has not learned from it, that of its fold.

    The models of all folds are fitted over the same scans, as in `cross_validate`, and rows are read once more for
    their predictions.

    Parameters
    ----------
    estimator : learner
        A learner of tenfold, a pipeline of them, or any estimator of scikit-learn, which needs its rows in memory.
    X : array, frame or Source
        A Source brings its own target and weights.
    y : array, optional
        The target of each row; None if a Source names it.
    groups : array, str or expression, optional
        Rows of one group stay together: an array, a column's name, an expression of `tenfold.col`, or "file".
    cv : int, array, str, expression, splitter or list of (train, test), optional
        A number, 5 by default as in scikit-learn; or as `folds` of `cross_validate`. Each row must be in one test set.
    n_jobs, verbose, pre_dispatch
        As in scikit-learn, for its estimators, and without effect for learners of tenfold: the runner has the threads,
        `tn.on(tn.Local(4))`.
    params : dict, optional
        scikit-learn's way to give weights, `params={"sample_weight": ...}`.
    method : {"predict", "predict_proba", "predict_log_proba", "decision_function"}, default="predict"
        Which outputs are wanted.
    folds : as cv, optional
        Another name of `cv`, the one that `cross_validate` has.
    shuffle : bool, optional
        Draw the folds by chance; by default True for a number of folds of scanned files, and False for other rows.
    random_state : int, optional
        Seed of the shuffle, 0 by default.
    sample_weight : array, optional
        The weight of each row in fitting. A Source names its own.

    Returns
    -------
    predictions : array, or Source
        One for each row, in the order of the rows, also for those of weight zero. For a Source they are a Source, as
        those of `predict`: computed when they are read, collected, or written by `to_parquet`.

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.arange(60.0)[:, None] % 7
    >>> found = tn.cross_val_predict(tn.LinearRegression(), X, 3 * X[:, 0] + 1, cv=5)
    >>> found.shape, bool(np.allclose(found, 3 * X[:, 0] + 1))
    ((60,), True)
    """
    one_of("method", method, METHODS)
    given = folds_of(folds, cv, DEFAULT_FOLDS)
    theirs = {"n_jobs": n_jobs, "verbose": verbose, "pre_dispatch": pre_dispatch, "method": method}
    if not is_lazy(X) and not shuffle and is_known_to_scikit_learn(given, groups) and not _is_ours(estimator, y):
        weights = params if sample_weight is None else {**(params or {}), "sample_weight": sample_weight}
        return sklearn.model_selection.cross_val_predict(
            estimator, X, y, groups=groups, cv=given, params=weights, **theirs
        )  # fmt: skip
    if not hasattr(estimator, method):
        there = [name for name in METHODS if hasattr(estimator, name)]
        raise AttributeError(f"{type(estimator).__name__} has no method {method!r}. Remedy: one of {there}")
    if params:
        if set(params) != {"sample_weight"} or sample_weight is not None:
            raise ValueError(f"params may have sample_weight alone, given once, not {sorted(params)}")
        sample_weight = params["sample_weight"]
    run = FitAndScore(
        candidates_of(estimator), X, y, folds=given, shuffle=shuffle, seed=random_state or 0, groups=groups,
        scoring=None, weight=sample_weight,
    )  # fmt: skip
    with progress("cross-validation"):
        candidate, rows, key = fit_folds(run)
        if candidate.stages:
            found = outputs(candidate, rows, key, method)
            return found if is_lazy(X) else aligned(found.collect(), X)
    candidate.source = candidate.source.unweighted()
    codes = codes_of(key, candidate)
    splits = [(np.flatnonzero(codes != j), np.flatnonzero(codes == j)) for j in range(key.groups)]
    weighted = {} if run.weight is None else weight_of_fit(candidate, run.weight)
    X = without_column(run.X, run.column)
    return sklearn.model_selection.cross_val_predict(estimator, X, y, cv=splits, params=weighted, **theirs)


def _is_ours(estimator: BaseEstimator, y: ArrayLike | None) -> bool:
    """Whether an estimator is a regressor or a classifier of tenfold, and the target one column."""
    supervised = is_classifier(estimator) or is_regressor(estimator)
    return supervised and bool(learners_of(estimator)) and y is not None and np.ndim(y) == 1
