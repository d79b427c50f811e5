"""Expressions: what they compute beside polars, how they are written down, and what they refuse."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tenfold as tn
from tenfold import ColumnExpression, col, when
from tenfold.sources.expressions.functions import FUNCTIONS

N = 300


@pytest.fixture(scope="module")
def frame():
    r = np.random.default_rng(0)
    times = pd.Timestamp("2023-12-28") + pd.to_timedelta(r.integers(0, 10**8, N), unit="s")
    return pd.DataFrame(
        {
            "a": r.normal(size=N).round(2),
            "b": r.integers(1, 9, N),
            "gap": np.where(r.random(N) < 0.2, np.nan, r.lognormal(size=N)),
            "word": pd.Series(r.choice(["  Late again", "ok", "Übrig ß", "", None], N)),
            "shop": pd.Categorical(r.choice(["x", "y", "z"], N)),
            "yes": r.random(N) < 0.5,
            "at": times.as_unit("us"),
            "since": pd.Series(times.as_unit("us")).sample(frac=1, random_state=0).to_numpy(),
        }
    )


X, P = {name: col(name) for name in ("a", "b", "gap", "word", "shop", "yes", "at", "since")}, pl.col
SAME = {
    "add": (X["a"] + X["b"], P("a") + P("b")),
    "radd": (1 + X["b"], 1 + P("b")),
    "subtract": (X["a"] - 2, P("a") - 2),
    "rsub": (2 - X["a"], 2 - P("a")),
    "multiply": (3 * X["a"] * X["b"], 3 * P("a") * P("b")),
    "divide": (X["a"] / X["b"], P("a") / P("b")),
    "divides integers": (X["b"] / 2, P("b") / 2),
    "rdiv": (1.0 / X["b"], 1.0 / P("b")),
    "power": (X["b"] ** 2, P("b").cast(pl.Float64) ** 2),
    "negate": (-X["b"], -P("b")),
    "abs": (X["a"].abs(), P("a").abs()),
    "equal": (X["b"] == 3, P("b") == 3),
    "not equal": (X["shop"] != "x", P("shop").cast(pl.String) != "x"),
    "less": (X["a"] < 0.5, P("a") < 0.5),
    "less or equal": (X["b"] <= 3, P("b") <= 3),
    "greater": (X["at"] > dt.datetime(2024, 5, 5), P("at") > dt.datetime(2024, 5, 5)),
    "greater or equal": (X["b"] >= X["a"], P("b") >= P("a")),
    "and": ((X["a"] > 0) & (X["gap"] > 1), (P("a") > 0) & (P("gap").fill_nan(None) > 1)),
    "or": ((X["a"] > 0) | (X["gap"] > 1), (P("a") > 0) | (P("gap").fill_nan(None) > 1)),
    "not": (~X["yes"], ~P("yes")),
    "log": (X["b"].log(), P("b").log()),
    "log1p": (X["b"].log1p(), P("b").log1p()),
    "exp": (X["a"].exp(), P("a").exp()),
    "sqrt": (X["b"].sqrt(), P("b").sqrt()),
    "round": (X["a"].round(1), P("a").round(1)),
    "floor": (X["a"].floor(), P("a").floor()),
    "ceil": (X["a"].ceil(), P("a").ceil()),
    "clip": (X["a"].clip(-1, 0.5), P("a").clip(-1, 0.5)),
    "clip below": (X["b"].clip(lower_bound=3), P("b").clip(lower_bound=3)),
    "cast": (X["b"].cast("str"), P("b").cast(pl.String)),
    "cast text": (X["b"].cast("str").cast("float64"), P("b").cast(pl.Float64)),
    "fill_null": (X["gap"].fill_null(-1.0), P("gap").fill_nan(None).fill_null(-1.0)),
    "fill_null by a column": (X["gap"].fill_null(X["a"]), P("gap").fill_nan(None).fill_null(P("a"))),
    "fill_null of text": (X["word"].fill_null(""), P("word").fill_null("")),
    "is_null": (X["word"].is_null(), P("word").is_null()),
    "is_in": (X["b"].is_in([1, 2, 77]), P("b").is_in([1, 2, 77])),
    "is_in of text": (X["word"].is_in(["ok", ""]), P("word").is_in(["ok", ""])),
    "lower": (X["word"].str.to_lowercase(), P("word").str.to_lowercase()),
    "strip": (X["word"].str.strip_chars(), P("word").str.strip_chars()),
    "length": (X["word"].str.len_chars(), P("word").str.len_chars().cast(pl.Int64)),
    "contains": (X["word"].str.contains("r"), P("word").str.contains("r", literal=True)),
    "starts": (X["word"].str.starts_with("o"), P("word").str.starts_with("o")),
    "ends": (X["word"].str.ends_with("n"), P("word").str.ends_with("n")),
    "replace": (X["word"].str.replace_all("a", "_"), P("word").str.replace_all("a", "_", literal=True)),
    "slice": (X["word"].str.slice(1, 3), P("word").str.slice(1, 3)),
    "year": (X["at"].dt.year(), P("at").dt.year()),
    "quarter": (X["at"].dt.quarter(), P("at").dt.quarter()),
    "month": (X["at"].dt.month(), P("at").dt.month()),
    "day": (X["at"].dt.day(), P("at").dt.day()),
    "ordinal day": (X["at"].dt.ordinal_day(), P("at").dt.ordinal_day()),
    "weekday": (X["at"].dt.weekday(), P("at").dt.weekday() - 1),
    "hour": (X["at"].dt.hour(), P("at").dt.hour()),
    "minute": (X["at"].dt.minute(), P("at").dt.minute()),
    "second": (X["at"].dt.second(), P("at").dt.second()),
    "date": (X["at"].dt.date(), P("at").dt.date()),
    "cast to date": (X["at"].cast("date"), P("at").dt.date()),
    "seconds": ((X["at"] - X["since"]).dt.total_seconds(), (P("at") - P("since")).dt.total_seconds()),
    "when": (
        when(X["a"] > 0).then(X["b"]).otherwise(X["gap"]),
        pl.when(P("a") > 0).then(P("b")).otherwise(P("gap").fill_nan(None)),
    ),
    "when it is missing": (
        when(X["gap"] > 1).then(1).otherwise(0),
        pl.when(P("gap").fill_nan(None) > 1).then(1).otherwise(0),
    ),
}
"""an expression, and polars' equal; NaN of pandas is missing in Arrow"""


