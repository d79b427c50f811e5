"""`categorical_features`: the trees of a frame of categorical columns, in pipelines by the names that a step makes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import pipeline
from sklearn.base import clone
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.testing import bits

RANDOM = np.random.default_rng(0)
N = 500
SHOP = RANDOM.integers(0, 12, N)
FRAME = pd.DataFrame({"price": RANDOM.normal(size=N), "shop": SHOP + 100})
Y = np.isin(SHOP, [1, 4, 7, 9]) + 0.3 * FRAME["price"].to_numpy() + 0.1 * RANDOM.normal(size=N)
X = FRAME.to_numpy()
NUMBERS = tn.HistGradientBoostingRegressor(max_iter=10)
DECLARED = FRAME.astype({"shop": "category"})

ORDERS = pd.DataFrame(
    {
        "at": pd.date_range("2024-01-01", periods=N, freq="5h"),
        "shop": RANDOM.choice(["web", "north", "south", None], N),
        "kind": RANDOM.choice([f"k{i}" for i in range(9)], N),
        "note": RANDOM.choice(["fine", "sent back", "broke", None], N),
        "price": RANDOM.lognormal(size=N),
    }
)
RETURNED = (
    ((ORDERS["shop"] == "web") & (ORDERS["note"] == "sent back") | (RANDOM.random(N) < 0.1)).astype(int).to_numpy()
)
BRANCHES = [
    ("cat", tn.OrdinalEncoder(), ["shop", "kind"]),
    ("note", tn.TextFeatures(missing="empty"), ["note"]),
    ("when", tn.DateParts(["month", "weekday"]), ["at"]),
    ("num", "passthrough", ["price"]),
]


def listing(which, learner=NUMBERS):
    return clone(learner).set_params(categorical_features=which)


@pytest.mark.parametrize("which", [[1], [-1], [False, True], np.array([1]), np.array([False, True])], ids=repr)
def test_numbers_and_masks_are_columns(which):
    expected = clone(NUMBERS).fit(DECLARED, Y)
    for rows in (X, FRAME, pl.from_pandas(FRAME)):
        model = listing(which).fit(rows, Y)
        assert bits(model.model_) == bits(expected.model_)
        assert (model.predict(rows) == expected.predict(DECLARED)).all()
        assert model.is_categorical_.tolist() == [False, True]
        assert model.get_params()["categorical_features"] is not None
        assert np.array_equal(model.categorical_features, which)


def test_names_are_columns_also_of_sources(tmp_path):
    expected = bits(clone(NUMBERS).fit(DECLARED, Y).model_)
    rows = tn.scan(FRAME.assign(y=Y), target="y")
    FRAME.assign(y=Y).to_parquet(tmp_path / "rows.parquet", row_group_size=90)
    for source in (rows, tn.scan(tmp_path / "rows.parquet", target="y")):
        assert bits(listing(["shop"]).fit(source).model_) == expected
        assert bits(listing([1]).fit(source).model_) == expected
    model = listing(["shop"]).fit(FRAME, Y)
    with part_rows(70):
        assert bits(listing(["shop"]).fit(FRAME, Y).model_) == bits(model.model_) == expected
    model.save(tmp_path / "model")
    known = tn.load(tmp_path / "model")
    assert (known.predict(FRAME) == model.predict(FRAME)).all()
    other = FRAME.assign(shop=np.where(FRAME["shop"] == 103, 999, FRAME["shop"]))
    gone = FRAME.assign(shop=np.where(FRAME["shop"] == 103, np.nan, FRAME["shop"]))
    assert (known.predict(other) == known.predict(gone)).all()  # a category that was not there counts as missing


def test_fits_that_continue_and_validation_rows():
    first = listing(["shop"]).fit(FRAME, Y)
    whole = listing([1]).set_params(max_iter=15).fit(FRAME, Y)
    assert bits(listing(["shop"]).set_params(max_iter=15).fit(FRAME, Y, start=first).model_.trees) == bits(
        whole.model_.trees
    )
    warm = listing([1]).set_params(warm_start=True).fit(FRAME, Y).set_params(max_iter=15)
    assert bits(warm.fit(FRAME, Y).model_.trees) == bits(whole.model_.trees)
    with pytest.raises(ValueError, match="categorical_features"):
        clone(NUMBERS).set_params(max_iter=15).fit(FRAME, Y, start=first)
    stopped = listing([1]).fit(X[:300], Y[:300], X_val=X[300:], y_val=Y[300:])
    same = clone(NUMBERS).fit(DECLARED[:300], Y[:300], X_val=DECLARED[300:], y_val=Y[300:])
    assert (stopped.validation_score_ == same.validation_score_).all()


def test_none_and_no_column_are_numbers():
    expected = bits(clone(NUMBERS).fit(FRAME, Y).model_)
    for which in (None, [], [False, False]):
        model = listing(which).fit(FRAME, Y)
        assert bits(model.model_) == expected
        assert model.is_categorical_ is None


@pytest.mark.filterwarnings("error")
def test_names_that_a_step_makes(tmp_path):
    boosted = tn.HistGradientBoostingClassifier(max_iter=15, categorical_features=["cat__shop", "cat__kind"])
    frame = ORDERS.assign(y=RETURNED)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    rows = tn.scan(tmp_path / "rows.parquet", target="y")
    model = tn.make_pipeline(tn.ColumnTransformer(BRANCHES), boosted)
    found = []
    for X, y in ((rows, None), (ORDERS, RETURNED), (pl.from_pandas(ORDERS), RETURNED)):
        fitted = clone(model).fit(X) if y is None else clone(model).fit(X, y)
        names = list(fitted[0].get_feature_names_out())
        assert fitted[-1].feature_names_in_.tolist() == names
        assert [n for n, c in zip(names, fitted[-1].is_categorical_, strict=True) if c] == ["cat__shop", "cat__kind"]
        p = fitted.predict_proba(X)
        found.append((p if y is not None else p.collect()).tobytes())
        assert fitted.score(*((X,) if y is None else (X, y))) > 0.85
    assert len({*found}) == 1
    # the codes are those of the categories themselves, in the same order
    text = fitted[0].named_transformers_.note.get_feature_names_out()
    plain = pd.DataFrame(fitted[0].transform(ORDERS), columns=names)
    plain[["cat__shop", "cat__kind"]] = ORDERS[["shop", "kind"]].astype("category").to_numpy()
    alone = tn.HistGradientBoostingClassifier(max_iter=15).fit(plain, RETURNED)
    assert len(text) == 4
    assert bits(alone.model_.trees) == bits(fitted[-1].model_.trees)
    fitted.save(tmp_path / "model")
    assert tn.load(tmp_path / "model").predict_proba(ORDERS).tobytes() == found[0]


@pytest.mark.filterwarnings("ignore:the folds are not alike")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("way", ["passthrough", tn.SimpleImputer(strategy="most_frequent")], ids=["passed", "filled"])
def test_text_that_passes_is_a_category(tmp_path, way):
    branches = [("cat", way, ["shop", "kind"]), *BRANCHES[1:]]
    model = tn.make_pipeline(tn.ColumnTransformer(branches), tn.HistGradientBoostingClassifier(max_iter=15))
    frame = ORDERS.assign(y=RETURNED)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    rows = tn.scan(tmp_path / "rows.parquet", target="y")
    fitted = [clone(model).fit(rows), clone(model).fit(ORDERS, RETURNED)]
    fitted.append(clone(model).fit(pl.from_pandas(ORDERS), RETURNED))
    assert [one[-1].is_categorical_.tolist() for one in fitted] == 3 * [[True, True] + 7 * [False]]
    assert fitted[0][-1].feature_names_in_.tolist() == fitted[0][0].get_feature_names_out().tolist()
    found = [one.predict_proba(ORDERS) for one in fitted]
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    assert fitted[0].predict_proba(rows).collect().tobytes() == found[0].tobytes()
    coded = tn.make_pipeline(
        *([tn.ColumnTransformer([("cat", way, ["shop", "kind"])], remainder="drop")] if way != "passthrough" else []),
        tn.OrdinalEncoder(),
    )
    codes = coded.fit_transform(ORDERS[["shop", "kind"]])
    others = tn.ColumnTransformer(BRANCHES[1:]).fit_transform(ORDERS)
    by_codes = tn.HistGradientBoostingClassifier(max_iter=15, categorical_features=[0, 1])
    by_codes.fit(np.hstack([codes, others]), RETURNED)
    assert bits(by_codes.model_.trees) == bits(fitted[1][-1].model_.trees)
    fitted[0].save(tmp_path / "model")
    assert tn.load(tmp_path / "model").predict_proba(ORDERS).tobytes() == found[0].tobytes()
    new, gone = ORDERS.assign(shop="new"), ORDERS.assign(shop=None)
    if way == "passthrough":  # what no row had in fitting counts as missing, and is handed on
        assert fitted[0].predict_proba(new).tobytes() == fitted[1].predict_proba(gone).tobytes()
        assert set(fitted[1][0].transform(new)[:, 0]) == {"new"}
    scores = tn.cross_validate(model, ORDERS, RETURNED, folds=3, scoring="roc_auc").scores
    by_hand = []
    for train, test in StratifiedKFold(3).split(ORDERS, RETURNED):
        fold = clone(model).fit(ORDERS.iloc[train], RETURNED[train])
        by_hand.append(roc_auc_score(RETURNED[test], fold.predict_proba(ORDERS.iloc[test])[:, 1]))
    np.testing.assert_allclose(scores.ravel(), by_hand, atol=1e-12)


def test_names_go_through_more_steps():
    columns = tn.ColumnTransformer([("all", "passthrough", ["price", "shop"])], verbose_feature_names_out=False)
    model = tn.make_pipeline(columns, tn.MaxAbsScaler(), listing(["shop"])).fit(FRAME, Y)
    assert model[-1].feature_names_in_.tolist() == ["price", "shop"]
    assert model[-1].is_categorical_.tolist() == [False, True]
    expected = clone(NUMBERS).fit(DECLARED, Y).predict(DECLARED)
    np.testing.assert_allclose(model.predict(FRAME), expected, rtol=1e-6)
    peer = pipeline.make_pipeline(tn.OrdinalEncoder(), listing([0])).fit(FRAME[["shop"]], Y)
    assert peer[-1].is_categorical_.tolist() == [True]


@pytest.mark.filterwarnings("ignore:the folds are not alike")
def test_cross_validation_has_the_scores_of_each_fold():
    boosted = tn.HistGradientBoostingClassifier(max_iter=8, categorical_features=["cat__shop", "cat__kind"])
    model = tn.make_pipeline(tn.ColumnTransformer(BRANCHES), boosted)
    scores = tn.cross_validate(model, ORDERS, RETURNED, folds=3, scoring="roc_auc").scores
    by_hand = []
    for train, test in StratifiedKFold(3).split(ORDERS, RETURNED):
        fold = clone(model).fit(ORDERS.iloc[train], RETURNED[train])
        by_hand.append(roc_auc_score(RETURNED[test], fold.predict_proba(ORDERS.iloc[test])[:, 1]))
    np.testing.assert_allclose(scores.ravel(), by_hand, atol=1e-12)


LISTED = {
    "passed": (tn.ColumnTransformer([("num", "passthrough", ["shop", "price"])]), ["num__shop"]),
    "scaled": (tn.MaxAbsScaler(), ["shop"]),
    "by number": (tn.MaxAbsScaler(), [-1]),
    "filled": (tn.SimpleImputer(strategy="median", add_indicator=True), ["shop", "missingindicator_shop"]),
    "beside codes": (
        tn.ColumnTransformer([("code", tn.OrdinalEncoder(), ["kind"]), ("num", tn.MinMaxScaler(), ["price", "shop"])]),
        ["code__kind", "num__shop"],
    ),
}


@pytest.mark.filterwarnings("ignore:the folds are not alike")
@pytest.mark.parametrize("name", LISTED)
def test_numbers_that_a_step_makes_are_categories_in_folds_as_in_a_fit(name, tmp_path):
    step, which = LISTED[name]
    X = FRAME[["price", "shop"]].copy()
    if name == "beside codes":
        X["kind"] = ORDERS["kind"]
    if name == "filled":
        X["shop"] = X["shop"].where(RANDOM.random(N) < 0.9)
    model = tn.make_pipeline(step, listing(which))
    folds = KFold(4)
    rare = X["shop"] == 103
    X.loc[rare & (np.arange(N) % 4 > 0), "shop"] = 104.0  # the first fold has categories that others lack
    X.assign(y=Y).to_parquet(tmp_path / "rows.parquet", row_group_size=90)
    rows = tn.scan(tmp_path / "rows.parquet", target="y")
    found = [tn.cross_validate(model, *given, folds=folds).scores.ravel() for given in ((X, Y), (rows,))]
    by_hand = []
    for train, test in folds.split(X):
        fold = clone(model).fit(X.iloc[train], Y[train])
        assert fold[-1].is_categorical_.sum() == len(which)
        by_hand.append(r2_score(Y[test], fold.predict(X.iloc[test])))
    np.testing.assert_allclose(found[0], by_hand, atol=1e-12)
    np.testing.assert_allclose(found[1], by_hand, atol=1e-12)
    said = tn.cross_val_predict(model, X, Y, cv=folds)
    assert [r2_score(Y[test], said[test]) for _, test in folds.split(X)] == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.filterwarnings("ignore:the folds are not alike")
def test_combinations_share_the_scan_of_the_categories_that_they_list():
    def scans(last):
        model = tn.make_pipeline(tn.MaxAbsScaler(), last)
        grid = {"histgradientboostingregressor__learning_rate": [0.1, 0.3]}
        return tn.tune(model, grid, FRAME, Y, folds=3).scans

    assert scans(listing(["shop"])) == scans(clone(NUMBERS)) + 1


def test_measurements_are_no_categories_in_folds_either():
    model = tn.make_pipeline(tn.MaxAbsScaler(), listing(["price"]))
    said = "column 'price' holds [0-9]+ distinct numbers.* measurements, not categories"
    with pytest.raises(tn.DataError, match=said):
        model.fit(tn.scan(FRAME.assign(y=Y), target="y"))
    with pytest.raises(tn.DataError, match=said):
        tn.cross_validate(model, FRAME, Y, folds=5)


def test_what_cannot_be_is_refused_with_a_remedy():
    words = FRAME.assign(kind=np.where(FRAME["price"] > 0, "a", "b"))
    for which, rows, said in (
        (["shops"], FRAME, r"no column 'shops'; did you mean \['shop'\]"),
        ([3], FRAME, "selects column number 3, but there are 2 columns"),
        ([True], FRAME, "the mask of categorical_features has 1 entries, but there are 2 columns"),
        ([0.5], FRAME, "hold 0.5. Remedy: names or numbers of columns"),
        ("shop", FRAME, "must be a str among {'from_dtype'}, an array-like or None"),
        (["shop"], words, r"cannot be used as numbers: 'kind' \(.*string\). Remedy"),
        (None, words, "cannot be used as numbers: 'kind'"),
        (["price"], FRAME, "they are measurements, not categories. Remedy"),
        ([1], sparse.csr_array(X), "categories are wanted, and a sparse matrix has none. Remedy"),
    ):
        with pytest.raises(ValueError, match=said):
            listing(which).fit(rows, Y)
