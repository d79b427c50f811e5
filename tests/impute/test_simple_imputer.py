"""Filling of missing values beside scikit-learn's SimpleImputer."""

import numpy as np
import pandas as pd
import pytest
import sklearn.impute as peer
from sklearn import linear_model, preprocessing
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold import SimpleImputer
from tenfold.sources import part_rows
from tenfold.testing import bits


def table(seed=0, rows=1000):
    random = np.random.default_rng(seed)
    X = np.column_stack(
        [random.normal(50, 3, rows), random.integers(0, 5, rows), random.exponential(size=rows), np.arange(rows)]
    ).astype(float)
    X[:, :3][random.random((rows, 3)) < 0.2] = np.nan
    return X


@pytest.mark.parametrize("add_indicator", [False, True])
@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
def test_equals_scikit_learn(strategy, add_indicator):
    X, new = table(), table(1, 50)
    given = {"fill_value": -7.5} if strategy == "constant" else {}
    ours = SimpleImputer(strategy, add_indicator=add_indicator, **given).fit(X)
    theirs = peer.SimpleImputer(strategy=strategy, add_indicator=add_indicator, **given).fit(X)
    np.testing.assert_allclose(ours.statistics_, theirs.statistics_.astype(float), rtol=1e-13)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), rtol=1e-13)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    with part_rows(37):
        parts = SimpleImputer(strategy, add_indicator=add_indicator, **given).fit(X)
    np.testing.assert_allclose(parts.statistics_, ours.statistics_, rtol=1e-14)
    assert strategy == "mean" or bits(parts.model_) == bits(ours.model_)


def test_float32_stays_float32():
    X = table().astype(np.float32)
    for strategy in ("mean", "median"):
        found = SimpleImputer(strategy).fit_transform(X)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, peer.SimpleImputer(strategy=strategy).fit_transform(X), rtol=1e-6)


def test_a_column_without_values():
    X = pd.DataFrame({"a": [1.0, 2.0], "gone": [np.nan, np.nan]})
    model = SimpleImputer("median").fit(X)
    assert np.isnan(model.statistics_).tolist() == [False, True]
    with pytest.raises(tn.DataError, match="column 'gone', row 0 is missing, and no row had a value.*keep_empty"):
        model.transform(X)
    assert model.transform(X.assign(gone=3.0)).tolist() == [[1.0, 3.0], [2.0, 3.0]]
    kept = SimpleImputer("median", keep_empty_features=True).fit_transform(X)
    assert kept.tolist() == [[1.0, 0.0], [2.0, 0.0]]


@pytest.mark.parametrize(("value", "fill"), [(3.0, 9.0), ("a", "b")])
def test_a_constant_fills_a_column_without_values_only_if_it_is_kept(value, fill):
    X = pd.DataFrame({"a": [value, np.nan], "gone": [np.nan, np.nan]}, dtype=object)
    dropped = peer.SimpleImputer(strategy="constant", fill_value=fill).fit(X)
    given = {"strategy": "constant", "fill_value": fill, "keep_empty_features": True}
    expected = peer.SimpleImputer(**given).fit_transform(X)
    X = X.astype("string" if isinstance(value, str) else float)
    model = SimpleImputer("constant", fill_value=fill).fit(X, sample_weight=[0.1, 0.7])
    assert pd.isna(model.statistics_).tolist() == pd.isna(dropped.statistics_).tolist() == [False, True]
    with pytest.raises(
        tn.DataError, match="'gone', row 0 is missing, and no row had a value.*keep_empty_features=True"
    ):
        model.transform(X)
    assert model.transform(X.assign(gone=value)).tolist() == [[value, value], [fill, value]]
    assert SimpleImputer(**given).fit_transform(X).tolist() == expected.tolist() == [[value, fill], [fill, fill]]
    both = SimpleImputer("constant", fill_value=fill).fit(X.assign(gone=value)) + model
    assert both.statistics_.tolist() == [fill, fill]


def test_models_add_up_and_the_empty_half_is_filled_by_the_other():
    X = table()
    X[:500, 0] = np.nan
    a, b = (SimpleImputer("median").fit(part) for part in np.split(X, 2))
    assert bits((a + b).model_) == bits(SimpleImputer("median").fit(X).model_)


