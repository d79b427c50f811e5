"""The same bits from any thread and after a fork, and as many BLAS threads afterwards as before."""

import multiprocessing
import os
import signal
import threading
import time
import warnings
from typing import ClassVar

import numpy as np
import pytest
from joblib import Parallel, delayed
from threadpoolctl import ThreadpoolController, threadpool_limits

import tenfold as tn
from tenfold.core.axes import bits
from tenfold.core.driver_threads import driver_threads, run_all, thread_count
from tenfold.engine.executors.threads import blas_limit, one_blas_thread
from tenfold.engine.executors.threads import processors as available
from tenfold.engine.runner import Runner
from tenfold.stats.moments.spread import SpreadByColumn

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1500, 260))  # wide enough for OpenBLAS to use several threads, which changes the bits
Y = X @ RNG.normal(size=260) + RNG.normal(size=1500)
C = (Y > 0).astype(int)
FEW = 12
"""columns of learners that would take long with all"""

TEN = {
    "Ridge": (tn.Ridge(), 260, Y),
    "LinearRegression": (tn.LinearRegression(), 260, Y),
    "LinearDiscriminantAnalysis": (tn.LinearDiscriminantAnalysis(), 260, C),
    "PCA": (tn.PCA(3), 260, None),
    "LogisticRegression": (tn.LogisticRegression(max_iter=3), 120, C),
    "GaussianNB": (tn.GaussianNB(), 260, C),
    "KMeans": (tn.KMeans(3, random_state=0, max_iter=3), FEW, None),
    "HistGradientBoostingClassifier": (tn.HistGradientBoostingClassifier(max_iter=3), FEW, C),
    "RandomForestRegressor": (tn.RandomForestRegressor(n_estimators=3, random_state=0), FEW, Y),
    "SGDClassifier": (tn.SGDClassifier(random_state=0, max_iter=2), FEW, C),
}


def libraries():
    return ThreadpoolController().select(user_api="blas").lib_controllers


def threads():
    """How many threads each BLAS library may use."""
    with one_blas_thread():  # which loads them
        pass
    return [library.num_threads for library in libraries()]


