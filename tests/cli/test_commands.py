"""Commands on tables as people have them: what is prepared, written and refused."""

import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from tenfold.cli.main import main
from tenfold.cli.options import condition, value

rng = np.random.default_rng(0)
n = 600
ORDERS = pd.DataFrame(
    {
        "order": [f"o{i}" for i in range(n)],
        "when": pd.date_range("2026-01-01", periods=n, freq="7h"),
        "shop": rng.choice(["Bern", "Oslo"], n),
        "customer": [f"c{i}" for i in rng.integers(0, 100, n)],
        "price": np.where(rng.random(n) < 0.2, np.nan, rng.gamma(2.0, 10.0, n)),
        "note": [" ".join(rng.choice(["late", "good", "bad", "box", "ok"], 3)) for _ in range(n)],
    }
)
ORDERS["returned"] = np.where(rng.random(n) < 1 / (1 + np.exp(2 - 0.1 * ORDERS["price"].fillna(20.0))), "yes", "no")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ORDERS.to_parquet("orders.parquet", row_group_size=200)
    ORDERS.to_csv("orders.csv", index=False)


def run(text, capsys, code=0):
    assert main(text.split()) == code, capsys.readouterr()
    return capsys.readouterr().out if code == 0 else capsys.readouterr().err


def fit(learner, capsys, more=""):
    text = f"fit orders.parquet -t returned --drop order -l {learner} -o m.tenfold {more}"
    return run(text, capsys), tn.load("m.tenfold")


def test_columns_are_prepared_for_the_learner(capsys):
    said, model = fit("LogisticRegression", capsys)
    assert said.splitlines()[:5] == [
        "price: SimpleImputer, then StandardScaler",
        "shop: as they are",
        "customer: TargetEncoder",
        "note: TextFeatures",
        "when: DateParts",
    ]
    assert model.score(tn.scan(ORDERS, target="returned", drop=["order"])) > 0.6
    said, model = fit("HistGradientBoostingClassifier", capsys, "--set max_iter=3")
    assert "price: as they are" in said
    assert model[-1].max_iter == 3


def test_a_learner_that_takes_the_columns_is_fitted_to_them(capsys):
    said = run(
        "fit orders.parquet -l Ridge -t price -o m.tenfold --drop order,when,customer,note --where price>0", capsys
    )
    assert said.startswith("m.tenfold: Ridge, ")
    rows = tn.scan(
        "orders.parquet", target="price", drop=["order", "when", "customer", "note"], where=[("price", ">", 0)]
    )
    assert tn.load("m.tenfold").coef_.tobytes() == tn.Ridge().fit(rows).coef_.tobytes()


def test_an_id_is_refused_by_name(capsys):
    said = run("fit orders.parquet -t returned -l LogisticRegression -o m.tenfold", capsys, 1)
    assert "column 'order' has 600 distinct values in 600 rows" in said
    assert "Remedy: --drop order" in said


@pytest.mark.parametrize("out", ["said.csv", "said.parquet", "said", None])
def test_predictions_are_those_of_the_model(out, capsys):
    _, model = fit("HistGradientBoostingClassifier", capsys, "--set max_iter=3")
    written = f"-o {out}" if out else ""
    text = run(f"predict m.tenfold orders.csv --proba --keep order {written}", capsys)
    read = {".csv": pd.read_csv, "uet": pd.read_parquet}
    found = pd.read_csv(io.StringIO(text)) if out is None else read.get(out[-4:] if out[-1] == "v" else "uet")(out)
    assert found["order"].tolist() == ORDERS["order"].tolist()
    wanted = model.predict_proba(tn.scan(ORDERS, drop=["order", "returned"])).collect()
    np.testing.assert_allclose(found.iloc[:, -2:].to_numpy(), wanted, rtol=1e-12)


def test_everything_is_there_as_json(capsys):
    fit("GaussianNB", capsys)
    ORDERS.assign(price=ORDERS["price"] + 1.0, when=ORDERS["when"] + pd.Timedelta("400D")).to_parquet("new.parquet")
    drop = "-t returned --drop order,customer"
    commands = [
        "describe orders.parquet -t returned",
        "evaluate m.tenfold new.parquet -t returned --drop order",
        "inspect m.tenfold",
        "verify m.tenfold",
        "check",
        f"compare orders.parquet {drop} -l GaussianNB,DummyClassifier --folds 3 --groups when.month",
        f"tune orders.parquet {drop} -l GaussianNB -g var_smoothing=1e-9,1e-3 --folds 3",
        "fit orders.parquet -t returned --drop order -l GaussianNB -o n.tenfold",
    ]
    found = {}
    for command in commands:
        found[command.split()[0]] = json.loads(run(f"{command} --json", capsys))
    assert found["describe"]["columns"][4]["missing"] == pytest.approx(ORDERS["price"].isna().mean())
    assert found["evaluate"]["scores"][0]["score"] == "error"
    assert found["inspect"]["columns"] == ["when", "shop", "customer", "price", "note"]
    assert found["verify"]["origin"] == "verified"
    assert found["compare"]["pairs"]["a"] == ["GaussianNB"]
    assert set(found["tune"]["best"]) == {"var_smoothing"}