def test_a_source_is_filled_when_it_is_read(tmp_path):
    X = pd.DataFrame(table(), columns=list("abcd"))
    X.to_parquet(tmp_path / "x.parquet", row_group_size=100)
    rows = tn.scan(str(tmp_path / "x.parquet"))
    model = SimpleImputer("median", add_indicator=True).fit(rows)
    lazy = model.transform(rows)
    np.testing.assert_array_equal(lazy.collect(), model.transform(X))
    assert lazy.to_arrow().column_names == [*"abcd", *(f"missingindicator_{c}" for c in "abc")]
    frame = model.set_output(transform="pandas").transform(X)
    assert frame.columns.tolist() == lazy.to_arrow().column_names


def test_weights_repeat_rows():
    X, weight = table(rows=300), np.random.default_rng(5).integers(0, 3, 300)
    for strategy in ("mean", "median", "most_frequent"):
        found = SimpleImputer(strategy).fit(X, sample_weight=weight).statistics_
        expected = peer.SimpleImputer(strategy=strategy).fit(np.repeat(X, weight, axis=0)).statistics_
        np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_certificates_say_how_exact_a_median_is(monkeypatch):
    from tenfold.stats.counts import distribution

    exact = {c.kind: c.value for c in SimpleImputer("median").fit(table()).certificate_.claims}
    assert exact == {"rank error": 0.0, "columns with gaps": 3.0}
    monkeypatch.setattr(distribution, "MAX_COLUMN_GROUPS", 64)
    monkeypatch.setattr(distribution, "MIN_COLUMN_GROUPS", 64)
    rough = SimpleImputer("median").fit(table())
    off = next(c.value for c in rough.certificate_.claims if c.kind == "rank error")
    assert 0 < off < 0.2
    for j in range(4):
        some = table()[:, j]
        some = some[~np.isnan(some)]
        assert abs(np.mean(some <= rough.statistics_[j]) - 0.5) <= off + np.mean(some == rough.statistics_[j])
    claims = {c.kind: c.value for c in SimpleImputer("most_frequent").fit(table()).certificate_.claims}
    assert 0 < claims["modes in groups"] < 4


def test_text_is_refused_by_name():
    with pytest.raises(tn.DataError, match="'b'"):
        SimpleImputer().fit(pd.DataFrame({"a": [1.0], "b": ["x"]}))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_filled_in_must_be_finite(value):
    with pytest.raises(ValueError, match="fill_value must be finite"):
        SimpleImputer("constant", fill_value=value).fit([[1.0]])


# ---- text ------------------------------------------------------------------------------------------


def words(seed=0, rows=150):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "town": np.array(["Bern", "Oslo", "Pisa"], dtype=object)[random.integers(0, 3, rows)],
            "size": np.array(["large", "small"], dtype=object)[random.integers(0, 2, rows)],
        }
    ).astype(object)
    for name in X:
        X.loc[random.random(rows) < 0.2, name] = np.nan
    return X


@pytest.mark.parametrize("add_indicator", [False, True])
@pytest.mark.parametrize(
    ("strategy", "fill_value"),
    [("most_frequent", None), ("constant", None), ("constant", "Oslo"), ("constant", "Nice")],
)
def test_text_equals_scikit_learn(strategy, fill_value, add_indicator, tmp_path):
    X, new = words(), words(1, 20)
    new.loc[3, "town"] = "never"
    given = {"strategy": strategy, "fill_value": fill_value, "add_indicator": add_indicator}
    ours, theirs = tn.SimpleImputer(**given).fit(X), peer.SimpleImputer(**given).fit(X)
    expected = theirs.transform(new)
    assert ours.transform(new).tolist() == expected.tolist()
    assert ours.transform(new).dtype == expected.dtype == object
    assert ours.statistics_.tolist() == theirs.statistics_.tolist()
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    arrays = tn.SimpleImputer(**given).fit(X.to_numpy())
    assert arrays.transform(new.to_numpy()).tolist() == expected.tolist()
    with part_rows(11):
        assert bits(tn.SimpleImputer(**given).fit(X).model_) == bits(ours.model_)
    assert bits((tn.SimpleImputer(**given).fit(X[:40]) + tn.SimpleImputer(**given).fit(X[40:])).model_) == bits(
        ours.model_
    )
    ours.save(tmp_path / "model")
    assert tn.load(tmp_path / "model").transform(new).tolist() == expected.tolist()
    assert tn.load(tmp_path / "model").verify().origin == "verified"


