"""What stopped a new user on a job with a Parquet file of orders for each day, from the first look to a new day."""

import subprocess
import sys
import warnings
from datetime import date, datetime, timedelta

import cloudpickle
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator

import tenfold as tn
from tenfold.core.value import ByParams
from tenfold.display.drawing import legend_of
from tenfold.metrics.predictors import learners_of

FIRST_DAY = date(2025, 3, 1)
ROWS = 150
SHOPS = [f"shop {k:03d}" for k in range(20)]
CATEGORIES = ["bags", "books", "coats", "hats", "shoes", "toys"]
WORDS = ["ring", "fast", "gift", "leave", "door", "wrong", "size", "broken", "late", "box"]
EFFECTS = {"wrong": 0.8, "size": 0.6, "broken": 1.0, "late": 0.4, "gift": -0.4}


def orders(day):
    """The orders of a day: gaps in numbers and in text, and a target that is text."""
    random = np.random.default_rng(day)
    named = random.random(ROWS) < 0.6
    words = random.choice(WORDS, (ROWS, 3))
    category = random.integers(0, len(CATEGORIES), ROWS)
    price = np.round(np.exp(random.normal(3.2, 0.8, ROWS)), 2)
    of_words = np.array([sum(EFFECTS.get(word, 0) for word in row) for row in words])
    logit = -1.2 + 0.4 * (category - 2) + 0.8 * np.sin(np.log(price)) + np.where(named, of_words, 0.0)
    seconds = np.sort(random.integers(0, 86_400, ROWS))
    start = datetime(2025, 3, 1) + timedelta(days=day)
    notes = [" ".join(row) if has else None for row, has in zip(words, named, strict=True)]
    return pa.table(
        {
            "order_id": np.arange(day * ROWS, (day + 1) * ROWS),
            "timestamp": [start + timedelta(seconds=int(second)) for second in seconds],
            "shop": random.choice(SHOPS, ROWS),
            "category": [CATEGORIES[k] for k in category],
            "price": price,
            "quantity": 1 + random.poisson(0.7, ROWS),
            "discount": pa.array([None if random.random() < 0.3 else float(random.integers(5)) for _ in range(ROWS)]),
            "note": pa.array(notes, pa.string()),
            "returned": np.where(random.random(ROWS) < 1 / (1 + np.exp(-logit)), "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("orders")
    for day in range(3):
        pq.write_table(orders(day), found / f"{FIRST_DAY + timedelta(days=day)}.parquet")
    return found


@pytest.fixture(scope="module")
def rows(folder):
    return tn.scan(folder, target="returned", drop=["order_id"])


@pytest.fixture(scope="module")
def new_day(tmp_path_factory):
    path = tmp_path_factory.mktemp("new") / "2025-03-04.parquet"
    pq.write_table(orders(3), path)
    return path


def columns():
    fill = tn.make_pipeline(tn.SimpleImputer(), tn.StandardScaler())
    return tn.ColumnTransformer(
        [
            ("cat", tn.OneHotEncoder(handle_unknown="ignore"), ["shop", "category"]),
            ("num", fill, ["price", "quantity", "discount"]),
            ("date", tn.DateParts(parts=["weekday", "hour"]), ["timestamp"]),
            ("text", tn.TextFeatures(missing="empty"), "note"),
        ]
    )


@pytest.fixture(scope="module")
def boosting(rows):
    return tn.make_pipeline(columns(), tn.HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5)).fit(rows)


@pytest.fixture(scope="module")
def bayes(rows):
    return tn.make_pipeline(columns(), tn.GaussianNB(var_smoothing=1e-3)).fit(rows)


# ---- a first look -------------------------------------------------------------------------------------


def test_a_first_look_needs_no_other_library(rows):
    text = str(rows.describe())
    for row in ("price", "note", "category", "timestamp"):
        assert any(line.startswith(f"{row} ") for line in text.splitlines())
    missing = rows.to_pandas()["note"].isna().mean()
    assert f"{100 * missing:.3g} %" in next(line for line in text.splitlines() if line.startswith("note "))
    assert "target: 'no'" in text
    assert str(rows.head(2)).splitlines()[0].split()[:2] == ["order_id", "timestamp"]  # a row for each row
    assert len(str(rows.head(2)).splitlines()) == 3
    assert "<b>note</b>" in rows._repr_html_()
    assert rows.sample(5).num_rows == 5
    assert "scans_for" not in dir(rows)


# ---- text with gaps ------------------------------------------------------------------------------------


def test_no_remedy_for_missing_text_leads_to_another(rows, folder):
    """Each way to fill in empty text gives what scikit-learn gives: alone, beside others, in memory and over files."""
    frame = rows.to_pandas()
    expected = TfidfVectorizer().fit_transform(frame["note"].fillna("")).toarray()
    empty = tn.SimpleImputer(strategy="constant", fill_value="")
    chain = tn.make_pipeline(empty, tn.TextFeatures())
    filled = tn.scan(folder, columns=["note"]).with_columns(note=tn.col("note").fill_null(""))
    notes = tn.scan(folder, columns=["note"])
    ways = {
        "a pipeline over files": lambda: chain.fit_transform(notes).collect(),
        "a pipeline of a frame": lambda: chain.fit_transform(frame[["note"]]),
        "beside numbers, over files": lambda: beside(chain, ["note"]).fit_transform(rows).collect(),
        "beside numbers, of a frame": lambda: beside(chain, ["note"]).fit_transform(frame),
        "missing='empty'": lambda: beside(tn.TextFeatures(missing="empty"), "note").fit_transform(rows).collect(),
        "computed while it is read": lambda: tn.TextFeatures().fit_transform(filled).collect(),
        "filled in, then read": lambda: tn.TextFeatures().fit_transform(empty.fit_transform(notes)).collect(),
    }
    for way, make in ways.items():
        made = make()
        made = made.toarray() if hasattr(made, "toarray") else made
        np.testing.assert_allclose(made[:, : expected.shape[1]], expected, atol=1e-12, err_msg=way)


def beside(text, name):
    return tn.ColumnTransformer([("text", text, name), ("num", tn.SimpleImputer(), ["price"])])


@pytest.mark.parametrize("text", [tn.TextFeatures(), tn.TextFeatures(n_features=16)], ids=["vocabulary", "hashed"])
def test_missing_text_beside_numbers_is_refused_with_its_place(text, rows):
    with pytest.raises(
        tn.DataError, match=r"'note' of .*2025-03-01.parquet, row group 0, row \d+: it is missing"
    ) as told:
        beside(text, "note").fit(rows)
    assert "TextFeatures(missing='empty')" in str(told.value)


def test_a_note_that_is_missing_in_production_is_no_outage(boosting, new_day):
    day = pq.read_table(new_day).to_pandas()
    assert day["note"].isna().any()
    of_file = boosting.predict_proba(tn.scan(new_day)).collect()
    assert of_file.tobytes() == boosting.predict_proba(day).tobytes()
    alone = day[day["note"].isna()].head(1)
    assert boosting.predict_proba(alone).shape == (1, 2)


def test_rows_are_chosen_by_what_they_miss(rows, folder):
    n = int(rows.to_pandas()["note"].notna().sum())
    assert tn.scan(folder, where=[("note", "!=", None)]).n_rows == n
    assert rows.only([("note", "==", None)]).n_rows == rows.n_rows - n
    assert rows.only([("timestamp", ">=", datetime(2025, 3, 3))]).n_rows == ROWS
    with pytest.raises(tn.DataError, match="match the filter `where`"):
        tn.scan(folder, where=[("price", "<", 0)])


# ---- what a model relies on ---------------------------------------------------------------------------


def test_frames_with_more_columns_are_explained_as_they_are_predicted(bayes, new_day):
    """The identifier and the target may be there: columns are taken by their names."""
    frame = pq.read_table(new_day).to_pandas()
    for day in (frame, pl.from_pandas(frame)):
        lean = frame.drop(columns=["order_id", "returned"])
        assert bayes.predict(day).tolist() == bayes.predict(lean).tolist()
        found = tn.explain(bayes, day[:3])
        np.testing.assert_allclose(found.values, tn.explain(bayes, lean[:3]).values)
        drops = tn.permutation_importance(bayes, day, frame["returned"], n_repeats=1)
        expected = tn.permutation_importance(bayes, lean, frame["returned"], n_repeats=1)
        assert dict(zip(drops.names, drops.importances_mean, strict=True)) == dict(
            zip(expected.names, expected.importances_mean, strict=True)
        )
        (curve,) = tn.partial_dependence(bayes, day, ["price"], grid_resolution=4)
        np.testing.assert_array_equal(
            curve.average, tn.partial_dependence(bayes, lean, ["price"], grid_resolution=4)[0].average
        )
        assert tn.certify(bayes, day, frame["returned"])["error"].value == pytest.approx(
            1 - bayes.score(lean, frame["returned"])
        )


def test_trees_at_the_end_of_a_pipeline_are_explained(boosting, new_day):
    day = pq.read_table(new_day).to_pandas()
    with pytest.raises(TypeError, match=r"Remedy: tenfold.explain\(pipeline, X\).*TreeShap\(pipeline\[-1\]\)"):
        tn.TreeShap(boosting)
    found = tn.explain(boosting, day)
    raw = boosting[-1].decision_function(boosting[:-1].transform(day))
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), raw, atol=1e-9)
    by_hand = tn.TreeShap(boosting[-1]).shap_values(boosting[:-1].transform(day))
    np.testing.assert_allclose(by_hand.sum(axis=1), found.values.sum(axis=1), atol=1e-9)


