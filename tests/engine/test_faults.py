"""Whatever happens to workers and drivers in mid-fit, the answer is the same to the bit, and nothing hangs."""

import signal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import faults
import tenfold as tn
from tenfold.testing import bits

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

GROUPS, GROUP = 66, 100
NUMBERS = [f"x{j}" for j in range(5)]
PAUSE = 0.006
"""seconds that a part takes at least: a fit is long enough to go wrong in the middle"""
AFTER = {"Ridge": 6, "GaussianNB": 14, "KMeans": 30, "AdaBoostClassifier": 60}
"""tasks that have ended when the fault is fired: of 18 for each scan or round"""


def learner_of(name):
    return {
        "Ridge": tn.Ridge(),
        "GaussianNB": tn.GaussianNB(),
        "KMeans": tn.KMeans(5, max_iter=3, tol=0.0),
        "AdaBoostClassifier": tn.AdaBoostClassifier(n_estimators=12),
    }[name]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    random = np.random.default_rng(0)
    X = random.standard_normal((GROUPS * GROUP, 5)) + random.integers(0, 3, GROUPS * GROUP)[:, None]
    y = X @ random.standard_normal(5) + random.standard_normal(len(X))
    label = np.where(X[:, 0] * X[:, 1] + random.standard_normal(len(X)) > 0, "up", "down").astype(object)
    table = pa.table({**{n: X[:, j] for j, n in enumerate(NUMBERS)}, "y": y, "label": label})
    pq.write_table(table, path / "a.parquet", row_group_size=GROUP)
    return path


def rows(folder, name):
    target = {"Ridge": "y", "KMeans": None}.get(name, "label")
    return tn.scan(folder, target=target, columns=NUMBERS)


@pytest.fixture(scope="module")
def all_three():
    with faults.Cluster(3, ttl=5) as started:
        yield started


@pytest.fixture
def cluster(all_three):
    """Three workers, all there and well."""
    yield all_three.ready(3)
    all_three.wake()


def bits_of(model):
    return bits(model.model_), bits(model.summary_)


@pytest.fixture(scope="module")
def undisturbed(folder):
    """What each learner finds on threads of this process, where nothing happens."""
    return {name: learner_of(name).fit(rows(folder, name)) for name in AFTER}


@pytest.fixture
def strike(cluster, folder, undisturbed):
    def strike(name, fault, after=None):
        """Fit while a fault is fired in the middle; what happened."""
        source = faults.Slow(rows(folder, name), PAUSE)
        with tn.on(cluster.runner), cluster.after(after or AFTER[name], fault) as seen:
            found = learner_of(name).fit(source)
        assert seen.fired
        assert bits_of(found) == bits_of(undisturbed[name])
        assert found.certificate_.claims == undisturbed[name].certificate_.claims
        return seen

    return strike


# ---- workers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Ridge", "GaussianNB", "KMeans", "AdaBoostClassifier"])
def test_one_of_three_workers_is_killed(cluster, strike, name):
    assert strike(name, cluster.kill).lost >= 1


@pytest.mark.full
@pytest.mark.parametrize("name", ["KMeans", "AdaBoostClassifier"])
def test_two_of_three_workers_are_killed(cluster, strike, name):
    assert strike(name, lambda: cluster.kill(0, 2)).lost >= 2


@pytest.mark.full
def test_all_workers_are_killed(cluster, strike):
    assert strike("AdaBoostClassifier", lambda: cluster.kill(0, 1, 2)).lost >= 3


@pytest.mark.full
@pytest.mark.parametrize("name", ["KMeans", "AdaBoostClassifier"])
def test_a_worker_says_nothing_any_more(cluster, strike, name):
    assert strike(name, cluster.stop).lost >= 1


def test_a_worker_is_slow(cluster, strike):
    strike("AdaBoostClassifier", lambda: cluster.slow(1, 1.0))


@pytest.mark.full
@pytest.mark.parametrize("name", ["KMeans", "AdaBoostClassifier"])
def test_a_worker_leaves_in_peace(cluster, strike, name):
    assert strike(name, cluster.retire).lost >= 1


@pytest.mark.full
@pytest.mark.parametrize("name", ["KMeans", "AdaBoostClassifier"])
def test_a_worker_joins(cluster, strike, name):
    strike(name, cluster.join, after=3)
    faults.wait_for(lambda: len(cluster.scheduler.workers) == 4)


@pytest.mark.parametrize("name", ["Ridge", "AdaBoostClassifier"])
def test_some_parts_cannot_be_read_at_first(cluster, undisturbed, folder, tmp_path, name):
    source = faults.Shaky(rows(folder, name), tmp_path, {0, 17, 65})
    with tn.on(cluster.runner):
        found = learner_of(name).fit(source)
    assert bits_of(found) == bits_of(undisturbed[name])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["failed-0", "failed-17", "failed-65"]


def test_a_worker_is_killed_while_predictions_are_written(cluster, undisturbed, folder, tmp_path):
    model = undisturbed["Ridge"]
    source = faults.Slow(rows(folder, "Ridge"), PAUSE)
    with tn.on(cluster.runner), cluster.after(20, cluster.kill) as seen:
        model.predict(source).to_parquet(tmp_path / "there")
    assert seen.fired
    model.predict(rows(folder, "Ridge")).to_parquet(tmp_path / "here")
    assert pq.read_table(tmp_path / "there").equals(pq.read_table(tmp_path / "here"))


