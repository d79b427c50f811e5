"""What learners to come need of the engine: all rows at once, cubes of two keys, mini-batches, statistics in turn.

Each is short, and has the same bits here, by reduces alone, and on the workers of a cluster.
"""

import sys
from typing import Annotated, NamedTuple

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from sklearn.kernel_ridge import KernelRidge as Theirs

import faults
import tenfold as tn
from tenfold.core import MANY, SEQUENTIAL, Array, Claim, Need
from tenfold.core.axes import bits
from tenfold.core.statistic import Gathered, Grouped, Ordered, Statistic, Strided
from tenfold.engine import Local, fit, opened, schema_of
from tenfold.engine.group_keys import Labelled
from tenfold.stats.combinators import As, By, Each, View
from tenfold.stats.moments.spread import SpreadByColumn

pytestmark = pytest.mark.timeout(240)
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not have this file

random = np.random.default_rng(0)
N = 600
X = random.normal(size=(N, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * random.normal(size=N)
FRAME = pd.DataFrame(X, columns=list("abc")).assign(
    y=Y, kind=Y > 0, land=random.choice(["de", "fr", "it"], N), month=random.integers(1, 5, N)
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    FRAME.to_parquet(path, row_group_size=70)
    return str(path)


@pytest.fixture(scope="module")
def dask():
    with faults.Cluster(2) as started:
        yield started.runner


def rows(path, target="y"):
    return tn.scan(path, target=target, columns=["a", "b", "c"])


def everywhere(learner, source, dask):
    """The last state, the same on one thread, on two, and on workers."""
    done = [fit(learner, source, runner=runner).at for runner in (Local(1), Local(2, memory=1 << 24), dask)]
    assert len({bits(at.model) for at in done}) == 1
    return done[0]


class Learner:
    """The easy half of a learner: no certificate, and rows of numbers with a number for a target."""

    need = Need("numeric", target="number")
    passes = MANY

    def with_listed_categories(self, schema):
        return schema

    def model(self, state):
        return state

    def certify(self, model, summary):
        return (Claim("gap", 0.0, "proved", "it is solved", "objective"),) if self.ask(model) is None else None


# ---- all rows at once -----------------------------------------------------------------------------------


class AllRows(Gathered):
    relative = "RadialBasis() before Ridge()"


class Dual(NamedTuple):
    step: int
    X: Annotated[Array, "row", "column"]
    dual: Annotated[Array, "row"]


class KernelRidge(Learner):
    """(K + α I) a = y, with K the Gaussian kernel of all pairs of rows."""

    def __init__(self, alpha=1.0, gamma=0.5):
        self.alpha, self.gamma = alpha, gamma

    def start(self, schema):
        return Dual(0, np.zeros((0, len(schema.columns))), np.zeros(0))

    def ask(self, state):
        return None if state.step else AllRows()

    def update(self, state, found):
        chunk = found.joined()
        A = np.column_stack([chunk.X.column(j) for j in range(chunk.X.shape[1])])
        return Dual(1, A, np.linalg.solve(self.kernel(A, A) + self.alpha * np.eye(len(A)), chunk.y))

    def kernel(self, A, B):
        return np.exp(-self.gamma * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    def predict_from(self, state, A):
        return self.kernel(A, state.X) @ state.dual


def test_a_kernel_machine_gathers_its_rows(path, dask):
    at = everywhere(KernelRidge(), rows(path), dask)
    theirs = Theirs(kernel="rbf", gamma=0.5).fit(X, Y)
    np.testing.assert_allclose(KernelRidge().predict_from(at.state, X[:50]), theirs.predict(X[:50]), rtol=1e-8)


def test_more_rows_than_memory_are_refused_with_a_relative(path):
    with pytest.raises(tn.DataError, match=r"more than the 0 MiB .* Remedy: RadialBasis\(\) before Ridge\(\)"):
        fit(KernelRidge(), rows(path), runner=Local(2, memory=1000))


# ---- a cube of two keys ------------------------------------------------------------------------------------


FIVE = (tn.Ridge(), tn.Ridge(10.0), tn.LinearRegression(), tn.StandardScaler(), tn.GaussianNB())


def cube(learners, source, keys, session):
    """The summary of each learner's rows in each cell, all from one scan."""
    side = tuple(key.column for key in keys)
    each = []
    for learner in learners:
        schema = schema_of(source, learner.need, session)
        need = Need(**{**vars(learner.need), "side": side})
        each.append(As(View(need, schema), By(keys, learner.ask(learner.start(schema)))))
    return session.answer(Each(tuple(each)))


def test_a_cube_of_two_keys_over_five_learners_in_one_scan(path, dask):
    lands, months = np.array(["de", "fr", "it"], dtype=object), np.arange(1, 5)
    keys = (Labelled(3, "land", lands, np.arange(3)), Labelled(4, "month", months, np.arange(4)))
    source = rows(path, target="kind")
    found = []
    for runner in (Local(1), Local(2), dask):
        with opened(runner, source) as session:
            found.append(cube(FIVE, source, keys, session))
    for mine, others in zip(found[0], zip(*found[1:], strict=True), strict=True):
        assert sorted(mine.each) == list(range(12))
        for other in others:
            assert {g: bits(c.summary) for g, c in mine.each.items()} == {
                g: bits(c.summary) for g, c in other.each.items()
            }
    assert found[0][0] is found[0][1], "two ridges have one summary"
    for i, land in enumerate(lands):
        for j, month in enumerate(months):
            cell = FRAME[(FRAME.land == land) & (FRAME.month == month)]
            assert found[0][0].each[4 * i + j].rows == len(cell)
            mean = found[0][3].each[4 * i + j].summary.mean
            np.testing.assert_allclose(mean, cell[list("abc")].mean(), rtol=1e-12)
    of_italy = found[0][4].of(range(8, 12))
    np.testing.assert_allclose(of_italy.summary.weight.sum(), (FRAME.land == "it").sum())


# ---- mini-batches -------------------------------------------------------------------------------------------


class Weights(NamedTuple):
    step: int
    w: Annotated[Array, "column"]


class Descent(Ordered[Weights]):
    """An epoch of mini-batches: each goes on from where the one before led."""

    epoch: int
    begin: Weights
    rate: float

    def window(self, X):
        return 32

    def step(self, summary, chunk):
        w = (self.begin if summary is None else summary).w
        A = np.column_stack([chunk.X.column(j) for j in range(chunk.X.shape[1])])
        return Weights(self.begin.step, w - self.rate * (A @ w - chunk.y) @ A / max(chunk.n, 1))


class MiniBatch(Learner):
    """Least squares by mini-batch gradients; parts in another order every epoch."""

    passes = SEQUENTIAL

    def start(self, schema):
        return Weights(0, np.zeros(len(schema.columns)))

    def ask(self, state):
        return None if state.step == 30 else Descent(state.step, state, 0.1 / (1 + state.step), order=state.step)

    def update(self, state, found):
        return Weights(state.step + 1, found.w)


def test_mini_batches_walk_the_rows(path, dask):
    at = everywhere(MiniBatch(), rows(path), dask)
    best = np.linalg.lstsq(X, Y, rcond=None)[0]
    np.testing.assert_allclose(at.state.w, best, atol=0.03)
    assert at.passes == 30


# ---- three statistics in turn ---------------------------------------------------------------------------------


class Few(Strided[float], Grouped[float]):
    """The largest target of a share of the parts: a first guess."""

    def summarize(self, chunk):
        return Largest(float(chunk.y.max(initial=-np.inf)))


class Largest(float):
    def __add__(self, other):
        return Largest(max(float(self), float(other)))


class Above(Statistic[np.ndarray]):
    """Weight of rows at and above each of some cuts."""

    cuts: Array

    def summarize(self, chunk):
        return np.array([chunk.weight[chunk.y >= cut].sum() for cut in self.cuts])


class Cut(NamedTuple):
    step: int
    low: float
    high: float
    spread: float


class Percentile(Learner):
    """The value above which a tenth of the rows lies: a guess, then bisection, then the spread of columns."""

    def start(self, schema):
        return Cut(0, -10.0, np.inf, 0.0)

    def ask(self, state):
        if not state.step:
            return Few(every=2)
        if state.high - state.low > 1e-9:
            return Above(np.linspace(state.low, state.high, 9))
        return None if state.spread else SpreadByColumn()

    def update(self, state, found):
        match found:
            case Largest():
                return state._replace(step=1, high=float(found) + 1.0)
            case np.ndarray():
                cuts = np.linspace(state.low, state.high, 9)
                at = np.flatnonzero(found >= N / 10)[-1]
                return state._replace(step=state.step + 1, low=cuts[at], high=cuts[min(at + 1, 8)])
            case _:
                return state._replace(spread=float(np.sqrt(found.square.sum() / N)))


def test_a_learner_may_ask_for_three_statistics_in_turn(path, dask):
    at = everywhere(Percentile(), rows(path), dask)
    assert at.state.low == pytest.approx(np.sort(Y)[-N // 10], abs=1e-8)
    assert at.state.spread == pytest.approx(np.sqrt(X.var(axis=0).sum()), rel=1e-12)