def test_outputs_of_our_own_steps_come_without_a_warning_of_names(boosting, bayes, new_day, tmp_path):
    day = pq.read_table(new_day).to_pandas()
    boosting.save(tmp_path / "model.tenfold")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (boosting, tn.load(tmp_path / "model.tenfold")):
            last = model[-1]
            made = model[:-1].transform(day)
            assert last.predict(made).tolist() == model.predict(day).tolist()
            assert last.score(made, day["returned"]) == model.score(day, day["returned"])
    numbers = tn.scan(pd.DataFrame({"a": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0]}), target="y")
    with pytest.warns(UserWarning, match="does not have valid feature names"):  # names that the user has given
        tn.LinearRegression().fit(numbers).predict(np.ones((1, 1)))


# ---- a new day -----------------------------------------------------------------------------------------


def test_predictions_of_each_day_are_files_of_one_folder(boosting, folder, new_day, tmp_path):
    for day in (*sorted(folder.glob("*.parquet")), new_day):
        boosting.predict_proba(tn.scan(day)).to_parquet(tmp_path / "daily" / day.name, keep=["order_id"])
    found = pq.read_table(tmp_path / "daily")
    assert found.column_names == ["order_id", "probability_no", "probability_yes"]
    assert found["order_id"].to_pylist() == list(range(4 * ROWS))
    (path,) = boosting.predict(tn.scan(new_day)).to_parquet(tmp_path / "pred.parquet")
    assert path == str(tmp_path / "pred.parquet")
    assert len(pd.read_parquet(path)) == ROWS  # a file, as its name says


