"""Reading a tree: PlayTennis by the book, and rules, DNF and SQL that say what the tree predicts."""

import re
import shutil
import sqlite3
import subprocess

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from tenfold.tree.rules.conditions import AMONG, BELOW
from tree.test_play_tennis import TABLE, X, y

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def tennis():
    return tn.ID3().fit(X, y)


def mixed(seed, n=500):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": random.normal(size=n), "b c": random.normal(size=n).round(1)})
    frame.loc[random.random(n) < 0.2, "a"] = np.nan
    frame["word's"] = np.array(["u", "v'", 'w"', "x", None], dtype=object)[random.integers(0, 5, n)]
    z = np.nan_to_num(frame["a"], nan=0.5) * frame["b c"] + (frame["word's"] == "u")
    return frame, z + 0.3 * random.normal(size=n)


@pytest.mark.quick
def test_play_tennis(tennis):
    assert tennis.tree_stats() == (5, 2, 9, 24.0)
    assert str(tennis.to_dnf("Yes")) == (
        "(Outlook = Overcast) ∨ (Outlook = Rain ∧ Wind = Weak) ∨ (Outlook = Sunny ∧ Humidity = Normal)"
    )
    assert str(tennis.to_dnf("No")) == "(Outlook = Rain ∧ Wind = Strong) ∨ (Outlook = Sunny ∧ Humidity = High)"
    assert [str(rule) for rule in tennis.rules_] == [
        "if Outlook = Overcast then Yes",
        "if Outlook = Rain and Wind = Strong then No",
        "if Outlook = Rain and Wind = Weak then Yes",
        "if Outlook = Sunny and Humidity = High then No",
        "if Outlook = Sunny and Humidity = Normal then Yes",
    ]
    assert tennis.to_text().split("\n")[:3] == [
        "Outlook = Overcast: Yes (4)",
        "Outlook = Rain",
        "|   Wind = Strong: No (2)",
    ]


def test_the_formula_is_the_table(tennis):
    """Evaluated as Python, the DNF is true on the rows of the class and false on the others."""
    formula = re.sub(r"(\w+) = (\w+)", r"row['\1'] == '\2'", str(tennis.to_dnf("Yes")))
    formula = formula.replace("∧", "and").replace("∨", "or")
    assert [eval(formula, {"row": row}) for _, row in TABLE.iterrows()] == (y == "Yes").tolist()


def fulfils(rule, row, schema):
    for one in rule.conditions:
        value = row.iloc[one.column]
        if pd.isna(value):
            fine = one.missing
        elif one.sign == AMONG:
            fine = value in schema.columns[one.column].categories[list(one.codes)]
        else:
            fine = (value <= one.bound) == (one.sign == BELOW)
        if not fine:
            return False
    return True


@pytest.mark.parametrize(
    "model",
    [
        tn.DecisionTreeClassifier(max_depth=5),
        tn.DecisionTreeClassifier("entropy", split="multiway", missing="node_majority", min_samples_leaf=5),
        tn.DecisionTreeClassifier(prune="reduced_error"),
        tn.DecisionTreeRegressor(max_depth=4),
        tn.RuleListClassifier(max_depth=6),
    ],
)
def test_rules_and_sql_say_what_is_predicted(model):
    frame, z = mixed(0)
    target = (
        z if isinstance(model, tn.DecisionTreeRegressor) else np.array(["low", "it's", "high"])[np.digitize(z, [0, 1])]
    )
    model.fit(frame[:300], target[:300])
    fresh = frame.copy()
    fresh.loc[::17, "word's"] = "never seen"
    said = model.predict(fresh)
    with sqlite3.connect(":memory:") as base:
        fresh.to_sql("rows", base, index=False)
        found = [value for (value,) in base.execute(f"SELECT {model.to_sql()} FROM rows ORDER BY rowid")]
    assert found == said.tolist()
    known = fresh["word's"] != "never seen"
    for (_, row), answer in list(zip(fresh[known].iterrows(), said[known], strict=True))[:100]:
        fits = [rule.prediction for rule in model.rules_ if fulfils(rule, row, model.schema_)]
        assert fits[0] == answer
        assert len(fits) == 1 or isinstance(model, tn.RuleListClassifier)


def test_missing_values_are_named_where_there_were_some():
    frame, z = mixed(1)
    assert "missing" in tn.DecisionTreeRegressor(max_depth=4).fit(frame, z).to_text()
    assert "missing" not in tn.DecisionTreeRegressor(max_depth=4).fit(frame[["b c"]], z).to_text()


def test_statistics_against_a_walk():
    frame, z = mixed(2)
    model = tn.DecisionTreeRegressor(min_samples_leaf=7).fit(frame, z)
    stats, leaves = model.tree_stats(), 0

    def walk(k, depth):
        nonlocal leaves
        if model.tree_.feature[k] < 0:
            leaves += 1
            return [(depth, model.value_[k, 1])]
        kids = range(model.tree_.first_child[k], model.tree_.first_child[k] + model.tree_.children[k])
        return [found for child in kids for found in walk(child, depth + 1)]

    found = np.array(walk(0, 0))
    assert stats.leaves == leaves == len(model.rules_)
    assert stats.height == found[:, 0].max()
    assert stats.external_path_length == found[:, 0].sum()
    assert stats.weighted_external_path_length == pytest.approx(found.prod(axis=1).sum(), rel=1e-12)


def test_a_tree_that_is_a_leaf():
    model = tn.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert (model.to_text(), model.to_sql(), str(model.to_dnf("a"))) == ("a (2)", "'a'", "true")
    assert model.tree_stats() == (1, 0, 0, 0.0)
    assert len(tn.display.TreeDisplay.from_estimator(model).boxes_) == 1