def test_numbers_beside_text(tmp_path):
    X = words().assign(number=table(rows=150)[:, 1])
    ours = SimpleImputer("most_frequent", add_indicator=True).fit(X)
    theirs = peer.SimpleImputer(strategy="most_frequent", add_indicator=True).fit(X)
    assert ours.statistics_.tolist() == theirs.statistics_.tolist()
    assert ours.transform(X).tolist() == theirs.transform(X).tolist()
    X.to_parquet(tmp_path / "x.parquet", row_group_size=40)
    lazy = (
        SimpleImputer("most_frequent", add_indicator=True)
        .fit(tn.scan(tmp_path / "x.parquet"))
        .transform(tn.scan(tmp_path / "x.parquet"))
    )
    assert lazy.collect().tolist() == theirs.transform(X).tolist()
    assert [str(kind) for kind in lazy.to_arrow().schema.types] == [
        "string",
        "string",
        "double",
        "bool",
        "bool",
        "bool",
    ]


@pytest.mark.parametrize("given", [{"strategy": "most_frequent"}, {"strategy": "constant", "fill_value": "Nice"}])
def test_an_encoder_takes_text_that_was_filled_in(given, tmp_path):
    X = words()
    y = X["town"].eq("Oslo") + 0.1 * np.arange(len(X)) % 1
    X.assign(y=y).to_parquet(tmp_path / "x.parquet", row_group_size=40)
    rows = tn.scan(tmp_path / "x.parquet", target="y")
    theirs = make_pipeline(peer.SimpleImputer(**given), preprocessing.OneHotEncoder(sparse_output=False), tn.Ridge())
    expected = theirs.fit(X, y).predict(X)
    names = [f"{name}_{word}" for name, some in zip(X, theirs[1].categories_, strict=True) for word in some]
    for pipeline in (make_pipeline, tn.make_pipeline):
        ours = pipeline(tn.SimpleImputer(**given), tn.OneHotEncoder(sparse_output=False), tn.Ridge())
        np.testing.assert_allclose(ours.fit(rows).predict(rows).collect(), expected, rtol=1e-9)
        assert ours[1].get_feature_names_out().tolist() == names
        np.testing.assert_allclose(ours.fit(X, y).predict(X), expected, rtol=1e-9)
        folds = tn.cross_validate(ours, rows, folds=4, shuffle=False).scores
        np.testing.assert_allclose(folds, tn.cross_validate(theirs, X, y, folds=4).scores, rtol=1e-9)
    chain = tn.make_pipeline(tn.SimpleImputer(**given), tn.OneHotEncoder(sparse_output=False))
    beside = tn.ColumnTransformer([("words", chain, ["town", "size"])], verbose_feature_names_out=False).fit(rows)
    assert beside.get_feature_names_out().tolist() == names
    np.testing.assert_array_equal(beside.transform(rows).collect(), theirs[:2].transform(X))
    np.testing.assert_array_equal(beside.transform(X), theirs[:2].transform(X))
    beside.save(tmp_path / "model")
    np.testing.assert_array_equal(tn.load(tmp_path / "model").transform(X), theirs[:2].transform(X))
    whole = tn.make_pipeline(tn.ColumnTransformer([("words", chain, ["town", "size"])]), tn.Ridge())
    folds = tn.cross_validate(whole, rows, folds=4, shuffle=False).scores
    np.testing.assert_allclose(folds, tn.cross_validate(theirs, X, y, folds=4).scores, rtol=1e-9)


