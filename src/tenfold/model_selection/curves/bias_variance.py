"""Why a learner errs: noise, bias, and variance from one training set to the next.

Rows are dealt to disjoint training sets, and one scan gives the models of all of them; or sets are drawn in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import column_or_1d

from tenfold.core import Chunk, DataError, Labels, MatrixLike, Need
from tenfold.core.statistic import Statistic
from tenfold.core.value import ByIdentity
from tenfold.engine.runner import Session
from tenfold.estimator.ensembles.predictor import Model
from tenfold.model_selection.cross_validation.candidates import Candidate, candidates_of
from tenfold.model_selection.cross_validation.fit_and_score import FitAndScore, codes_of
from tenfold.model_selection.cross_validation.folds import FoldSplit, Splits, disjoint_sets
from tenfold.model_selection.curves.loss_decomposition import BiasVariance, LossPartSums, squared, zero_one
from tenfold.sources import Source
from tenfold.sources.inputs import is_lazy
from tenfold.sources.label_codes import class_codes, levels
from tenfold.stats.combinators import As, Of
from tenfold.stats.predictor_scores import Predictor
from tenfold.theory.checks import one_of, whole


def bias_variance(
    learner: BaseEstimator,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    sets: int | Sequence[tuple[MatrixLike, ArrayLike]] = 30,
    sampling: Literal["bootstrap", "disjoint"] = "bootstrap",
    test: float = 0.3,
    truth: ArrayLike | None = None,
    random_state: int = 0,
) -> BiasVariance:
    """Take the expected loss of a learner apart into noise, bias and variance.

    Parameters
    ----------
    learner : regressor (squared loss) or classifier (share of wrong classes)
        Of tenfold, a pipeline, or of scikit-learn.
    X : array, frame or Source
        A Source brings its own target, and goes with sampling="disjoint".
    y : array, optional
        The target of each row; None if a Source names it.
    sets : int or list of (X, y), default=30
        How many training sets to draw from the rows; or the sets themselves, and then all of X is scored on.
    sampling : {"bootstrap", "disjoint"}, default="bootstrap"
        "bootstrap" draws as many rows as there are to learn from, with replacement: the sets have the full size, but
        they overlap, so that the variance is too small. "disjoint" deals the rows to the sets: these are
        independent, but small. For a learner of one pass, all their models come from one scan.
    test : float, default=0.3
        Share of the rows that are scored on and not learned from.
    truth : array, optional
        For each row of X the mean of the target, or its most probable class, if known: it separates noise from
        bias.
    random_state : int, default=0
        Seed of all that is drawn; the same seed gives the same bits.

    Returns
    -------
    parts : BiasVariance

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(6_000, 1))
    >>> f = 3 * X[:, 0] ** 2
    >>> parts = tn.bias_variance(tn.Ridge(), X, f + rng.normal(size=6_000), sampling="disjoint", truth=f)
    >>> round(parts.bias, 2), round(parts.variance, 2), round(parts.noise, 2)
    (0.75, 0.02, 1.01)
    """
    one_of("sampling", sampling, ("bootstrap", "disjoint"))
    (candidate,) = candidates_of([learner])
    if not 0 < test < 1:
        raise ValueError(f"test is the share of rows to score on, above 0 and below 1, not {test!r}")
    given = None if isinstance(sets, (int, np.integer)) else list(sets)
    count = whole("sets", sets, 2) if given is None else len(given)
    if count < 2:
        raise ValueError("the variance cannot be estimated from one training set: give two or more")
    far = is_lazy(X)
    if far and (given is not None or sampling == "bootstrap"):
        raise DataError("drawing with replacement needs the rows in memory. Remedy: sampling='disjoint', or arrays")
    if far and truth is not None:
        raise DataError("truth has an entry for each row, in memory, and the rows are a Source. Remedy: give arrays")
    truth = None if truth is None else column_or_1d(truth)
    if given is None and sampling == "disjoint":
        run = TrainingSets(candidate, X, y, random_state, count, test, truth)
        run.results()
        return run.parts.result(is_classifier(learner), count, run.train_size)
    return _in_memory(learner, X, column_or_1d(y), given, count, test, truth, random_state)


def _in_memory(
    learner: BaseEstimator, X: MatrixLike, y: Labels, given: list[tuple[MatrixLike, ArrayLike]] | None, count: int,
    test: float, truth: Labels | None, seed: int,
) -> BiasVariance:  # fmt: skip
    judged = np.arange(len(y))
    sizes: list[int] = []

    def pairs() -> Iterator[tuple[MatrixLike, Labels]]:
        """Training sets, given or drawn with replacement."""
        for at in range(count):
            if given is None:
                some = learn[random.integers(len(learn), size=len(learn))]
                rows, target = _safe_indexing(X, some), y[some]
            else:
                rows, target = given[at][0], np.asarray(given[at][1])
            sizes.append(len(target))
            yield rows, target

    if given is None:
        random = np.random.default_rng(seed)
        order = random.permutation(len(y))
        cut = max(1, round(test * len(y)))
        judged, learn = np.sort(order[:cut]), order[cut:]
        if not len(learn):
            raise DataError("there are no training rows. Remedy: more rows, or a smaller share `test`")
    truth = None if truth is None else truth[judged]
    parts = judged_by(learner, pairs(), _safe_indexing(X, judged), y[judged], truth)
    return parts.result(is_classifier(learner), count, float(np.mean(sizes)))


class LossParts(Statistic[LossPartSums]):
    """The loss of all models of a learner on the same rows, taken apart."""

    predictors: tuple[Predictor, ...]
    truth: ByIdentity
    """for each row of the source the mean of the target or its most probable class; None: not known"""

    def summarize(self, chunk: Chunk) -> LossPartSums:
        if not chunk.n:
            return LossPartSums(0, np.zeros(8))
        said = np.array([p.outputs(chunk, ("prediction",))["prediction"] for p in self.predictors])
        truth = None if self.truth.it is None else self.truth.it[chunk.X.numbers()]
        if classes := self.predictors[0].n_classes:
            return zero_one(said, chunk.y, truth, chunk.weight, classes)
        return squared(said, chunk.y, truth, chunk.weight)


class TrainingSets(FitAndScore):
    """A run in which each split learns from a set of its own, and all are scored on the same rows."""

    def __init__(
        self, candidate: Candidate, X: MatrixLike, y: ArrayLike | None, seed: int, sets: int, test: float,
        truth: Labels | None,
    ) -> None:  # fmt: skip
        super().__init__([candidate], X, y, folds=0, shuffle=False, seed=seed, groups=None, scoring=None)
        self.sets, self.test, self.truth = sets, test, truth
        self.parts = LossPartSums(0, np.zeros(8))
        self.train_size = 0.0

    def _splits(self, source: Source, need: Need, session: Session) -> Splits:
        return disjoint_sets(self.sets, self.test, source, need, session, self.seed)

    def _read_off(self, candidate: Candidate, splits: Sequence[FoldSplit]) -> bool:
        return False

    def _score(self, candidates: list[Candidate], session: Session, splits: Sequence[FoldSplit]) -> None:
        (candidate,) = candidates
        last, classes = candidate.members[-1], candidate.schema.classes
        truth = self.truth if self.truth is None or classes is None else class_codes(self.truth, classes)
        models = tuple(Model.of(m.learner, m.at.model, m.before, classes) for m in last)
        judged = Of(splits[0].key, (self.sets,), LossParts(models, ByIdentity(truth)))
        self.scans += 1
        self._done(candidate, session.answer(As(candidate.view, judged)).summary, [m.at.rows for m in last])

    def _in_memory(self, candidate: Candidate, session: Session, splits: Sequence[FoldSplit]) -> None:
        codes, y = codes_of(splits[0].key, candidate), column_or_1d(self.y)
        *rows, judged = (np.flatnonzero(codes == g) for g in range(self.sets + 1))
        pairs = [(_safe_indexing(self.X, some), y[some]) for some in rows]
        truth = None if self.truth is None else self.truth[judged]
        parts = judged_by(candidate.given, pairs, _safe_indexing(self.X, judged), y[judged], truth)
        self._done(candidate, parts, [len(some) for some in rows])

    def _done(self, candidate: Candidate, parts: LossPartSums, sizes: list[int]) -> None:
        if not parts.rows:
            raise DataError("there are no rows to score on. Remedy: more rows, or a larger share `test`")
        self.parts, self.train_size = parts, float(np.mean(sizes))
        candidate.scores = np.full((1, self.sets), np.nan)
        self.sizes = {j: (n, parts.rows) for j, n in enumerate(sizes)}


def judged_by(
    learner: BaseEstimator, pairs: Iterable[tuple[MatrixLike, Labels]], X: MatrixLike, y: Labels, truth: Labels | None
) -> LossPartSums:  # fmt: skip
    """Decompose the loss of models fitted to pairs of rows and targets in memory."""
    said = [np.asarray(clone(learner).fit(rows, target).predict(X)) for rows, target in pairs]
    even = np.ones(len(y))
    if not is_classifier(learner):
        known = None if truth is None else truth.astype(float)
        return squared(np.array(said, dtype=float), y.astype(float), known, even)
    classes = levels(np.concatenate([y, *said, *([] if truth is None else [truth])]), "y")
    codes = np.array([class_codes(one, classes) for one in said])
    target = None if truth is None else class_codes(truth, classes)
    return zero_one(codes, class_codes(y, classes), target, even, len(classes))