def test_a_column_that_a_new_day_lacks_is_named_with_the_file(boosting, new_day, tmp_path):
    path = tmp_path / "2025-03-05.parquet"
    pq.write_table(pq.read_table(new_day).drop_columns(["category"]), path)
    for call in (boosting.predict, boosting.predict_proba):
        with pytest.raises(tn.DataError, match=r"\['category'\] .*missing.*2025-03-05.parquet.*Remedy"):
            call(tn.scan(path)).collect()
    with pytest.raises(tn.DataError, match=r"columns are missing: \['category'\].*Remedy"):
        boosting.predict(pq.read_table(path).to_pandas())


def test_columns_that_are_left_out_of_a_scan_are_not_read_by_a_model(boosting, new_day):
    for left_out, lost, how in (
        ({"columns": ["price", "shop"]}, "category", "columns"),
        ({"drop": ["category"]}, "category", "drop"),
    ):
        with pytest.raises(tn.DataError, match=rf"'{lost}'.*left out of .*2025-03-04.parquet.* by `{how}`. Remedy"):
            boosting.predict(tn.scan(new_day, **left_out)).collect()
    several = tn.scan(new_day, drop=["order_id"], target="returned")
    assert boosting.predict(several).collect().tolist() == boosting.predict(tn.scan(new_day)).collect().tolist()


