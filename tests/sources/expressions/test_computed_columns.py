"""Sources with computed columns, and the models that are fitted to them."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tenfold as tn
from tenfold import col, when
from tenfold.sources import part_rows
from tenfold.testing import bits

MADE = {
    "value": col("price") * col("items"),
    "each": when(col("items") > 0).then(col("price") / col("items")).otherwise(0.0),
    "note": col("note").fill_null("").str.to_lowercase(),
    "shop": col("shop").fill_null("none"),
    "evening": col("at").dt.hour() >= 18,
}


@pytest.fixture(scope="module")
def frame():
    r = np.random.default_rng(0)
    n = 900
    frame = pd.DataFrame(
        {
            "at": pd.date_range("2025-01-01", periods=n, freq="37min"),
            "price": r.lognormal(2, 1, n),
            "items": r.integers(0, 5, n),
            "note": pd.Series(r.choice(["Late again", "all fine", None], n)),
            "shop": pd.Series(r.choice(["a", "b", None], n)),
        }
    )
    return frame.assign(y=(frame["price"] * frame["items"] + r.normal(size=n) > 15).astype(int))


@pytest.fixture(scope="module")
def path(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    frame.to_parquet(path, row_group_size=200)
    return path


def pipeline():
    return tn.make_pipeline(
        tn.ColumnTransformer(
            [
                ("number", tn.StandardScaler(), ["value", "each", "evening"]),
                ("text", tn.TfidfVectorizer(), "note"),
                ("shop", tn.OneHotEncoder(), ["shop"]),
            ]
        ),
        tn.LogisticRegression(),
    )


NUMBERS = ["price", "items", "value", "each", "evening"]


def numbers(rows):
    return rows.with_columns(**MADE).without("at", "note", "shop")


def test_rows_have_the_columns_a_frame_would_have(frame, path):
    expected = frame.assign(
        note=frame["note"].fillna("").str.lower(),
        shop=frame["shop"].fillna("none"),
        value=frame["price"] * frame["items"],
        each=np.divide(frame["price"], frame["items"], out=np.zeros(len(frame)), where=frame["items"] > 0),
        evening=frame["at"].dt.hour >= 18,
    )
    for rows in (tn.scan(frame), tn.scan(path)):
        found = rows.with_columns(**MADE).head(len(frame)).to_pandas()
        pd.testing.assert_frame_equal(found[expected.columns], expected, check_dtype=False)
    assert tn.scan(path, target="y").with_columns(**MADE).names == tuple(expected.columns.drop("y"))


def test_calls_follow_one_another_and_columns_of_one_call_do_not(path):
    rows = tn.scan(path)
    at_once = rows.with_columns(price=col("price") * 2, twice=col("price"))
    in_turn = rows.with_columns(price=col("price") * 2).with_columns(twice=col("price"))
    assert np.array_equal(at_once.head(9)["twice"], rows.head(9)["price"])
    assert np.array_equal(in_turn.head(9)["twice"], at_once.head(9)["price"])


def test_a_model_of_raw_rows_predicts_as_one_that_computes_them(frame, path):
    model = tn.HistGradientBoostingClassifier(max_iter=5).fit(numbers(tn.scan(path, target="y")))
    by_hand = tn.scan(path).with_columns(**MADE).head(len(frame)).select(NUMBERS)
    assert model.feature_names_in_.tolist() == NUMBERS
    plain = tn.HistGradientBoostingClassifier(max_iter=5).fit(by_hand, frame["y"])
    expected = plain.predict_proba(by_hand)
    raw = frame.drop(columns="y")
    for X in (raw, raw[raw.columns[::-1]], raw.assign(other=1)):
        np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12)
    assert model.score(raw, frame["y"]) == plain.score(by_hand, frame["y"])
    for source in (tn.scan(path), tn.scan(path).with_columns(**MADE)):
        found = np.concatenate([np.column_stack(list(t.columns)) for t in [model.predict_proba(source).to_arrow()]])
        assert np.array_equal(found, model.predict_proba(raw))


@pytest.mark.parametrize("make", [pipeline, lambda: tn.GaussianNB()])
def test_a_model_file_keeps_the_expressions(make, frame, path, tmp_path):
    rows = tn.scan(path, target="y")
    model = make()
    model.fit(numbers(rows) if isinstance(model, tn.GaussianNB) else rows.with_columns(**MADE))
    raw = frame.drop(columns="y")
    model.save(tmp_path / "m.tenfold")
    assert np.array_equal(tn.load(tmp_path / "m.tenfold").predict_proba(raw), model.predict_proba(raw))


def test_a_forged_expression_in_a_model_file_is_refused(path, tmp_path):
    from tenfold.estimator.files import container

    tn.GaussianNB().fit(numbers(tn.scan(path, target="y"))).save(tmp_path / "m.tenfold")
    document, tensors = container.read(tmp_path / "m.tenfold")
    assert json.dumps(document).count("multiply") == 1
    column = '["column",{"is":"price"}]'
    many, half = [[["value", column]]] * 101, [[["\ud800", column]]]
    for wrong in ([[["value", '["import",{"is":"os"}]']]], [["value"]], "value", [[["value", 3]]], 3, None, many, half):
        container.write(tmp_path / "forged.tenfold", {**document, "computed": wrong}, tensors)
        with pytest.raises(tn.ModelFileError, match="computed columns"):
            tn.load(tmp_path / "forged.tenfold")


def test_models_of_the_same_expressions_add_up(frame, path):
    half = [numbers(tn.scan(some, target="y")) for some in (frame[:400], frame[400:])]
    both = tn.GaussianNB().fit(half[0]) + tn.GaussianNB().fit(half[1])
    raw = frame.drop(columns="y")
    whole = tn.GaussianNB().fit(numbers(tn.scan(frame, target="y")))
    np.testing.assert_allclose(both.predict_proba(raw), whole.predict_proba(raw), rtol=1e-9)
    more = tn.GaussianNB().fit(half[0]).partial_fit(raw[400:], frame["y"][400:])
    np.testing.assert_allclose(more.predict_proba(raw), whole.predict_proba(raw), rtol=1e-9)
    other = tn.scan(frame[400:], target="y").with_columns(**{**MADE, "value": col("price") + col("items")})
    with pytest.raises(tn.MergeError, match="other computed columns"):
        tn.GaussianNB().fit(half[0]) + tn.GaussianNB().fit(other.without("at", "note", "shop"))


def test_rows_that_a_model_cannot_complete_are_refused(frame, path):
    model = tn.GaussianNB().fit(numbers(tn.scan(path, target="y")))
    with pytest.raises(tn.DataError, match="no column 'price'"):
        model.predict(frame.drop(columns=["price", "y"]))
    with pytest.raises(tn.DataError, match="a frame with the columns"):
        model.predict(np.ones((3, 5)))
    with pytest.raises(tn.DataError, match="other computed columns"):
        model.predict(tn.scan(path).with_columns(value=col("price")))


def test_folds_of_files_are_those_of_the_frame_in_the_same_parts(frame, path):
    some = [tn.scan(rows, target="y").with_columns(**MADE) for rows in (path, path)]
    here, there = (pipeline().fit(rows) for rows in some)
    assert bits(there[-1].model_) == bits(here[-1].model_)
    scores = tn.cross_validate(pipeline(), some[0], folds=3, shuffle=False)
    by_hand = tn.scan(some[0].head(len(frame)).to_pandas(), target="y")
    with part_rows(200):
        expected = tn.cross_validate(pipeline(), by_hand, folds=3)
    np.testing.assert_allclose(scores.scores, expected.scores, rtol=1e-9)


def test_the_target_and_a_filter_may_be_computed_columns_of_files(frame, path):
    rows = tn.scan(path, target="y", where=[("items", ">", 0)]).with_columns(y=col("y") == 0, value=col("price") * 2)
    model = tn.DecisionTreeClassifier(max_depth=2).fit(rows.without("at", "note", "shop"))
    assert model.classes_.tolist() == [False, True]
    assert rows.n_rows == (frame["items"] > 0).sum()
    assert rows.only([("items", ">", 3)]).n_rows == (frame["items"] > 3).sum()


def test_files_of_other_widths_have_one_type(frame, tmp_path):
    pq.write_table(pa.table({"n": pa.array([1, 2], pa.int32())}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"n": pa.array([3.5], pa.float64())}), tmp_path / "b.parquet")
    rows = tn.scan(tmp_path).with_columns(m=col("n") + 1)
    assert str(rows.schema.field("m").type) == "double"
    assert [value for part in range(2) for t in rows.raw(part, ["m"]) for value in t["m"].to_pylist()] == [
        2.0,
        3.0,
        4.5,
    ]


def replaced(rows):
    """Rows in which a computed column has the name of a stored one: who forgets the expression predicts wrongly."""
    return rows.with_columns(price=(col("price") + 1).log()).without("at", "note", "shop")


@pytest.fixture(scope="module")
def raw(frame):
    return frame.drop(columns="y")


def test_models_of_a_split_compute_their_columns(frame, path, raw):
    rows = tn.scan(path, target="y")
    train, test = tn.train_test_split(replaced(rows))
    by_hand, _ = tn.train_test_split(tn.scan(replaced(rows).to_arrow(), target="y", columns=["price", "items"]))
    plain = tn.GaussianNB().fit(by_hand)
    model = tn.GaussianNB().fit(train)
    expected = plain.predict_proba(frame[["price", "items"]].assign(price=np.log1p(frame["price"])))
    np.testing.assert_allclose(model.predict_proba(raw), expected, rtol=1e-9)
    assert model.score(test) > 0.5


TEAMS = {
    "vote": lambda: tn.VotingClassifier([("a", tn.GaussianNB())]),
    "stack": lambda: tn.StackingClassifier([("a", tn.GaussianNB())], tn.LogisticRegression()),
    "bag": lambda: tn.BaggingClassifier(tn.GaussianNB(), 2, random_state=0),
    "forest": lambda: tn.RandomForestClassifier(2, random_state=0),
    "boost": lambda: tn.AdaBoostClassifier(n_estimators=2),
}


@pytest.mark.parametrize("name", TEAMS)
def test_members_compute_the_columns_of_their_team(name, frame, raw):
    model = TEAMS[name]().fit(replaced(tn.scan(frame, target="y")))
    plain = TEAMS[name]().fit(frame[["price", "items"]].assign(price=np.log1p(frame["price"])), frame["y"])
    logs = raw[["price", "items"]].assign(price=np.log1p(raw["price"]))
    for mine, theirs in zip(model.estimators_, plain.estimators_, strict=True):
        assert mine.predict(raw).tolist() == theirs.predict(logs).tolist()


def test_transformers_of_columns_compute_them(frame, raw):
    rows = replaced(tn.scan(frame, target="y"))
    model = tn.ColumnTransformer([("p", tn.make_pipeline(tn.SimpleImputer(), tn.StandardScaler()), ["price"])]).fit(
        rows
    )
    assert np.array_equal(model.named_transformers_.p.transform(raw), model.transform(raw))


def test_targets_of_several_columns(frame, raw, tmp_path):
    both = frame.assign(z=frame["price"] * 2)
    rows = replaced(tn.scan(both, target=["y", "z"]))
    model = tn.LinearRegression().fit(rows)
    model.save(tmp_path / "m.tenfold")
    expected = model.predict(raw)
    assert np.array_equal(tn.load(tmp_path / "m.tenfold").predict(raw), expected)
    first = tn.LinearRegression().fit(replaced(tn.scan(both[:400], target=["y", "z"])))
    first.partial_fit(raw[400:], both[["y", "z"]][400:])
    np.testing.assert_allclose(first.predict(raw), expected, rtol=1e-9, atol=1e-12)


def test_more_rows_may_have_other_classes_and_as_many_targets_as_rows(frame, raw):
    model = tn.GaussianNB().fit(replaced(tn.scan(frame, target="y")))
    for X, y in ((raw, frame["y"][:100]), (raw[:100], frame["y"])):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.score(X, y)
    assert model.partial_fit(raw[:50], frame["y"][:50], classes=[0, 1, 2]).classes_.tolist() == [0, 1, 2]


def test_a_filter_by_a_computed_column_is_refused(frame, path):
    for stored in (tn.scan(frame), tn.scan(path)):
        rows = stored.with_columns(price=col("price") * 2, twice=col("price"))
        assert rows.only([("items", ">", 3)]).n_rows == (frame["items"] > 3).sum()
        for name in ("price", "twice"):
            with pytest.raises(tn.DataError, match=f"{name}.* Remedy: the columns that they are computed from"):
                rows.only([(name, ">", 3)])


def test_rows_in_production_have_other_types_than_those_of_the_fit(frame):
    rows = tn.scan(frame[["price", "note", "y"]], target="y").with_columns(
        words=col("note").fill_null("").str.len_chars(), price=col("price").fill_null(0.5)
    )
    model = tn.GaussianNB().fit(rows.without("note"))
    expected = model.predict_proba(pd.DataFrame({"price": [3.0, 4.0], "note": ["", ""]}))
    for some in (
        pd.DataFrame({"price": [3, 4], "note": [None, None]}),
        pa.table({"note": pa.nulls(2), "price": [3, 4]}),
        pa.table({"note": pa.array(["", None], pa.string_view()), "price": pa.array([3, 4], pa.int8())}),
    ):
        assert np.array_equal(model.predict_proba(some), expected)


def test_a_file_whose_values_the_type_of_all_files_does_not_hold_is_named(tmp_path):
    pq.write_table(pa.table({"id": [2**53 + 1], "n": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"id": [1.5], "n": [2]}), tmp_path / "b.parquet")
    with pytest.raises(tn.DataError, match=r"column 'id' of .*a\.parquet.* is int64, and double in other files"):
        tn.scan(tmp_path).with_columns(m=col("id") + 1).to_arrow()
    assert tn.scan(tmp_path).with_columns(m=col("n") + 1).head(2)["m"].to_pylist() == [2, 3]


def test_a_split_of_dask_takes_the_same_rows_before_and_after():
    import dask.dataframe as dd

    rows = tn.scan(dd.from_pandas(pd.DataFrame({"x": np.arange(400.0)}), npartitions=4))
    before, _ = tn.train_test_split(rows)
    after, _ = tn.train_test_split(rows.with_columns(y=col("x") * 2))
    assert after.to_arrow()["x"].equals(before.to_arrow()["x"])


def test_rows_to_predict_need_only_what_features_are_computed_from(frame, raw, tmp_path):
    rows = tn.scan(frame.assign(z=frame["price"], w=1.0), target="z", weight="w")
    rows = rows.with_columns(z=col("z") * 2, w=col("w") * 3, half=col("items") / 2, late=col("note") == "Late again")
    rows = rows.with_columns(z=col("z") + 1, quarter=col("half") / 2).without("at", "note", "shop", "late", "half", "y")
    model = tn.LinearRegression().fit(rows)
    assert model.feature_names_in_.tolist() == ["price", "items", "quarter"]
    plain = tn.LinearRegression().fit(
        raw[["price", "items"]].assign(quarter=raw["items"] / 4), 2 * raw["price"] + 1, np.full(len(raw), 3.0)
    )
    few = raw[["price", "items"]]
    expected = plain.predict(few.assign(quarter=raw["items"] / 4))
    model.save(tmp_path / "m.tenfold")
    for one in (model, tn.load(tmp_path / "m.tenfold")):
        np.testing.assert_allclose(one.predict(few), expected, rtol=1e-9)
        np.testing.assert_allclose(one.predict(tn.scan(few)).collect(), expected, rtol=1e-9)
        assert one.partial_fit(few, 2 * raw["price"] + 1).certificate_.provenance.rows == 2 * len(raw)
        assert one.partial_fit(rows).certificate_.provenance.rows == 3 * len(raw)
    with pytest.raises(tn.DataError, match="no column 'items'"):
        model.predict(few[["price"]])
