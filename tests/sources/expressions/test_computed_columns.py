"""Sources with computed columns, and the models that are fitted to them."""

import json

import numpy as np
import pandas as pd
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
        found = np.concatenate([np.column_stack(list(t.columns)) for t in [model.predict_proba(source).head(10**6)]])
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
    for wrong in ([[["value", '["import",{"is":"os"}]']]], [["value"]], "value", [[["value", 3]]]):
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
    scores = tn.cross_validate(pipeline(), some[0], folds=3)
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
    import pyarrow as pa

    pq.write_table(pa.table({"n": pa.array([1, 2], pa.int32())}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"n": pa.array([3.5], pa.float64())}), tmp_path / "b.parquet")
    rows = tn.scan(tmp_path).with_columns(m=col("n") + 1)
    assert str(rows.schema.field("m").type) == "double"
    assert [value for part in range(2) for t in rows.raw(part, ["m"]) for value in t["m"].to_pylist()] == [
        2.0,
        3.0,
        4.5,
    ]