def test_graphviz(tennis):
    source = tennis.to_graphviz()
    assert source.count("->") == 7
    assert '0 -> 1 [label="Overcast"];' in source
    strange = tn.ID3().fit(pd.DataFrame({'say "hi"': ["u\\", 'v"']}), ["a", "b"]).to_graphviz()
    assert r'"say \"hi\"\n2"' in strange
    if shutil.which("dot"):
        for text in (source, strange):
            subprocess.run(["dot", "-Tsvg"], input=text, text=True, check=True, capture_output=True)


@pytest.mark.quick
def test_pictures(tennis):
    display = tn.display.TreeDisplay.from_estimator(tennis)
    assert [box.get_text() for box in display.boxes_][:3] == ["Outlook\n14", "Yes\n4", "Wind\n5"]
    assert len(display.lines_) == 7
    places = np.array([box.get_position() for box in display.boxes_])
    leaves = places[tennis.tree_.leaves]
    assert sorted(leaves[:, 0]) == list(range(5)), "leaves stand one apart"
    assert places[0, 0] == pytest.approx((places[1, 0] + places[3, 0]) / 2)
    frame, z = mixed(3)
    _, ax = plt.subplots()
    short = tn.display.TreeDisplay.from_estimator(tn.DecisionTreeRegressor().fit(frame, z), max_depth=2, ax=ax)
    assert short.ax_ is ax
    assert len(short.boxes_) == 7
    assert short.boxes_[-1].get_text().startswith("…")


def test_answers_in_a_picture_are_short_lines_and_upright_where_there_are_many():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"x": random.normal(size=400), "shop": [f"shop {i % 12}" for i in range(400)]})
    frame.loc[::5, "x"] = np.nan
    y = (frame["x"].fillna(9.0) > 0) & frame["shop"].isin(["shop 0", "shop 3", "shop 4", "shop 5", "shop 7"])
    folded = tn.display.TreeDisplay.from_estimator(tn.DecisionTreeClassifier().fit(frame, y))
    said = [text.get_text() for text in folded.ax_.texts if text not in folded.boxes_]
    assert said[:2] == ["shop 1,\nshop 10,\nshop 11,\n4 more", "shop 0, shop 3,\nshop 4, 2 more"]
    assert said[3].startswith("> 0.0")
    assert said[3].endswith(",\nmissing")
    assert len(said) == len(folded.lines_)
    upright = tn.display.TreeDisplay.from_estimator(tn.ID3(max_depth=1).fit(frame[["shop"]], y))
    assert {text.get_rotation() for text in upright.ax_.texts if text not in upright.boxes_} == {90}


def test_errors_name_the_remedy(tennis):
    with pytest.raises(ValueError, match="Maybe"):
        tennis.to_dnf("Maybe")
    with pytest.raises(TypeError, match="rules_"):
        tn.DecisionTreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).to_dnf(1.0)
    with pytest.raises(ValueError, match="fractional"):
        tn.C45().fit(X, y).to_sql()
    with pytest.raises(TypeError, match="GaussianNB"):
        tn.display.TreeDisplay.from_estimator(tn.GaussianNB())
    with pytest.raises(AttributeError):
        _ = tn.ID3().rules_


def asked(base, model, frame, **more):
    frame.to_sql("odd", base, index=False, if_exists="replace")
    return [value for (value,) in base.execute(f"SELECT {model.to_sql(**more)} FROM odd ORDER BY rowid")]


@pytest.mark.parametrize("kind", [tn.DecisionTreeClassifier, tn.RuleListClassifier])
def test_sql_of_a_split_of_what_is_missing_from_what_is_not(kind):
    frame = pd.DataFrame({"x": [1.0, np.nan] * 20})
    y = np.where(frame["x"].isna(), "none", "some")
    model = kind().fit(frame, y)
    assert "inf" not in model.to_sql()
    assert "inf" not in model.to_text()
    with sqlite3.connect(":memory:") as base:
        assert asked(base, model, frame) == model.predict(frame).tolist() == y.tolist()


@pytest.mark.parametrize("kind", [tn.DecisionTreeClassifier, tn.RuleListClassifier])
def test_sql_of_backslashes_quotes_and_lines(kind):
    words = np.array(["a\\", "it's", 'say "so"', "two\nlines", "\\'", "`", "%_"], dtype=object)
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'na"me\\`': words[random.integers(0, len(words), 300)]})
    y = frame.iloc[:, 0].to_numpy()
    model = kind(split="multiway").fit(frame, y)
    with sqlite3.connect(":memory:") as base:
        assert asked(base, model, frame) == model.predict(frame).tolist() == y.tolist()
    escaped = model.to_sql(dialect="mysql")
    assert "'a\\\\'" in escaped  # two backslashes, as MySQL reads them
    assert "'it\\'s'" in escaped
    assert '`na"me\\```' in escaped
    with pytest.raises(ValueError, match="dialect"):
        model.to_sql(dialect="cobol")


def test_sql_of_columns_that_are_booleans_in_the_table():
    """SQLite knows no BOOLEAN: that a column stands alone, or behind NOT, is what DuckDB and PostgreSQL want."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"flag": random.random(200) < 0.5, "x": random.random(200)})
    y = np.where(frame["flag"] & (frame["x"] > 0.5), "yes", "no")
    model = tn.DecisionTreeClassifier().fit(frame, y)
    text = model.to_sql(booleans=["flag"])
    assert '"flag" ' not in text.replace('"flag" THEN', "")
    with sqlite3.connect(":memory:") as base:
        assert asked(base, model, frame, booleans=["flag"]) == y.tolist()
    with pytest.raises(ValueError, match="booleans"):
        model.to_sql(booleans=["flog"])
