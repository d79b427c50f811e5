"""What people try first and should not: each error says what to write instead."""

import os

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tenfold as tn

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, 2.0, 3.0]
HALVES = tn.Ridge().fit(X[:30], Y[:30]), tn.Ridge().fit(X[30:], Y[30:])


@pytest.mark.parametrize("series", [pd.Series(Y, name="a"), pl.Series("a", Y)], ids=["pandas", "polars"])
def test_a_column_as_table(series):
    with pytest.raises(tn.DataError, match=r"X is a Series, one column.*X\.to_frame\(\)"):
        tn.Ridge().fit(series, Y)
    assert tn.Ridge().fit(series.to_frame(), Y).n_features_in_ == 1


def test_a_path_as_table(tmp_path):
    with pytest.raises(tn.DataError, match=r"X is a path. Remedy: fit\(tenfold.scan\('a.parquet', target='y'\)\)"):
        tn.Ridge().fit("a.parquet", "y")
    with pytest.raises(tn.DataError, match=r"X is a path. Remedy: fit\(tenfold.scan\('.*a.parquet'\)\)"):
        tn.KMeans(2).fit(tmp_path / "a.parquet")


def test_a_name_as_target():
    frame = pd.DataFrame({"a": Y, "y": Y})
    with pytest.raises(tn.DataError, match=r"y is the text 'y'. Remedy: .*tenfold.scan\(X, target='y'\)"):
        tn.Ridge().fit(frame, "y")
    with pytest.raises(ValueError, match=r"names its own target.*tenfold.scan\(..., target=name"):
        tn.Ridge().fit(tn.scan(frame), "y")


def test_a_lazy_frame_as_target():
    with pytest.raises(tn.DataError, match=r"y is a LazyFrame.*tenfold.scan\(frame, target=name\)"):
        tn.Ridge().fit(X, pl.LazyFrame({"y": Y}))


def test_rows_for_the_method_certify():
    for rows in (X, X.tolist(), pd.DataFrame(X)):
        with pytest.raises(TypeError, match=r"Remedy: tenfold.certify\(model, X, y\)"):
            HALVES[0].certify(rows, Y)


@pytest.mark.parametrize("runner", ["dask", 2, None])
def test_no_runner(runner):
    with pytest.raises(TypeError, match=r"takes a runner, not .*tenfold.Dask\(client\)"), tn.on(runner):
        pass


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no folder '.*nowhere' to save 'm.tenfold' in. Remedy: create it"):
        HALVES[0].save(tmp_path / "nowhere" / "m.tenfold")
    assert os.listdir(tmp_path) == []


def test_a_missing_path(tmp_path, monkeypatch):
    (tmp_path / "sales.parquet").touch()
    with pytest.raises(tn.DataError, match=r"has no 'sale.parquet'; did you mean \['sales.parquet'\]"):
        tn.scan(tmp_path / "sale.parquet")
    with pytest.raises(tn.DataError, match=rf"'{tmp_path}' has no 'years'"):
        tn.scan(tmp_path / "years" / "2025" / "sale.parquet")
    with pytest.raises(tn.DataError, match=r"there is no file at '.*\*.parquet'$"):
        tn.scan(tmp_path / "x*.parquet")
    monkeypatch.setenv("HOME", str(tmp_path))
    pd.DataFrame({"a": [1.0, 2.0]}).to_parquet(tmp_path / "home.parquet")
    assert tn.scan("~/home.parquet").n_rows == 2


def test_a_header_that_comes_again(tmp_path):
    path = tmp_path / "joined.csv"
    path.write_text("a,b\n1,2\n3,4\na,b\n5,6\n")
    with pytest.raises(tn.DataError, match=r"joined.csv repeats its header as row 3 of the data.*delete that line"):
        tn.scan(path)
    path.write_text("a,b\na,1\nb,2\n")  # a category that is called as its column
    assert tn.scan(path).n_rows == 2


def test_a_difference_of_models():
    total = HALVES[0] + HALVES[1]
    with pytest.raises(tn.MergeError, match="cannot be subtracted.*Remedy: add the models of all the other rows"):
        total - HALVES[0]
    with pytest.raises(TypeError, match="unsupported operand"):
        total - 1


@pytest.mark.parametrize(
    "learner",
    [tn.KNeighborsClassifier(2), tn.LinearSVC(), tn.SGDClassifier(), tn.SVC(), tn.RBFNetworkClassifier(3)],
    ids=lambda learner: type(learner).__name__,
)
def test_the_remedy_for_columns_beyond_their_squares_takes_them(learner):
    """Numbers of 1e200 have no square; StandardScaler, which needs their variance, refuses them too."""
    far = np.column_stack([X[:, 0] * 1e200, X[:, 1]])
    classes = X[:, 0] > 0
    with pytest.raises(tn.DataError, match=r"Remedy: .*MaxAbsScaler"):
        learner.fit(far, classes)
    assert tn.make_pipeline(tn.MaxAbsScaler(), learner).fit(far, classes).score(far, classes) > 0.8


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_a_file_with_another_separator(tmp_path, separator):
    path = tmp_path / "rows.csv"
    pd.DataFrame({"a": Y, "b": -Y, "y": Y}).to_csv(path, sep=separator, index=False)
    with pytest.raises(
        tn.DataError, match=r"seem to be separated by .*Remedy: tenfold.scan\(pandas.read_csv\(path, sep="
    ):
        tn.Ridge().fit(tn.scan(path, target="y"))
    assert tn.Ridge().fit(tn.scan(pd.read_csv(path, sep=separator), target="y")).n_features_in_ == 2


def test_a_checkpoint_of_a_pipeline_is_one_of_its_last_step(tmp_path):
    model = tn.make_pipeline(tn.StandardScaler(), tn.LogisticRegression())
    path = tmp_path / "fit.checkpoint"
    with pytest.raises(ValueError, match=r"checkpoint parameter. Remedy: logisticregression__checkpoint="):
        model.fit(X, Y > 0, checkpoint=path)
    model.fit(X, Y > 0, logisticregression__checkpoint=path)
    assert path.exists()
    with pytest.raises(ValueError, match="does not accept the nonsense parameter"):
        model.fit(X, Y > 0, nonsense=1)


def test_a_number_that_is_too_small_is_told_the_range_in_short():
    with pytest.raises(ValueError, match=r"an int in the range \[1, 2\*\*62\]. Got 0 instead"):
        tn.KMeans(0).fit(X)
