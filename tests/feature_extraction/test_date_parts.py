"""Parts of dates: against pandas, in every form that dates come in, and over files."""

import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.feature_extraction.date_parts import CYCLES, PARTS, TIME_PARTS
from tenfold.sources import part_rows
from tenfold.sources.files.parquet import ParquetSource
from tenfold.testing import bits

N = 600
RANDOM = np.random.default_rng(0)
MICROSECONDS = RANDOM.integers(-3 * 10**15, 4 * 10**15, N)
EDGES = [
    "1900-02-28T23:59:59.999999", "1969-12-31T23:59:59.999999", "1970-01-01", "2000-02-29",
    "2020-12-31T23:59:59.999999", "2021-01-01", "2021-01-03", "2024-02-29T12:00:00.000001",
    "2024-03-31T02:30:00", "2024-12-30", "2026-01-01",
]  # fmt: skip
WHEN = pd.Series(pd.to_datetime(MICROSECONDS, unit="us"))
WHEN[: len(EDGES)] = np.array(EDGES, dtype="M8[us]")
WHEN[20::17] = pd.NaT


OTHERWISE = ("weekday", "week", "is_weekend", "elapsed_days", "elapsed_seconds")
"""parts that pandas has, but under no such name, or no more"""


def expected(when):
    """What pandas says of dates, all parts."""
    at = when.dt
    clock = when if at.tz is None else at.tz_localize(None)
    elapsed = (clock - pd.Timestamp("1970-01-01").as_unit("us")).dt.total_seconds()
    found = {name: getattr(at, name) for name in PARTS if name not in OTHERWISE}
    found |= {"weekday": at.day_of_week, "week": at.isocalendar().week, "is_weekend": at.day_of_week >= 5}
    found |= {"elapsed_days": elapsed / 86_400, "elapsed_seconds": elapsed}
    assert {*found} >= {*PARTS}
    out = np.column_stack([pd.to_numeric(found[name]).to_numpy(np.float64, na_value=np.nan) for name in PARTS])
    out[when.isna()] = np.nan
    return out


def parts(**given):
    return tn.DateParts(list(PARTS), **given)


@pytest.mark.quick
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Oslo", "Asia/Kolkata", "America/New_York", "+05:30"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_all_parts_are_those_of_pandas(zone, unit):
    when = WHEN.dt.as_unit(unit)
    when = (
        when
        if zone is None
        else when.dt.tz_localize("UTC").dt.tz_convert(
            dt.timezone(dt.timedelta(hours=5.5)) if zone == "+05:30" else ZoneInfo(zone)
        )
    )
    found = parts().fit_transform(pd.DataFrame({"when": when}))
    np.testing.assert_allclose(found, expected(when), rtol=1e-15, atol=0)


def test_no_date_is_rounded_up_however_far():
    """The last instant of year 9999, as databases write "never": float64 does not hold its microseconds."""
    when = pa.array([253_402_300_799_999_999, -62_135_596_800_000_000], pa.timestamp("us"))
    found = tn.DateParts(["year", "month", "day", "hour", "second"]).fit_transform(pa.table({"when": when}))
    assert found.tolist() == [[9999, 12, 31, 23, 59], [1, 1, 1, 0, 0]]


