"""Scores by how many rows were learned from. Shares are nested, so all sizes of all folds come from one scan.

Every row is dealt a place from 0 to 1 by its number; a share s is made of the rows below s. Rows are grouped by fold
and by the first share that holds them, and the model of share s without fold j is a merge of groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tenfold.core import Array, Codes, MatrixLike
from tenfold.model_selection.cross_validation.folds import Folds, Grouping, folds_of
from tenfold.model_selection.curves.curve import Curve, scored


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LearningCurve(Curve):
    """Scores by the number of training rows.

    Attributes
    ----------
    train_sizes : array of shape (sizes,)
        Training rows, the mean over the folds.
    train_scores, test_scores : array of shape (sizes, folds)
        On the training rows, and on the fold that was left out.
    sizes : array of shape (sizes, folds, 2)
        Training rows and test rows, exactly.
    score_name : str
    scans : int
        How many times the rows were read.
    seconds : float
    pos_label : optional
        The class that a score of two classes, such as f1, takes for the positive one.
    division : str
        How rows were divided into folds; empty if the arguments alone say it.
    """

    train_sizes: Codes

    def __iter__(self) -> Iterator[Array | Codes]:
        """Sizes, training scores and test scores: `sizes, train, test = learning_curve(...)`, as in scikit-learn."""
        return iter((self.train_sizes, self.train_scores, self.test_scores))

    def along(self) -> tuple[str, Sequence[int]]:
        return "training rows", self.train_sizes.tolist()


def learning_curve(
    learner: BaseEstimator,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    train_sizes: ArrayLike = (0.1, 0.325, 0.55, 0.775, 1.0),
    folds: Folds | None = None,
    shuffle: bool | None = None,
    random_state: int | None = None,
    groups: Grouping | None = None,
    scoring: str | Callable[..., Any] | None = None,
    pos_label: object = None,
    cv: Folds | None = None,
    n_jobs: int | None = None,
) -> LearningCurve:
    """Scores of a learner by how many rows it learns from: for a learner of one pass, one scan for all sizes.

    Parameters
    ----------
    learner : learner, pipeline of learners, or any estimator of scikit-learn
        The learner to fit, with its parameters; it is cloned.
    X : array, frame or Source
        A Source brings its own target and weights.
    y : array, optional
        The target of each row; None if a Source names it.
    train_sizes : list of float or of int
        Shares of the rows that a fold leaves to learn from, above 0 and at most 1; or numbers of rows. Rows are
        drawn by chance, each share holds the rows of the smaller ones, and of classes there are as many in each.
        Shares are met to within a row or so, numbers to a thousandth.
    folds, shuffle, random_state, groups
        As in `cross_validate`; the seed draws the shares too.
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
    curve : LearningCurve

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 20))
    >>> curve = tn.learning_curve(tn.Ridge(), X, X[:, 0] + rng.normal(size=400), train_sizes=[0.1, 0.5, 1.0])
    >>> curve.train_sizes, curve.scans
    (array([ 36, 180, 360]), 1)
    >>> curve.test_scores.mean(axis=1).round(2)
    array([-0.12,  0.43,  0.46])
    """
    given = np.asarray(train_sizes)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "fiu" or not (given > 0).all():
        raise ValueError(f"train_sizes are shares or numbers of rows, all positive, not {train_sizes!r}")
    if given.dtype.kind == "f" and (given > 1).any():
        raise ValueError("train_sizes of type float are shares, at most 1. Remedy: give numbers of rows as integers")
    given = np.unique(given)
    learned, judged = scored(
        "learning curve", [learner], X, y, folds_of(folds, cv), shuffle, random_state or 0, groups, scoring, pos_label,
        given,
    )  # fmt: skip
    train, test = (scores.reshape(-1, len(given)).T for scores in (learned, judged.scores))
    sizes = np.array(judged.sizes).reshape(-1, len(given), 2).transpose(1, 0, 2)
    return LearningCurve(
        train_sizes=np.rint(sizes[:, :, 0].mean(axis=1)).astype(np.int64), train_scores=train, test_scores=test,
        sizes=sizes, score_name=judged.scoring[0], scans=judged.scans, seconds=judged.seconds,
        pos_label=judged.pos_label, division=judged.division,
    )  # fmt: skip
