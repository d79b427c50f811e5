"""Trees as ONNX graphs: the same leaves for every row, whatever is missing or was not seen."""

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from onnx_runs import assert_same, run

random = np.random.default_rng(0)
CITIES = np.array(["Oslo", "Rome", "Bonn", "Lyon", "Cork", "Graz"], dtype=object)


def rows(n, seed, more=()):
    """Numbers that are missing now and then, text with missing values, and categories that no fit had."""
    r = np.random.default_rng(seed)
    size, age = r.normal(size=n), r.integers(0, 50, n).astype(float)
    age[r.random(n) < 0.1] = np.nan
    city = r.choice([*CITIES, *more], n).astype(object)
    city[r.random(n) < 0.05] = None
    return pd.DataFrame({"size": size, "city": city, "age": age, "day": pd.Series(r.choice(list("abc"), n))})


def targets(frame):
    noise = np.random.default_rng(1).normal(size=len(frame))
    late = frame["city"].isin(["Rome", "Lyon", "Graz"]).to_numpy()
    return frame["size"].to_numpy() + 2 * late + np.nan_to_num(frame["age"].to_numpy(), nan=60.0) / 20 + 0.3 * noise


train, test = rows(600, 0), rows(10_000, 2, ["Nice", ""])
t = targets(train)
two = np.where(t > np.median(t), "high", "low")
three = np.digitize(t, np.quantile(t, [0.3, 0.6]))
matrix, matrix_test = train[["size", "age"]].to_numpy(), test[["size", "age"]].to_numpy()
CLASSIFIERS = [
    tn.DecisionTreeClassifier(),
    tn.DecisionTreeClassifier(max_depth=3, split="multiway", criterion="entropy"),
    tn.DecisionTreeClassifier(missing="class_majority", max_depth=5),
    tn.DecisionTreeClassifier(max_depth=4, method="exact"),
    tn.CART(), tn.SLIQ(),
    tn.RandomForestClassifier(n_estimators=10, random_state=0),
    tn.ExtraTreesClassifier(n_estimators=10, random_state=0),
    tn.GradientBoostingClassifier(n_estimators=10, max_depth=3),
    tn.HistGradientBoostingClassifier(max_iter=10),
]  # fmt: skip
REGRESSORS = [
    tn.DecisionTreeRegressor(),
    tn.DecisionTreeRegressor(split="multiway", max_depth=4, missing="node_majority"),
    tn.RandomForestRegressor(n_estimators=10, random_state=0),
    tn.ExtraTreesRegressor(n_estimators=10, random_state=0),
    tn.GradientBoostingRegressor(n_estimators=20),
    tn.HistGradientBoostingRegressor(max_iter=10),
]


@pytest.mark.parametrize("target", [two, three], ids=["two", "three"])
@pytest.mark.parametrize("learner", CLASSIFIERS, ids=repr)
def test_classes_of_frames(learner, target):
    assert_same(learner.fit(train, target), test)


@pytest.mark.parametrize("learner", REGRESSORS, ids=repr)
def test_numbers_of_frames(learner):
    assert_same(learner.fit(train, t), test)


@pytest.mark.parametrize("learner", [CLASSIFIERS[6], CLASSIFIERS[9]], ids=repr)
def test_classes_of_matrices(learner):
    assert_same(learner.fit(matrix, three), matrix_test)


def test_a_mean_through_its_logarithm():
    assert_same(tn.HistGradientBoostingRegressor(loss="poisson", max_iter=10).fit(train, np.exp(t / 3)), test)


def test_rows_on_a_threshold_go_the_way_they_go_in_the_model():
    model = tn.DecisionTreeRegressor().fit(matrix, t)
    edges = model.tree_.threshold[model.tree_.feature == 0]
    near = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)])
    assert_same(model, np.column_stack([near, np.full(len(near), 20.0)]), exact=0)


def test_single_precision_goes_the_same_ways():
    model = tn.RandomForestRegressor(n_estimators=5, random_state=0).fit(matrix, t)
    assert_same(model, matrix_test.astype(np.float32), exact=1e-5, dtype="float32")


@pytest.mark.parametrize("target", [two, three], ids=["two", "three"])
@pytest.mark.parametrize("estimator", [None, tn.DecisionTreeClassifier(max_depth=2), tn.GaussianNB()], ids=repr)
def test_adaboost(estimator, target):
    full = np.nan_to_num(matrix, nan=-1.0)
    assert_same(tn.AdaBoostClassifier(estimator, n_estimators=8).fit(full, target), np.nan_to_num(matrix_test))


def test_adaboost_of_trees_of_frames():
    learner = tn.AdaBoostClassifier(tn.DecisionTreeClassifier(max_depth=3), n_estimators=5)
    assert_same(learner.fit(train, three), test)


def test_bagging():
    full, full_test = np.nan_to_num(matrix, nan=-1.0), np.nan_to_num(matrix_test)
    assert_same(tn.BaggingRegressor(tn.DecisionTreeRegressor(max_depth=4), n_estimators=4).fit(train, t), test)
    assert_same(tn.BaggingClassifier(n_estimators=4).fit(train, three), test)
    assert_same(tn.BaggingClassifier(tn.LinearSVC(), n_estimators=4).fit(full, two), full_test)
    assert_same(tn.BaggingRegressor(tn.Ridge(), n_estimators=4).fit(full, t), full_test)


def test_a_tree_of_a_single_leaf():
    assert_same(tn.DecisionTreeRegressor(max_depth=1, min_samples_split=10_000).fit(matrix, t), matrix_test)
    assert_same(tn.DecisionTreeClassifier(min_samples_split=10_000).fit(train, three), test)


def test_very_many_categories():
    names = np.array([f"name {k}" for k in range(300)], dtype=object)
    frame = pd.DataFrame({"name": random.choice(names, 3000)})
    y = frame["name"].str[5:].astype(int).to_numpy() % 7
    assert_same(tn.DecisionTreeRegressor().fit(frame, y), frame)


def test_rows_that_go_down_in_parts_are_refused():
    with pytest.raises(TypeError, match="fractional.*missing='learned'"):
        tn.to_onnx(tn.DecisionTreeClassifier(missing="fractional").fit(train, two))


def test_thresholds_are_those_of_the_model_to_the_bit():
    model = tn.DecisionTreeRegressor(max_depth=1).fit([[0.1], [0.30000000000000004]], [0.0, 1.0])
    (edge,) = model.tree_.threshold[:1]
    found = run(tn.to_onnx(model), np.array([[edge], [np.nextafter(edge, 1)]]))
    assert found["prediction"].tolist() == [0.0, 1.0]
