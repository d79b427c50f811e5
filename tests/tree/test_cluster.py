"""Trees level by level on a cluster: the bits of one thread, for 1 and 3 workers, and after SIGKILL in mid-fit."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import faults
import tenfold as tn
from tenfold.testing import bits
from tenfold.tree.growing import grower, levelwise

pytestmark = [pytest.mark.full, pytest.mark.slow, pytest.mark.timeout(240)]

MODELS = {
    "bins": tn.DecisionTreeClassifier(max_depth=6, max_features=4),
    "rows of small nodes": tn.DecisionTreeClassifier("entropy", min_samples_leaf=3),
    "parts": tn.DecisionTreeClassifier("gain_ratio", missing="fractional", split="multiway", max_depth=5),
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    random = np.random.default_rng(0)
    X = random.standard_normal((6600, 5))
    word = np.array(["u", "v", "w", None], dtype=object)[random.integers(0, 4, 6600)]
    label = np.where(X[:, 0] * X[:, 1] + (word == "u") + 0.5 * random.standard_normal(6600) > 0, "up", "down")
    X[random.random(X.shape) < 0.1] = np.nan
    table = pa.table({**{f"x{j}": X[:, j] for j in range(5)}, "word": word, "label": label.astype(object)})
    pq.write_table(table, path / "a.parquet", row_group_size=100)
    return tn.scan(path, target="label")


@pytest.fixture
def by_level(monkeypatch):
    monkeypatch.setattr(grower, "MAX_GATHERED_BYTES", 0)
    monkeypatch.setattr(levelwise, "GATHER_BELOW_ROWS", 500)


def bits_of(model):
    return bits(model.model_), bits(model.summary_)


@pytest.mark.usefixtures("by_level")
def test_the_same_bits_on_any_number_of_workers_and_after_a_kill(rows):
    with tn.on(tn.Local(threads=1)):
        alone = {name: bits_of(model.fit(rows)) for name, model in MODELS.items()}
    with tn.on(tn.Local(threads=3)):
        assert {name: bits_of(model.fit(rows)) for name, model in MODELS.items()} == alone
    with faults.Cluster(1, ttl=10) as cluster:
        for workers in (1, 3):
            cluster.ready(workers)
            with tn.on(cluster.runner):
                assert {name: bits_of(model.fit(rows)) for name, model in MODELS.items()} == alone, workers
        for name, model in MODELS.items():
            cluster.ready(3)
            slow = faults.Slow(rows, 0.006)
            with cluster.after(30, cluster.kill) as seen, tn.on(cluster.runner):
                model.fit(slow)
            assert seen.fired
            assert seen.lost
            assert bits_of(model) == alone[name], name
