"""Why a learner errs: noise, bias, and variance from one training set to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import column_or_1d

from tenfold.core import DataError, Labels
from tenfold.evaluate.cross_validation.candidates import candidates_of
from tenfold.evaluate.curves.loss_decomposition import BiasVariance
from tenfold.evaluate.curves.training_sets import TrainingSets, judged_by
from tenfold.sources.inputs import MatrixLike, is_lazy
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
    sets : int or list of (X, y), default=30
        How many training sets to draw from the rows; or the sets themselves, and then all of X is judged on.
    sampling : {"bootstrap", "disjoint"}, default="bootstrap"
        "bootstrap" draws as many rows as there are to learn from, with replacement: the sets have the full size, but
        they overlap, so that the variance is too small. "disjoint" deals the rows to the sets: these are
        independent, but small. For a learner of one pass, all their models come from one scan.
    test : float, default=0.3
        Share of the rows that are judged on and not learned from.
    truth : array, optional
        For each row of X the mean of the target, or its most probable class, where that is known: it tells noise and
        bias apart.
    random_state : int, default=0

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
        raise ValueError(f"test is the share of rows to judge on, above 0 and below 1, not {test!r}")
    given = None if isinstance(sets, (int, np.integer)) else list(sets)
    count = whole("sets", sets, 2) if given is None else len(given)
    if count < 2:
        raise ValueError("one training set says nothing about variance: give two or more sets")
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
            raise DataError("there are no rows to learn from. Remedy: more rows, or a smaller share `test`")
    truth = None if truth is None else truth[judged]
    parts = judged_by(learner, pairs(), _safe_indexing(X, judged), y[judged], truth)
    return parts.result(is_classifier(learner), count, float(np.mean(sizes)))
