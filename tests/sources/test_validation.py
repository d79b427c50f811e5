"""The same checks for rows from anywhere: columns, targets, weights, categories that are none."""

import warnings
from functools import partial

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.testing import bits

pytestmark = [
    pytest.mark.timeout(60),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),  # Dask itself, with a pandas that is newer than it
]

random = np.random.default_rng(0)
X = random.normal(size=(400, 3))
Y = X[:, 0]
C = (Y > 0).astype(int)


def blocks(values):
    return da.from_array(values, chunks=(150, *values.shape[1:]))


def sources(values, target):
    """The same rows from an array, a sparse matrix, a dask Array, a frame, a file and a dask DataFrame."""
    names = [*"abcdef"[: values.shape[1]]]
    frame = pd.DataFrame(values, columns=names).assign(y=target)
    return {
        "array": lambda folder: tn.scan(values, target=target),
        "sparse": lambda folder: tn.scan(sp.csr_array(values), target=target),
        "dask array": lambda folder: tn.scan(blocks(values), target=blocks(target)),
        "frame": lambda folder: tn.scan(frame, target="y"),
        "parquet": lambda folder: tn.scan(_written(frame, folder), target="y"),
        "dask frame": lambda folder: tn.scan(dd.from_pandas(frame, npartitions=3), target="y"),
    }


def _written(frame, folder):
    pq.write_table(pa.Table.from_pandas(frame), folder / "t.parquet", row_group_size=150)
    return folder / "t.parquet"


FORMS = list(sources(X[:2], C[:2]))


def _collected(model, rows):
    return model.predict(rows).collect()


# ---- columns --------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("form", FORMS)
def test_another_number_of_columns_is_refused(form, width, tmp_path):
    rows = sources(np.column_stack([X, Y])[:, :width], C)[form](tmp_path)
    stump = tn.DecisionTreeClassifier(max_depth=1).fit(X, C)
    for model in (stump, tn.GaussianNB().fit(X, C)):
        for use in (model.score, partial(_collected, model), partial(tn.certify, model)):
            with pytest.raises(tn.DataError, match=rf"X has {width} features, but .* expecting 3 features"):
                use(rows)


def test_columns_of_a_mapped_source_are_compared():
    two, three = (tn.StandardScaler().fit(X[:, :p]) for p in (2, 3))
    model = tn.Ridge().fit(three.transform(tn.scan(X, target=Y)))
    with pytest.raises(tn.DataError, match="X has 2 features, but .* expecting 3 features"):
        model.score(two.transform(tn.scan(X[:, :2], target=Y)))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = tn.Ridge().fit(tn.StandardScaler().fit(frame).transform(tn.scan(frame.assign(y=Y), target="y")))
    other = frame.rename(columns={"a": "z"})
    with pytest.raises(tn.DataError, match="feature names should match"):
        model.predict(tn.StandardScaler().fit(other).transform(tn.scan(other))).collect()


def test_a_missing_value_does_not_pass_a_scaler():
    Z = X[:, :2].copy()
    Z[5, 0] = np.nan
    model = make_pipeline(tn.StandardScaler(), tn.MinMaxScaler(), tn.LogisticRegression())
    match = "NaN in column 'x0' of the output of MinMaxScaler, row 5"
    with pytest.raises(tn.DataError, match=match):
        tn.cross_validate(model, Z, C, folds=4)
    with pytest.raises(tn.DataError, match=match):
        tn.learning_curve(model, Z, C, folds=2)
    with pytest.raises(tn.DataError, match=match):
        tn.certify(model.fit(X[:, :2], C), Z, C)
    takes = make_pipeline(tn.StandardScaler(), tn.DecisionTreeClassifier())
    assert tn.cross_validate(takes, Z, C, folds=4).scores.min() > 0.9  # a tree takes missing values


@pytest.mark.parametrize("name", ["__y", "__weight", "__beside", "__target", "___y"])
def test_a_feature_may_have_any_name(name):
    plain = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    odd = plain.rename(columns={"a": name})
    weight = 1 + C.astype(float)
    expected = tn.Ridge().fit(plain, X[:, 2], weight).coef_
    np.testing.assert_array_equal(tn.Ridge().fit(odd, X[:, 2], weight).coef_, expected)
    lazy = dd.from_pandas(odd.assign(t=X[:, 2], w=weight), npartitions=2)
    found = tn.Ridge().fit(lazy[[name, "b"]], lazy["t"], lazy["w"])
    assert found.feature_names_in_.tolist() == [name, "b"]
    np.testing.assert_allclose(found.coef_, expected, rtol=1e-9)
    groups, learner = np.arange(400) % 40, tn.LinearRegression(standard_errors="cluster")
    both = [learner.fit(some, X[:, 2], groups=groups).inference_.half() for some in (odd, plain)]
    np.testing.assert_array_equal(*both)