@pytest.mark.parametrize("name", ["partial_fit", "update"])
def test_a_last_step_that_cannot_be_updated_says_what_can(name):
    model = tn.make_pipeline(columns(), tn.LogisticRegression())
    assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=rf"no attribute '{name}', since its last step, Logis.*Remedy: one fit"):
        getattr(model, name)
    assert hasattr(tn.make_pipeline(columns(), tn.GaussianNB()), name)
    with pytest.raises(AttributeError, match="its last step has none"):
        _ = model.certificate_


def test_a_preparation_that_is_frozen_is_scored_over_files(folder, rows):
    """In folds, curves and importances: later steps alone are fitted, to what the frozen ones make of the rows."""
    encode = ("mean", tn.TargetEncoder(), ["shop"])
    prepare = tn.ColumnTransformer([*columns().transformers[:2], encode])
    prepare.fit(tn.scan(sorted(folder.glob("*.parquet"))[0], target="returned", drop=["order_id"]))
    last = tn.GaussianNB(var_smoothing=1e-3)
    model = tn.make_pipeline(FrozenEstimator(prepare), last)
    made = prepare.transform(rows).collect().toarray()
    y, day = rows.to_pandas()["returned"].to_numpy(), np.repeat(np.arange(3), ROWS)
    expected = [clone(last).fit(made[day != k], y[day != k]).score(made[day == k], y[day == k]) for k in range(3)]
    found = tn.cross_validate(model, rows, folds="file")
    np.testing.assert_allclose(found.scores[0, 0], expected, rtol=1e-12)
    frame = rows.to_pandas()
    np.testing.assert_allclose(tn.cross_validate(model, frame, y, folds=day).scores[0, 0], expected, rtol=1e-12)
    assert len(tn.learning_curve(model, rows, folds=3, train_sizes=[0.5, 1.0]).train_sizes) == 2
    model.fit(rows)
    assert tn.certify(model, frame, y)["error"].value == pytest.approx(1 - model.score(frame, y))
    assert "shop" in tn.explain(model, frame[:2]).columns
    sent = cloudpickle.loads(cloudpickle.dumps(learners_of(model)[0]))
    assert ByParams(sent) == ByParams(learners_of(model)[0])
    unfitted = tn.make_pipeline(FrozenEstimator(tn.ColumnTransformer()), last)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        tn.cross_validate(unfitted, rows, folds=3)


# ---- a cluster -----------------------------------------------------------------------------------------


def test_a_script_without_a_main_guard_is_told(tmp_path):
    """What stands outside of the guard runs in each worker process too; nothing else shows it."""
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing\n"
        "import tenfold as tn\n"
        "model = tn.StandardScaler().fit([[1.0], [3.0]])\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(abs, [-1]))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=500)
    assert done.stdout == "[1]\n"
    assert done.stderr.count("a new worker process imports this script") == 1  # of two that ran the fit
    assert "if __name__ == '__main__'" in done.stderr
    assert "script.py:3: UserWarning" in done.stderr


# ---- what a notebook shows ----------------------------------------------------------------------------


def test_the_diagram_of_a_pipeline_shows_its_branches_and_the_verdict(boosting, bayes):
    for shown in (tn.make_pipeline(columns(), tn.GaussianNB())._repr_html_(), bayes._repr_html_()):
        body = shown.split("sk-container", 1)[1]
        for name in ("OneHotEncoder", "SimpleImputer", "StandardScaler", "DateParts", "TextFeatures", "GaussianNB"):
            assert f"<div>{name}</div>" in body  # a box of its own
        assert body.count('class="sk-parallel-item"') == 4
    unfitted = tn.make_pipeline(columns(), tn.GaussianNB())._repr_html_()
    assert "tenfold-verdict" not in unfitted
    assert f"<summary>Certificate (computed): {3 * ROWS} rows" in bayes._repr_html_()
    assert str(boosting.certificate_).partition("\n")[0] in boosting._repr_html_()
    assert "tenfold-verdict" in tn.LinearRegression().fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0])._repr_html_()
    team = tn.VotingClassifier([("bayes", tn.GaussianNB()), ("tree", tn.DecisionTreeClassifier())])
    assert team._repr_html_().count('class="sk-parallel-item"') == 2


