"""Categorical columns enter linear models by themselves: as one-hot features that are never made."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from sklearn import linear_model
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.testing import bits

COLORS = ["blue", "green", "red"]
SIZES = ["l", "m", "s", "xl", "xs"]


def frame(rows=400, seed=0):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "color": random.choice(COLORS, rows),
            "x": random.normal(100.0, 2.0, rows),
            "size": random.choice(SIZES, rows, p=[0.5, 0.2, 0.15, 0.1, 0.05]),
            "flag": random.random(rows) < 0.3,
            "z": random.normal(size=rows),
        }
    )


def target(X, seed=1):
    random = np.random.default_rng(seed)
    effect = X["color"].map(dict(zip(COLORS, [1.0, -2.0, 0.5]))) + X["size"].map(dict(zip(SIZES, [3, 1, 0, -1, 2])))
    return (effect + 0.3 * X["x"] - X["z"] + X["flag"] + random.normal(size=len(X))).to_numpy(np.float64)


X = frame()
Y = target(X)
WEIGHT = np.random.default_rng(2).integers(0, 4, len(X)).astype(float)
NAMES = ["color_blue", "color_green", "color_red", "x", *(f"size_{s}" for s in SIZES), "flag", "z"]


def matrix(X):
    """The one-hot matrix, features in the order of the columns."""
    hot = {f"color_{c}": X["color"] == c for c in COLORS} | {f"size_{s}": X["size"] == s for s in SIZES}
    return pd.DataFrame({n: hot.get(n, X.get(n)) for n in NAMES}).to_numpy(np.float64)


def close(a, b, size=1e-9):
    np.testing.assert_allclose(a, b, rtol=size, atol=size)


def forms():
    coded = X.assign(color=X["color"].astype("category"), size=X["size"].astype("category"))
    table = pa.table({n: pa.array(X[n]) for n in X.columns})
    yield "pandas, text", X
    yield "pandas, object", X.astype({"color": object, "size": object})
    yield "pandas, category", coded
    yield "polars", pl.from_pandas(X)
    yield "polars, categorical", pl.from_pandas(X).with_columns(pl.col("color", "size").cast(pl.Categorical))
    yield "Arrow", table
    yield (
        "Arrow, dictionary",
        pa.table({n: table[n].dictionary_encode() if n in ("color", "size") else table[n] for n in X}),
    )
    yield "objects", X.to_numpy(dtype=object)
    yield "lists", X.to_numpy(dtype=object).tolist()


@pytest.mark.parametrize("form", [pytest.param(f, id=name) for name, f in forms()])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
def test_ridge_is_that_of_scikit_learn_after_its_encoder(form, weight):
    with part_rows(90):
        model = tn.Ridge(alpha=0.7).fit(form, Y, sample_weight=weight)
    one_hot = make_column_transformer((OneHotEncoder(), ["color", "size"]), remainder="passthrough")
    theirs = make_pipeline(one_hot, linear_model.Ridge(alpha=0.7, solver="cholesky"))
    theirs.fit(X, Y, ridge__sample_weight=weight)
    close(theirs.predict(X), model.predict(form))
    exact = linear_model.Ridge(alpha=0.7, solver="cholesky").fit(matrix(X), Y, weight)
    close(exact.coef_, model.coef_)
    close(exact.intercept_, model.intercept_)
    assert len(model.coef_names_) == len(model.coef_)
    if hasattr(model, "feature_names_in_"):
        assert model.coef_names_.tolist() == NAMES
    assert model.certificate_["digits"].value > 10


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
def test_without_a_penalty_the_first_category_is_the_reference(weight):
    import statsmodels.api as sm

    with part_rows(90):
        model = tn.LinearRegression().fit(X, Y, sample_weight=weight)
    dropped = [NAMES.index("color_blue"), NAMES.index("size_l")]
    kept = np.setdiff1d(np.arange(len(NAMES)), dropped)
    wls = sm.WLS(Y, sm.add_constant(matrix(X)[:, kept]), 1.0 if weight is None else weight).fit()
    assert (model.coef_[dropped] == 0.0).all()
    close(wls.params[1:], model.coef_[kept])
    close(wls.params[0], model.intercept_)
    assert model.certificate_.get("rank") is None
    assert model.certificate_.get("constant columns") is None
    close(model.coef_, tn.Ridge(alpha=0).fit(X, Y, sample_weight=weight).coef_)


def test_without_a_constant_the_first_column_keeps_all_its_categories():
    model = tn.LinearRegression(fit_intercept=False).fit(X, Y)
    kept = np.delete(np.arange(len(NAMES)), NAMES.index("size_l"))
    exact = np.linalg.lstsq(matrix(X)[:, kept], Y, rcond=None)[0]
    assert model.coef_[NAMES.index("size_l")] == 0.0
    assert model.intercept_ == 0.0
    close(exact, model.coef_[kept])


@pytest.mark.parametrize("learner", [tn.LinearRegression(), tn.Ridge(2.0), tn.Ridge(2.0, fit_intercept=False)])
def test_models_of_other_categories_add_up(learner):
    """`a + b` where each has seen colours and sizes that the other has not."""
    early, late = X["color"] != "red", X["color"] == "red"
    late |= X["size"] == "xs"
    early &= ~late
    a = type(learner)(**learner.get_params()).fit(X[early], Y[early])
    b = type(learner)(**learner.get_params()).fit(X[late], Y[late])
    assert "color_red" not in a.coef_names_
    assert "size_xs" not in a.coef_names_
    whole = type(learner)(**learner.get_params()).fit(X, Y)
    for both in (a + b, b + a):
        assert both.coef_names_.tolist() == NAMES
        close(whole.coef_, both.coef_)
        close(whole.predict(X), both.predict(X))
        assert both.verify().origin == "verified"
    grown = type(learner)(**learner.get_params()).fit(X[early], Y[early]).partial_fit(X[late], Y[late])
    assert bits(grown.model_) == bits((a + b).model_)


def test_factors_of_other_categories_add_up():
    """Nearly collinear numbers ask for R-factors, and these are recoded too."""
    near = X.assign(w=X["z"] + 1e-7 * X["x"])
    first = near["color"] != "red"
    a, b = (tn.LinearRegression().fit(near[some], Y[some]) for some in (first, ~first))
    assert type(a.summary_).__name__ == "RFactor"
    whole = tn.LinearRegression().fit(near, Y)
    kept = np.delete(np.arange(12), [0, 4])
    centred = np.column_stack([np.ones(len(X)), np.delete(np.column_stack([matrix(X), near["w"]]), [0, 4], axis=1)])
    exact = np.linalg.lstsq(centred, Y, rcond=None)[0]
    np.testing.assert_allclose(whole.coef_[kept], exact[1:], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose((a + b).predict(near), whole.predict(near), rtol=1e-6)


def test_parquet_in_parts(tmp_path):
    rows = X.assign(y=Y)
    for k in range(3):
        some = rows.iloc[k::3]
        pq.write_table(pa.Table.from_pandas(some, preserve_index=False), tmp_path / f"{k}.parquet")
    source = tn.scan(tmp_path / "*.parquet", target="y")
    model = tn.Ridge(0.7).fit(source)
    close(tn.Ridge(0.7).fit(X, Y).coef_, model.coef_)
    assert model.score(source) > 0.5
    found = {bits(tn.Ridge(0.7).fit(source).model_)}
    for threads in (1, 3):
        with tn.on(tn.Local(threads=threads)):
            found.add(bits(tn.Ridge(0.7).fit(source).model_))
    assert len(found) == 1


def test_numbers_can_be_said_to_be_categories():
    table = pa.table({"year": pa.array([2020, 2021, 2022] * 30), "y": pa.array(np.arange(90.0))})
    plain = tn.LinearRegression().fit(tn.scan(table, target="y"))
    assert plain.coef_names_.tolist() == ["year"]
    by_year = tn.LinearRegression().fit(tn.scan(table, target="y", categorical=["year"]))
    assert by_year.coef_names_.tolist() == ["year_2020", "year_2021", "year_2022"]
    close(by_year.coef_, [0.0, 1.0, 2.0])
    close(by_year.intercept_, 43.5)


def test_a_category_never_seen_adds_nothing():
    model = tn.Ridge().fit(X, Y)
    odd = X.head(2).assign(color=["purple", "blue"])
    expected = model.predict(X.head(2).assign(color="blue")) - [model.coef_[0], 0.0]
    close(model.predict(odd), expected)


def test_what_is_missing_is_refused_by_name():
    with pytest.raises(tn.DataError, match=r"NaN in column 'color', row 3\. Remedy: drop or impute"):
        tn.Ridge().fit(X.assign(color=X["color"].where(np.arange(len(X)) != 3)), Y)
    with pytest.raises(tn.DataError, match=r"NaN in column 'z', row 7\. Remedy: drop the rows"):
        tn.Ridge().fit(X.assign(z=X["z"].where(np.arange(len(X)) != 7)), Y)
    model = tn.Ridge().fit(X, Y)
    with pytest.raises(tn.DataError, match="column 'color' holds numbers, but held text"):
        model.predict(X.assign(color=1.0))
    objects = X.to_numpy(dtype=object)
    model = tn.Ridge().fit(objects, Y)
    swapped = objects[:, [1, 0, 2, 3, 4]]
    with pytest.raises(tn.DataError, match="column 'x0' holds numbers, but held text"):
        model.predict(swapped)
    swapped[:, 0] = objects[:, 0]
    with pytest.raises(tn.DataError, match="column 'x1' held numbers when the model was fitted"):
        model.predict(swapped)
    with pytest.raises(tn.DataError, match="a sparse matrix has none"):
        model.predict(sp.csr_array(np.ones((2, 5))))
    with pytest.raises(tn.DataError, match=r"cannot be used as numbers or categories: 'when' \(timestamp"):
        tn.Ridge().fit(X.assign(when=pd.Timestamp("2020-01-01")), Y)


def test_a_model_file_with_other_features_is_refused(tmp_path):
    model = tn.Ridge().fit(X, Y)
    model.save(tmp_path / "ridge.tenfold")
    again = tn.load(tmp_path / "ridge.tenfold")
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.verify().origin == "verified"
    model.model_ = model.model_._replace(coef=model.coef_[:-1])
    with pytest.raises(tn.ModelFileError, match="has length 10 on axis 'feature', not 11"):
        model.save(tmp_path / "forged.tenfold")


def test_folds_that_lack_a_category():
    """The training rows of a fold may lack the reference: then another category is it."""
    rows = pd.DataFrame({"c": ["a"] * 5 + ["b", "c"] * 20, "z": np.random.default_rng(4).normal(size=45)})
    y = np.random.default_rng(5).normal(size=45)
    fold = np.r_[np.zeros(5), np.arange(40) % 4 + 1].astype(int)
    scores = tn.cross_validate(
        tn.LinearRegression(), rows.assign(fold=fold), y, folds="fold", scoring="neg_mean_squared_error"
    ).scores
    assert scores.size == 5
    hot = np.column_stack([rows["c"] == c for c in "abc"] + [np.ones(45), rows["z"]]).astype(float)
    for k in range(1, 5):
        train = fold != k
        exact = np.linalg.lstsq(hot[train], y[train], rcond=None)[0]
        close(-((hot[~train] @ exact - y[~train]) ** 2).mean(), scores.ravel()[k])
    lacking = tn.LinearRegression().fit(rows, y, sample_weight=(fold != 0).astype(float))
    assert lacking.coef_names_.tolist() == ["c_b", "c_c", "z"]


def test_moments_are_those_of_the_matrix():
    from tenfold.core import Chunk, Columns
    from tenfold.stats.moments.moments import Moments

    M = np.column_stack([matrix(X), Y])
    levels = np.array([3, 0, 5, 0, 0])
    codes = {"color": COLORS, "size": SIZES}
    data = tuple(
        X[n].map({c: k for k, c in enumerate(codes[n])}).to_numpy(float) if n in codes else X[n].to_numpy(float)
        for n in X.columns
    )
    for weight in (np.ones(len(X)), WEIGHT):
        chunk = Chunk(Columns(data), Y, weight, bool((weight == 1).all()), 0, 0)
        pieces = [Moments.of(chunk.rows(rows), levels) for rows in (slice(0, 100), slice(100, 100), slice(100, 400))]
        for m in (Moments.of(chunk, levels), pieces[0] + pieces[1] + pieces[2]):
            mean = np.average(M, axis=0, weights=weight)
            exact = (M - mean).T @ ((M - mean) * weight[:, None])
            close(m.mean, mean, 1e-13)
            np.testing.assert_allclose(m.comoment, exact, rtol=1e-11, atol=1e-11)
            assert m.weight == weight.sum()
    empty = Moments.of(chunk.rows(slice(0, 0)), levels)
    assert not empty.comoment.any()


def test_a_category_that_is_almost_always_there_keeps_its_digits():
    from tenfold.core import Chunk, Columns
    from tenfold.stats.moments.moments import Moments

    n = 200_001
    code = np.zeros(n)
    code[77] = 1.0
    chunk = Chunk(Columns((code,)), np.arange(n) % 7.0, np.ones(n), True, 0, 0)
    m = Moments.of(chunk, np.array([2]))
    exact = (n - 1) / n
    assert abs(m.comoment[0, 0] / exact - 1) < 4e-16
    assert abs(m.comoment[0, 1] / -exact - 1) < 4e-16


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_tiny_penalty_keeps_its_digits(fit_intercept):
    """The penalty alone decides between solutions that predict the same: the sums of the columns are known."""
    rows = X.assign(x=X["x"] - 100)
    model = tn.Ridge(1e-9, fit_intercept=fit_intercept).fit(rows, Y)
    assert type(model.summary_).__name__ == "Moments"
    assert model.certificate_["digits"].value > 8
    assert model.verify().origin == "verified"
    color, size = model.coef_[:3].sum(), model.coef_[4:9].sum()
    assert abs(color - size) < 1e-12 * np.abs(model.coef_).max()
    if fit_intercept:
        assert abs(color) < 1e-12 * np.abs(model.coef_).max()
    plain = tn.LinearRegression(fit_intercept=fit_intercept).fit(rows, Y)
    close(plain.predict(rows), model.predict(rows), 1e-7)


def test_standard_errors_with_a_penalty_are_those_of_the_matrix():
    """What makes the equations easier to solve is no part of them."""
    by_hand = tn.Ridge(0.7).fit(matrix(X), Y)
    close(by_hand.standard_errors_, tn.Ridge(0.7).fit(X, Y).standard_errors_, 1e-8)