def test_a_sparse_matrix_has_no_categories():
    whole = sp.csr_array(X.round())
    fitted = tn.CategoricalNB().fit(X.round(), C)
    lazy = da.from_array(X.round(), chunks=(100, 3)).map_blocks(sp.csr_matrix)
    for use in (
        lambda: tn.CategoricalNB().fit(tn.scan(whole, target=C)),
        lambda: tn.CategoricalNB().fit(lazy, blocks(C)),
        lambda: fitted.score(tn.scan(whole, target=C)),
        lambda: fitted.predict(tn.scan(whole)).collect(),
    ):
        with pytest.raises(tn.DataError, match="Sparse data was passed for X, but dense data is required"):
            use()


# ---- targets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["i8", "i1", "u2", "f2", "f4", "?", "O"])
@pytest.mark.parametrize(
    "learner", [tn.HistGradientBoostingRegressor(max_iter=3), tn.Ridge(), tn.DecisionTreeRegressor()]
)
def test_a_target_of_any_kind_of_number_is_that_number(learner, kind):
    target = (np.arange(400) % 100).astype(kind)
    expected = learner.fit(X, target.astype(float)).predict(X)
    assert np.ptp(expected) > 0
    np.testing.assert_array_equal(learner.fit(tn.scan(X, target=target)).predict(X), expected)
    if kind != "O":
        np.testing.assert_allclose(learner.fit(blocks(X), blocks(target)).predict(X), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("hole", [np.nan, np.inf, None])
def test_a_target_that_is_not_finite_is_refused(hole):
    target = Y.astype(object)
    target[7] = hole
    target = target if hole is None else target.astype(float)
    for learner in (tn.Ridge(), tn.LinearRegression(standard_errors="HC3"), tn.DecisionTreeRegressor()):
        with pytest.raises(ValueError, match="row 7"):
            learner.fit(tn.scan(X, target=target))
    with pytest.raises(ValueError, match="Input y contains"):
        tn.Ridge().fit(X, target)
    scaled = tn.StandardScaler().fit(X).transform(tn.scan(X, target=target))
    with pytest.raises(ValueError, match="row 7"):
        tn.Ridge().fit(scaled)
    with pytest.raises(ValueError, match="row 7"):
        tn.Ridge().fit(X, Y).score(tn.scan(X, target=target))


@pytest.mark.parametrize("form", FORMS)
def test_numbers_that_are_not_whole_are_no_classes(form, tmp_path):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        tn.LogisticRegression().fit(sources(X, np.round(Y, 1))[form](tmp_path))


@pytest.mark.parametrize("form", [form for form in FORMS if form != "dask frame"])
def test_a_class_that_is_missing_is_refused(form, tmp_path):
    for target in (np.where(np.arange(400) == 7, np.nan, C), np.where(np.arange(400) == 7, None, C.astype(str))):
        with pytest.raises(ValueError, match="NaN or None|target is missing"):
            tn.LogisticRegression().fit(sources(X, target)[form](tmp_path))


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (np.arange(400).astype("M8[D]"), r"datetime64\[D\]"),
        (np.arange(400).astype("m8[s]"), r"timedelta64\[s\]"),
        (Y.astype(str), "text"),
        (Y.astype(str).astype(object), "text"),
        (Y + 0j, "complex128"),
        (pd.Series(pd.date_range("2020", periods=400)), "datetime64"),
        (pd.Series(Y.astype(str)), "text"),
    ],
)
def test_dates_and_text_are_no_numbers(target, said):
    array = np.asarray(target)
    for use in (
        lambda: tn.Ridge().fit(X, target),
        lambda: tn.Ridge().fit(tn.scan(X, target=array)),
        lambda: tn.Ridge().fit(blocks(X), blocks(array)),
        lambda: tn.Ridge().fit(X, Y).score(tn.scan(X, target=array)),
    ):
        with pytest.raises(ValueError, match=f"holds {said}.*, not numbers"):
            use()


def test_dates_are_no_features_and_objects_are_columns():
    dates = np.arange(800).reshape(400, 2).astype("M8[D]")
    for use in (lambda: tn.Ridge().fit(dates, Y), lambda: tn.Ridge().fit(tn.scan(dates, target=Y))):
        with pytest.raises(ValueError, match=r"X holds datetime64\[D\], not numbers"):
            use()
    both = np.column_stack([X[:, 0].astype(object), np.where(C, "u", "v")])
    for learner in (tn.Ridge(), tn.DecisionTreeRegressor()):
        expected = learner.fit(both, X[:, 1]).predict(both)
        np.testing.assert_array_equal(learner.fit(tn.scan(both, target=X[:, 1])).predict(both), expected)
    with pytest.raises(tn.DataError, match="column 'x1' holds text, not numbers"):
        tn.KMeans(2).fit(tn.scan(both))


def test_weights_are_numbers_that_are_finite_and_not_negative():
    missing = np.where(C, 1.0, np.nan)
    for weight, match in ((np.full(400, "a"), "the weight holds text"), (missing, "row [0-9]+: a weight")):
        with pytest.raises(tn.DataError, match=match):
            tn.scan(X, target=Y, weight=weight)


