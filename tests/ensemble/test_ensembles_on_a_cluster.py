"""Teams on a cluster: the bits of one thread, on two workers, and after SIGKILL in mid-fit."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import faults
import tenfold as tn
from tenfold.testing import bits

pytestmark = [pytest.mark.full, pytest.mark.slow, pytest.mark.timeout(240)]

TEAM = [("bayes", tn.GaussianNB()), ("tree", tn.DecisionTreeClassifier(max_depth=4)), ("line", tn.LogisticRegression())]
MODELS = {
    "vote": tn.VotingClassifier(TEAM, voting="soft"),
    "bag": tn.BaggingClassifier(tn.DecisionTreeClassifier(max_depth=4), 3, oob_score=True),
    "stack": tn.StackingClassifier(TEAM[:2], cv=3, passthrough=True),
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    random = np.random.default_rng(0)
    X = random.standard_normal((3000, 4))
    label = np.where(X[:, 0] * X[:, 1] + 0.5 * random.standard_normal(3000) > 0, "up", "down")
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "label": label.astype(object)})
    pq.write_table(table, path / "a.parquet", row_group_size=100)
    return tn.scan(path, target="label")


def bits_of(model):
    return bits(model.model_), bits(model.summary_)


def test_the_same_bits_on_workers_and_after_a_kill(rows):
    with tn.on(tn.Local(threads=1)):
        alone = {name: bits_of(model.fit(rows)) for name, model in MODELS.items()}
    with faults.Cluster(1, ttl=10) as cluster:
        cluster.ready(2)
        with tn.on(cluster.runner):
            assert {name: bits_of(model.fit(rows)) for name, model in MODELS.items()} == alone
        for name, model in MODELS.items():
            cluster.ready(2)
            slow = faults.Slow(rows, 0.006)
            with cluster.after(30, cluster.kill) as seen, tn.on(cluster.runner):
                model.fit(slow)
            assert seen.fired, name
            assert bits_of(model) == alone[name], name