# ---- drivers ----------------------------------------------------------------------------------------

PROGRAM = """
import sys
import faults
import tenfold as tn
from distributed import Client
from tenfold.testing import bits

if __name__ == "__main__":
    where, folder, saves, log, name, every, pause = sys.argv[1:]
    target = None if name == "KMeans" else "label"
    learner = tn.KMeans(5, max_iter=12, tol=0.0) if name == "KMeans" else tn.AdaBoostClassifier(n_estimators=40)
    source = faults.Slow(tn.scan(folder, target=target, columns=[f"x{j}" for j in range(5)]), float(pause), log)
    own = faults.Cluster(2) if where == "own" else None
    runner = tn.Local(threads=2) if where == "local" else own.runner if own else tn.Dask(Client(where))
    try:
        with tn.on(runner):
            learner.fit(source, checkpoint=tn.Checkpoint(saves, every=float(every)))
    finally:
        if own:
            own.__exit__()
"""


class Resumable:
    """A fit in a process of its own, which is cut off and then goes on here."""

    def __init__(self, folder, tmp_path, name):
        self.folder, self.name = folder, name
        self.saves, self.log = tmp_path / "saves", tmp_path / "log"
        self.learner = (
            tn.KMeans(5, max_iter=12, tol=0.0) if name == "KMeans" else tn.AdaBoostClassifier(n_estimators=40)
        )

    def start(self, where, every):
        return faults.Driver(PROGRAM, where, self.folder, self.saves, self.log, self.name, every, PAUSE)

    def files(self):
        return [p for p in self.saves.iterdir() if not p.name.startswith(".")] if self.saves.exists() else []

    def goes_on(self, runner):
        """The same bits as without a break, and less is read than from the start."""
        (saved,) = self.files()
        whole = self.learner.fit(rows(self.folder, self.name))
        before = faults.lines(self.log)
        with tn.on(runner):
            found = self.learner.fit(
                faults.Slow(rows(self.folder, self.name), 0.0, self.log), checkpoint=tn.Checkpoint(self.saves)
            )
        assert bits_of(found) == bits_of(whole)
        assert found.certificate_ == whole.certificate_
        assert not saved.exists()
        read = (faults.lines(self.log) - before) / GROUPS
        full = whole.certificate_.provenance.passes if self.name == "KMeans" else 2  # edges, bins; then they are held
        assert read < full
        return read, full


@pytest.fixture(params=["KMeans", "AdaBoostClassifier"])
def resumable(request, folder, tmp_path):
    return Resumable(folder, tmp_path, request.param)


@pytest.fixture
def kmeans(folder, tmp_path):
    return Resumable(folder, tmp_path, "KMeans")


@pytest.mark.full
def test_the_driver_is_killed(cluster, resumable):
    before = set(cluster.scheduler.tasks)  # what tests before this one still hold
    driver = resumable.start(cluster.scheduler.address, every=0)
    with cluster.after(120 if resumable.name == "KMeans" else 160, lambda: driver.signal(signal.SIGKILL)) as seen:
        code, _, _ = driver.end()
    assert seen.fired
    assert code == -signal.SIGKILL
    resumable.goes_on(cluster.runner)
    faults.wait_for(lambda: set(cluster.scheduler.tasks) <= before, 20)  # nothing of the dead one is left


def test_the_driver_is_killed_on_threads(kmeans):
    driver = kmeans.start("local", every=0)
    driver.until(lambda: faults.lines(kmeans.log) > 7.5 * GROUPS)
    driver.signal(signal.SIGKILL)
    assert driver.end()[0] == -signal.SIGKILL
    read, full = kmeans.goes_on(tn.Local(threads=2))
    assert read <= full - 6


@pytest.mark.full
def test_interrupted(cluster, resumable):
    driver = resumable.start(cluster.scheduler.address, every=3600)
    with cluster.after(120 if resumable.name == "KMeans" else 160, lambda: driver.signal(signal.SIGINT)) as seen:
        code, _, said = driver.end()
    assert seen.fired
    assert code != 0
    assert "KeyboardInterrupt" in said
    resumable.goes_on(cluster.runner)


def test_interrupted_on_threads(kmeans):
    driver = kmeans.start("local", every=3600)
    driver.until(lambda: faults.lines(kmeans.log) > 7.5 * GROUPS)
    assert not kmeans.files()
    driver.signal(signal.SIGINT)
    code, _, said = driver.end()
    assert code != 0
    assert "KeyboardInterrupt" in said
    read, full = kmeans.goes_on(tn.Local(threads=1))
    assert read <= full - 6


@pytest.mark.full
def test_interrupted_with_workers_of_its_own(kmeans):
    """As a terminal does it: driver and workers all get the signal."""
    driver = kmeans.start("own", every=3600)
    driver.until(lambda: faults.lines(kmeans.log) > 7.5 * GROUPS)
    driver.signal(signal.SIGINT)
    code, _, said = driver.end()
    assert code != 0
    assert "KeyboardInterrupt" in said
    kmeans.goes_on(tn.Local(threads=2))