# ---- categories that are none -----------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_numbers_stored_as_text_are_told_once_and_by_name(frame):
    text = [str(v) for v in np.arange(400) % 101]
    rows = frame({"n": text, "x": X[:, 0]})
    with pytest.warns(UserWarning, match="column 'n' holds numbers stored as text, and is used as 101") as told:
        assert tn.Ridge().fit(rows, Y).coef_.shape == (102,)
    assert len(told) == 1
    table = pa.table({"n": text, "x": X[:, 0], "y": Y})
    source = tn.scan(table, target="y")
    with pytest.warns(UserWarning, match=r"categorical=\['n'\]"):
        tn.Ridge().fit(source)
    tn.DecisionTreeRegressor().fit(source)  # it has been told
    tn.Ridge().fit(tn.scan(table, target="y", categorical=["n"]))
    tn.Ridge().fit(pd.DataFrame({"n": pd.Categorical(text)}), Y)


def test_a_marker_of_what_is_missing_does_not_hide_numbers():
    text = [str(v) for v in np.round(X[:, 0], 1)]
    text[3] = "?"
    with pytest.warns(UserWarning, match=r"column 'n' holds numbers stored as text \(but '\?' is none\)"):
        tn.Ridge().fit(pd.DataFrame({"n": text}), Y)


@pytest.mark.parametrize("form", ["{:05d}", "u{}", "{:.0e}"])
def test_labels_are_not_taken_for_numbers(form):
    text = [form.format(v % 90) for v in range(400)]  # the last has few that differ
    for learner, y in ((tn.Ridge(), Y), (tn.CategoricalNB(), C)):
        model = learner.fit(pd.DataFrame({"n": text}), y)
        assert model.schema_.columns[0].categories.tolist() == sorted(set(text))


@pytest.mark.parametrize("learner", [tn.CategoricalNB(), tn.FindS()])
def test_measured_numbers_are_no_categories(learner):
    rows = tn.scan(X, target=C)
    for use in (lambda: learner.fit(X, C), lambda: learner.fit(rows), lambda: learner.fit(blocks(X), blocks(C))):
        with pytest.raises(tn.DataError, match=r"column 'x0' holds 400 distinct numbers, such as .* not integers"):
            use()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tn.CategoricalNB().fit(np.round(2 * X) / 2, C)  # a few steps are levels
        tn.CategoricalNB().fit(np.arange(400.0)[:, None], C)
        frame = pd.DataFrame({"a": X[:, 0], "y": C})
        tn.CategoricalNB().fit(tn.scan(frame, target="y", categorical=["a"]))


@pytest.mark.parametrize("learner", [tn.CART(), tn.StandardScaler(), tn.DummyClassifier()])
def test_the_order_of_bytes_does_not_matter(learner):
    X = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 6.0]])
    swapped, y = X.astype(">f8"), np.array([0, 1, 1])
    frame = pd.DataFrame({"a": swapped[:, 0], "b": swapped[:, 1]})
    wanted = bits(clone(learner).fit(X, y).model_)
    assert bits(clone(learner).fit(frame, y).model_) == wanted
    assert bits(clone(learner).fit(tn.scan(swapped, target=y)).model_) == wanted
    assert bits(clone(learner).fit(tn.scan(frame.assign(y=y), target="y")).model_) == wanted


def test_three_classes_are_refused_from_any_source_where_two_are_taken(tmp_path):
    frame = pd.DataFrame({"a": ["u", "v", "w"], "y": ["no", "perhaps", "yes"]})
    frame.to_parquet(tmp_path / "rows.parquet")
    for rows in (tn.scan(frame, target="y"), tn.scan(str(tmp_path), target="y")):
        with pytest.raises(ValueError, match="Only binary classification is supported"):
            tn.FindS().fit(rows)


def test_an_arrow_table_of_another_width_is_refused_by_a_model_of_arrays():
    model = tn.MaxAbsScaler().fit(np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert model.transform(pa.table({"a": [3.0], "b": [2.0]})).tolist() == [[1.0, 0.5]]
    for names in ("a", "abc"):
        with pytest.raises(ValueError, match="is expecting 2 features"):
            model.transform(pa.table({name: [1.0] for name in names}))


@pytest.mark.parametrize("learner", [tn.LinearRegression(), tn.Lasso(), tn.PoissonRegressor(), tn.DummyRegressor()])
def test_targets_too_large_to_be_squared_are_refused(learner):
    y = np.array([1.0, 2.0, 1e160])
    for rows in ((X[:3], y), (tn.scan(X[:3], target=y), None), (pd.DataFrame(X[:3]), y)):
        with pytest.raises(tn.DataError, match=r"the target is 1e\+160 in row 2: too large to be squared"):
            clone(learner).fit(*rows)


def test_a_target_in_memory_beside_a_dask_frame_is_refused_by_name():
    rows = pd.DataFrame({"a": np.arange(20.0)})
    with pytest.raises(tn.DataError, match=r"target of a dask DataFrame is a ndarray.*Remedy: a column of the frame"):
        tn.Ridge().fit(dd.from_pandas(rows, npartitions=2), np.arange(20.0))
    with pytest.raises(tn.DataError, match="Remedy: dask.array.from_array"):
        tn.Ridge().fit(da.from_array(rows.to_numpy(), chunks=(10, 1)), np.arange(20.0))
