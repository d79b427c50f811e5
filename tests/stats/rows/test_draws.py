"""Draws of rows: by where they stand and nothing else, a stream for each purpose, another within a learner."""

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest
from scipy import stats

import tenfold as tn
from tenfold.core import Chunk, Columns, Need
from tenfold.sources import ArraySource, part_rows
from tenfold.stats.rows.draws import FOLD_STREAM, ROW_STREAM, folds_of, keys_of, times_of

N = 20_000


def rows(n=N, first_row_id=0):
    return Chunk(Columns(np.zeros((n, 1))), np.zeros(n), np.ones(n), True, 0, 0, first_row_id=first_row_id)


def test_folds_are_even_and_drawn_anew_by_every_seed_part_and_level():
    chunk = rows()
    folds = folds_of(chunk, 0, 10)
    assert set(np.bincount(folds)) == {N // 10}
    others = [folds_of(chunk, 1, 10), folds_of(rows(first_row_id=1 << 36), 0, 10), folds_of(chunk.inner(), 0, 10)]
    for other in others:
        counts = np.histogram2d(folds, other, bins=10)[0]
        assert stats.chi2_contingency(counts).pvalue > 1e-4
    after = np.histogram2d(folds[:-1], folds[1:], bins=10)[0]
    assert (np.abs(after.sum(axis=1) - N / 10) < 2).all()


def test_folds_tell_nothing_of_bootstraps():
    chunk = rows()
    drawn = np.minimum(times_of(chunk.places(), keys_of(0, ROW_STREAM, 0, 1)[0]), 3)
    counts = np.histogram2d(folds_of(chunk, 0, 10), drawn, bins=(10, 4))[0]
    assert stats.chi2_contingency(counts).pvalue > 1e-4
    assert ROW_STREAM != FOLD_STREAM


def test_the_place_of_a_row_stays_with_it():
    chunk = rows(100)
    some = chunk.rows(slice(20, 80)).rows(np.arange(0, 60, 3)).rows(slice(5, 10))
    assert some.places().tolist() == [35, 38, 41, 44, 47]
    assert (some.inner().places() - some.places() > 1 << 57).all()


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    out = pd.DataFrame(random.standard_normal((600, 2)), columns=["a", "b"])
    return out.assign(w=random.integers(0, 3, 600).astype(float), y=random.standard_normal(600))


def places(source):
    schema = source.known(NEED)
    each = [chunk for part in range(len(source)) for chunk in source.chunks(part, NEED, schema)]
    return np.concatenate([chunk.places() for chunk in each])


NEED = Need(target="number")


def test_places_are_the_same_in_arrays_files_and_frames_of_dask(frame, tmp_path, monkeypatch):
    """Rows that have no weight, or that `where` leaves out, have no place; large parts come in pieces."""
    dd = pytest.importorskip("dask.dataframe")
    from tenfold.sources.files import parquet

    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=150)
    with part_rows(150):
        X, y, w = frame[["a", "b"]].to_numpy(), frame["y"].to_numpy(), frame["w"].to_numpy()
        wanted = places(ArraySource(X, y, w))
    assert len(wanted) == (w > 0).sum()
    assert wanted[: int((w[:150] > 0).sum())].tolist() == list(range(int((w[:150] > 0).sum())))
    assert (np.unique(wanted >> 36) == np.arange(4)).all()
    monkeypatch.setattr(parquet, "MAX_ROW_GROUP_BYTES", 0)
    monkeypatch.setattr(parquet, "BATCH_ROWS", 40)
    for source in (
        tn.scan(tmp_path / "rows.parquet", target="y", weight="w"),
        tn.scan(tmp_path / "rows.parquet", target="y", drop=["w"], where=pc.field("w") > 0),
        tn.scan(dd.from_pandas(frame, npartitions=4), target="y", weight="w"),
    ):
        assert np.array_equal(places(source), wanted)


def test_the_same_forest_from_arrays_files_and_frames_of_dask(frame, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    from tenfold.testing import bits

    frame = frame.drop(columns="w")
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=150)
    learners = [
        tn.RandomForestRegressor(3, max_depth=3),
        tn.BaggingRegressor(tn.Ridge(), 3),
        tn.StackingRegressor(cv=3),
        tn.RidgeCV(),
        tn.HistGradientBoostingRegressor(max_iter=3, subsample=0.5),
        tn.DecisionTreeRegressor(prune="reduced_error"),
    ]
    for learner in learners:
        with part_rows(150):
            wanted = bits(learner.fit(frame[["a", "b"]], frame["y"]).model_)
        for source in (
            tn.scan(tmp_path / "rows.parquet", target="y"),
            tn.scan(dd.from_pandas(frame, npartitions=4), target="y"),
        ):
            with tn.on(tn.Local(threads=2)):
                assert bits(learner.fit(source).model_) == wanted
