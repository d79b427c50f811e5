"""The tree, the local runner and the loop."""

import threading
import time
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_info

import tenfold as tn
from tenfold import Local, on
from tenfold.core import MANY, ONE, Certificate, Claim, Need, Rounds, Seconds, Statistic, Strided
from tenfold.engine import Snapshot, current, fit, merge, one_blas_thread
from tenfold.engine.loop import _sound
from tenfold.sources import ArraySource, part_rows


class Shape:
    """A summary that remembers how it was merged."""

    def __init__(self, text):
        self.text = text

    def __add__(self, other):
        return Shape(f"({self.text}{other.text})")


@pytest.mark.parametrize(
    ("parts", "tree"),
    [
        (1, "0"),
        (2, "(01)"),
        (3, "((01)2)"),
        (4, "((01)(23))"),
        (5, "(((01)(23))4)"),
        (7, "(((01)(23))((45)6))"),
    ],
)
def test_the_tree_depends_on_the_number_of_parts_alone(parts, tree):
    assert merge(Shape(str(i)) for i in range(parts)).text == tree
    for threads in (1, 2, 3):
        late = [0.003 * (parts - i) for i in range(parts)]  # the last parts finish first

        def part(i, late=late):
            time.sleep(late[i])
            return Shape(str(i))

        assert merge(Local(threads=threads).map(part, range(parts))).text == tree


def test_nothing_to_merge():
    with pytest.raises(ValueError, match="no summaries to merge"):
        merge([])


def test_memory_is_bounded():
    """At most twice as many parts as threads are in flight, however many there are."""
    alive, most, lock = 0, 0, threading.Lock()

    class Held:
        def __init__(self):
            nonlocal alive, most
            with lock:
                alive += 1
                most = max(most, alive)

        def __del__(self):
            nonlocal alive
            alive -= 1

        def __add__(self, other):
            return Held()

    merge(Local(threads=2).map(lambda i: Held(), range(1000)))
    assert most <= 4 + 2 + 11  # in flight, being merged, and one for each level of the tree


def test_an_error_in_a_part_ends_the_rest():
    done = []

    def part(i):
        done.append(i)
        if i == 5:
            raise ZeroDivisionError("part 5")
        return Shape("")

    with pytest.raises(ZeroDivisionError, match="part 5"):
        merge(Local(threads=2).map(part, range(10_000)))
    assert len(done) < 50
    assert merge(Local(threads=2).map(lambda i: Shape("x"), range(4))).text == "((xx)(xx))"


def test_a_part_may_use_the_runner_itself():
    runner = Local(threads=2)
    inner = runner.map(lambda i: Shape(merge(runner.map(lambda j: Shape("."), range(3))).text), range(6))
    assert merge(inner).text.count(".") == 18


def test_one_blas_thread_inside_and_the_old_number_after():
    def threads():
        return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]

    before = threads()
    inside = list(Local(threads=2).map(lambda i: threads(), range(4)))
    assert set(sum(inside, [])) == {1}
    with one_blas_thread(), one_blas_thread():
        assert set(threads()) == {1}
    assert threads() == before


def test_the_runner_in_force():
    assert isinstance(current(), Local)
    inner = Local(threads=1)
    with on(inner):
        assert current() is inner
    assert current() is not inner
    with pytest.raises(ValueError, match="at least 1"):
        Local(threads=0)


class CountState(NamedTuple):
    step: int
    total: float


class Total(NamedTuple):
    value: float

    def __add__(self, other):
        return Total(self.value + other.value)


class Sum(Statistic):
    """The sum of a column, in one round after another."""

    round: int

    def summarize(self, chunk):
        return Total(float(chunk.X.column(0).sum()))


class SumOfSome(Strided, Sum):
    """The same of a share of the parts."""