def test_text_that_has_no_use_is_refused_with_a_remedy():
    X = words().assign(number=1.0)
    fill = SimpleImputer("most_frequent")
    assert tn.ColumnTransformer([("fill", fill, ["town"])]).fit_transform(X).dtype == object
    twice = tn.make_pipeline(fill, SimpleImputer("most_frequent"))
    with pytest.raises(tn.DataError, match="'fill' makes text.*Remedy: an encoder"):
        tn.ColumnTransformer([("fill", twice, ["town"])]).fit(X)
    with pytest.raises(tn.DataError, match="column 'town' holds text, made by the step before. Remedy: put an encoder"):
        make_pipeline(fill, tn.KMeans(2)).fit(tn.scan(X))
    chain = tn.make_pipeline(fill, tn.StandardScaler())
    with pytest.raises(tn.DataError, match="'town' comes out of SimpleImputer as text.*an encoder between"):
        tn.ColumnTransformer([("fill", chain, ["town"])]).fit(X)
    marked = tn.make_pipeline(SimpleImputer("most_frequent", add_indicator=True), tn.OneHotEncoder())
    with pytest.raises(tn.DataError, match="indicators beside text.*Remedy: add_indicator=False"):
        tn.ColumnTransformer([("fill", marked, ["town"])]).fit(X)
    with pytest.raises(ValueError, match="fill_value=1 is a number, and column 'town' holds text. Remedy: an imputer"):
        SimpleImputer("constant", fill_value=1).fit(X)
    with pytest.raises(ValueError, match="fill_value='a' is text, and column 'number' holds numbers"):
        SimpleImputer("constant", fill_value="a").fit(X)


def test_categories_that_are_numbers_and_a_column_of_text_without_values():
    X = pd.DataFrame({"kind": pd.Categorical([3, 1, None, 3])})
    assert SimpleImputer("most_frequent").fit_transform(X).ravel().tolist() == [3, 1, 3, 3]
    assert SimpleImputer("constant", fill_value=2).fit_transform(X).ravel().tolist() == [3, 1, 2, 3]
    none = pd.DataFrame({"word": pd.Series([None, None], dtype="string")})
    with pytest.raises(tn.DataError, match="'word', row 0 is missing, and no row had a value"):
        SimpleImputer("most_frequent").fit(none).transform(none)
    kept = SimpleImputer("most_frequent", keep_empty_features=True).fit_transform(none)
    assert kept.ravel().tolist() == ["missing_value"] * 2


def test_categories_that_are_numbers_may_be_new(tmp_path):
    X = pd.DataFrame({"kind": pd.Categorical([1, 2] * 20 + [3])})
    y = np.arange(41.0) % 7
    ours = tn.make_pipeline(
        tn.SimpleImputer(strategy="most_frequent"),
        tn.OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        tn.Ridge(),
    )
    theirs = make_pipeline(
        peer.SimpleImputer(strategy="most_frequent"),
        preprocessing.OneHotEncoder(handle_unknown="ignore"),
        linear_model.Ridge(),
    )
    expected = cross_val_score(theirs, X, y, cv=KFold(5))
    np.testing.assert_allclose(cross_val_score(ours, X, y, cv=KFold(5), error_score="raise"), expected, rtol=1e-9)
    np.testing.assert_allclose(tn.cross_validate(ours, X, y, folds=KFold(5)).scores.ravel(), expected, rtol=1e-9)
    model = SimpleImputer("most_frequent").fit(X[:40])
    new = pd.DataFrame({"kind": pd.Categorical([2, 3, None, 1.5])})
    assert model.transform(new).ravel().tolist() == [2, 3, 1, 1.5]
    assert [isinstance(value, float) for value in model.transform(new).ravel()] == [False, False, False, True]
    assert model.transform(new.astype(object)).ravel().tolist() == [2, 3, 1, 1.5]
    arrays = SimpleImputer("most_frequent").fit(X[:40].to_numpy().astype(object))
    assert arrays.transform(np.array([[3], [None]], dtype=object)).ravel().tolist() == [3, 1]
    X.assign(y=y).to_parquet(tmp_path / "x.parquet", row_group_size=15)
    rows = tn.scan(tmp_path / "x.parquet", target="y", categorical=["kind"])
    assert model.transform(rows).collect().ravel().tolist() == X["kind"].tolist()
    flags = SimpleImputer("most_frequent").fit(pd.DataFrame({"on": pd.Categorical([True, True])}))
    assert flags.transform(pd.DataFrame({"on": pd.Categorical([False, None])})).ravel().tolist() == [False, True]


