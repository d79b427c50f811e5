"""What the columns hold, against pandas; merging, threads, weights, text, dates, nulls, dictionaries."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tenfold as tn
from tenfold.core import DataError
from tenfold.core.axes import bits
from tenfold.engine import Local, on
from tenfold.inspection.profile.value_table import SKETCH_SIZE, ValueTable
from tenfold.sources import part_rows


def orders(rows=3_000, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "when": pd.Timestamp("2025-03-01") + pd.to_timedelta(rng.integers(0, 30 * 86_400, rows), unit="s"),
            "shop": rng.choice(["a", "b", "c"], rows, p=[0.6, 0.3, 0.1]),
            "category": pd.Categorical(rng.choice(["toy", "book"], rows)),
            "price": np.round(np.exp(rng.normal(3, 1, rows)), 2),
            "items": rng.integers(1, 5, rows),
            "gift": rng.random(rows) < 0.2,
            "discount": np.where(rng.random(rows) < 0.3, np.nan, rng.choice([0.0, 0.1], rows)),
            "count": pd.array(np.where(rng.random(rows) < 0.2, None, rng.integers(0, 3, rows)), dtype="Int64"),
            "note": np.where(rng.random(rows) < 0.4, None, rng.choice(["", "late", "broken"], rows)),
            "empty": pd.array([None] * rows, dtype="Float64"),
        }
    )
    frame["back"] = np.where(rng.random(rows) < 0.2 + 0.3 * (frame["shop"] == "b"), "yes", "no")
    return frame


def written(frame, folder, files=5):
    for at, some in enumerate(np.array_split(np.arange(len(frame)), files)):
        frame.iloc[some].to_parquet(folder / f"{at}.parquet", row_group_size=200)
    return folder


def test_numbers_and_dates_are_those_of_pandas():
    frame = orders()
    found = tn.scan(frame, target="back").describe()
    assert found["price"].kind == "number"
    assert found["when"].kind == "date"
    for name in ("price", "items", "discount", "count"):
        column, want = found[name], frame[name].astype(float)
        assert column.missing == pytest.approx(want.isna().mean())
        assert column.distinct == want.nunique()
        assert column.distinct_error == 0
        assert column.mean == pytest.approx(want.mean(), rel=1e-12)
        assert column.std == pytest.approx(want.std(ddof=0), rel=1e-12)
        quantiles = want.quantile([0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]).tolist()
        np.testing.assert_allclose(list(column.quantiles.values()), quantiles, rtol=1e-12)
        assert sum(part.share for part in column.parts) == pytest.approx(1 - column.missing)
    seconds = frame["when"].astype("datetime64[s]").astype("int64")
    assert found["when"].quantiles["max"] == seconds.max()
    assert found["when"].value(seconds.max()) == str(frame["when"].max())
    assert found["empty"].missing == 1
    assert found["empty"].distinct == 0
    assert np.isnan(found["empty"].mean)
    assert found["gift"].mean == pytest.approx(frame["gift"].mean())


def test_values_of_text_and_categories_and_the_target_by_them():
    frame = orders()
    found = tn.scan(frame, target="back").describe()
    for name in ("shop", "category", "note"):
        column, counts = found[name], frame[name].value_counts()
        assert column.kind == "text"
        assert column.distinct == len(counts)
        assert column.distinct_error == 0
        assert column.missing == pytest.approx(frame[name].isna().mean())
        assert {part.label: round(part.share * len(frame)) for part in column.parts} == counts.to_dict()
        assert column.parts[0].share == counts.max() / len(frame)
        for part in column.parts:
            rate = (frame["back"][frame[name] == part.label] == "yes").mean()
            assert part.target == pytest.approx((1 - rate, rate))
    assert found["note"].missing_target[1] == pytest.approx((frame["back"][frame["note"].isna()] == "yes").mean())
    assert found.classes == ("no", "yes")
    assert found.target[1] == pytest.approx((frame["back"] == "yes").mean())


def test_intervals_of_numbers_with_a_class_and_with_a_number_as_target():
    frame = orders()
    of_class = tn.scan(frame[["price", "back"]], target="back").describe(top=5)["price"]
    of_number = tn.scan(frame[["price", "discount"]].assign(y=frame["price"] - 20), target="y").describe(top=5)["price"]
    assert len(of_class.parts) == len(of_number.parts) == 5
    for part, mean in zip(of_class.parts, of_number.parts, strict=True):
        inside = frame["price"].between(part.low, part.high)
        assert part.share == pytest.approx(inside.mean())
        assert 0.19 < part.share < 0.21
        assert part.target[1] == pytest.approx((frame["back"][inside] == "yes").mean())
        assert mean.target == pytest.approx(((frame["price"] - 20)[inside].mean(),))


def test_profiles_merge_to_that_of_all_rows():
    frame = orders()
    parts = [tn.Profile().fit(tn.scan(frame.iloc[some], target="back")) for some in (slice(0, 900), slice(900, None))]
    whole = tn.Profile().fit(tn.scan(frame, target="back"))
    added = parts[0] + parts[1]
    grown = tn.Profile().fit(tn.scan(frame.iloc[:900], target="back"))
    grown.partial_fit(tn.scan(frame.iloc[900:], target="back"))
    for model in (added, grown):
        assert str(model.describe()) == str(whole.describe())
        np.testing.assert_allclose(model.quantiles_, whole.quantiles_)
        np.testing.assert_allclose(model.std_, whole.std_, rtol=1e-12)


def test_a_class_that_only_some_rows_have_merges():
    frame = orders(600)
    rare = frame.assign(back="maybe").iloc[:50]
    added = tn.Profile().fit(tn.scan(frame, target="back")) + tn.Profile().fit(tn.scan(rare, target="back"))
    whole = tn.Profile().fit(tn.scan(pd.concat([frame, rare]), target="back"))
    assert added.describe().classes == ("maybe", "no", "yes")
    assert str(added.describe()) == str(whole.describe())


def test_the_same_bits_in_any_number_of_threads_from_files_and_after_saving(tmp_path):
    frame = orders()
    rows = tn.scan(str(written(frame, tmp_path)), target="back")
    models = []
    for threads in (1, 2, 5):
        with on(Local(threads)):
            models.append(tn.Profile().fit(rows))
    assert len({bits(model.model_) for model in models}) == 1
    models[0].save(tmp_path / "profile.tenfold")
    loaded = tn.load(tmp_path / "profile.tenfold")
    assert bits(loaded.model_) == bits(models[0].model_)
    assert str(loaded.describe()) == str(models[0].describe())
    assert str(rows.describe()) == str(tn.scan(frame, target="back").describe())


def test_weights_are_numbers_of_rows():
    frame, times = orders(500), np.random.default_rng(1).integers(0, 4, 500)
    weighted = tn.scan(frame.assign(times=times), target="back", weight="times").describe()
    repeated = tn.scan(frame.iloc[np.repeat(np.arange(500), times)], target="back").describe()
    assert str(weighted) == str(repeated)


def test_many_values_of_text_are_bounded_and_their_number_is_estimated():
    rng = np.random.default_rng(3)
    often = rng.choice(["x", "y"], 30_000)
    text = np.where(rng.random(30_000) < 0.4, often, [f"id {i}" for i in rng.integers(0, 12_000, 30_000)])
    frame = pd.DataFrame({"text": text, "y": rng.random(30_000)})
    with part_rows(4_000):
        column = tn.scan(frame, target="y").describe()["text"]
    counts = frame["text"].value_counts()
    assert column.distinct_error > 0
    assert abs(column.distinct / len(counts) - 1) < 2 * column.distinct_error
    assert [part.label for part in column.parts[:2]] == counts.index[:2].tolist()
    model = tn.Profile(max_values=50).fit(frame[["text"]])
    off = model.certificate_["count error"].value * 30_000
    for part in model.describe()["text"].parts:
        assert counts[part.label] - off - 1e-6 <= part.share * 30_000 <= counts[part.label] + 1e-6


@pytest.mark.parametrize("distinct", [10, 1_001, 5_000, 200_000])
def test_the_number_of_distinct_values_merges_to_the_bit(distinct):
    texts = np.array([f"value {i}" for i in range(distinct)], dtype=object)
    weight = np.ones((distinct, 1))
    whole = ValueTable.of(texts, weight, 1000)
    cut = distinct // 3
    merged = ValueTable.of(texts[:cut], weight[:cut], 1000) + ValueTable.of(texts[cut:], weight[cut:], 1000)
    assert np.array_equal(whole.hashes, merged.hashes)
    assert len(whole.hashes) <= SKETCH_SIZE
    found = whole.distinct
    assert found.error == 0 if distinct <= 1000 else abs(found.number / distinct - 1) < 1.5 * found.error


def test_more_numbers_than_are_told_apart_are_bounded():
    values = np.random.default_rng(0).normal(size=100_000)
    column = tn.Profile().fit(pd.DataFrame({"x": values})).describe()["x"]
    assert np.isinf(column.distinct_error)
    assert 1_000 < column.distinct <= 100_000
    assert 0 < column.rank_error < 0.01
    rank = (values <= column.quantiles["median"]).mean()
    assert abs(rank - 0.5) <= column.rank_error


def test_columns_of_other_types_are_ignored_and_kinds_are_chosen():
    table = pa.table(
        {"x": [1, 2, 3], "zip": [10, 20, 20], "list": [[1], [2], [3]], "t": pa.array([1, 2, 3], pa.time32("s"))}
    )
    found = tn.Profile(kinds={"x": "ignored"}).fit(tn.scan(table)).describe()
    assert [column.kind for column in found.columns] == ["ignored", "number", "ignored", "time"]
    assert found["t"].value(found["t"].quantiles["max"]) == "00:00:03"
    assert "00:00:01" in str(found)
    with pytest.raises(DataError, match=r"kinds names columns that are not there: \['y'\]"):
        tn.Profile(kinds={"y": "number"}).fit(tn.scan(table))
    with pytest.raises(ValueError, match="kinds: 'x' is 'words', not one of"):
        tn.Profile(kinds={"x": "words"}).fit(tn.scan(table))


def test_arrays_and_targets_of_many_classes():
    X = np.random.default_rng(0).normal(size=(200, 2))
    assert tn.Profile().fit(X).describe().target == ()
    assert tn.Profile().fit(X, X[:, 0] > 0).describe().classes == (False, True)
    with pytest.raises(DataError, match="the target has 200 classes"):
        tn.Profile().fit(X, np.arange(200))
    found = tn.Profile(target="number").fit(X, np.arange(200)).describe()
    assert found.target == pytest.approx((99.5,))
    words = np.array([["a", None], ["b", "x"], ["a", "x"]], dtype=object)
    assert tn.Profile().fit(words).describe().columns[0].parts[0].label == "a"


def test_it_is_shown_as_text_html_a_frame_and_a_picture():
    found = tn.scan(orders(), target="back").describe()
    assert "target 'yes' from, to" in str(found)
    assert "3,000 rows" in str(found)
    assert found._repr_html_().count("<tr") == 1 + len(found.columns)
    frame = found.to_pandas()
    assert frame.loc["shop", "top"] == "a"
    assert frame.loc["price", "median"] == found["price"].quantiles["median"]
    display = tn.display.ProfileDisplay(found).plot(wide=4)
    assert [ax.get_title().split(",")[0] for ax in display.axes_] == [c.name for c in found.columns if c.parts]
    assert len(display.axes_[1].patches) == 3
    with pytest.raises(KeyError, match="there is no column 'size'"):
        found["size"]
    with pytest.raises(DataError, match="no column with values"):
        tn.display.ProfileDisplay(found).plot(columns=["empty"])
    many = tn.display.ProfileDisplay.from_rows(orders()[["price"]], np.arange(3_000) % 3, top=3)
    assert len(many.axes_) == 1
    assert many.description.classes == (0, 1, 2)


def test_values_and_names_are_shown_letter_by_letter():
    frame = pd.DataFrame({"a $_$ b": ["first\nsecond", "\x1b[31mred", "$x_{$"]})
    found = tn.scan(frame).describe()
    assert len(str(found).splitlines()) == 3
    assert r"\x1b[31mred" in str(found)
    assert r"first\nsecond" in str(found)
    display = tn.display.ProfileDisplay(tn.scan(frame[2:]).describe()).plot()
    display.figure_.canvas.draw()
    assert display.axes_[0].get_title() == "a $_$ b"


def test_a_target_of_one_class_is_the_same_everywhere():
    frame = pd.DataFrame({"x": [1, 2, 3], "back": ["no", "no", "yes"], "times": [1, 2, 0]})
    for rows in (tn.scan(frame[["x", "back"]][:2], "back"), tn.scan(frame, "back", weight="times")):
        found = rows.describe()
        assert "target: 'no' 100 %" in str(found)
        assert "from, to" not in str(found)
        display = tn.display.ProfileDisplay(found).plot()
        assert len(display.figure_.axes) == 1