def fitted(name):
    """The bits of a model and of what it says."""
    learner, columns, target = TEN[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = type(learner)(**learner.get_params()).fit(X[:, :columns], target)
    says = model.predict if hasattr(model, "predict") else model.transform
    return bits(model.model_), says(X[:, :columns]).tobytes()


@pytest.fixture(scope="module")
def alone():
    """What each gives alone; with more than one BLAS thread before and after, whatever the machine has."""
    with threadpool_limits(limits=2, user_api="blas"):
        yield {name: fitted(name) for name in TEN}


def test_ten_learners_in_sixteen_threads_have_the_bits_of_one(alone):
    before, wrong, errors = threads(), [], []
    assert max(before) > 1

    def work(at):
        try:
            for name in list(TEN)[at % 10 :] + list(TEN)[: at % 10]:
                if fitted(name) != alone[name]:
                    wrong.append(name)
        except BaseException as error:
            errors.append(error)

    workers = [threading.Thread(target=work, args=(at,)) for at in range(16)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert errors == []
    assert wrong == []
    assert threads() == before


def in_a_child(queue, names):
    queue.put(([fitted(name) for name in names], threads()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:This process")  # Python warns of forks beside threads; that is what is tested
@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "while a thread fits"])
def test_a_fork_has_the_bits_of_its_parent_and_its_own_blas_threads(alone, busy):
    before = threads()
    names = ["Ridge", "PCA", "KMeans", "HistGradientBoostingClassifier"]
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    stop = threading.Event()

    def fitting():
        while not stop.is_set():
            fitted("Ridge")

    other = threading.Thread(target=fitting)
    if busy:
        other.start()
        while not blas_limit.blocks:
            time.sleep(0.0005)
    children = [context.Process(target=in_a_child, args=(queue, names)) for _ in range(2)]
    for child in children:
        child.start()
    found = [queue.get(timeout=120) for _ in children]
    for child in children:
        child.join(60)
    stop.set()
    if busy:
        other.join()
    for models, left in found:
        assert models == [alone[name] for name in names]
        assert left == before
    assert threads() == before


def test_joblib_threads_have_the_bits_of_one(alone):
    before = threads()
    names = ["Ridge", "PCA", "LogisticRegression"] * 3
    assert Parallel(n_jobs=3, prefer="threads")(delayed(fitted)(n) for n in names) == [alone[n] for n in names]
    assert threads() == before


@pytest.mark.usefixtures("alone")
def test_a_limit_that_somebody_else_sets_meanwhile_is_the_one_that_is_restored():
    with one_blas_thread():
        for library in libraries():
            library.set_num_threads(2)
        with one_blas_thread():
            pass
        blocks, seen = [one_blas_thread()], []
        worker = threading.Thread(target=lambda: blocks[0].__enter__() or seen.extend(threads_now()))
        worker.start()
        worker.join()
        blocks.clear()  # it was never left
        assert set(seen) == {1}
    assert set(threads()) == {2}


def threads_now():
    return [library.num_threads for library in libraries()]


@pytest.mark.usefixtures("alone")
def test_predictions_that_nobody_finishes_reading_limit_nothing():
    before = threads()
    model = tn.Ridge().fit(X, Y)
    reading = iter(model.predict(tn.scan(np.tile(X, (60, 1)))))
    next(reading)
    end = time.monotonic() + 10
    while threads() != before and time.monotonic() < end:  # the next parts are under way
        time.sleep(0.01)
    assert threads() == before
    assert next(reading).shape[0]


class Interrupting(SpreadByColumn):
    """Sends this process an interrupt while it summarizes the first part."""

    working: ClassVar[int] = 0

    def summarize(self, chunk):
        Interrupting.working += 1
        if not chunk.part:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)
        Interrupting.working -= 1
        return super().summarize(chunk)


class Interrupted(tn.StandardScaler):
    def ask(self, state):
        return None if state.step else Interrupting()


@pytest.mark.usefixtures("alone")
def test_an_interrupt_leaves_nothing_behind():
    before, running = threads(), set(threading.enumerate())
    for runner in (tn.Local(threads=1), tn.Local(threads=2)):
        with tn.on(runner), pytest.raises(KeyboardInterrupt):
            Interrupted().fit(np.tile(X, (8, 1)))
        assert threads() == before
        assert blas_limit.blocks == {}
        assert Interrupting.working == (1 if runner.threads == 1 else 0)  # the main thread is stopped within
        Interrupting.working = 0
    started = [t for t in set(threading.enumerate()) - running if not t.name.startswith("tenfold")]
    assert started == []
    assert fitted("Ridge") == fitted("Ridge")


@pytest.mark.usefixtures("alone")
def test_an_interrupt_before_a_block_is_left_restores_the_limit(monkeypatch):
    """As one that comes after the last line of the block, when `__exit__` has not yet begun."""

    def interrupted(*given):
        raise KeyboardInterrupt

    def block():
        with one_blas_thread():
            assert blas_limit.blocks

    before = threads()
    with monkeypatch.context() as patched:
        patched.setattr(one_blas_thread, "__exit__", interrupted)
        with pytest.raises(KeyboardInterrupt):
            block()
    assert blas_limit.blocks == {}
    assert threads() == before


@pytest.mark.usefixtures("alone")
def test_an_interrupt_at_any_moment_restores_the_limit():
    before, caught = threads(), 0
    rows = X[:50, :4], Y[:50]
    model = tn.Ridge().fit(*rows)
    for at in range(60):
        timer = threading.Timer(0.0002 * (at % 20), os.kill, (os.getpid(), signal.SIGINT))
        try:
            timer.start()
            for _ in range(2000):
                model.fit(*rows)
                if not timer.is_alive():
                    break
            timer.join()
        except KeyboardInterrupt:
            caught += 1
        timer.join()
    assert caught > 20
    assert threads() == before
    assert blas_limit.blocks == {}


def test_a_call_that_fails_takes_the_waiting_ones_back():
    started, go = threading.Event(), threading.Event()

    def waits():
        started.set()
        go.wait(10)

    made = []
    with driver_threads(2):

        def fails():
            started.wait(10)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run_all([fails, waits, *([lambda: made.append(1)] * 5)])
        go.set()
        assert run_all([lambda: 1, lambda: 2]) == [1, 2]
    assert made == []


class Noted(tn.Ridge):
    """Notes how many threads its updates have."""

    found: ClassVar[list[int]] = []

    def update(self, state, summary):
        Noted.found.append(thread_count())
        return super().update(state, summary)


class OfACluster(Runner):
    """A runner whose workers have many threads: they are not the driver's."""

    threads = 512

    def open(self, source):
        return tn.Local(threads=1).open(source)

    def map(self, function, parts, source):
        return tn.Local(threads=1).map(function, parts, source)


def test_updates_have_the_threads_of_the_driver():
    rows = X[:60, :3], Y[:60]
    processors = available()
    calls = {
        "fit": lambda: Noted().fit(*rows),
        "cross_validate": lambda: tn.cross_validate(Noted(), *rows, folds=2),
        "fit_together": lambda: tn.fit_together([Noted()], *rows),
        "tune": lambda: tn.tune(Noted(), {"alpha": [1.0, 2.0]}, *rows, folds=2),
        "learning_curve": lambda: tn.learning_curve(Noted(), *rows, folds=2),
        "bias_variance": lambda: tn.bias_variance(Noted(), *rows, sets=2, sampling="disjoint"),
    }
    for runner, threads in ((tn.Local(threads=3), 3), (OfACluster(), processors)):
        for name, call in calls.items():
            Noted.found.clear()
            with tn.on(runner):
                call()
            assert (name, set(Noted.found)) == (name, {threads})
