"""What ordinary and not so ordinary data once broke, or might: each gives the right answer or says why not."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.linear_model
import sklearn.preprocessing
from threadpoolctl import threadpool_info

import tenfold as tn
from tenfold.sources import ArraySource, part_rows


def test_first_rows_of_no_weight_do_not_cost_digits():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 2))
    X[:300] += 1e8
    weight = np.ones(3000)
    weight[:300] = 1e-30
    y = X @ [1.0, 2.0] + random.normal(size=3000) * 0.1
    y[:300] = 0
    theirs = sklearn.linear_model.LinearRegression().fit(X, y, weight)
    ours = tn.LinearRegression().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)
    assert ours.certificate_.get("constant columns") is None


def test_a_wild_first_row_does_not_cost_the_variance():
    random = np.random.default_rng(1)
    X = random.normal(size=(1000, 1))
    X[0] = 1e17
    weight = np.ones(1000)
    weight[0] = 1e-40
    truth = X[1:].std()
    np.testing.assert_allclose(tn.StandardScaler().fit(X, sample_weight=weight).scale_, truth, rtol=1e-6)
    y = (np.arange(1000) % 2).astype(int)
    found = tn.GaussianNB(var_smoothing=0.0).fit(X, y, sample_weight=weight).var_
    np.testing.assert_allclose(found[0], X[2::2].var(), rtol=1e-6)


@pytest.mark.parametrize("decay", [50, 10])
def test_fading_weights_keep_the_digits_claimed(decay):
    t = np.arange(600.0)[::-1]
    random = np.random.default_rng(2)
    X = (1e6 * np.exp(-(599 - t) / 60) + random.normal(size=600))[:, None]
    y = X[:, 0] * 2 + random.normal(size=600)
    weight = np.exp(-t / decay)
    ours = tn.LinearRegression().fit(X, y, sample_weight=weight)
    theirs = sklearn.linear_model.LinearRegression().fit(X, y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)


def test_integer_labels_of_different_types_merge_exactly():
    a = tn.CategoricalNB().fit(np.array([[2**53], [2**53 + 1], [2**53 + 1]]), [0, 1, 1])
    b = tn.CategoricalNB().fit(np.array([[2**53], [2**53 + 1]], dtype=np.uint64), [0, 1])
    assert (a + b).summary_.count.tolist() == [[2, 0], [0, 3]]
    asked = [a.predict_proba(np.array([[2**53 + 1]], dtype=kind)).tolist() for kind in (np.int64, np.uint64)]
    assert asked[0] == asked[1]
    c = tn.CategoricalNB().fit(np.array([[0.5], [1.5]]), [0, 1])
    with pytest.raises(tn.MergeError, match=r"over 2\^53"):
        a + c


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.uint8, np.uint64, np.int64])
def test_labels_of_every_integer_type(kind):
    info = np.iinfo(kind)
    y = np.array([info.min, info.max, info.min, info.max], dtype=kind)
    model = tn.GaussianNB().fit([[0.0], [1.0], [0.1], [0.9]], y)
    assert model.classes_.dtype == kind
    assert model.predict([[0.0], [1.0]]).tolist() == [info.min, info.max]
    coded = tn.CategoricalNB().fit(y[:, None], [0, 1, 0, 1])
    assert coded.predict(y[:, None]).tolist() == [0, 1, 0, 1]


def test_infinity_does_not_hide_among_missing_values():
    with pytest.raises(ValueError, match="infinity"):
        tn.StandardScaler().fit([[np.inf], [np.nan]])
    X = np.full((10_000, 1), np.nan)
    X[0], X[9000], X[9001] = np.inf, 3.0, 5.0
    with pytest.raises(ValueError, match="infinity.*row 0"):
        tn.StandardScaler().fit(X)


@pytest.mark.parametrize("learner", [tn.LinearRegression(), tn.StandardScaler(), tn.KMeans(3), tn.GaussianNB()])
def test_what_cannot_be_squared_is_refused(learner):
    X = np.arange(6.0)[:, None] * 1e200
    with pytest.raises(ValueError, match="column 'x0' is too large to be squared"):
        learner.fit(X, [0, 1, 0, 1, 0, 1])


def test_an_integer_source_is_numbers():
    X = np.random.default_rng(3).integers(0, 9, (300, 2))
    assert tn.KMeans(2).fit(ArraySource(X)).inertia_ == tn.KMeans(2).fit(X).inertia_
    assert tn.StandardScaler().fit(ArraySource(X)).transform(ArraySource(X)).collect().dtype == np.float64


def test_merged_collinear_columns_give_the_shortest_solution():
    x = np.arange(1.0, 11)
    C, y = np.column_stack([x, 2 * x]), 3 * x + 1
    whole = tn.LinearRegression().fit(C, y)
    merged = tn.LinearRegression().fit(C[:9], y[:9]).partial_fit(C[9:], y[9:])
    np.testing.assert_allclose(merged.coef_, whole.coef_, rtol=1e-6)
    np.testing.assert_allclose(whole.coef_, [0.6, 1.2])


def test_a_rule_does_not_stop_before_there_is_a_model():
    class Hasty(tn.LinearRegression):
        def stop(self):
            return tn.Seconds(0)

    np.testing.assert_allclose(Hasty().fit([[0.0], [1.0]], [1.0, 3.0]).coef_, [2.0])


def test_fitted_arrays_are_read_only():
    model = tn.StandardScaler().fit([[1.0], [3.0]])
    with pytest.raises(ValueError, match="read-only"):
        model.mean_[0] = 99


def test_a_huge_penalty():
    x = np.arange(1.0, 11)
    C, y = np.column_stack([x, 2 * x]), 3 * x + 1
    expected = (C - C.mean(axis=0)).T @ (y - y.mean()) / 1e300
    np.testing.assert_allclose(tn.Ridge(1e300).fit(C, y).coef_, expected, rtol=1e-9)


def test_rows_are_numbered_as_the_user_counts():
    found = tn.FindS().fit([["a"], ["b"], ["a"], ["a"]], [0, 0, 1, 0], sample_weight=[0, 1, 1, 1])
    assert "row 3 " in found.certificate_["consistent"].because
    with pytest.raises(ValueError, match="row 2"):
        tn.Ridge().fit([[1.0], [2.0], [np.nan]], [1.0, 2.0, 3.0], sample_weight=[1, 0, 1])


def test_missing_marks_of_every_kind():
    holes = [None, np.nan, pd.NA, pd.NaT]
    for hole in holes:
        X = np.array([["a"], ["b"], [hole]], dtype=object)
        assert tn.CategoricalNB().fit(X, [0, 1, 1]).n_categories_.tolist() == [2]
        with pytest.raises(ValueError, match="y contains NaN or None"):
            tn.GaussianNB().fit([[0.0], [1.0]], np.array(["a", hole], dtype=object))
    with pytest.raises(ValueError, match="NaN or None"):
        tn.GaussianNB().fit([[0.0], [1.0]], pd.Series(["a", None], dtype="string"))
    listed = tn.CategoricalNB().fit([["a"], [float("nan")], ["a"]], [0, 1, 1])
    assert listed.n_categories_.tolist() == [1]
    assert listed.predict_proba([[np.nan]]).shape == (1, 2)


def test_a_long_text_does_not_widen_the_others():
    import tracemalloc

    X = np.array([["a"]] * 499 + [["b" * 200_000]], dtype=object)
    tracemalloc.start()
    tn.CategoricalNB().fit(X, [0, 1] * 250)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_wrong_parameters_are_named():
    with pytest.raises(ValueError, match="init contains NaN"):
        tn.KMeans(2, init=[[np.nan], [1.0]]).fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="non-negative"):
        tn.CategoricalNB(class_prior=[-1, 2]).fit([["a"], ["b"]], [0, 1])
    with pytest.raises(ValueError, match="sum of the weights is too large"):
        tn.Ridge().fit([[0.0], [1.0]], [0.0, 1.0], sample_weight=[1e308, 1e308])


def test_a_row_that_no_class_allows():
    model = tn.CategoricalNB(alpha=0.0).fit([["a", "u"], ["b", "v"]], [0, 1])
    assert model.predict_proba([["a", "v"]]).tolist() == [[0.5, 0.5]]


def test_an_error_restores_the_threads_of_blas():
    def threads():
        return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]

    before = threads()
    X = np.empty((8192, 1), dtype=object)
    X[:4096, 0], X[4096:, 0] = "a", 1
    with pytest.raises(ValueError, match="text") as kept, part_rows(4096):
        tn.CategoricalNB().fit(X, np.arange(8192) % 2)
    assert kept.value.__traceback__ is not None
    assert threads() == before


FRAME = {"size": [1.0, 2.0, 3.0, 4.0], "count": [1, 2, 3, 5]}
Y = [1.0, 2.0, 3.0, 4.5]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(FRAME),
        pd.DataFrame(FRAME).convert_dtypes(),
        pd.DataFrame(FRAME).convert_dtypes(dtype_backend="pyarrow"),
        pl.DataFrame(FRAME),
        pl.DataFrame(FRAME).lazy(),
        pa.table(FRAME),
        pa.RecordBatch.from_pydict(FRAME),
    ],
    ids=["pandas", "nullable", "arrow-backed", "polars", "lazy", "table", "batch"],
)
def test_every_frame_gives_the_same_bits(frame):
    model = tn.Ridge().fit(frame, Y)
    array = tn.Ridge().fit(np.column_stack(list(FRAME.values())), Y)
    np.testing.assert_array_equal(model.coef_, array.coef_)
    assert model.feature_names_in_.tolist() == ["size", "count"]
    np.testing.assert_array_equal(model.predict(frame), array.predict(np.column_stack(list(FRAME.values()))))


def test_a_frame_says_which_column_and_what_to_write():
    frame = pd.DataFrame({"id": ["a", "b"], "when": pd.to_datetime(["2020", "2021"]), "x": [1.0, 2.0]})
    with pytest.raises(ValueError) as caught:
        tn.GaussianNB().fit(frame, [1.0, 2.0])
    said = str(caught.value)
    assert "'id' (" in said
    assert "'when' (timestamp" in said
    assert "fit(X.drop(columns=['id', 'when']), y)" in said
    assert tn.Ridge().fit(frame.drop(columns=["id", "when"]), [1.0, 2.0]).coef_.shape == (1,)
    twice = pd.DataFrame([[1.0, 2.0]], columns=["a", "a"])
    with pytest.raises(ValueError, match=r"columns \['a'\] appear more than once"):
        tn.StandardScaler().fit(twice)
    big = pd.DataFrame({"id": pd.array([2**53 + 1, None], dtype="Int64")})
    with pytest.raises(ValueError, match="column 'id' holds integers that float64 cannot"):
        tn.StandardScaler().fit(big)


@pytest.mark.parametrize("name", ["FisherDiscriminant", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"])
def test_values_that_cannot_be_squared_are_answered_or_refused(name):
    learner = getattr(tn, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(tn.DataError, match="too large|squared"):  # their sum overflows under these weights
            learner().fit([[1.5e307], [-1e307], [1e307], [0.5e307]], [0, 0, 1, 1], np.array([1e5, 1, 1e5, 1]))
        model = learner().fit([[1e300, 0.0], [1e300, 1.0], [1e300, 2.0], [1e300, 3.0]], [0, 0, 1, 1])  # a constant
        assert (model.predict([[1e300, 0.0], [1e300, 3.0]]) == [0, 1]).all()


@pytest.mark.parametrize(
    "name", ["FisherDiscriminant", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "VotingClassifier"]
)
def test_a_class_that_only_one_row_has(name, tmp_path):
    """Some folds and some bags have no row of it: there it is never said, and the models can be saved."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.r_[np.zeros(20, int), np.ones(19, int), 2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = tn.cross_validate(getattr(tn, name)(), X, y, folds=5)
    assert np.isfinite(found.scores).all()
    if name != "VotingClassifier":
        bag = tn.BaggingClassifier(getattr(tn, name)(), n_estimators=5).fit(X, y)
        bag.save(tmp_path / "m.tenfold")
        assert (tn.load(tmp_path / "m.tenfold").predict_proba(X) == bag.predict_proba(X)).all()


@pytest.mark.parametrize(
    "name",
    ["Ridge", "ElasticNetCV", "PCA", "GaussianNB", "StandardScaler", "PolynomialRegression", "PoissonRegressor"]
    + ["FisherDiscriminant", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"],
)
def test_parts_that_cannot_be_squared_together_are_refused(name):
    """Each part has one row, and nothing to square; what lies between them is too far."""
    X, y = np.array([[-5.85e299], [5.97e299]] * 4), np.array([0, 0, 1, 1] * 2)
    with part_rows(1), pytest.raises(tn.DataError, match=r"too large|not finite"):
        getattr(tn, name)().fit(X, y)
