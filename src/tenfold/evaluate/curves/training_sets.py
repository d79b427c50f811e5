"""Models of disjoint training sets: the rows are dealt to the sets, and one scan gives the models of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import column_or_1d

from tenfold.core import Chunk, DataError, Labels, Need
from tenfold.core.statistic import Statistic
from tenfold.core.value import Itself
from tenfold.engine.runner import Session
from tenfold.estimator.predictor import Model
from tenfold.evaluate.cross_validation.candidates import Candidate
from tenfold.evaluate.cross_validation.fit_and_score import FitAndScore, codes_of
from tenfold.evaluate.cross_validation.folds import Split, Splits, disjoint_sets
from tenfold.evaluate.curves.loss_decomposition import Parts, squared, zero_one
from tenfold.sources import Source
from tenfold.sources.inputs import MatrixLike
from tenfold.sources.labels import class_codes, levels
from tenfold.stats.combinators import As, Of
from tenfold.stats.score import Predictor


class LossParts(Statistic[Parts]):
    """The loss of all models of a learner on the same rows, taken apart."""

    predictors: tuple[Predictor, ...]
    truth: Itself
    """for each row of the source the mean of the target or its most probable class; None: not known"""

    def summarize(self, chunk: Chunk) -> Parts:
        """The parts of the loss of some rows."""
        if not chunk.n:
            return Parts(0, np.zeros(8))
        said = np.array([p.outputs(chunk, ("prediction",))["prediction"] for p in self.predictors])
        truth = None if self.truth.it is None else self.truth.it[chunk.X.numbers()]
        if classes := self.predictors[0].n_classes:
            return zero_one(said, chunk.y, truth, chunk.weight, classes)
        return squared(said, chunk.y, truth, chunk.weight)


class TrainingSets(FitAndScore):
    """A run in which each split learns from a set of its own, and all are judged on the same rows."""

    def __init__(
        self, candidate: Candidate, X: MatrixLike, y: ArrayLike | None, seed: int, sets: int, test: float,
        truth: Labels | None,
    ) -> None:  # fmt: skip
        super().__init__([candidate], X, y, 0, False, seed, None, None)
        self.sets, self.test, self.truth = sets, test, truth
        self.parts = Parts(0, np.zeros(8))
        self.train_size = 0.0

    def _splits(self, source: Source, need: Need, session: Session) -> Splits:
        return disjoint_sets(self.sets, self.test, source, need, session, self.seed)

    def _read_off(self, candidate: Candidate, splits: Sequence[Split]) -> bool:
        return False

    def _score(self, candidates: list[Candidate], session: Session, splits: Sequence[Split]) -> None:
        (candidate,) = candidates
        last, classes = candidate.members[-1], candidate.schema.classes
        truth = self.truth if self.truth is None or classes is None else class_codes(self.truth, classes)
        models = tuple(Model.of(m.learner, m.at.model, m.before, classes) for m in last)
        judged = Of(splits[0].key, (self.sets,), LossParts(models, Itself(truth)))
        self.scans += 1
        self._done(candidate, session.answer(As(candidate.view, judged)).summary, [m.at.rows for m in last])

    def _in_memory(self, candidate: Candidate, session: Session, splits: Sequence[Split]) -> None:
        codes, y = codes_of(splits[0].key, candidate), column_or_1d(self.y)
        *rows, judged = (np.flatnonzero(codes == g) for g in range(self.sets + 1))
        pairs = [(_safe_indexing(self.X, some), y[some]) for some in rows]
        truth = None if self.truth is None else self.truth[judged]
        parts = judged_by(candidate.given, pairs, _safe_indexing(self.X, judged), y[judged], truth)
        self._done(candidate, parts, [len(some) for some in rows])

    def _done(self, candidate: Candidate, parts: Parts, sizes: list[int]) -> None:
        if not parts.rows:
            raise DataError("there are no rows to judge on. Remedy: more rows, or a larger share `test`")
        self.parts, self.train_size = parts, float(np.mean(sizes))
        candidate.scores = np.full((1, self.sets), np.nan)
        self.sizes = {j: (n, parts.rows) for j, n in enumerate(sizes)}


def judged_by(
    learner: BaseEstimator, pairs: Iterable[tuple[MatrixLike, Labels]], X: MatrixLike, y: Labels, truth: Labels | None
) -> Parts:  # fmt: skip
    """Of models of the pairs of rows and targets, all of them in memory."""
    said = [np.asarray(clone(learner).fit(rows, target).predict(X)) for rows, target in pairs]
    even = np.ones(len(y))
    if not is_classifier(learner):
        known = None if truth is None else truth.astype(float)
        return squared(np.array(said, dtype=float), y.astype(float), known, even)
    classes = levels(np.concatenate([y, *said, *([] if truth is None else [truth])]), "y")
    codes = np.array([class_codes(one, classes) for one in said])
    target = None if truth is None else class_codes(truth, classes)
    return zero_one(codes, class_codes(y, classes), target, even, len(classes))
