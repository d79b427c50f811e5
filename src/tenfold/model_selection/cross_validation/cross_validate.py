"""Cross-validation for the price of a scan: group by fold, model j from the merge of all folds but j."""

from __future__ import annotations

from numpy.typing import ArrayLike

from tenfold.core import MatrixLike, ParameterError, Remedy
from tenfold.core.errors import from_here
from tenfold.metrics.scoring import Scoring
from tenfold.model_selection.cross_validation.candidates import Learners, candidates_of
from tenfold.model_selection.cross_validation.cross_validation_result import CrossValidation
from tenfold.model_selection.cross_validation.fit_and_score import FitAndScore
from tenfold.model_selection.cross_validation.folds import Folds, Grouping, folds_of


@from_here
def cross_validate(
    learners: Learners,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    folds: Folds | None = None,
    shuffle: bool | None = None,
    random_state: int | None = None,
    groups: Grouping | None = None,
    scoring: Scoring | None = None,
    pos_label: object = None,
    repeats: int = 1,
    cv: Folds | None = None,
    sample_weight: ArrayLike | None = None,
    params: dict[str, ArrayLike] | None = None,
    n_jobs: int | None = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
) -> CrossValidation:
    """Score learners by cross-validation: one scan for all folds of all one-pass learners.

    Parameters
    ----------
    learners : learner, list of learners, or dict of learners by name
        Learners of tenfold, pipelines of them, and any estimator of scikit-learn, which is fitted in memory to
        the same folds.
    X : array, frame or Source
        A Source brings its own target and weights.
    y : array, optional
        The target of each row; None if a Source names it.
    folds : int, array, str, expression, splitter or list of (train, test), optional
        A number, 10 by default: contiguous folds, stratified for classes. An array, a column's name, or an expression
        of `tenfold.col`: each value is a fold; a column that is named is no feature. "file": each file is a fold.
        "time": each of 5 folds is scored by a model of the rows before it. Or any splitter of scikit-learn.
    shuffle : bool, optional
        Draw the folds by chance, evenly: of any `folds` rows in a row, one is in each fold. By default True for a
        number of folds of scanned files, whose order is often time, and False for other rows, as in scikit-learn.
    random_state : int, optional
        Seed of the shuffle, 0 by default.
    groups : array, str or expression, optional
        Rows of one group stay together: an array, a column's name, an expression of `tenfold.col`, or "file".
    scoring : str, callable, list or dict of them, optional
        Names of scores as scikit-learn has them, what `sklearn.metrics.make_scorer` makes, or functions of an
        estimator, rows and target that look at its predictions; accuracy or r2 by default. Most names are read off
        small summaries; other scores are of the predictions of all rows, which are held. A dict names them.
    pos_label : optional
        The positive class of precision, recall, f1 and average precision: by default 1 if it is one of the two, as
        scikit-learn has it, else the last. The result names it.
    repeats : int, default=1
        With shuffle: how many times to draw.
    cv : as folds, optional
        The name that scikit-learn has for `folds`.
    sample_weight : array, optional
        The weight of each row, in fitting and in scoring. A Source names its own.
    params : dict, optional
        scikit-learn's way to give weights, `params={"sample_weight": ...}`.
    n_jobs : int, optional
        As in scikit-learn, and without effect: the runner has the threads, `tn.on(tn.Local(4))`.
    return_train_score, return_estimator : False
        As in scikit-learn, but only False, since no model of a fold is kept; the error names the remedy.

    Returns
    -------
    results : CrossValidation

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.arange(60.0)[:, None] % 7
    >>> cv = tn.cross_validate([tn.Ridge(0.1), tn.Ridge(100.0)], X, 3 * X[:, 0] + X[:, 0] ** 2, folds=5)
    >>> cv.best
    Ridge(alpha=0.1)
    >>> cv.scans
    1
    """
    if return_train_score:
        raise ParameterError(
            "cross_validate keeps no scores of training rows",
            Remedy("tn.learning_curve(model, X, y, train_sizes=[1.0]).train_scores", "or one score after another"),
        )
    if return_estimator:
        raise ParameterError(
            "cross_validate keeps no model of a fold",
            Remedy("sklearn.model_selection.cross_validate(model, X, y, return_estimator=True)", "which fits each"),
        )
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, not {repeats}")
    if repeats > 1 and not shuffle:
        raise ValueError("repeats draw the folds again: they go with shuffle=True")
    folds = folds_of(folds, cv)
    if params:
        if set(params) != {"sample_weight"} or sample_weight is not None:
            raise ValueError(f"params may have sample_weight alone, given once, not {sorted(params)}")
        sample_weight = params["sample_weight"]
    run = FitAndScore(
        candidates_of(learners), X, y, folds=folds, shuffle=shuffle, seed=random_state or 0, groups=groups,
        scoring=scoring, repeats=repeats, keep=True, pos_label=pos_label, weight=sample_weight,
    )  # fmt: skip
    return run.results()
