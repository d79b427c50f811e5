"""Columns of graphs: inputs by name, categories, and what is missing or was not seen; pipelines of all of it."""

import numpy as np
import onnxruntime
import pandas as pd
import pytest

import tenfold as tn
from onnx_runs import assert_same, run


def rows(n, seed, more=()):
    r = np.random.default_rng(seed)
    size, rooms = r.normal(size=n), r.integers(1, 6, n).astype(float)
    size[r.random(n) < 0.1] = np.nan
    city = r.choice(["Oslo", "Rome", 'a "b"', *more], n).astype(object)
    city[r.random(n) < 0.1] = None
    return pd.DataFrame({"a size": size, "city": city, "rooms": rooms, "note": r.choice(["x", "y"], n)})


train, test = rows(300, 0), rows(10_000, 1, ["Nice"])
full, full_test = train.fillna({"a size": 0.0, "city": "Oslo"}), rows(10_000, 1).fillna({"a size": 0, "city": "Rome"})
unseen = test.fillna({"a size": 0.0, "city": "Rome"})
y = full["a size"].to_numpy() + (full["city"] == "Rome").to_numpy() + full["rooms"].to_numpy()
two = np.where(y > np.median(y), "high", "low")
three = np.digitize(y, np.quantile(y, [0.3, 0.6]))
FILLED = tn.make_pipeline(tn.SimpleImputer(strategy="median", add_indicator=True), tn.RobustScaler())
CODED = tn.OneHotEncoder(handle_unknown="ignore")
TEXT = tn.make_pipeline(tn.SimpleImputer(strategy="most_frequent"), tn.OneHotEncoder(handle_unknown="ignore"))
SCALED = tn.make_pipeline(tn.SimpleImputer(), tn.MinMaxScaler(clip=True))
PLACES = tn.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
RARE = tn.OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=120)
DROPPED = tn.OneHotEncoder(drop="first", handle_missing="ignore", handle_unknown="ignore")
ENCODED = tn.ColumnTransformer([("n", FILLED, ["a size"]), ("c", CODED, ["city"]), ("p", "passthrough", ["rooms"])])
IMPUTED = tn.ColumnTransformer([("text", TEXT, ["city", "note"]), ("scale", SCALED, ["rooms", "a size"])])


@pytest.mark.parametrize("last", [tn.Ridge(), tn.PoissonRegressor(), tn.GammaRegressor(), tn.Lasso(0.01)], ids=repr)
@pytest.mark.parametrize("before", [ENCODED, IMPUTED], ids=["encoded", "imputed"])
def test_pipelines_of_numbers(before, last):
    assert_same(tn.make_pipeline(before, last).fit(train, np.exp(y / 5)), test)


@pytest.mark.parametrize("target", [two, three], ids=["two", "three"])
@pytest.mark.parametrize(
    "last", [tn.LogisticRegression(), tn.GaussianNB(), tn.RandomForestClassifier(n_estimators=5)], ids=repr
)
@pytest.mark.parametrize("before", [ENCODED, IMPUTED], ids=["encoded", "imputed"])
def test_pipelines_of_classes(before, last, target):
    assert_same(tn.make_pipeline(before, last).fit(train, target), test)


@pytest.mark.parametrize(
    "model",
    [
        ENCODED,
        IMPUTED,
        tn.ColumnTransformer([("scale", tn.StandardScaler(), ["rooms", "a size"])]),
        tn.ColumnTransformer([("code", PLACES, ["note", "city"])]),
        tn.ColumnTransformer([("code", RARE, ["note", "city", "rooms"])]),
        tn.ColumnTransformer([("code", DROPPED, ["city", "rooms"])]),
        tn.make_pipeline(ENCODED, tn.MaxAbsScaler(), tn.PCA(2)),
    ],
    ids=range(7),
)
def test_transformers_alone(model):
    assert_same(model.fit(train), test)


@pytest.mark.parametrize("learner", [tn.Ridge(), tn.Lasso(0.01), tn.MLPRegressor(3, "tanh", max_iter=5)], ids=repr)
def test_categories_of_learners_themselves(learner):
    assert_same(learner.fit(full, y), unseen)


@pytest.mark.parametrize("target", [two, three], ids=["two", "three"])
@pytest.mark.parametrize("learner", [tn.LogisticRegression(), tn.MLPClassifier(3, max_iter=5)], ids=repr)
def test_classes_from_categories(learner, target):
    assert_same(learner.fit(full, target), unseen)


