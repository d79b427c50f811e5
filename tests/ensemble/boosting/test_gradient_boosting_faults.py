"""Boosting level by level on a cluster: the same bits as on threads, for any number of workers, or if one is killed."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import faults
import tenfold as tn
from tenfold.testing import bits
from tenfold.tree.growing import grower

pytestmark = [pytest.mark.full, pytest.mark.slow, pytest.mark.timeout(240)]


def model_of(loss):
    if loss == "log_loss":
        return tn.HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=8, subsample=0.8, early_stopping=True)
    return tn.HistGradientBoostingRegressor(loss, max_iter=2, max_leaf_nodes=6)


@pytest.mark.parametrize("loss", ["log_loss", "absolute_error"])
def test_the_same_bits_on_workers_that_die(tmp_path, monkeypatch, loss):
    random = np.random.default_rng(0)
    X = random.standard_normal((4000, 4))
    y = X[:, 0] * X[:, 1] + random.standard_normal(len(X))
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": (y > 0).astype(int) if loss == "log_loss" else y})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=200)
    rows = tn.scan(tmp_path, target="y")
    gathered = model_of(loss).fit(rows)
    monkeypatch.setattr(grower, "MAX_GATHERED_BYTES", 0)
    alone = model_of(loss).fit(rows)
    assert bits(alone.model_.trees) == bits(gathered.model_.trees)
    with faults.Cluster(1) as cluster:
        for workers in (1, 2):
            with tn.on(cluster.ready(workers).runner):
                assert bits(model_of(loss).fit(rows).model_) == bits(alone.model_)
        with tn.on(cluster.ready(2).runner), cluster.after(90, cluster.kill) as seen:
            found = model_of(loss).fit(faults.Slow(rows, 0.006))
        assert seen.fired
        assert seen.lost >= 1
    assert bits(found.model_) == bits(alone.model_)
    assert found.certificate_.claims == alone.certificate_.claims