def test_categories_that_are_long_ids_keep_every_digit():
    ids = [2**60 + 1, 2**60 + 2, None, 2**60 + 1]
    X = pd.DataFrame({"id": pd.Categorical(pd.array(ids, dtype="Int64"))})
    model = SimpleImputer("most_frequent").fit(X)
    assert model.transform(X).ravel().tolist() == [2**60 + 1, 2**60 + 2, 2**60 + 1, 2**60 + 1]
    with pytest.raises(tn.DataError, match="'id', row 0 has a number that was no category in fitting. Remedy: fit to"):
        model.transform(pd.DataFrame({"id": pd.Categorical([2**60 + 3])}))


@pytest.mark.parametrize("names", [["n", "town"], ["n", "gaps", "on"]])
def test_an_encoder_takes_numbers_that_were_filled_in(names, tmp_path):
    random = np.random.default_rng(0)
    X = words().assign(n=random.integers(0, 4, 150), on=random.random(150) < 0.5, gaps=table(rows=150)[:, 1])[names]
    y = X["n"] % 3 + 0.1 * np.arange(150) % 1
    X.assign(y=y).to_parquet(tmp_path / "x.parquet", row_group_size=40)
    rows = tn.scan(tmp_path / "x.parquet", target="y")
    ours = tn.make_pipeline(SimpleImputer("most_frequent"), tn.OneHotEncoder(handle_unknown="ignore"), tn.Ridge())
    theirs = make_pipeline(
        peer.SimpleImputer(strategy="most_frequent"),
        preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        linear_model.Ridge(),
    )
    expected = cross_val_score(theirs, X, y, cv=KFold(4))
    np.testing.assert_allclose(tn.cross_validate(ours, X, y, folds=KFold(4)).scores.ravel(), expected, rtol=1e-8)
    whole = ours.fit(X, y).predict(X)
    np.testing.assert_allclose(whole, theirs.fit(X, y).predict(X), rtol=1e-8)
    found = [some.tolist() for some in ours[1].categories_]
    frame = tn.scan(X.assign(y=y), target="y")
    np.testing.assert_array_equal(ours.fit(frame).predict(frame).collect(), whole)
    np.testing.assert_allclose(ours.fit(rows).predict(rows).collect(), whole, rtol=1e-12)
    assert [some.tolist() for some in ours[1].categories_] == found


def test_numbers_that_are_filled_in_before_an_encoder_are_categories():
    X = pd.DataFrame({"n": [3, 1, 3, 2], "gaps": [3.0, None, 3.0, 2.0], "none": [np.nan] * 4})
    chain = tn.make_pipeline(SimpleImputer("most_frequent"), tn.OneHotEncoder(sparse_output=False))
    theirs = make_pipeline(peer.SimpleImputer(strategy="most_frequent"), preprocessing.OneHotEncoder())
    beside = tn.ColumnTransformer([("words", chain, ["n", "gaps"])], verbose_feature_names_out=False)
    expected = theirs.fit_transform(X[["n", "gaps"]]).toarray()
    np.testing.assert_array_equal(beside.fit_transform(X), expected)
    np.testing.assert_array_equal(beside.transform(X), expected)
    assert beside.get_feature_names_out().tolist() == ["n_1", "n_2", "n_3", "gaps_2.0", "gaps_3.0"]
    with pytest.raises(tn.DataError, match="column 'none'.* no row had a value of this column.*Remedy: leave it out"):
        tn.ColumnTransformer([("words", chain, ["none"])]).fit(X)


def test_missing_values_may_be_those_of_pandas():
    frame = pd.DataFrame({"a": pd.array([1, 2, pd.NA], dtype="Int64")})
    words = pd.DataFrame({"b": ["x", None, "x"]})
    assert tn.SimpleImputer(missing_values=pd.NA).fit(frame).transform(frame).tolist() == [[1.0], [2.0], [1.5]]
    found = tn.SimpleImputer(missing_values=pd.NA, strategy="most_frequent").fit_transform(words)
    assert np.asarray(found).ravel().tolist() == ["x", "x", "x"]
    with pytest.raises(ValueError, match=r"missing_values=-999 is refused: missing values are NaN, None or pandas.NA"):
        tn.SimpleImputer(missing_values=-999).fit(frame)
