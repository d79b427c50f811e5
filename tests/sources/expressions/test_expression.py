"""Expressions: what they compute beside polars, how they are written down, and what they refuse."""

import datetime as dt
import re
from decimal import Decimal

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


@pytest.mark.parametrize("name", SAME)
def test_repr_is_the_call(name):
    ours = SAME[name][0]
    assert eval(repr(ours), {"col": col, "when": when, "datetime": dt}).to_json() == ours.to_json()


def test_repr_of_nested_operators():
    a, b = col("a"), col("b")
    assert repr((a + b) * -a / (2 - b)) == "((col('a') + col('b')) * (-col('a'))) / (2 - col('b'))"
    assert repr(((a > 0) & ~(b == -1)).cast("int64")) == "((col('a') > 0) & (~(col('b') == (-1)))).cast('int64')"
    assert (
        repr(when(a > 0).then(b.dt.hour()).otherwise(None))
        == "when(col('a') > 0).then(col('b').dt.hour()).otherwise(None)"
    )


def test_every_function_is_tested():
    used = {e.function for ours, _ in SAME.values() for e in ours._each()}
    assert {*FUNCTIONS} - used == {
        "to_uppercase",
        "is_nan",
        "fill_nan",
        "cast_valid",
        "lit",
    }  # which the next tests call


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


@pytest.mark.parametrize(
    ("expression", "row"),
    [
        (col("x") ** 400, 0),
        ((-col("x")) ** 0.5, 0),
        ((col("x") * 0) ** -1, 0),
        ((col("x") * 100).exp(), 0),
        (col("large") + col("large"), 1),
        (col("large") - -col("large"), 1),
        (col("large") * 10, 1),
        (col("large") / 1e-300, 1),
        (col("large").cast("float32"), 1),
        (col("text").cast("float64"), 1),
    ],
)
def test_no_result_is_infinite_or_nan_of_finite_values(expression, row):
    table = pa.table({"x": [10.0, 10.0], "large": [1.0, 1e308], "text": ["1", "nan"]})
    with pytest.raises(tn.DataError, match=f"row {row}: the result is not a finite number"):
        tn.scan(table).with_columns(new=expression).head(2)


def test_infinity_and_nan_of_the_rows_stay():
    found = tn.scan(pa.table({"x": [np.nan, None, np.inf, 1]})).with_columns(y=col("x") * 2 + 1).head(4)
    assert repr(found["y"].to_pylist()) == "[nan, None, inf, 3.0]"


NULL_OF = {
    "text": (col("x").str.to_lowercase().str.len_chars(), None),
    "filled": (col("x").fill_null("").str.contains("a"), False),
    "date": (col("x").dt.date(), None),
    "hour": (col("x").dt.hour(), None),
    "span": ((col("x") - col("z")).dt.total_seconds(), None),
    "equal": (col("x") == col("z"), None),
    "condition": (when(col("x") > 0).then(1).otherwise(0), 0),
    "null condition": (when(col("x")).then(1).otherwise(0), 0),
    "and": ((col("x") > 0) & (col("n") > 1), False),
    "or": (col("x") | (col("n") == 1), True),
    "not": (~(col("x") == "a"), None),
    "is_in": (col("x").is_in(["a"]), None),
    "fill_null by it": (col("n").fill_null(col("x")), 1),
    "fill_nan": (col("x").fill_nan(0), None),
    "cast": (col("x").cast("date"), None),
    "logarithm": (col("x").log() + 1, None),
    "clip": (col("x").clip(0, 1).round(1), None),
}


@pytest.mark.parametrize("name", NULL_OF)
def test_a_column_without_any_value_has_no_type(name):
    expression, first = NULL_OF[name]
    table = pa.table({"x": pa.nulls(1), "z": pa.nulls(1), "n": [1]})
    assert tn.scan(table).with_columns(new=expression).head(1)["new"].to_pylist() == [first]


@pytest.mark.parametrize(
    ("values", "constant", "expected"),
    [
        (pa.array([1, None]), 0.5, [1.0, 0.5]),
        (pa.array([1, None], pa.int8()), 300, [1, 300]),
        (pa.array([1, None], pa.uint8()), -1, [1, -1]),
        (pa.array([Decimal("1.25"), None]), 0, [Decimal("1.25"), Decimal(0)]),
        (pa.array([1.5, None], pa.float32()), 2, [1.5, 2.0]),
    ],
)
def test_a_constant_that_the_column_does_not_hold_makes_both_wider(values, constant, expected):
    found = tn.scan(pa.table({"n": values})).with_columns(m=col("n").fill_null(constant), k=col("n").is_in([constant]))
    assert found.head(2)["m"].to_pylist() == expected
    assert found.head(2)["k"].to_pylist() == [False, None]


