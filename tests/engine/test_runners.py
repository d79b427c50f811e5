"""Runners that bring nothing but a reduce: a process pool, and a loop. The published laws hold for all of them."""

from contextlib import contextmanager
from functools import partial

import numpy as np
import pandas as pd
import pytest
from process_pool import Pool
from sklearn.base import clone

import faults
import fuzzing
import tenfold as tn
from tenfold.core.axes import bits
from tenfold.core.stop import Stop
from tenfold.engine import Local, Runner, Session, merge
from tenfold.sources import as_source, part_rows
from tenfold.testing import check_runner


class Alone(Runner):
    """This process, one part after another."""

    @contextmanager
    def open(self, source):
        yield AloneSession(self, source)

    def map(self, function, parts, source):
        return map(function, parts)


class AloneSession(Session):
    def __init__(self, runner, source):
        self.runner, self.source = runner, source

    def reduce(self, job):
        return merge(self.runner.map(partial(job, self.source), job.parts(self.source), self.source))


RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(2400, 3))
Y = X[:, 0] - X[:, 1] + RANDOM.normal(size=2400)
KINDS = {
    "read": tn.Ridge(),
    "many rounds": tn.KMeans(3),
    "a share of the parts": tn.LogisticRegression(),
    "held, then gathered": tn.HistGradientBoostingRegressor(max_iter=12, max_leaf_nodes=4),
    "held, and its scratch kept twice": tn.AdaBoostClassifier(n_estimators=20),
    "in order": tn.SGDRegressor(max_iter=3),
    "drawn": tn.BaggingRegressor(tn.Ridge(), n_estimators=3),
    "held and drawn": tn.RandomForestRegressor(3, max_depth=3),
    "a team of unlike": tn.VotingRegressor([("a", tn.Ridge()), ("b", tn.DecisionTreeRegressor(max_depth=2))]),
    "stacked": tn.StackingRegressor([("a", tn.Ridge()), ("b", tn.DecisionTreeRegressor(max_depth=2))], cv=3),
    "gathered": tn.DecisionTreeRegressor(method="exact", max_depth=3),
    "held of a share of the parts, then of all": tn.AdaBoostClassifier(tn.LogisticRegression(), n_estimators=2),
}


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A Parquet file of many row groups, with a target of numbers and one of classes."""
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    pd.DataFrame(X, columns=list("abc")).assign(y=Y, c=Y > 0).to_parquet(path, row_group_size=60)
    return {
        "number": tn.scan(str(path), target="y", drop=["c"]),
        "class": tn.scan(str(path), target="c", drop=["y"]),
        None: tn.scan(str(path), columns=["a", "b", "c"]),
    }


@pytest.fixture(scope="module")
def pool():
    """The runner of the page on runners."""
    with Pool(2) as runner:
        yield runner


@pytest.fixture(scope="module")
def dask():
    with faults.Cluster(2) as started:
        yield started.runner


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", ["alone", "two threads, no memory", "pool", "dask"])
def test_the_laws_of_runners(where, kind, sources, request):
    runner = request.getfixturevalue(where) if where in ("pool", "dask") else None
    runner = runner or (Alone() if where == "alone" else Local(2, memory=0))
    check_runner(runner, [(KINDS[kind], sources[KINDS[kind].need.target])])


@pytest.mark.timeout(120)
@pytest.mark.parametrize("where", ["alone", "two threads, no memory", "pool", "dask"])
def test_a_file_that_is_written_again_during_a_fit_is_refused(where, tmp_path, request):
    runner = request.getfixturevalue(where) if where in ("pool", "dask") else None
    runner = runner or (Alone() if where == "alone" else Local(2, memory=0))
    path = tmp_path / "day.parquet"
    options = {"row_group_size": 60, "compression": None, "use_dictionary": False}
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.to_parquet(path, **options)
    size, source, rounds = path.stat().st_size, tn.scan(path), []

    class WriteAgain(Stop):
        def __call__(self, step, certificate, seconds):
            rounds.append(step)
            if len(rounds) == 3:
                frame[::-1].reset_index(drop=True).to_parquet(path, **options)  # as many bytes, other rows

    changed = r"day\.parquet has changed since it was scanned.*scan it again"
    with tn.on(runner), pytest.raises(tn.DataError, match=changed):
        tn.KMeans(3, tol=0, max_iter=50).fit(source, stop=WriteAgain())
    assert len(rounds) == 3
    assert path.stat().st_size == size


def test_folds_on_a_pool(pool, sources):
    learners = [tn.Ridge(), tn.DecisionTreeRegressor(max_depth=3), tn.SGDRegressor(max_iter=2)]
    here = tn.cross_validate(learners, sources["number"], folds=4)
    with tn.on(pool):
        there = tn.cross_validate(learners, sources["number"], folds=4)
    assert here.scores.tobytes() == there.scores.tobytes()


SETS = {name: (learner, X, y) for name, learner, X, y in fuzzing.sets(fuzzing.data(400))}


def test_predictions_on_a_pool(pool):
    """What is said of each part travels as a pickle."""
    X = RANDOM.normal(size=(120, 3))
    label = (X[:, 0] > 0).astype(int)
    models = tn.GaussianNB().fit(X, label), tn.SGDClassifier().fit(X, label), tn.StandardScaler().fit(X)

    def said(nb, sgd, scaler):
        return [nb.predict(X), nb.predict_proba(X), sgd.decision_function(X), scaler.transform(X)]

    here = said(*models)
    with part_rows(50), tn.on(pool):
        for mine, theirs in zip(said(*models), here, strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few rounds are few on purpose
@pytest.mark.parametrize("name", SETS)
def test_every_learner_has_the_same_bits_by_reduces_alone(name):
    learner, rows, y = SETS[name]
    with part_rows(100):
        source = as_source(rows, y, None, learner.need)
        check_runner(Alone(), [(clone(learner)._blank(), source)])


def test_a_law_that_does_not_hold_is_told():
    class Backwards(Alone):
        def map(self, function, parts, source):
            return map(function, reversed(parts))

    with pytest.raises(AssertionError, match="not in the fixed one"):
        check_runner(Backwards())


def test_a_session_may_answer_by_reduces():
    model = tn.Ridge().fit(X, Y)
    with tn.on(Alone()):
        assert bits(tn.Ridge().fit(X, Y).model_) == bits(model.model_)
