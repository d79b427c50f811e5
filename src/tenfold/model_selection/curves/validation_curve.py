"""Scores by the value of a parameter, on training and on validation rows: models share scans as in `tune`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from tenfold.core import Array, MatrixLike
from tenfold.model_selection.cross_validation.folds import Folds, Grouping, folds_of
from tenfold.model_selection.curves.curve import Curve, scored


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ValidationCurve(Curve):
    """Scores by the value of a parameter.

    Attributes
    ----------
    param_name : str
    param_range : list
    train_scores, test_scores : array of shape (values, folds)
        On the training rows, and on the fold that was left out.
    sizes : array of shape (values, folds, 2)
        Training rows and test rows.
    score_name : str
    scans : int
        How many times the rows were read.
    seconds : float
    pos_label : optional
        The class that a score of two classes, such as f1, takes for the positive one.
    division : str
        How rows were divided into folds; empty if the arguments alone say it.
    """

    param_name: str
    param_range: Sequence[Any]

    def __iter__(self) -> Iterator[Array]:
        """Training scores and test scores: `train, test = validation_curve(...)`, as in scikit-learn."""
        return iter((self.train_scores, self.test_scores))

    def along(self) -> tuple[str, Sequence[Any]]:
        return self.param_name, self.param_range

    @property
    def best(self) -> Any:
        """The value with the best mean score on validation rows."""
        return self.param_range[int(np.nan_to_num(self.test_scores.mean(axis=1), nan=-np.inf).argmax())]


def validation_curve(
    learner: BaseEstimator,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    param_name: str,
    param_range: Iterable[Any],
    folds: Folds | None = None,
    shuffle: bool | None = None,
    random_state: int | None = None,
    groups: Grouping | None = None,
    scoring: str | Callable[..., Any] | None = None,
    pos_label: object = None,
    cv: Folds | None = None,
    n_jobs: int | None = None,
) -> ValidationCurve:
    """Scores of a learner by the value of one of its parameters: where it learns too little, and where it overfits.

    Parameters
    ----------
    learner : learner, pipeline of learners, or any estimator of scikit-learn
        The learner to fit, with its parameters; it is cloned.
    X : array, frame or Source
        A Source brings its own target and weights.
    y : array, optional
        The target of each row; None if a Source names it.
    param_name : str
        The name of the parameter that is varied.
    param_range : list
        Values to try.
    folds, shuffle, random_state, groups
        As in `cross_validate`.
    scoring : str or callable, optional
        One score, as in `cross_validate`; accuracy or r2 by default.
    pos_label : optional
        The positive class of precision, recall, f1 and average precision: by default 1 if it is one of the two, as
        scikit-learn has it, else the last. The result names it.
    cv : as folds, optional
        The name that scikit-learn has for `folds`.
    n_jobs : int, optional
        As in scikit-learn, and without effect: the runner has the threads, `tn.on(tn.Local(4))`.

    Returns
    -------
    curve : ValidationCurve

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 40))
    >>> y = X[:, 0] + rng.normal(size=100)
    >>> curve = tn.validation_curve(tn.Ridge(), X, y, param_name="alpha", param_range=[0.01, 30.0, 10_000.0])
    >>> curve.best, curve.scans
    (30.0, 1)
    >>> curve.train_scores.mean(axis=1).round(2)
    array([0.73, 0.66, 0.02])
    """
    values = list(param_range)
    if not values:
        raise ValueError("param_range is empty: there is nothing to try")
    learners = [clone(learner).set_params(**{param_name: value}) for value in values]
    learned, judged = scored(
        "validation curve", learners, X, y, folds_of(folds, cv), shuffle, random_state or 0, groups, scoring, pos_label
    )  # fmt: skip
    return ValidationCurve(
        param_name=param_name, param_range=values, train_scores=learned, test_scores=judged.scores[:, 0],
        sizes=np.broadcast_to(np.array(judged.sizes), (len(values), len(judged.sizes), 2)),
        score_name=judged.scoring[0],
        scans=judged.scans, seconds=judged.seconds, pos_label=judged.pos_label, division=judged.division,
    )  # fmt: skip