def test_claims_of_a_pipeline_name_the_columns_of_their_branch(bayes):
    because = bayes.certificate_["columntransformer: cat: rarest category"].because
    assert "of column 'shop', the rarest" in because


def test_several_scores_have_a_heading_each(rows):
    learners = {"bayes": tn.make_pipeline(columns(), tn.GaussianNB(var_smoothing=1e-3)), "base": tn.DummyClassifier()}
    found = tn.cross_validate(learners, rows, folds="file", scoring=["roc_auc", "accuracy"])
    above, head, *_ = str(found).splitlines()
    assert above.split() == ["roc_auc", "accuracy"]
    assert head.index("mean") == above.index("roc_auc")
    assert "<th style='text-align:left;padding:2px 8px' colspan='4'>roc_auc</th>" in found._repr_html_()
    assert "3 folds one for each file" in str(found)


def test_the_legend_keeps_the_area_apart_from_its_interval():
    assert legend_of("model", "AUC", 0.7519, (0.7502, 0.7536), 0.95) == "model (AUC = 0.752, 95 %: 0.750 to 0.754)"
    assert legend_of("model", "AUC", 0.91, (0.83, 0.95), 0.95) == "model (AUC = 0.91, 95 %: 0.83 to 0.95)"
    assert legend_of("model", "AUC", 1.0, (1.0, 1.0), 0.95) == "model (AUC = 1.00, 95 %: 1.00 to 1.00)"


def test_a_category_that_a_step_has_renamed_is_named(rows):
    encode = tn.ColumnTransformer(
        [("cat", tn.OrdinalEncoder(), ["shop", "category"]), ("num", "passthrough", ["price"])]
    )
    boosted = tn.HistGradientBoostingClassifier(max_iter=2, categorical_features=["shop", "category"])
    for fit in (
        tn.make_pipeline(encode, boosted).fit,
        lambda some: tn.cross_validate(tn.make_pipeline(encode, boosted), some),
    ):
        with pytest.raises(tn.DataError, match=r"there is no column 'shop'; did you mean \['cat__shop'\]"):
            fit(rows)
    listed = tn.HistGradientBoostingClassifier(max_iter=2, categorical_features=["cat__shop", "cat__category"])
    assert tn.make_pipeline(encode, listed).fit(rows).score(rows) > 0.5


def test_folds_by_a_date_that_is_a_feature_name_the_day(rows):
    with pytest.raises(tn.DataError, match=r"Remedy: tenfold.col\('timestamp'\).dt.date\(\) in place of its name"):
        tn.cross_validate(tn.make_pipeline(columns(), tn.GaussianNB()), rows, groups="timestamp", folds=3)
    model = tn.make_pipeline(columns(), tn.GaussianNB(var_smoothing=1e-3))
    assert tn.cross_validate(model, rows, groups=tn.col("timestamp").dt.date(), folds=3).scores.shape == (1, 1, 3)


# ---- a day of a broken feed ------------------------------------------------------------------------------


def with_null(table, name, row):
    values = table[name].to_pylist()
    values[row] = None
    return table.set_column(table.column_names.index(name), name, pa.array(values, table.schema.field(name).type))