def test_constants_of_another_kind_are_refused():
    table = pa.table({"n": [1, None], "at": [dt.datetime(2025, 1, 1), None], "zip": ["01", "1"]})
    for wrong in (col("n").fill_null("x"), col("at").fill_null(0), col("zip").is_in([1]), col("zip").is_in(["1", 1])):
        with pytest.raises(tn.DataError, match="column 'm' = "):
            tn.scan(table).with_columns(m=wrong)
    with pytest.raises(TypeError, match=r"Remedy: is_in\(\['ab'\]\)"):
        col("n").is_in("ab")


def test_dates_of_pandas_and_numpy_are_constants():
    at = dt.datetime(2025, 3, 1, 12)
    for value in (pd.Timestamp(at), np.datetime64(at, "ns"), np.datetime64(at, "s")):
        assert (col("at") > value).to_json() == (col("at") > at).to_json()
    for value in (np.datetime64("2025-03-01T12:00:00.000000001"), np.timedelta64(1, "ns"), pd.NaT):
        with pytest.raises(TypeError, match="not a constant"):
            _ = col("at") > value
    for value in (2**63, "\ud800"):
        with pytest.raises(tn.DataError, match="not a constant"):
            _ = col("n") == value


@pytest.mark.parametrize(("at", "length"), [(-3, 3), (-3, 2), (-3, 9), (-9, 7), (1, 3), (0, 9), (4, 2**40)])
def test_a_slice_from_the_end_is_that_of_polars(at, length):
    table = pa.table({"s": ["abcdef", "ab", "", None]})
    found = tn.scan(table).with_columns(s=col("s").str.slice(at, length)).head(4)["s"].to_pylist()
    assert found == pl.from_arrow(table)["s"].str.slice(at, length).to_list()


def test_empty_text_cannot_be_replaced():
    with pytest.raises(tn.DataError, match="the text to replace is empty"):
        tn.scan(pa.table({"s": ["abc"]})).with_columns(s=col("s").str.replace_all("", "x"))


def test_no_expression_computes_without_end():
    rows, long = tn.scan(pa.table({"s": ["x" * 10], "n": [1.5]})), col("s")
    for _ in range(8):
        long = long.str.replace_all("x", "x" * 50)
    with pytest.raises(tn.DataError, match="too long once they are replaced"):
        rows.with_columns(m=long.str.len_chars()).head(1)
    assert rows.with_columns(m=col("s").str.replace_all("x", "ab").str.len_chars()).head(1)["m"].to_pylist() == [20]
    for decimals in (2**62, -(2**62)):
        with pytest.raises(tn.DataError, match="no more than 323 decimals"):
            rows.with_columns(m=col("n").round(decimals))
    for _ in range(100):
        rows = rows.with_columns(n=col("n") + 1)
    assert rows.head(1)["n"].to_pylist() == [101.5]
    with pytest.raises(tn.DataError, match="more than 100 calls of with_columns"):
        rows.with_columns(n=col("n") + 1)


def test_a_set_is_written_in_one_order():
    words = [f"word {i}" for i in range(30)]
    assert col("s").is_in({*words}).to_json() == col("s").is_in(sorted(words)).to_json()


@pytest.mark.parametrize(
    "kind",
    [pa.string_view(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())],
    ids=["view", "large", "dictionary"],
)
def test_text_in_any_form(kind):
    table = pa.concat_tables([pa.table({"s": pa.array(some, kind)}) for some in (["a", None], ["b", "a"])])
    found = tn.scan(table).with_columns(
        up=col("s").fill_null("z").str.to_uppercase(), one=when(col("s") == "a").then(col("s")).otherwise("q")
    )
    assert found.to_arrow().select(["up", "one"]).to_pydict() == {
        "up": ["A", "Z", "B", "A"],
        "one": ["a", "q", "q", "a"],
    }


def test_what_a_model_file_could_not_keep_is_refused_before_the_fit():
    rows, deep = tn.scan(pa.table({"n": [1]})), col("n")
    for _ in range(70):
        deep = deep + 1
    with pytest.raises(tn.DataError, match=r"cannot keep the expression of column 'm': .* more than 64 expressions"):
        rows.with_columns(m=deep)
    for _ in range(20_000):
        deep = deep + 1
    with pytest.raises(tn.DataError, match="cannot keep the expression of column 'm': maximum recursion depth"):
        rows.with_columns(m=deep)
    with pytest.raises(tn.DataError, match="more than 10,000 entries"):
        rows.with_columns(m=col("n").is_in(range(20_000)))