def test_a_missing_category_that_the_model_refuses_is_nan():
    model = tn.Ridge().fit(full, y)
    rows = full[:3].copy()
    rows.loc[1, "city"] = None
    found = run(tn.to_onnx(model), rows)["prediction"]
    assert np.isnan(found).tolist() == [False, True, False]
    with pytest.raises(tn.DataError, match="city"):
        model.predict(rows)


@pytest.mark.parametrize("encoder", [tn.OneHotEncoder(), tn.OrdinalEncoder()], ids=repr)
def test_a_category_that_the_encoder_refuses_is_an_error_of_the_runtime(encoder):
    proto = tn.to_onnx(encoder.fit(full[["city", "note"]]))
    assert_same(encoder, full_test[["city", "note"]])
    with pytest.raises(Exception, match="indices element out of data bounds"):
        run(proto, unseen[["city", "note"]])


def test_the_inputs_are_the_columns_by_name_or_one_matrix():
    proto = tn.to_onnx(tn.Ridge().fit(full, y))
    assert [one.name for one in proto.graph.input] == ["a size", "city", "rooms", "note"]
    numbers = full[["a size", "rooms"]]
    proto = tn.to_onnx(tn.Ridge().fit(numbers, y))
    assert [one.name for one in proto.graph.input] == ["X"]
    assert "a size, rooms" in [one.value for one in proto.metadata_props]


def test_columns_that_no_transformer_takes_are_no_inputs():
    model = tn.ColumnTransformer([("code", tn.OneHotEncoder(), ["note"])]).fit(train)
    assert [one.name for one in tn.to_onnx(model).graph.input] == ["note"]


def test_names_of_columns_are_not_mixed_up_with_those_of_nodes():
    frame = full.rename(columns={"a size": "n0", "city": "c1", "rooms": "n1", "note": "_c1"})
    assert_same(tn.LogisticRegression().fit(frame, two), unseen.set_axis(frame.columns, axis=1))
    with pytest.raises(ValueError, match="column 'label' has the name of an output"):
        tn.to_onnx(tn.LogisticRegression().fit(frame.rename(columns={"n0": "label"}), two))


def test_numbers_as_categories():
    frame = pd.DataFrame({"code": [3, 1, 2, 3, 1, 2], "flag": [True, False] * 3})
    encoder = tn.OneHotEncoder(handle_unknown="ignore").fit(frame)
    others = np.array([[1.0, 0.0], [7.0, 1.0], [3.0, 0.0], [2.5, 1.0]])
    found = run(tn.to_onnx(encoder), others)["transformed"]
    assert found.tolist() == [[1, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]
    large = pd.DataFrame({"code": pd.Series([2**24, 2**24 + 1] * 3).astype(int)})
    with pytest.raises(ValueError, match="'code'.*float32 does not tell apart.*float64"):
        tn.to_onnx(tn.OneHotEncoder().fit(large), dtype="float32")


def test_single_precision():
    assert_same(
        tn.make_pipeline(ENCODED, tn.Ridge()).fit(train, y), test.astype({"a size": "float32"}), 1e-4, "float32"
    )


def test_dates_and_text_features_are_refused():
    day = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=6), "z": range(6)})
    with pytest.raises(TypeError, match="'day' holds dates.*DateParts"):
        tn.to_onnx(
            tn.make_pipeline(tn.ColumnTransformer([("d", tn.DateParts(), ["day"])]), tn.Ridge()).fit(day, range(6))
        )
    with pytest.raises(TypeError, match="not KNeighborsClassifier"):
        tn.to_onnx(tn.KNeighborsClassifier().fit(full[["rooms"]], two))


def test_several_targets():
    X = full[["a size", "rooms"]].to_numpy()
    assert_same(tn.Ridge().fit(X, np.column_stack([y, -2 * y, X[:, 0]])), unseen[["a size", "rooms"]].to_numpy())


def test_a_graph_of_text_is_read_by_the_checker_of_runtimes():
    proto = tn.to_onnx(tn.make_pipeline(IMPUTED, tn.Ridge()).fit(train, y))
    assert onnxruntime.InferenceSession(proto.SerializeToString()).get_inputs()[0].type == "tensor(double)"