@pytest.mark.parametrize("name", SAME)
def test_expressions_are_those_of_polars(name, frame):
    ours, theirs = SAME[name]
    found = tn.scan(frame).with_columns(found=ours).head(N)["found"].to_pylist()
    expected = pl.from_pandas(frame).select(found=theirs)["found"].to_list()
    if isinstance(next(v for v in expected if v is not None), float):
        np.testing.assert_allclose(*(np.array(some, float) for some in (found, expected)), rtol=1e-14)
    else:
        assert found == expected


@pytest.mark.parametrize("name", SAME)
def test_an_expression_is_read_as_it_was_written(name):
    ours, _ = SAME[name]
    again = ColumnExpression.from_json(ours.to_json())
    assert repr(again) == repr(ours)
    assert again.to_json() == ours.to_json()
    assert again.columns() == ours.columns()


def test_every_function_is_tested():
    used = {e.function for ours, _ in SAME.values() for e in ours._each()}
    assert {*FUNCTIONS} - used == {"to_uppercase", "is_nan", "fill_nan"}  # which the next tests call


def test_nan_is_a_number_where_a_file_has_it():
    rows = tn.scan(pa.table({"x": [1.0, np.nan, None]}))
    found = rows.with_columns(nan=col("x").is_nan(), filled=col("x").fill_nan(7.0)).head(3)
    assert found["nan"].to_pylist() == [False, True, None]
    assert found["filled"].to_pylist() == [1.0, 7.0, None]


def test_upper_case():
    found = tn.scan(pa.table({"x": ["ab", None]})).with_columns(x=col("x").str.to_uppercase()).head(2)
    assert found["x"].to_pylist() == ["AB", None]


