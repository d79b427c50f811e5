"""Walks over parts: in order, in windows, whatever the cuts."""

from contextlib import contextmanager
from typing import Annotated, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

import tenfold as tn
from tenfold.core import SEQUENTIAL, Array, Codes, Need, Ordered
from tenfold.core.axes import bits
from tenfold.core.rows.joined_rows import joined
from tenfold.engine import Local, Member, Snapshot, fit, merge, run
from tenfold.engine.group_keys import Listed
from tenfold.engine.runner import Runner, Session
from tenfold.sources import ArraySource, part_rows


class Seen(NamedTuple):
    rows: Annotated[Array, "row"]
    windows: Annotated[Codes, "window"]


class State(NamedTuple):
    step: int
    seen: Seen


class Walk(Ordered):
    """Which rows come, and in what windows."""

    size: int

    def window(self, X):
        return self.size

    def step(self, summary, chunk):
        seen = summary or Seen(np.zeros(0), np.zeros(0, np.int64))
        return Seen(np.append(seen.rows, chunk.X.column(0)), np.append(seen.windows, chunk.n))


class Diary:
    """Writes down which rows come, and in what windows."""

    passes = SEQUENTIAL
    need = Need(sparse=True)

    def __init__(self, order=0, size=5):
        self.order, self.size = order, size

    def with_listed_categories(self, schema):
        return schema

    def start(self, schema):
        return State(0, Seen(np.zeros(0), np.zeros(0, np.int64)))

    def ask(self, state):
        return None if state.step else Walk(self.size, order=self.order)

    def update(self, state, summary):
        return State(1, summary)

    def model(self, state):
        return state

    def certify(self, model, summary):
        return () if model.step else None


def walked(learner, X, rows, weight=None):
    with part_rows(rows):
        return fit(learner, ArraySource(X, weight=weight), runner=Local(threads=2)).at


@pytest.mark.parametrize("rows", [1, 2, 4, 5, 6, 7, 23, 100])
@pytest.mark.parametrize("form", ["array", "frame", "csr"])
def test_windows_do_not_depend_on_the_cuts(rows, form):
    X = np.column_stack([np.arange(1.0, 24.0), np.ones(23)])
    X = {"array": X, "frame": tuple(X.T), "csr": sp.csr_array(X)}[form]
    at = walked(Diary(), X, rows)
    assert at.state.seen.rows.tolist() == list(range(1, 24))
    assert at.state.seen.windows.tolist() == [5, 5, 5, 5, 3]
    assert at.rows == 23


def test_rows_without_weight_are_not_walked():
    at = walked(Diary(), np.arange(10.0)[:, None], 3, np.array([1.0, 0, 0, 0, 0, 0, 0, 0, 1, 1]))
    assert at.state.seen.rows.tolist() == [0, 8, 9]
    assert (at.rows, at.dropped) == (3, 7)


def test_another_order_of_the_parts():
    X = np.arange(24.0)[:, None]
    found = [walked(Diary(order), X, 4).state.seen.rows for order in (1, 1, 2)]
    assert found[0].tolist() == found[1].tolist() != found[2].tolist()
    for one in found:
        assert sorted(one) == list(range(24))
        blocks = one.reshape(6, 4)
        assert (np.diff(blocks, axis=1) == 1).all(), "within a part rows stay in order"
        assert blocks[:, 0].tolist() != sorted(blocks[:, 0])


def test_folds_walk_over_their_own_rows_together():
    with part_rows(5):
        learner, source = Diary(), ArraySource(np.arange(12.0)[:, None])
    assert len(source) == 3
    key = Listed(3, np.arange(12) % 3)
    schema = source.known(learner.need)
    members = [
        Member(learner, Snapshot(schema, learner.start(schema)), key=key, groups=groups)
        for groups in ((0, 1), (0, 2), (1, 2))
    ]
    with Local().open(source) as session:
        assert run(members, source, session) == 1
    for member, left in zip(members, (2, 1, 0), strict=True):
        assert member.at.state.seen.rows.tolist() == [i for i in range(12) if i % 3 != left]


def test_rows_keep_their_numbers():
    source = ArraySource(np.arange(10.0)[:, None], weight=np.array([1.0, 0, 1, 1, 1, 1, 1, 0, 1, 1]))
    with part_rows(4):
        source = ArraySource(source.X, weight=source.weight)
    schema = source.known(Need())
    whole = joined(tuple(source.load(part, Need(), schema) for part in range(len(source))))
    assert whole.X.numbers().tolist() == whole.X.column(0).tolist() == [0, 2, 3, 4, 5, 6, 8, 9]


class OneByOne(Session):
    """A session with the documented `reduce`, and nothing else."""

    def __init__(self, source):
        self.source = source

    def reduce(self, job):
        return merge(job(self.source, part) for part in job.parts(self.source))


class Plain(Runner):
    """A runner that knows nothing of orders."""

    @contextmanager
    def open(self, source):
        yield OneByOne(source)

    def map(self, function, parts, source):
        return map(function, parts)


@pytest.mark.parametrize("learner", [tn.SGDRegressor(random_state=0, max_iter=3), tn.Perceptron(random_state=0)])
def test_any_runner_walks_in_the_order_that_is_asked_for(learner):
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = X[:, 0] + 0.3 * X[:, 1] if learner.need.target == "number" else X[:, 0] > 0
    with part_rows(50):
        usual = bits(learner.fit(X, y).model_)
        with tn.on(Plain()):
            assert bits(learner.fit(X, y).model_) == usual