def test_any_name_is_a_name():
    names = ["self", "expressions", "a b", "it's"]
    rows = tn.scan(pa.table({name: [1] for name in names}))
    assert rows.with_columns(**{name: col(name) + 1 for name in names}).head(1).to_pydict() == {
        key: [2] for key in names
    }


def test_what_is_no_expression_is_refused():
    rows = tn.scan(pa.table({"n": [1]}))
    with pytest.raises(tn.DataError, match=r"Remedy: tenfold\.lit\(3\), a column of one value, or tenfold\.col"):
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
        '["add",{"float":"0x1p99999"},{"is":2}]', '["add",["column",{"is":"n"}],{"is":1180591620717411303424}]',
        '["equal",["column",{"is":"n"}],{"is":"\\ud800"}]', '["replace_all",{"is":"n"},{"is":""},{"is":"x"}]',
        '["abs",' * 70 + '["column",{"is":"n"}]' + "]" * 70, "[" * 100_000,
    ],
)  # fmt: skip
def test_forged_text_is_refused(text):
    with pytest.raises(tn.DataError):
        tn.scan(pa.table({"n": [1]})).with_columns(m=ColumnExpression.from_json(text)).head()


@pytest.mark.parametrize("to", ["float64", "float32"])
def test_text_that_is_no_number_is_missing_if_a_cast_is_not_strict(to):
    texts = ["2.5", " 3 ", "+4", "-.5", "1.", "1e2", "n/a", "", "nan", "inf", "1e999", "12,5", "0x1", "-+3", None]
    rows, made = tn.scan(pa.table({"a": texts, "b": np.arange(15)})), tn.col("a").cast(to, strict=False)
    assert repr(made) == f"col('a').cast({to!r}, strict=False)"
    again = type(made).from_json(made.to_json())
    for one in (made, again):
        found = rows.with_columns(a=one).head(15).to_pydict()["a"]
        assert found == [2.5, 3.0, 4.0, -0.5, 1.0, 100.0, *[None] * 9]


def test_a_cast_that_is_not_strict_takes_numbers_whole_ones_and_what_is_missing():
    make = tn.col("a").cast("int64", strict=False)
    for values, expected in (
        (pa.array(["3", "4.5", "99999999999999999999"]), [3, None, None]),
        (pa.array([1.0, 2.0]), [1, 2]),
        (pa.nulls(2), [None, None]),
        (pa.array(["7", "x"]).dictionary_encode(), [7, None]),
    ):
        assert tn.scan(pa.table({"a": values})).with_columns(a=make).head().to_pydict()["a"] == expected
    with pytest.raises(tn.DataError, match="strict=False converts text and numbers to one of"):
        tn.scan(pa.table({"a": ["x"]})).with_columns(a=tn.col("a").cast("date", strict=False))


def test_a_column_of_one_value_stands_in_for_one_that_a_new_day_lacks(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": random.normal(size=90), "d": random.normal(size=90), "shop": random.choice(list("xy"), 90)}
    )
    frame.loc[::3, "d"] = np.nan
    frame["y"] = random.integers(0, 2, 90)
    frame.drop(columns=["d", "shop"]).to_parquet(tmp_path / "day.parquet", row_group_size=30)
    day = tn.scan(tmp_path / "day.parquet", target="y")
    model = tn.HistGradientBoostingClassifier(max_iter=3).fit(tn.scan(frame, target="y"))
    with pytest.raises(tn.DataError, match=r"columns \['d', 'shop'\].*rows\.with_columns\((.*)\), where they") as info:
        model.predict(day).collect()
    (call,) = re.findall(r"rows\.with_columns\(.*\)(?=, where)", str(info.value))
    filled = eval(call, {"rows": day, "tenfold": tn})
    wanted = model.predict_proba(frame[["a", "d", "shop"]].assign(d=np.nan, shop=None))
    np.testing.assert_array_equal(model.predict_proba(filled).collect(), wanted)
    other = day.with_columns(d=tn.lit(1.5), shop=tn.lit("x"))
    wanted = model.predict_proba(frame[["a", "d", "shop"]].assign(d=1.5, shop="x"))
    np.testing.assert_array_equal(model.predict_proba(other).collect(), wanted)
    with pytest.raises(tn.DataError, match=r"'d' is None, and not an expression\. Remedy: tenfold\.lit\(None\)"):
        day.with_columns(d=None)
    for value in (None, 3, 2.5, "x", True):
        again = tn.ColumnExpression.from_json(tn.lit(value).to_json())
        assert repr(again) == repr(tn.lit(value)) == f"lit({value!r})"