def test_dates_have_the_clock_of_their_zone():
    times = pd.date_range("2025-03-29 22:30", periods=6, freq="h", tz="UTC").tz_convert("Europe/Oslo")
    rows = tn.scan(pd.DataFrame({"at": times})).with_columns(hour=col("at").dt.hour(), day=col("at").dt.date())
    assert rows.head(6)["hour"].to_pylist() == times.hour.tolist()
    assert rows.head(6)["day"].to_pylist() == [t.date() for t in times]


def test_a_branch_is_computed_for_its_own_rows_alone():
    rows = tn.scan(pa.table({"n": [2, 0, None, 4]}))
    each = when(col("n") > 0).then(8 / col("n")).otherwise(None)
    nested = when(col("n").is_null()).then(-1.0).otherwise(when(col("n") == 0).then(0.0).otherwise(col("n").log()))
    found = rows.with_columns(each=each, nested=nested).head(4)
    assert found["each"].to_pylist() == [4.0, None, None, 2.0]
    assert found["nested"].to_pylist() == [np.log(2), 0.0, -1.0, np.log(4)]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (1 / col("n"), "row 5: divide by zero"),
        (col("m").log(), "row 7"),
        (col("m").sqrt(), "row 7"),
        (col("big") * 2, "row 2: overflow"),
        (col("word").cast("float64"), "row 3: Failed to parse string: 'three'"),
        (col("n") + col("word"), "'word' is string"),
        (when(col("n")).then(1).otherwise(0), "a condition is true or false"),
    ],
)
def test_what_has_no_value_names_the_column_and_the_row(expression, said):
    table = pa.table(
        {
            "n": [1, 2, 3, 4, 5, 0, 0, 1],
            "m": [1.0, 2, 3, 4, 5, 6, 7, -1],
            "big": [1, 2, 2**62, 2**62, 1, 1, 1, 1],
            "word": ["1", "2", "2.5", "three", "4", "x", "5", "6"],
        }
    )
    with pytest.raises(tn.DataError, match="column 'new' = ") as caught:
        tn.scan(table).with_columns(new=expression).head(8)
    assert said in str(caught.value)
    assert "Remedy: " in str(caught.value)


def test_a_constant_that_the_column_does_not_hold_is_refused():
    with pytest.raises(tn.DataError, match="'n' is int64"):
        tn.scan(pa.table({"n": [1, None]})).with_columns(n=col("n").fill_null(0.5))


def test_what_is_no_expression_is_refused():
    rows = tn.scan(pa.table({"n": [1]}))
    with pytest.raises(tn.DataError, match=r"Remedy: tenfold\.col"):
        rows.with_columns(m=3)
    with pytest.raises(tn.DataError, match="no column 'm'; did you mean|there is no column 'm'"):
        rows.with_columns(k=col("m") + 1)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(col("n") > 1)
    with pytest.raises(TypeError, match="not a constant"):
        col("n") + object()
    with pytest.raises(tn.DataError, match="not a function"):
        ColumnExpression("system", "ls")
    with pytest.raises(tn.DataError, match="cast to 'complex' is not offered"):
        rows.with_columns(m=col("n").cast("complex"))
    with pytest.raises(TypeError, match="a condition is an expression"):
        when(True)
    with pytest.raises(tn.DataError, match="no named columns"):
        tn.scan(np.ones((3, 2))).with_columns(m=col("x0") + 1)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "[1]", "3", "null", '{"is":3}',
        '["add",1]', '["column",["column",{"is":"n"}]]', '["import",{"is":"os"}]',
        '["add",{"is":[1]},{"is":2}]', '["add",{"float":"x"},{"is":2}]',
        '["cast",["column",{"is":"n"}],{"is":"object"}]', '["contains",["column",{"is":"n"}],{"is":3}]',
        '["abs",' * 70 + '["column",{"is":"n"}]' + "]" * 70, "[" * 100_000,
    ],
)  # fmt: skip
def test_forged_text_is_refused(text):
    with pytest.raises(tn.DataError):
        tn.scan(pa.table({"n": [1]})).with_columns(m=ColumnExpression.from_json(text)).head()
