"""Training rows in memory, in Parquet files and on the workers of a cluster: the same neighbours, to the bit."""

import numpy as np
import pandas as pd
import pytest

import faults
import tenfold as tn

pytestmark = pytest.mark.timeout(240)


def test_the_same_bits_in_memory_from_files_and_on_a_cluster(tmp_path):
    random = np.random.default_rng(0)
    X = np.round(random.normal(size=(900, 3)), 1)  # with ties
    frame = pd.DataFrame(X, columns=list("abc"))
    frame = frame.assign(y=random.choice(["x", "y", "z"], 900), z=X[:, 0] + random.normal(size=900))
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=110)
    asked = pd.DataFrame(np.round(random.normal(size=(40, 3)), 1), columns=list("abc"))
    classes, numbers = (tn.scan(tmp_path / "rows.parquet", target=t, columns=["a", "b", "c"]) for t in ("y", "z"))
    voter, mean = tn.KNeighborsClassifier(6), tn.KNeighborsRegressor(6, weights="distance")
    kept = voter.fit(frame[list("abc")], frame["y"]).predict_proba(asked)
    means = mean.fit(frame[list("abc")], frame["z"]).predict(asked)

    def by_scan():
        fitted = tn.KNeighborsClassifier(6).fit(classes).predict_proba(asked)
        return voter.predict_proba_over(asked, classes), fitted, mean.predict_over(asked, numbers)

    here = by_scan()
    assert np.array_equal(here[0], kept)
    assert np.array_equal(here[1], kept)
    np.testing.assert_allclose(here[2], means, rtol=1e-12)  # sums of ties come part by part
    with faults.Cluster(2) as cluster, tn.on(cluster.runner):
        there = by_scan()
    assert all(np.array_equal(a, b) for a, b in zip(here, there, strict=True))