@pytest.mark.parametrize("last", [tn.LogisticRegression(), tn.GaussianNB(), tn.SGDClassifier()], ids=repr)
def test_a_date_that_is_missing_is_named_through_sparse_steps(last, tmp_path):
    """In a fit, in prediction, folds and explanations, of files and of frames: the column, the row and a remedy."""
    table = with_null(orders(3), "timestamp", 7)
    pq.write_table(table, tmp_path / "day.parquet")
    day, good = tn.scan(tmp_path, target="returned", drop=["order_id"]), orders(4).to_pandas()
    frame = table.to_pandas().drop(columns=["order_id"])
    y = frame.pop("returned")
    model = tn.make_pipeline(columns(), last)
    fitted = clone(model).fit(good.drop(columns=["order_id", "returned"]), good["returned"])
    remedy = r", row 7\. Remedy: .*where=.*SimpleImputer\(\).*branch of this column"
    made, of_file = (r"column 'date__timestamp_weekday'" + file + remedy for file in ("", r" of .*day\.parquet, .*"))
    of = r"ColumnTransformer, made of column 'timestamp' of .*day.parquet.*, row 7\. Remedy: .*SimpleImputer"
    for call, told in (
        (lambda: clone(model).fit(day), of_file),
        (lambda: clone(model).fit(frame, y), made),
        (lambda: fitted.predict(day).collect(), of_file),
        (lambda: fitted.predict(frame), made),
        (lambda: tn.cross_validate(model, day, folds=3), of),
    ):
        with pytest.raises(tn.DataError, match=told):
            call()
    parts = tn.make_pipeline(tn.DateParts(parts=["weekday", "hour"]), tn.SimpleImputer(strategy="most_frequent"))
    mended = clone(model).set_params(columntransformer__date=parts)
    assert mended.fit(day).predict(frame).shape == (ROWS,)


def test_numbers_of_columns_are_names_where_a_pipeline_knows_them():
    """Not those of an array that the user gave."""
    array = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]])
    with pytest.raises(tn.DataError, match=r"column 'x1', row 1"):
        tn.make_pipeline(tn.MaxAbsScaler(), tn.Ridge()).fit(array, [1.0, 2.0, 3.0])
    swap = tn.ColumnTransformer([("b", "passthrough", ["x0"]), ("a", "passthrough", ["x1"])])
    frame = pd.DataFrame(array, columns=["x1", "x0"])
    with pytest.raises(tn.DataError, match=r"column 'b__x0', row 1"):
        tn.make_pipeline(swap, tn.Ridge()).fit(frame, [1.0, 2.0, 3.0])


def as_text(table, name):
    texts = [str(value) for value in table[name].to_pylist()]
    texts[3] = "n/a"
    return table.set_column(table.column_names.index(name), name, pa.array(texts))


def test_text_where_there_were_numbers_has_a_remedy_that_works(boosting, bayes, rows, tmp_path):
    """The remedy does not leave out what the model takes: it makes numbers of the text, and what is none is missing."""
    day = as_text(orders(3), "price")
    pq.write_table(day, tmp_path / "day.parquet")
    broken = tn.scan(tmp_path, target="returned", drop=["order_id"])
    mended = broken.with_columns(price=tn.col("price").cast("float64", strict=False))
    frame = day.to_pandas().drop(columns=["order_id", "returned"])
    more = {"histgradientboostingclassifier__max_iter": 6}
    ways = {
        "predict": lambda day: bayes.predict_proba(day).collect(),
        "explain": lambda day: tn.explain(bayes, day).values.collect(),
        "certify": lambda day: tn.certify(boosting, day)["error"],
        "a curve": lambda day: tn.display.RocCurveDisplay.from_estimator(bayes, day, pos_label="yes"),
        "importances": lambda day: tn.permutation_importance(bayes, day, n_repeats=1),
        "update": lambda day: clone(bayes).fit(rows).update(day),
        "continue": lambda day: clone(boosting).fit(rows).set_params(**more).update(day),
    }
    call = r"Remedy: rows\.with_columns\(price=tenfold\.col\('price'\)\.cast\('float64', strict=False\)\)"
    for way, do in ways.items():
        with pytest.raises(tn.DataError, match=call):
            do(broken)
        assert do(mended) is not None, way
    with pytest.raises(
        tn.DataError, match=r"Remedy: X\.assign\(price=pandas\.to_numeric\(X\['price'\], errors='coerce'\)"
    ):
        bayes.predict(frame)
    numeric = frame.assign(price=pd.to_numeric(frame["price"], errors="coerce"))
    assert bayes.predict_proba(numeric).tobytes() == bayes.predict_proba(mended).collect().tobytes()