@pytest.mark.parametrize("more", ["", "--correction fdr --level 0.01", "--min-distance 0.9", "--where price>5"])
def test_columns_that_drifted_are_named(more, capsys):
    ORDERS.assign(price=ORDERS["price"] * 3.0).to_parquet("new.parquet")
    given = "drift orders.parquet new.parquet -t returned --drop order,when"
    found = json.loads(run(f"{given} --json {more}", capsys))
    assert found["drifted"] == ([] if "distance" in more else ["price"])
    assert {change["column"] for change in found["changes"]} == {"shop", "customer", "price", "note", "(target)"}
    assert main([*given.split(), "--exit-code", *more.split()]) == (0 if "distance" in more else 1)
    assert run("drift orders.parquet orders.parquet --drop order --exit-code", capsys)


def test_cubes_are_fitted_predicted_and_added(capsys):
    half = ORDERS.dropna()[["shop", "price", "returned"]].assign(size=lambda f: f["price"] ** 0.5)
    half.iloc[:200].to_parquet("one.parquet")
    half.iloc[200:].to_parquet("two.parquet")
    for name in ("one", "two"):
        said = run(f"cube {name}.parquet -b shop -t price --drop returned -l Ridge -o cube_{name}.parquet", capsys)
        assert f"cube_{name}.parquet: 2 cells, 0 without a model" in said
    assert "both.parquet: 2 cells" in run("merge cube_one.parquet cube_two.parquet -o both.parquet", capsys)
    assert "2 cells" in run("inspect both.parquet", capsys)
    whole = tn.Cube(tn.Ridge(), by="shop").fit(tn.scan(half, target="price", drop=["returned"]))
    np.testing.assert_allclose(tn.Cube.open("both.parquet")["Bern"].coef_, whole["Bern"].coef_, rtol=1e-10)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("fit orders.parquet -t returnd -l Ridge -o m.tenfold", 1, "did you mean ['returned']"),
        ("fit order.parquet -t returned -l Ridge -o m.tenfold", 1, "did you mean"),
        ("fit orders.parquet -t returned -l Rigde -o m.tenfold", 2, "did you mean Ridge"),
        ("fit orders.parquet -t returned -l Ridge -s alfa=1 -o m.tenfold", 2, "did you mean 'alpha'"),
        ("fit orders.parquet -t returned -l Ridge -s alpha -o m.tenfold", 2, "no NAME=VALUE"),
        ("fit orders.parquet -t returned -l Ridge -s alpha=-1 -o m.tenfold", 1, "alpha"),
        ("fit orders.parquet -t returned -l Ridge -o m.txt", 2, "must end in .tenfold"),
        ("fit orders.parquet -t returned -l Ridge -o no/m.tenfold", 2, "no folder"),
        ("fit orders.parquet -t returned -l Ridge -o m.tenfold --engine spork", 2, "is none of"),
        ("describe orders.parquet --where price", 2, "is no condition"),
        ("inspect orders.csv", 1, "tenfold:"),
        ("inspect gone.tenfold", 1, "gone.tenfold"),
        ("merge m.tenfold -o both.tenfold", 2, "two models"),
        ("frobnicate", 2, "No such command"),
    ],
)
def test_errors_name_what_is_wrong(text, code, said, capsys):
    message = run(text, capsys, code)
    assert said in " ".join(message.replace("│", " ").split()), message


def test_values_and_conditions():
    assert [value(one) for one in ("1", "0.5", "true", "None", "[1, 2]", "l2", "a-b")] == [
        1,
        0.5,
        True,
        None,
        [1, 2],
        "l2",
        "a-b",
    ]
    assert condition("price >= 10") == ("price", ">=", 10)
    assert condition("shop=Bern") == ("shop", "==", "Bern")
    assert condition("note != None") == ("note", "!=", None)


def test_without_typer_the_remedy_is_printed(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "typer", None)
    assert main(["--version"]) == 1
    assert "pip install 'tenfold[cli]'" in capsys.readouterr().err


def test_version_and_help(capsys):
    assert run("--version", capsys) == f"tenfold {tn.__version__}\n"
    assert "describe" in run("--help", capsys)


def test_on_a_cluster_the_bits_are_the_same(capsys):
    options = "fit orders.parquet -t price -l Ridge --drop order,when,customer,note --where price>0 --raw"
    run(f"{options} -o here.tenfold", capsys)
    run(f"{options} -o there.tenfold --engine dask", capsys)
    here, there = tn.load("here.tenfold"), tn.load("there.tenfold")
    assert here.coef_.tobytes() == there.coef_.tobytes()


def test_the_commands_of_the_readme_run(capsys):
    text = (Path(__file__).parents[2] / "README.md").read_text()
    commands = re.findall(r"^tenfold (.*)$", text, re.M)
    assert len(commands) == 3
    half = ORDERS.rename(columns={"order": "order_id"})
    half.iloc[:400].to_parquet("orders.parquet")
    half.iloc[400:].to_parquet("tomorrow.parquet")
    for command in commands:
        run(command, capsys)
    assert "Errors by shop" in Path("report.html").read_text()
