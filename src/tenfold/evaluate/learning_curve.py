"""Scores by how many rows were learned from. Shares are nested, so all sizes of all folds come from one scan.

Every row is dealt a place from 0 to 1 by its number; a share s is made of the rows below s. Rows are grouped by fold
and by the first share that holds them, and the model of share s without fold j is a merge of groups.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from tenfold.core import Need
from tenfold.engine.keys import Coder, Key, Listed, Shuffled, Stratified
from tenfold.engine.progress import progress
from tenfold.evaluate.curves import Curve
from tenfold.evaluate.entries import entries_of
from tenfold.evaluate.exams import Exams
from tenfold.evaluate.folds import Plan, Split, plan
from tenfold.sources import Source

FINEST = 1000
"""places that rows are dealt, at most: a share is rounded to one of so many"""
APART = 7919
"""added to the seed of the folds, so that shares do not follow them"""


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(Curve):
    """Scores by the number of rows learned from.

    Attributes
    ----------
    train_sizes : array of shape (sizes,)
        Rows learned from, the mean over the folds.
    train_scores, test_scores : array of shape (sizes, folds)
        On the rows learned from, and on the fold that was left out.
    sizes : array of shape (sizes, folds, 2)
        Rows learned from and rows judged on, exactly.
    score_name : str
    scans : int
        How many times the rows were read.
    seconds : float
    pos_label : optional
        The class that a score of two classes, such as f1, takes for the positive one.
    """

    train_sizes: Any
    train_scores: Any
    test_scores: Any
    sizes: Any
    score_name: str
    scans: int
    seconds: float
    pos_label: Any = None

    def along(self) -> tuple[str, Any]:
        """The rows learned from."""
        return "rows learned from", self.train_sizes


def learning_curve(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    train_sizes: Any = (0.1, 0.325, 0.55, 0.775, 1.0),
    folds: Any = 10,
    shuffle: bool = False,
    random_state: int | None = None,
    groups: Any = None,
    scoring: str | None = None,
    pos_label: Any = None,
) -> LearningCurve:
    """Scores of a learner by how many rows it learns from: for a learner of one pass, one scan for all sizes.

    Parameters
    ----------
    learner : learner, pipeline of learners, or any estimator of scikit-learn
    X : array, frame or Source
        A Source brings its own target and weights.
    y : array, optional
    train_sizes : list of float or of int
        Shares of the rows that a fold leaves to learn from, above 0 and at most 1; or numbers of rows. Rows are
        drawn by chance, each share holds the rows of the smaller ones, and of classes there are as many in each.
        Shares are met to within a row or so, numbers to a thousandth.
    folds, shuffle, random_state, groups
        As in `cross_validate`; the seed draws the shares too.
    scoring : str, optional
        Name of one score; accuracy or r2 by default.
    pos_label : optional
        The positive class of precision, recall, f1 and average precision: by default 1 if it is one of the two, as
        scikit-learn has it, else the last. The result names it.

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
    began = time.perf_counter()
    given = np.asarray(train_sizes)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "fiu" or not (given > 0).all():
        raise ValueError(f"train_sizes are shares or numbers of rows, all positive, not {train_sizes!r}")
    if given.dtype.kind == "f" and (given > 1).any():
        raise ValueError("train_sizes of type float are shares, at most 1. Remedy: give numbers of rows as integers")
    given = np.unique(given)
    run = Shares(
        entries_of([learner]), X, y, folds, shuffle, random_state or 0, groups, scoring, given=given,
        pos_label=pos_label,
    )  # fmt: skip
    with progress("learning curve"):
        run.results()
    train, test = (scores[0].reshape(-1, len(given)).T for scores in run.scores())
    sizes = np.array([run.sizes[j] for j in sorted(run.sizes)]).reshape(-1, len(given), 2).transpose(1, 0, 2)
    mean = np.rint(sizes[:, :, 0].mean(axis=1)).astype(np.int64)
    seconds = time.perf_counter() - began
    return LearningCurve(mean, train, test, sizes, run.scoring[0], run.scans, seconds, run.pos_label)


class Nested(Key):
    """By fold, and within it by the first share that holds a row."""

    folds: Key
    dealt: Key
    """places, as many as it has groups"""
    first: Any
    """of each place, the number of the first share that holds it"""

    def coder(self, part: int) -> Coder:
        """By what both keys say."""
        fold, place = self.folds.coder(part), self.dealt.coder(part)
        shares = self.groups // self.folds.groups

        def code(chunk: Any) -> Any:
            at = fold(chunk)
            return np.where(at < 0, -1, at * shares + self.first[place(chunk)])

        return code


class Shares(Exams):
    """A cross-validation with several shares of what each fold leaves to learn from."""

    def __init__(self, *options: Any, given: Any, **named: Any) -> None:
        super().__init__(*options, **named)
        self.given = given

    def _plan(self, source: Source, need: Need, session: Any) -> Plan:
        base = super()._plan(source, need, session)
        starts, scans = base.starts, base.scans
        keys = {id(split.key): split.key for split in base.splits}
        by_number = self.given.dtype.kind != "f" or not all(isinstance(key, Stratified) for key in keys.values())
        unknown = source.counted is None
        if starts is None and by_number and unknown:
            found = plan(2, source, need.without_target(), session, shuffle=True)
            starts, scans = found.starts, scans + found.scans
        shares = self.given
        if shares.dtype.kind != "f":
            shares = _as_shares(shares, base, int(source.counted if starts is None else starts[-1]))  # type: ignore[arg-type]
        places = next(m for m in range(1, FINEST + 1) if m == FINEST or _whole(shares * m))
        first = np.searchsorted(np.maximum(np.rint(shares * places), 1), np.arange(places), side="right")
        t = len(shares) + 1  # the last is of rows in no share: they are judged on all the same
        nested = {
            name: Nested(key.groups * t, key, self._dealt(key, places, starts), first) for name, key in keys.items()
        }
        splits = []
        for split in base.splits:
            test = tuple(g * t + s for g in split.test for s in range(t))
            for share in range(len(shares)):
                train = tuple(g * t + s for g in split.train for s in range(share + 1))
                splits.append(Split(nested[id(split.key)], train, test))
        return Plan(tuple(splits), starts, scans, base.side)

    def _dealt(self, key: Key, places: int, starts: Any) -> Key:
        seed = self.seed + APART
        if isinstance(key, Stratified):
            return Stratified(places, key.before, key.cuts, seed)
        return Shuffled(places, seed, starts=starts)


def _whole(numbers: Any) -> bool:
    return bool(np.abs(numbers - np.rint(numbers)).max() < 1e-9)


def _as_shares(numbers: Any, base: Plan, n: int) -> Any:
    """Numbers of rows as shares of what the folds leave to learn from, the least of them."""
    left = []
    for split in base.splits:
        if isinstance(split.key, Listed):
            rows = np.bincount(split.key.codes[split.key.codes >= 0], minlength=split.key.groups)
            left.append(int(rows[list(split.train)].sum()))
        else:
            left.append(n * len(split.train) // split.key.groups)
    if numbers.max() > min(left):
        raise ValueError(f"train_sizes ask for {numbers.max()} rows, and a fold leaves about {min(left)} to learn from")
    return numbers / min(left)