def test_a_category_is_no_number_that_was_written_as_text(rows):
    with pytest.raises(tn.DataError, match="OneHotEncoder for categories") as told:
        tn.StandardScaler().fit(rows.without("timestamp", "note", "category"))
    assert "cast" not in str(told.value)


# ---- a model goes on ---------------------------------------------------------------------------------------


def test_a_pipeline_starts_from_a_fitted_one(folder, rows, new_day):
    """Its preparation stays, so what it has learned means the same; over files and frames; the start is unchanged."""
    files = sorted(folder.glob("*.parquet"))
    day = tn.scan(files[0], target="returned", drop=["order_id"])
    early = tn.make_pipeline(columns(), tn.LogisticRegression()).fit(day)
    before = early[-1].coef_.tobytes()
    later = clone(early).fit(rows, start=early)
    by_hand = tn.LogisticRegression().fit(early[:-1].transform(rows))
    np.testing.assert_allclose(later[-1].coef_, by_hand.coef_, atol=1e-5)
    assert early[-1].coef_.tobytes() == before
    frame = rows.to_pandas().drop(columns="order_id")
    in_memory = clone(early).fit(frame, frame["returned"], start=early)
    np.testing.assert_allclose(in_memory[-1].coef_, later[-1].coef_, atol=1e-9)
    few = tn.make_pipeline(columns(), tn.HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=5)).fit(day)
    more = clone(few).set_params(histgradientboostingclassifier__max_iter=5).fit(rows, start=few)
    updated = clone(few).fit(day).set_params(histgradientboostingclassifier__max_iter=5).update(rows)
    assert more.predict_proba(rows).collect().tobytes() == updated.predict_proba(rows).collect().tobytes()
    assert more.predict(tn.scan(new_day)).collect().shape == (ROWS,)


def test_a_start_that_is_none_is_refused_with_a_remedy(rows):
    model = tn.make_pipeline(tn.ColumnTransformer([("n", tn.StandardScaler(), ["price"])]), tn.LogisticRegression())
    fitted = clone(model).fit(rows)
    for start, error, told in (
        (fitted[-1], TypeError, "Remedy: start=pipeline"),
        (clone(model), NotFittedError, "not fitted"),
        (
            clone(model).set_params(columntransformer__n__with_mean=False).fit(rows),
            ValueError,
            "has other ones: .*with_",
        ),
    ):
        with pytest.raises(error, match=told):
            clone(model).fit(rows, start=start)
    bayes = tn.make_pipeline(tn.StandardScaler(), tn.GaussianNB()).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(TypeError, match="GaussianNB does not continue from a fitted model. Remedy"):
        bayes.fit([[1.0], [2.0]], [0, 1], start=bayes)


def test_the_remedy_of_a_sum_or_an_update_can_be_followed(folder, rows):
    """Freezing the preparation does not make a learner add up that reads its rows several times."""
    day = tn.scan(sorted(folder.glob("*.parquet"))[0], target="returned", drop=["order_id"])
    logistic = tn.make_pipeline(columns(), tn.LogisticRegression())
    one, two = clone(logistic).fit(day), clone(logistic).fit(rows)
    with pytest.raises(tn.MergeError, match=r"do not merge. Remedy: .*start=model\)") as told:
        one + two
    assert "Frozen" not in str(told.value)
    for name in ("update", "partial_fit"):
        with pytest.raises(
            AttributeError, match=r"Remedy: one fit to the rows of both.*start=model\), which begins at"
        ):
            getattr(one, name)
    assert clone(logistic).fit(rows, start=one).score(rows) > 0.5
    boosted = tn.make_pipeline(columns(), tn.HistGradientBoostingClassifier(max_iter=2))
    one, two = clone(boosted).fit(day), clone(boosted).fit(rows)
    with pytest.raises(tn.MergeError, match=r"Remedy: fit\(rows, start=model\)") as told:
        one + two
    assert "Frozen" not in str(told.value)
    with pytest.warns(
        UserWarning, match=r"Remedy: set_params\(max_iter=102\).*\(histgradientboostingclassifier__max_iter"
    ):
        one.update(rows)


# ---- what is said, and how long ----------------------------------------------------------------------------


