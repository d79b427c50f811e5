"""Training and test rows of sources: all rows once, the same however files are cut; of arrays, scikit-learn's."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss, mean_squared_error
from sklearn.model_selection import train_test_split

import tenfold as tn
from tenfold.testing.comparison import bits

pytestmark = pytest.mark.timeout(60)


def table(n=1_000):
    random = np.random.default_rng(0)
    x, z = random.normal(size=(2, n))
    return pa.table({"id": np.arange(n), "x": x, "z": z, "y": x - z, "k": np.where(x + z > 0, "up", "down")})


def ids(source):
    return [i for part in range(len(source)) for t in source.raw(part, ["id"]) for i in t["id"].to_pylist()]


@pytest.fixture
def files(tmp_path):
    for size in (70, 1_000):
        pq.write_table(table(), tmp_path / f"{size}.parquet", row_group_size=size)
    return tmp_path


@pytest.mark.parametrize(("sizes", "expected"), [({}, (750, 250)), ({"test_size": 0.1}, (900, 100))])
def test_every_row_is_on_one_side(sizes, expected, files):
    for data in (table(), files / "70.parquet", table().to_pandas()):
        train, test = tn.train_test_split(tn.scan(data, target="y"), **sizes)
        assert (train.n_rows, test.n_rows) == expected
        assert sorted(ids(train) + ids(test)) == list(range(1_000))
        assert ids(test) == sorted(ids(test))


def test_a_split_of_a_split_knows_its_rows(files):
    for data in (table(), files / "70.parquet"):
        rest, test = tn.train_test_split(tn.scan(data), test_size=0.2)
        train, held = tn.train_test_split(rest, test_size=0.25, random_state=1)
        assert (train.n_rows, held.n_rows) == (len(ids(train)), len(ids(held)))
        assert sorted(ids(train) + ids(held) + ids(test)) == list(range(1_000))
        third = tn.train_test_split(train, random_state=2)[1]
        assert third.n_rows == len(ids(third)) > 0
    assert tn.train_test_split(tn.train_test_split(tn.scan(data).only(pa.compute.field("x") > 0))[0])[0].n_rows is None


def test_numbers_of_numpy_are_numbers():
    source = tn.scan(table())
    expected = ids(tn.train_test_split(source, test_size=0.25, random_state=3)[1])
    found = tn.train_test_split(source, test_size=np.float32(0.25), random_state=np.int64(3))[1]
    assert ids(found) == expected


@pytest.mark.parametrize("seed", [-1, 2**32, 0.5, np.random.RandomState(0)])
def test_a_seed_is_an_integer_in_range(seed):
    with pytest.raises(ValueError, match=r"random_state must be an integer from 0"):
        tn.train_test_split(tn.scan(table()), random_state=seed)


def test_no_params_are_none():
    source = tn.scan(table(), target="y", drop=["id", "k"])
    found, expected = (tn.cross_validate(tn.Ridge(), source, cv=3, **more) for more in ({"params": {}}, {}))
    assert found.mean.tolist() == expected.mean.tolist()


def test_sides_that_leave_rows_out():
    train, test = tn.train_test_split(tn.scan(table(), target="y"), test_size=0.2, train_size=0.3)
    assert (train.n_rows, test.n_rows) == (300, 200)
    assert not {*ids(train)} & {*ids(test)}


def test_the_same_rows_however_they_are_cut_and_other_rows_by_another_seed(files):
    found = [tn.train_test_split(tn.scan(files / f"{size}.parquet"))[1] for size in (70, 1_000)]
    assert ids(found[0]) == ids(found[1]) == ids(tn.train_test_split(tn.scan(table()))[1])
    assert ids(tn.train_test_split(tn.scan(table()), random_state=1)[1]) != ids(found[0])


def test_a_fit_is_that_of_the_rows_chosen_by_hand(files):
    train, test = tn.train_test_split(tn.scan(files / "1000.parquet", target="y", drop=["id", "k"]))
    frame = table().to_pandas()
    rows = ids(tn.train_test_split(tn.scan(table()))[0])
    model, expected = tn.Ridge().fit(train), tn.Ridge().fit(frame.loc[rows, ["x", "z"]], frame.loc[rows, "y"])
    assert bits(model.model_) == bits(expected.model_)
    others = frame.drop(index=rows)
    assert model.score(test) == pytest.approx(expected.score(others[["x", "z"]], others["y"]), rel=1e-12)
    forest = tn.CART(max_depth=3).fit(tn.train_test_split(tn.scan(frame, target="k", drop=["id", "y"]))[0])
    assert forest.classes_.tolist() == ["down", "up"]


def test_arrays_in_a_source_are_split():
    X = np.arange(40.0).reshape(20, 2)
    weight = np.arange(1.0, 21)
    train, test = tn.train_test_split(tn.scan(X, np.arange(20.0), weight=weight), test_size=0.25)
    assert sorted([*train.y, *test.y]) == list(range(20))
    assert test.X[:, 0].tolist() == [2 * y for y in test.y]
    assert test.weight.tolist() == [y + 1 for y in test.y]


def test_folds_of_training_rows(files):
    train, _ = tn.train_test_split(tn.scan(files / "70.parquet", target="y", drop=["id", "k"]))
    rows = ids(tn.train_test_split(tn.scan(table()))[0])
    frame = table().to_pandas().loc[rows]
    found = tn.cross_validate(tn.Ridge(), train, folds=5, shuffle=False)
    expected = tn.cross_validate(tn.Ridge(), frame[["x", "z"]], frame["y"], folds=5)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_partitions_of_dask_are_dealt_apart():
    frame = dd.from_pandas(table().to_pandas(), npartitions=4)
    train, test = tn.train_test_split(tn.scan(frame, target="y", columns=["id", "x"]))
    assert sorted(ids(train) + ids(test)) == list(range(1_000))
    each = [i % 250 for i in ids(test)]
    assert len({*each}) > 100, "the same places of each partition"


def test_arrays_are_split_as_scikit_learn_does():
    X, y = np.arange(30).reshape(15, 2), np.arange(15) % 3
    for options in ({"random_state": 0}, {"test_size": 4, "random_state": 1, "stratify": y}, {"shuffle": False}):
        for found, expected in zip(
            tn.train_test_split(X, y, **options), train_test_split(X, y, **options), strict=True
        ):
            np.testing.assert_array_equal(found, expected)
    frame = pd.DataFrame(X)
    assert tn.train_test_split(frame, y, random_state=0)[0].equals(train_test_split(frame, y, random_state=0)[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test_size": 5}, "test_size of a Source must be a share"),
        ({"test_size": 0.6, "train_size": 0.6}, "1 at most together"),
        ({"stratify": [1]}, "neither stratified"),
        ({"shuffle": False}, "nor in order"),
        ({"random_state": np.random.default_rng(0)}, "random_state must be an integer"),
    ],
)
def test_what_a_source_cannot_do_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tn.train_test_split(tn.scan(table()), **options)


def test_sequences_and_outputs_of_models_are_refused():
    with pytest.raises(tn.DataError, match="whole sequences"):
        tn.train_test_split(tn.scan(table(), sequence="k"))
    rows = tn.scan(table(), columns=["x"])
    with pytest.raises(tn.DataError, match="before"):
        tn.train_test_split(tn.StandardScaler().fit(rows).transform(rows))
    with pytest.raises(tn.DataError, match="no test rows"):
        tn.train_test_split(tn.scan(table(1)), test_size=0.01)
    with pytest.raises(tn.DataError, match=r"tenfold\.scan"):
        tn.train_test_split(dd.from_pandas(table().to_pandas(), npartitions=2))
    with pytest.raises(ValueError, match="split it alone"):
        tn.train_test_split(rows, [1])


# ---- metrics of scikit-learn ---------------------------------------------------------------------


def test_metrics_take_lazy_predictions(files):
    rows = tn.scan(files / "70.parquet", target="k", columns=["x", "z"])
    model = tn.GaussianNB().fit(rows)
    y, X = table()["k"].to_numpy(), table().to_pandas()[["x", "z"]]
    plain = model.predict(X)
    assert accuracy_score(y, model.predict(rows)) == accuracy_score(y, plain)
    np.testing.assert_array_equal(confusion_matrix(y, model.predict(rows)), confusion_matrix(y, plain))
    assert log_loss(y, model.predict_proba(rows)) == pytest.approx(log_loss(y, model.predict_proba(X)), rel=1e-12)
    assert model.predict_proba(rows).shape == (1_000, 2)
    assert model.predict(rows).shape == (1_000,)
    numbers = tn.scan(files / "70.parquet", target="y", columns=["x", "z"])
    ridge = tn.Ridge().fit(numbers)
    assert mean_squared_error(table()["y"], ridge.predict(numbers)) == pytest.approx(
        mean_squared_error(table()["y"], ridge.predict(X)), rel=1e-9
    )
    np.testing.assert_array_equal(np.asarray(ridge.predict(numbers)), ridge.predict(numbers).collect())


def test_a_path_and_a_lazy_frame_are_refused_naming_scan(tmp_path):
    lazy = type("LazyFrame", (list,), {})(range(9))
    for rows in ("rows.parquet", tmp_path / "rows.parquet", lazy):
        with pytest.raises(tn.DataError, match=r"Remedy: train_test_split\(tenfold.scan\("):
            tn.train_test_split(rows)