FORMS = {
    "pandas": lambda: pd.DataFrame({"x0": WHEN}),
    "pandas, objects": lambda: pd.DataFrame({"x0": WHEN.astype(object)}),
    "pandas, category": lambda: pd.DataFrame({"x0": WHEN.astype("category")}),
    "polars": lambda: pl.DataFrame({"x0": WHEN.to_numpy()}),
    "polars, lazy": lambda: pl.LazyFrame({"x0": WHEN.to_numpy()}),
    "Arrow": lambda: pa.table({"x0": pa.array(WHEN)}),
    "array": lambda: WHEN.to_numpy()[:, None],
    "array, big-endian": lambda: WHEN.to_numpy()[:, None].astype(">M8[us]"),
    "objects": lambda: WHEN.astype(object).to_numpy()[:, None],
    "list": lambda: [[None if pd.isna(v) else v.to_pydatetime()] for v in WHEN],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_dates_gives_the_same(form):
    rows = FORMS[form]()
    with part_rows(71):
        model = parts(cyclic=True).fit(rows)
    np.testing.assert_array_equal(model.transform(rows), parts(cyclic=True).fit_transform(FORMS["Arrow"]()))
    assert str(model.first_[0]) == str(WHEN.min().floor("s").to_datetime64())[:19]
    assert str(model.last_[0]) == str(WHEN.max().floor("s").to_datetime64())[:19]


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m"])
def test_units_that_arrow_does_not_know(unit):
    days = np.array([["1999-12-27"], ["2024-02-26"], ["NaT"]], dtype="M8[D]").astype(f"M8[{unit}]")
    found = tn.DateParts(["year", "month", "day"]).fit_transform(days)
    want = pd.Series(days.ravel().astype("M8[s]")).dt
    np.testing.assert_array_equal(found, np.column_stack([want.year, want.month, want.day]))


def test_dates_without_times_and_times_without_dates():
    table = pa.table({
        "day": pa.array([dt.date(2024, 2, 29), None]), "ms": pa.array([1_709_164_800_000, None], pa.date64()),
        "clock": pa.array([dt.time(23, 59, 58, 500_000), None]), "short": pa.array([3661, None], pa.time32("s")),
    })  # fmt: skip
    days = tn.DateParts(["year", "day_of_year", "hour", "is_month_end"]).fit(table.select(["day", "ms"]))
    found = days.transform(table.select(["day", "ms"]))
    assert found[0].tolist() == [2024, 60, 0, 1] * 2
    assert np.isnan(found[1]).all()
    clock = tn.DateParts(list(TIME_PARTS)).fit(table.select(["clock", "short"]))
    found = clock.transform(table.select(["clock", "short"]))[0]
    seconds = 86_398.5
    assert found[:6].tolist() == [23, 59, 58, 500_000, seconds / 86_400, seconds]
    assert found[6:].tolist() == [1, 1, 1, 0, 3661 / 86_400, 3661]
    with pytest.raises(ValueError, match=r"'clock' holds times of a day, which have no 'year'. Remedy: DateParts\("):
        tn.DateParts(["hour", "year"]).fit(table.select(["clock"]))
    with pytest.raises(ValueError, match=r"'clock' held times of a day when the model was fitted, and holds dates now"):
        clock.transform(table.select(["day", "short"]).rename_columns(["clock", "short"]))


@pytest.mark.parametrize("part", CYCLES)
def test_sine_and_cosine_lie_on_the_circle_where_the_cycle_is(part):
    model = tn.DateParts([part], cyclic=True).fit(pd.DataFrame({"t": WHEN}))
    assert model.get_feature_names_out().tolist() == [f"t_{part}", f"t_{part}_sin", f"t_{part}_cos"]
    value, sine, cosine = model.transform(pd.DataFrame({"t": WHEN.dropna()})).T
    at = WHEN.dropna().dt
    length = {"quarter": 4, "month": 12, "day": at.days_in_month, "weekday": 7, "hour": 24, "minute": 60, "second": 60}
    length["day_of_year"] = 365 + at.is_leap_year
    first = 1 if part in ("quarter", "month", "day", "day_of_year") else 0
    angle = 2 * np.pi * (value - first) / np.asarray(length[part], dtype=float)
    np.testing.assert_allclose(sine, np.sin(angle), atol=1e-14)
    np.testing.assert_allclose(cosine, np.cos(angle), atol=1e-14)


def test_december_is_as_near_to_january_as_to_november():
    months = pd.DataFrame({"m": pd.to_datetime(["2023-11-05", "2023-12-05", "2024-01-05"])})
    _, sine, cosine = tn.DateParts(["month"], cyclic=True).fit_transform(months).T
    far = np.hypot(np.diff(sine), np.diff(cosine))
    assert far[0] == pytest.approx(far[1], rel=1e-12)


# ---- beside other columns ----------------------------------------------------------------------------


def mixed(rows=N):
    city = np.array(["Oslo", "Rome", None], dtype=object)[RANDOM.integers(0, 3, rows)]
    x = np.where(RANDOM.random(rows) < 0.1, np.nan, RANDOM.normal(size=rows))
    day = pd.Series(WHEN.dt.date)
    label = (WHEN.dt.hour.fillna(0) > 11).astype(int)
    zoned = WHEN.dt.tz_localize("UTC").dt.tz_convert("Europe/Oslo")
    return pd.DataFrame({"x": x, "city": city, "when": WHEN, "zoned": zoned, "day": day, "label": label})


FRAME = mixed()


def columns():
    return tn.ColumnTransformer([
        ("date", tn.DateParts(cyclic=True), ["when", "zoned"]), ("day", tn.DateParts(["week"]), ["day"]),
        ("fill", tn.SimpleImputer("constant"), ["x"]), ("code", tn.OneHotEncoder(handle_unknown="ignore"), ["city"]),
    ], sparse_threshold=0)  # fmt: skip


@pytest.fixture
def path(tmp_path):
    pq.write_table(pa.Table.from_pandas(FRAME), tmp_path / "rows.parquet", row_group_size=97)
    return tmp_path


def test_over_files_in_one_scan_with_the_bits_of_memory(path, monkeypatch):
    reads = []
    tables = ParquetSource.tables

    def counting(self, part, names, rows=None):
        reads.append((part, tuple(names)))
        return tables(self, part, names, rows)

    monkeypatch.setattr(ParquetSource, "tables", counting)
    rows = tn.scan(path, target="label")
    dates = tn.ColumnTransformer([("date", tn.DateParts(), ["when"]), ("fill", tn.SimpleImputer(), ["x"])]).fit(rows)
    assert sorted(reads) == [(part, ("x", "when")) for part in range(len(rows))]
    with part_rows(97):
        alone = clone(columns()).fit(FRAME)
    model = columns().fit(rows)
    assert bits(dates.named_transformers_["date"].model_) == bits(tn.DateParts().fit(FRAME[["when"]]).model_)
    later = model.transform(rows)
    assert not isinstance(later, np.ndarray)
    np.testing.assert_array_equal(later.collect(), alone.transform(FRAME))
    made = model.get_feature_names_out().tolist()
    assert made[:3] == ["date__when_year", "date__when_month", "date__when_month_sin"]
    assert len(made) == later.collect().shape[1]


def test_a_pipeline_learns_the_hour_and_takes_folds(path):
    rows = tn.scan(path, target="label")
    hour = tn.ColumnTransformer([("date", tn.DateParts(["hour"]), ["when"])])
    pipeline = make_pipeline(hour, tn.SimpleImputer(), tn.DecisionTreeClassifier(max_depth=2))
    cv = tn.cross_validate(pipeline, rows, folds=3, shuffle=True)
    assert cv.scores.mean() > 0.95
    frame = FRAME.drop(columns="label")
    assert pipeline.fit(frame, FRAME["label"]).score(frame, FRAME["label"]) > 0.95


def test_models_merge_and_save(tmp_path):
    a, b = columns().fit(FRAME[:200]), columns().fit(FRAME[200:])
    both = a + b
    when = both.named_transformers_["date"]
    assert when.first_[0] == WHEN.min().floor("s")
    both.save(tmp_path / "dates.tenfold")
    again = tn.load(tmp_path / "dates.tenfold")
    again.verify()
    np.testing.assert_array_equal(again.transform(FRAME), both.transform(FRAME))
    table = pa.table({"t": pa.array([dt.time(1), dt.time(2)])})
    clock = tn.DateParts(["hour"]).fit(table)
    clock.save(tmp_path / "clock.tenfold")
    assert tn.load(tmp_path / "clock.tenfold").transform(table).ravel().tolist() == [1, 2]


def test_objects_of_all_kinds_in_one_array():
    rows = np.array([[dt.date(2020, 1, 5), 1.0, "a"], [None, 3.0, "b"]], dtype=object)
    model = tn.ColumnTransformer([
        ("d", tn.DateParts(["day"]), [0]), ("s", tn.StandardScaler(), [1]), ("o", tn.OneHotEncoder(), [2]),
    ], sparse_threshold=0)  # fmt: skip
    np.testing.assert_array_equal(model.fit_transform(rows), [[5, -1, 1, 0], [np.nan, 1, 0, 1]])


def test_dask_arrays():
    dask = pytest.importorskip("dask.array")
    want = parts().fit_transform(pd.DataFrame({"when": WHEN}))
    array = dask.from_array(WHEN.to_numpy()[:, None], chunks=(200, 1))
    np.testing.assert_array_equal(parts().fit(array).transform(array).collect(), want)


@pytest.mark.quick
def test_columns_are_chosen_by_their_type(path):
    dates = tn.make_column_selector(dtype_include="datetime")
    assert dates(FRAME) == ["when", "zoned"]  # objects of Python have no type of their own in pandas
    assert dates(tn.scan(path)) == ["when", "zoned", "day"]
    assert dates(pl.from_pandas(FRAME)) == ["when", "zoned", "day"]
    rest = tn.make_column_selector(dtype_exclude=["datetime", "number"])
    assert rest(tn.scan(path)) == ["city"]


# ---- errors --------------------------------------------------------------------------------------------


def test_learners_of_numbers_refuse_dates_and_name_the_remedy(path):
    rows = tn.scan(path, target="label", columns=["x", "when", "zoned", "day"])
    remedy = r"ColumnTransformer\(\[\('when', DateParts\(\), \['when', 'zoned', 'day'\]\), ...\]\)"
    for learner in (tn.StandardScaler(), tn.Ridge(), tn.DecisionTreeClassifier()):
        with pytest.raises(tn.DataError, match=rf"'when' \(timestamp.* Remedy: .*{remedy}"):
            learner.fit(rows)
    with pytest.raises(tn.DataError, match=r"X holds datetime64.*, not numbers. Remedy: .*DateParts\(\)"):
        tn.StandardScaler().fit(WHEN.to_numpy()[:, None])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (pd.DataFrame({"a": [1.0]}), r"cannot be used as dates: 'a' \(double\).*Remedy: .*make dates of them first"),
        (pd.DataFrame({"a": ["2020-01-01"]}), r"cannot be used as dates: 'a' \((large_)?string\).*pandas.to_datetime"),
        (pd.DataFrame({"a": pd.to_timedelta([1], unit="s")}), r"cannot be used as dates: 'a' \(duration"),
        (np.array([[1.0]]), "column 'x0' holds float64, not dates. Remedy: convert it to dates, pandas.to_datetime"),
        (np.array([["2020-01-01"]]), "column 'x0' holds <U10, not dates. Remedy"),
        (np.array([["2020-01-01"]], dtype=object), "column 'x0' holds string, not dates. Remedy"),
        (pd.Series(WHEN), "one column. Remedy"),
        (
            pa.table({"a": pa.array([0], pa.timestamp("s", "Mars/Olympus"))}),
            r"column 'a': no time zone 'Mars/Olympus' is known here. Remedy: pip install tzdata",
        ),
    ],
)
def test_what_is_no_date_is_refused_by_name(rows, message):
    with pytest.raises(tn.DataError, match=message):
        tn.DateParts().fit(rows)


@pytest.mark.parametrize("wrong", [[], ["era"], ["day", "day"], [1]])
def test_parts_that_there_are_not(wrong):
    with pytest.raises(ValueError, match=r"The 'parts' parameter of DateParts .* Remedy: choose among year, quarter"):
        tn.DateParts(wrong).fit(pd.DataFrame({"when": WHEN}))


def test_outputs_of_a_model_are_no_dates(path):
    rows = tn.scan(path, columns=["x"])
    later = tn.StandardScaler().fit(rows).transform(rows)
    with pytest.raises(tn.DataError, match="column 'x' holds numbers, made by the step before"):
        tn.DateParts().fit(later)


def test_a_column_without_dates_is_missing_everywhere():
    rows = pa.table({"never": pa.nulls(3), "nat": pa.nulls(3, pa.timestamp("us"))})
    model = tn.DateParts().fit(rows)
    assert np.isnat(model.first_).all()
    assert np.isnan(model.transform(rows)).all()


def test_rows_of_weight_zero_are_not_there():
    weight = (np.arange(N) % 2).astype(float)
    model = tn.DateParts().fit(pd.DataFrame({"when": WHEN}), sample_weight=weight)
    assert model.first_[0] == WHEN[1::2].min().floor("s")