def test_no_columns_are_left_out_by_none(folder):
    for none in (None, []):
        assert tn.scan(folder, target="returned", drop=none, categorical=none).names[0] == "order_id"


def test_a_column_to_keep_that_is_not_there_is_answered_by_one_like_it(bayes, new_day, tmp_path):
    with pytest.raises(tn.DataError, match=r"\['orderid'\] to keep are missing.*did you mean \['order_id'\]"):
        bayes.predict(tn.scan(new_day)).to_parquet(tmp_path / "out", keep=["orderid"])


def test_a_day_without_a_target_is_predicted_and_not_learned_from(folder, new_day, tmp_path):
    path = tmp_path / "day.parquet"
    pq.write_table(pq.read_table(new_day).drop_columns(["returned"]), path)
    model = tn.make_pipeline(columns(), tn.GaussianNB(var_smoothing=1e-3)).fit(
        tn.scan(folder, target="returned", drop=["order_id"])
    )
    assert len(model.predict(tn.scan(path)).collect()) == ROWS
    for call in (model.update, model.score):
        with pytest.raises(tn.DataError, match="Remedy: name its column.*rows without a target are predicted"):
            call(tn.scan(path))


def test_errors_of_many_files_and_columns_are_short(folder, tmp_path):
    (first, *_) = sorted(folder.glob("*.parquet"))
    paths = [str(tmp_path / f"{k:02d}.parquet") for k in range(60)]
    for path in paths:
        pq.write_table(pq.read_table(first).slice(0, 2), path)
    with pytest.raises(tn.DataError, match=r"00\.parquet', \.\.\., '.*59\.parquet'\], target=") as told:
        tn.StandardScaler().fit(tn.scan(paths, target="returned"))
    assert len(str(told.value)) < 700
    wide = tn.scan(pd.DataFrame(np.zeros((2, 300)), columns=[f"c{k}" for k in range(300)]))
    with pytest.raises(tn.DataError, match="there are 300: .*, and others") as told:
        wide.without("price")
    assert len(str(told.value)) < 300


def test_pipelines_of_other_parameters_name_what_differs_and_no_more(rows):
    one, two = (tn.make_pipeline(columns(), tn.GaussianNB(var_smoothing=v)).fit(rows) for v in (1e-3, 1e-2))
    with pytest.raises(tn.MergeError, match=r"do not merge: gaussiannb__var_smoothing is 0\.001 and 0\.01$"):
        one + two


def test_categories_that_were_encoded_one_by_one_are_handed_on_by_passthrough(rows):
    encoded = tn.ColumnTransformer([("cat", tn.OneHotEncoder(), ["shop"]), ("num", "passthrough", ["price"])])
    listing = tn.HistGradientBoostingClassifier(max_iter=2, categorical_features=["shop"])
    with pytest.raises(tn.DataError, match=r"made 20 columns.*Remedy: in a ColumnTransformer 'passthrough'"):
        tn.make_pipeline(encoded, listing).fit(rows)
    native = tn.ColumnTransformer([("cat", "passthrough", ["shop"]), ("num", "passthrough", ["price"])])
    plain = tn.make_pipeline(native, tn.HistGradientBoostingClassifier(max_iter=2)).fit(rows)
    assert plain[-1].is_categorical_.tolist() == [True, False]


def test_dates_below_a_curve_do_not_overlap_and_bars_hide_the_grid(bayes, rows):
    plt = pytest.importorskip("matplotlib.pyplot")
    display = tn.display.PartialDependenceDisplay.from_estimator(
        bayes, rows, ["timestamp", "category", "price"], grid_resolution=12
    )
    figure = plt.gcf()
    figure.canvas.draw()
    dates, bars = figure.axes[:2]
    boxes = [label.get_window_extent() for label in dates.get_xticklabels() if label.get_text()]
    assert 2 <= len(boxes) <= 8
    assert all(one.x1 < other.x0 for one, other in zip(boxes, boxes[1:], strict=False))
    assert bars.get_axisbelow() is True
    assert all(bar.get_alpha() is None for bar in bars.patches)
    plt.close(figure)
    assert display is not None