class Sums:
    """A learner that sums a column, once or again and again."""

    need = Need()

    def __init__(self, passes, every=1):
        self.passes, self.every = passes, every

    def with_listed_categories(self, schema):
        return schema

    def start(self, schema):
        return CountState(0, 0.0)

    def ask(self, state):
        if self.passes == ONE:
            return None if state.step else SumOfSome(0, every=self.every)
        return Sum(state.step)

    def update(self, state, summary):
        return CountState(state.step + 1, state.total + summary.value)

    def model(self, state):
        return state

    def certify(self, model, summary):
        return (Claim("gap", 1.0 / (1 + model.step), "proved", "by counting", "objective"),)


X = np.arange(1.0, 11.0)[:, None]


def test_one_pass_is_one_scan_and_the_certificate_is_of_the_last_state():
    seen = []
    done = fit(Sums(ONE), ArraySource(X), runner=Local(threads=1), watchers=[seen.append])
    assert (done.reason, done.at.passes, done.at.model) == ("done", 1.0, CountState(1, 55.0))
    assert [at.state.step for at in seen] == [0, 1]
    assert done.at.certificate["gap"].value == 0.5
    assert done.at.rows == 10


def test_a_claim_that_is_in_no_tuple_is_refused():
    class OneClaim(Sums):
        def certify(self, model, summary):
            return super().certify(model, summary)[0]

    done = fit(OneClaim(ONE), ArraySource(X), runner=Local(threads=1))
    with pytest.raises(TypeError, match=r"OneClaim\.certify returns a claim by itself. Remedy: a tuple"):
        done.at.certificate.now()


def test_a_share_of_the_parts_counts_as_a_share():
    with part_rows(1):
        source = ArraySource(X)
    done = fit(Sums(ONE, every=4), source, runner=Local(threads=2))
    assert done.at.model.total == 1 + 5 + 9
    assert done.at.passes == pytest.approx(0.3)


def test_rules_and_watchers_stop():
    run = dict(runner=Local(threads=1))
    done = fit(Sums(MANY), ArraySource(X), stop=Rounds(4), **run)
    assert (done.reason, done.at.model) == ("4 rounds", CountState(4, 220.0))
    assert done.at.passes == 5
    assert fit(Sums(MANY), ArraySource(X), stop=Seconds(0), **run).at.state.step == 0
    tired = fit(Sums(MANY), ArraySource(X), watchers=[lambda at: "tired" if at.state.step == 2 else None], **run)
    assert (tired.reason, tired.at.state.step) == ("tired", 2)


def test_a_snapshot_goes_on_with_the_same_bits():
    run = dict(runner=Local(threads=2))
    whole = fit(Sums(MANY), ArraySource(X), stop=Rounds(9), **run)
    half = fit(Sums(MANY), ArraySource(X), stop=Rounds(4), **run)
    assert isinstance(half.at, Snapshot)
    rest = fit(Sums(MANY), ArraySource(X), stop=Rounds(9), resume=half.at, **run)
    assert rest.at == whole.at


class Overflows(tn.MaxAbsScaler):
    """Makes a model that is not of numbers."""

    def model(self, state):
        model = super().model(state)
        return None if model is None else model._replace(scale=np.array([np.nan, 1.0]))


def test_no_model_that_is_not_of_numbers_is_let_out():
    with pytest.raises(tn.DataError, match=r"scale is not finite.*Remedy: rescale the columns"):
        Overflows().fit(np.ones((3, 2)))
    with pytest.raises(tn.DataError, match="is not finite"):
        tn.cross_validate(
            make_pipeline(Overflows(), tn.Ridge()), np.random.default_rng(0).normal(size=(40, 2)), np.ones(40)
        )


@pytest.mark.parametrize("kind", ["objective", "gradient"])
def test_an_infinite_objective_is_not_certified(kind):
    certificate = Certificate((Claim("bound", np.inf, "estimated", "says nothing", "data"),))
    assert _sound(certificate) == certificate.claims
    with pytest.raises(tn.DataError, match=f"claim {kind} is not finite.*Remedy: rescale the columns"):
        _sound(Certificate((Claim(kind, np.inf, "proved", "mean loss", "objective"),)))
