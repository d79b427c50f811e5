"""Transformers side by side, each of its own columns: scikit-learn's numbers, one scan, files, merging, folds."""

import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import sklearn.compose as peer
import sklearn.naive_bayes
import sklearn.pipeline as peer_pipeline
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import tenfold as tn
from tenfold.estimator.files import container
from tenfold.sources.files.parquet import ParquetSource
from tenfold.testing import bits

SPECS = {
    "by name": [
        ("s", tn.StandardScaler(), ["size", "rank"]),
        ("o", tn.OneHotEncoder(handle_unknown="ignore"), ["city", "sort"]),
    ],
    "numbers as categories": [
        ("o", tn.OneHotEncoder(handle_unknown="ignore"), ["rank", "city"]),
        ("s", tn.MinMaxScaler(), ["size"]),
    ],
    "one name": [
        ("s", tn.StandardScaler(), ["size"]),
        ("o", tn.OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["city"]),
    ],
    "by function": [
        ("s", tn.StandardScaler(), peer.make_column_selector(dtype_include="number")),
        ("o", tn.OneHotEncoder(handle_unknown="ignore"), peer.make_column_selector(pattern="^city$")),
    ],
    "by slice and mask": [
        ("s", tn.StandardScaler(), slice("size", "rank")),
        ("o", tn.OneHotEncoder(handle_unknown="ignore"), [False, False, True, True, False]),
    ],
    "by number": [("s", tn.StandardScaler(), [-4]), ("p", "passthrough", [0, 1]), ("d", "drop", [2])],
    "twice": [("s", tn.StandardScaler(), ["size"]), ("m", tn.MinMaxScaler(), ["size", "rank"])],
}


def frame(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "size": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(3, 2, rows)),
            "rank": rng.integers(0, 4, rows),
            "city": rng.choice(["Oslo", "Rome", "Bern"], rows),
            "sort": rng.choice(["a", "b", None], rows),
            "day": pd.date_range("2024-01-01", periods=rows, freq="h"),
        }
    )


@pytest.fixture
def reads(monkeypatch):
    """The columns of each table that is read of files."""
    found, read = [], ParquetSource.tables

    def counting(self, part, columns, rows=None):
        found.append(columns)
        return read(self, part, columns, rows)

    monkeypatch.setattr(ParquetSource, "tables", counting)
    return found


def dense(found):
    return found.toarray() if hasattr(found, "toarray") else np.asarray(found)


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("threshold", [0, 0.3, 1.0])
def test_rows_in_memory_give_what_scikit_learn_gives(name, threshold):
    rows = frame()
    mine = tn.ColumnTransformer(SPECS[name], sparse_threshold=threshold).fit(rows)
    theirs = peer.ColumnTransformer(SPECS[name], sparse_threshold=threshold).fit(rows)
    a, b = mine.transform(rows), theirs.transform(rows)
    np.testing.assert_allclose(dense(a), dense(b), rtol=0, atol=1e-12)
    assert hasattr(a, "toarray") == hasattr(b, "toarray")
    assert mine.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert mine.n_features_in_ == 5
    mine_at = {k: v for k, v in mine.output_indices_.items() if v.stop > v.start}
    assert mine_at == {k: v for k, v in theirs.output_indices_.items() if v.stop > v.start}


@pytest.mark.parametrize("remainder", ["drop", "passthrough", tn.MinMaxScaler()])
def test_the_remainder_is_what_nobody_names(remainder):
    X = np.random.default_rng(0).normal(size=(50, 5))
    spec = [("s", tn.StandardScaler(), [3, 0])]
    mine = tn.ColumnTransformer(spec, remainder=remainder).fit(X)
    theirs = peer.ColumnTransformer(spec, remainder=remainder).fit(X)
    np.testing.assert_allclose(mine.transform(X), theirs.transform(X), rtol=0, atol=1e-12)
    assert mine.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert [name for name, *_ in mine.transformers_] == [name for name, *_ in theirs.transformers_]


@pytest.mark.parametrize("name", [name for name in SPECS if name != "by slice and mask"])
def test_a_source_gives_the_same_bits_however_it_is_cut(name, tmp_path):
    rows = frame(500)
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=70)
    spec = [(n, t, [c % 5 for c in some] if n == "s" and some == [-4] else some) for n, t, some in SPECS[name]]
    here = tn.ColumnTransformer(spec).fit(rows)
    there = tn.ColumnTransformer(spec).fit(tn.scan(tmp_path / "rows.parquet"))
    np.testing.assert_allclose(
        dense(there.transform(tn.scan(tmp_path / "rows.parquet")).collect()), dense(here.transform(rows)), atol=1e-12
    )
    with tn.on(tn.Local(threads=2)):
        again = tn.ColumnTransformer(spec).fit(tn.scan(tmp_path / "rows.parquet"))
    assert bits(again.model_) == bits(there.model_)


def test_all_transformers_learn_in_one_scan_and_columns_that_none_takes_are_not_read(tmp_path, reads):
    rows = frame(500)
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    source = tn.scan(tmp_path / "rows.parquet")
    numbers = [("s", tn.StandardScaler(), ["size"]), ("m", tn.MinMaxScaler(), ["rank"]), ("p", "passthrough", ["size"])]
    tn.ColumnTransformer(numbers).fit(source)
    assert len(reads) == len(source)
    assert {column for columns in reads for column in columns} == {"size", "rank"}
    reads.clear()
    tn.ColumnTransformer(
        [
            *numbers,
            ("o", tn.OneHotEncoder(handle_unknown="ignore"), ["city"]),
            ("c", tn.OneHotEncoder(handle_unknown="ignore", drop="first"), ["sort"]),
        ]
    ).fit(source)
    assert len(reads) == 2 * len(source)  # the first to know the categories


def test_text_stands_beside_numbers():
    rows = pd.DataFrame({"note": ["red fox", "red hen", "", "fox"], "size": [1.0, 2.0, 3.0, 6.0]})
    model = tn.ColumnTransformer([("words", tn.TextFeatures(), ["note"]), ("s", tn.StandardScaler(), ["size"])])
    found = dense(model.fit_transform(rows))
    np.testing.assert_allclose(found[:, :-1], dense(tn.TextFeatures().fit_transform(rows["note"])))
    np.testing.assert_allclose(found[:, -1:], tn.StandardScaler().fit_transform(rows[["size"]]))
    np.testing.assert_array_equal(dense(model.fit(tn.scan(rows)).transform(tn.scan(rows)).collect()), found)


def test_models_merge_and_are_saved_in_one_file(tmp_path):
    rows, spec = frame(400), SPECS["by name"]
    both = tn.ColumnTransformer(spec).fit(rows[:150]) + tn.ColumnTransformer(spec).fit(rows[150:])
    whole = tn.ColumnTransformer(spec).fit(rows)
    np.testing.assert_allclose(dense(both.transform(rows)), dense(whole.transform(rows)), rtol=0, atol=1e-12)
    assert both.verify().claims == both.certificate_.claims
    whole.save(tmp_path / "model")
    loaded = tn.load(tmp_path / "model")
    assert bits(loaded.model_) == bits(whole.model_)
    np.testing.assert_array_equal(dense(loaded.transform(rows)), dense(whole.transform(rows)))
    assert loaded.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    more = tn.ColumnTransformer(SPECS["by function"]).partial_fit(rows[:200]).partial_fit(rows[200:])
    np.testing.assert_allclose(
        dense(more.transform(rows)), dense(tn.ColumnTransformer(SPECS["by function"]).fit_transform(rows)), atol=1e-12
    )


def test_parameters_are_those_of_the_transformers_and_output_is_a_frame_if_asked():
    rows = frame()
    model = tn.ColumnTransformer(SPECS["one name"], verbose_feature_names_out=False).fit(rows)
    assert clone(model).get_params()["s__with_mean"] is True
    model.set_params(s__with_mean=False)
    assert model.transformers[0][1].with_mean is False
    assert abs(np.nanmean(model.transform(rows)[:, 0])) < 1e-12  # as it was fitted
    found = model.set_output(transform="pandas").fit_transform(rows)
    assert found.columns.tolist() == ["size", "city_Bern", "city_Oslo", "city_Rome"]
    assert model.named_transformers_.s.scale_[0] == pytest.approx(np.nanstd(rows["size"]))
    other = rows.assign(more=1)
    np.testing.assert_array_equal(model.transform(other), found)


def test_each_fold_learns_from_its_own_rows():
    rows = frame(200).assign(price=np.arange(200.0) % 17)
    spec = [
        ("s", tn.StandardScaler(), ["rank"]),
        ("o", tn.OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["city"]),
    ]
    pipeline = make_pipeline(tn.ColumnTransformer(spec), tn.Ridge())
    mine = tn.cross_validate(pipeline, tn.scan(rows, target="price"), folds=4)
    fold = np.arange(200) * 4 // 200
    for j in range(4):
        train, test = rows[fold != j], rows[fold == j]
        alone = make_pipeline(peer.ColumnTransformer(spec), tn.Ridge()).fit(train, train["price"])
        assert mine.scores[0, 0, j] == pytest.approx(alone.score(test, test["price"]), abs=1e-9)


def test_a_union_puts_transformers_of_all_columns_side_by_side():
    X = np.random.default_rng(0).normal(size=(60, 3))
    spec = [("a", tn.StandardScaler()), ("b", tn.MinMaxScaler()), ("c", "passthrough"), ("d", "drop")]
    mine, theirs = tn.FeatureUnion(spec).fit(X), peer_pipeline.FeatureUnion(spec).fit(X)
    np.testing.assert_allclose(mine.transform(X), theirs.transform(X), rtol=0, atol=1e-12)
    assert mine.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert [name for name, _ in tn.make_union(tn.MinMaxScaler(), tn.MinMaxScaler()).transformer_list] == [
        name for name, _ in peer_pipeline.make_union(tn.MinMaxScaler(), tn.MinMaxScaler()).transformer_list
    ]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ([("s", tn.StandardScaler(), ["sise"])], "no column 'sise'; did you mean"),
        ([("s", tn.StandardScaler(), [9])], "column number 9"),
        ([("s", tn.StandardScaler(), [True])], "mask of 's' has 1 entries"),
        ([("s", tn.StandardScaler(), [1.5])], "names or numbers of columns"),
        ([("s", tn.StandardScaler(), ["city"])], "columns that cannot be used as numbers: 'city'"),
        (
            [("s", tn.StandardScaler(), ["rank"]), ("o", tn.OneHotEncoder(handle_unknown="ignore"), ["rank"])],
            "column 'rank' enters as numbers for 's'",
        ),
        ([("s", "scale", ["rank"])], "not a transformer of tenfold"),
        ([("s", tn.Ridge(), ["rank"])], "not a transformer of tenfold"),
        ([("s", tn.StandardScaler())], "must be a list of"),
        ([("s", tn.StandardScaler(), [])], "no transformer selects any column"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(spec, said):
    with pytest.raises((ValueError, TypeError), match=said):
        tn.ColumnTransformer(spec).fit(frame())


def test_a_column_that_nobody_takes_may_hold_anything():
    rows = frame(60).fillna({"size": 0.0}).assign(cabin=[3, "C85", None] * 20)
    model = tn.ColumnTransformer(SPECS["by name"])
    found = model.fit_transform(rows.drop(columns="cabin"))
    np.testing.assert_array_equal(dense(clone(model).fit(rows).transform(rows)), dense(found))
    steps = tn.make_pipeline(model, tn.Ridge())
    without = tn.cross_validate(steps, rows.drop(columns="cabin"), rows["rank"], folds=3)
    assert tn.cross_validate(steps, rows, rows["rank"], folds=3).scores.tolist() == without.scores.tolist()
    with pytest.raises(tn.DataError, match="column 'cabin' holds values of type"):
        tn.ColumnTransformer([("o", tn.OneHotEncoder(handle_unknown="ignore"), ["cabin"])]).fit(rows)


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, tn.scan, np.asarray])
def test_text_passes_as_it_is(form):
    rows = pd.DataFrame({"a": [1.0, 3.0, 2.0], "b": ["x", "y", None]}).astype({"b": object})
    columns = tn.ColumnTransformer([("s", tn.StandardScaler(), [0])], remainder="passthrough").fit(form(rows))
    found = columns.transform(form(rows))
    found = found.to_pandas() if form is tn.scan else pd.DataFrame(found, columns=columns.get_feature_names_out())
    assert found.iloc[:, 1].fillna("none").tolist() == ["x", "y", "none"]
    np.testing.assert_allclose(found.iloc[:, 0].astype(float), [-(1.5**0.5), 1.5**0.5, 0.0])
    scaled = tn.make_pipeline(columns, tn.StandardScaler())
    with pytest.raises(tn.DataError, match=r"column '.*(b|x1)' holds text, made by the step before. Remedy: put"):
        scaled.fit(form(rows))


def test_rows_are_recognised_by_all_their_columns():
    """Whichever columns a transformer has, the marks are those of whole rows, as of any other learner."""
    X = np.random.default_rng(0).normal(size=(400, 3))
    some = tn.ColumnTransformer([("a", tn.StandardScaler(), [0]), ("b", tn.MinMaxScaler(), [1, 2])]).fit(X)
    assert some.certificate_.provenance.marks == tn.StandardScaler().fit(X).certificate_.provenance.marks != ""


@pytest.mark.parametrize("kept_in", ["pandas", "polars", "pyarrow", "parquet"])
@pytest.mark.parametrize("spec", [SPECS["by name"], SPECS["by number"], SPECS["twice"]])
def test_names_decide_which_columns_are_meant(spec, kept_in, tmp_path):
    """In any order, with others beside them, and without those that nobody takes: as in scikit-learn."""
    fitted_to = frame().drop(columns="day")
    rows = frame(80, seed=1)
    mine, theirs = tn.ColumnTransformer(spec).fit(fitted_to), peer.ColumnTransformer(spec).fit(fitted_to)
    used = {name for _, one, some in mine.transformers_ if one != "drop" for name in some}
    other = rows.assign(more=1.0, day="x")[["more", *sorted(used, reverse=True), "day"]]
    pq.write_table(table := pa.Table.from_pandas(other, preserve_index=False), tmp_path / "rows.parquet")
    forms = {"pandas": lambda: other, "polars": lambda: pl.from_arrow(table), "pyarrow": lambda: table}
    given = forms[kept_in]() if kept_in in forms else tn.scan(tmp_path / "rows.parquet")
    found = mine.transform(given)
    found = found.collect() if kept_in == "parquet" else found
    np.testing.assert_allclose(dense(found), dense(theirs.transform(other)), rtol=0, atol=1e-12)
    gone = sorted(used)[0]
    with pytest.raises(ValueError, match="columns are missing"):
        theirs.transform(other.drop(columns=gone))
    with pytest.raises(ValueError, match=rf"columns are missing: \['{gone}'\].*Remedy"):
        mine.transform(other.drop(columns=gone))
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        mine.transform(other[:0])


@pytest.mark.parametrize("make", [peer.make_column_selector, tn.make_column_selector])
@pytest.mark.parametrize("kept_in", ["polars", "pyarrow", "numpy", "source"])
def test_no_pandas_is_needed(kept_in, make, monkeypatch):
    rows = frame().drop(columns=["day", "sort"]).fillna(0.0)
    spec = [
        ("n", tn.StandardScaler(), make(dtype_include="number")),
        ("o", tn.OneHotEncoder(handle_unknown="ignore"), make(dtype_exclude="number")),
    ]
    table = pa.Table.from_pandas(rows, preserve_index=False)
    forms = {"polars": pl.from_arrow, "pyarrow": lambda table: table, "source": tn.scan}
    given = rows[["size", "rank"]].to_numpy() if kept_in == "numpy" else forms[kept_in](table)
    model = peer.ColumnTransformer(spec)
    theirs = model.fit_transform(rows[["size", "rank"]] if kept_in == "numpy" else rows)
    monkeypatch.setitem(sys.modules, "pandas", None)
    mine = tn.ColumnTransformer(spec).fit(given)
    found = mine.transform(given)
    np.testing.assert_allclose(dense(found.collect() if kept_in == "source" else found), dense(theirs), atol=1e-12)
    columns = [0, 1] if kept_in == "numpy" else ["size", "rank"]
    steps = make_pipeline(tn.ColumnTransformer([("s", tn.StandardScaler(), columns)]), tn.Ridge())
    given = tn.scan(table.append_column("y", table["size"]), target="y") if kept_in == "source" else given
    scores = tn.cross_validate(steps, given, *([] if kept_in == "source" else [rows["size"].to_numpy()]), folds=3)
    assert scores.scores.min() > 0.99
    with pytest.raises(ImportError, match="function that selects columns.*Remedy"):
        tn.ColumnTransformer([("s", tn.StandardScaler(), lambda rows: [0])]).fit(given)


@pytest.mark.parametrize(
    "given",
    [
        {"dtype_include": "number"},
        {"dtype_include": np.number, "pattern": "n"},
        {"dtype_include": ["bool", "category"]},
        {"dtype_exclude": ["number", "category"]},
        {"dtype_include": object},
        {"dtype_include": "datetime"},
        {"dtype_include": np.float64},
        {"dtype_include": int, "dtype_exclude": "category"},
    ],
)
def test_types_are_told_as_pandas_tells_them(given):
    rows = frame(9).assign(sign=True, kind=pd.Categorical(["u"] * 9), city=["Rome"] * 9).astype({"city": object})
    rows = rows.assign(sort=rows["city"])
    found = tn.make_column_selector(**given)(tn.scan(rows))
    assert found == peer.make_column_selector(**given)(rows)
    assert found == tn.make_column_selector(**given)(pl.from_pandas(rows))
    assert found


def integer_labels(labels):
    return pd.DataFrame([[1.0, 10.0, 100.0], [2.0, 20.0, 200.0], [3.0, 30.0, 300.0]], columns=labels)


@pytest.mark.parametrize("labels", [[2, 0, 1], [5, 6, 7]])
@pytest.mark.parametrize(
    "columns",
    [
        [0],
        [-1, 1],
        np.array([2, 0]),
        (0,),
        slice(0, 1),
        [False, True, True],
        lambda rows: [0],
        lambda rows: slice(1, 3),
    ],
)
def test_integers_are_positions_whatever_the_labels_are(labels, columns):
    rows = integer_labels(labels)
    spec = [("p", "passthrough", columns)]
    mine = tn.ColumnTransformer(spec, remainder=tn.MinMaxScaler()).fit_transform(rows)
    theirs = peer.ColumnTransformer(spec, remainder=tn.MinMaxScaler()).fit_transform(rows)
    np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("columns", [[0, 5], lambda rows: [0, 5]])
def test_integers_are_never_labels_beside_positions(columns):
    for kind in (tn.ColumnTransformer, peer.ColumnTransformer):
        with pytest.raises(ValueError, match=r"column number 5|must be in \[0, 2\]"):
            kind([("p", "passthrough", columns)]).fit(integer_labels([5, 6, 7]))


@pytest.mark.parametrize("labels", [[2, 0, 1], [5, 6, 7]])
@pytest.mark.parametrize("make", [peer.make_column_selector, tn.make_column_selector])
def test_labels_that_are_selected_are_labels(labels, make):
    """What scikit-learn says of the same columns under names: by integer labels it would take others, or none."""
    rows = integer_labels(labels).astype({labels[1]: "int64"})
    named = rows.set_axis(["a", "b", "c"], axis=1)
    expected = peer.ColumnTransformer([("p", "passthrough", make(dtype_include="float"))]).fit_transform(named)
    for columns in (make(dtype_include="float"), lambda rows: rows.select_dtypes("float").columns):
        found = tn.ColumnTransformer([("p", "passthrough", columns)]).fit_transform(rows)
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match=r"columns \[9\] of 'p' are not in the frame. Remedy"):
        tn.ColumnTransformer([("p", "passthrough", lambda rows: pd.Index([labels[0], 9]))]).fit(rows)


@pytest.mark.parametrize("columns", [np.array([0]), [0], [], slice(0, 1)])
@pytest.mark.parametrize("remainder", ["drop", "passthrough"])
def test_no_transformer_is_named_remainder(columns, remainder):
    spec = [("remainder", tn.StandardScaler(), columns), ("s", tn.StandardScaler(), [1])]
    said = r"Estimator names conflict with constructor arguments: \['remainder'\]"
    for kind in (tn.ColumnTransformer, peer.ColumnTransformer):
        with pytest.raises(ValueError, match=said):
            kind(spec, remainder=remainder).fit(np.eye(3))


def test_a_model_with_a_remainder_is_fitted_again_once_it_was_saved(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = tn.ColumnTransformer([("s", tn.StandardScaler(), [1])], remainder="passthrough").fit(X[:20])
    model.save(tmp_path / "model")
    loaded = tn.load(tmp_path / "model").partial_fit(X[20:])
    whole = clone(model).fit(X)
    np.testing.assert_allclose(loaded.transform(X), whole.transform(X), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(clone(loaded).fit_transform(X), whole.transform(X))


LETTERS = pd.DataFrame({"c": ["a", "b", "c"] * 4, "z": [0.0, 0.0, 1.0] * 4})
UNKNOWN = pd.DataFrame({"c": ["a", "q", "q"], "z": [0.0, 0.0, 0.0]})


@pytest.mark.parametrize("threshold", [0, 0.3, 0.35, 0.6, 1.0])
@pytest.mark.parametrize("columns", [["c"], ["c", "z"]])
def test_fit_decides_whether_outputs_are_sparse(columns, threshold, tmp_path):
    """By what is stored, dense zeros too; then it stays so, whatever rows come, as in scikit-learn."""
    spec = [("o", tn.OneHotEncoder(handle_unknown="ignore"), ["c"]), ("p", "passthrough", columns[1:])]
    mine = tn.ColumnTransformer(spec, sparse_threshold=threshold).fit(LETTERS)
    theirs = peer.ColumnTransformer(spec, sparse_threshold=threshold).fit(LETTERS)
    assert mine.sparse_output_ is bool(theirs.sparse_output_)
    mine.save(tmp_path / "model")
    later = [mine, tn.load(tmp_path / "model"), pickle.loads(pickle.dumps(mine)), clone(mine).partial_fit(LETTERS)]
    for model in [*later, clone(mine).fit(LETTERS[:6]) + clone(mine).fit(LETTERS[6:9])]:
        for rows in (LETTERS, UNKNOWN, pl.from_pandas(UNKNOWN)):
            found = model.transform(rows)
            assert hasattr(found, "nnz") == theirs.sparse_output_ == model.sparse_output_
        np.testing.assert_array_equal(dense(model.transform(UNKNOWN)), dense(theirs.transform(UNKNOWN)))
        np.testing.assert_array_equal(dense(model.transform(tn.scan(UNKNOWN)).collect()), dense(found))


def test_a_step_of_scikit_learn_is_given_what_it_was_fitted_to():
    spec, y = [("o", tn.OneHotEncoder(handle_unknown="ignore"), ["c"])], [0, 1, 1] * 4
    mine = tn.make_pipeline(tn.ColumnTransformer(spec), sklearn.naive_bayes.GaussianNB()).fit(LETTERS, y)
    theirs = make_pipeline(peer.ColumnTransformer(spec), sklearn.naive_bayes.GaussianNB()).fit(LETTERS, y)
    assert mine.predict(UNKNOWN).tolist() == theirs.predict(UNKNOWN).tolist()


def test_what_a_file_says_was_decided_is_checked_and_may_be_missing(tmp_path):
    spec = [("o", tn.OneHotEncoder(handle_unknown="ignore"), ["c"])]
    model, path = tn.ColumnTransformer(spec).fit(LETTERS), tmp_path / "model"
    model.save(path)
    document, tensors = container.read(path)
    assert document["decided"] == {"sparse_output_": False}
    for forged in ({"sparse_output_": 1}, {"sparse_output_": None}, {"model_": True}, [True], True):
        container.write(path, {**document, "decided": forged}, tensors)
        with pytest.raises(tn.ModelFileError, match="decided|decisions"):
            tn.load(path)
    old = {key: one for key, one in document.items() if key != "decided"}
    container.write(path, old, tensors)
    loaded = tn.load(path)  # as before there was a decision, each transform decides
    assert not hasattr(loaded, "sparse_output_")
    np.testing.assert_array_equal(dense(loaded.transform(LETTERS)), model.transform(LETTERS))


def test_what_is_dropped_has_a_name_too():
    X = pd.DataFrame(np.arange(20.0).reshape(5, 4), columns=list("abcd"))
    for branches, rest in (
        ([("s", "StandardScaler", ["a"]), ("d", "drop", ["b"])], "drop"),
        ([("s", "StandardScaler", ["a", "b", "c", "d"])], "drop"),
        ([("s", "StandardScaler", ["a", "b"]), ("e", "StandardScaler", [])], "passthrough"),
    ):
        ours, theirs = (
            kind([(n, w if w == "drop" else getattr(where, w)(), c) for n, w, c in branches], remainder=rest).fit(X)
            for kind, where in ((tn.ColumnTransformer, tn), (sklearn.compose.ColumnTransformer, sklearn.preprocessing))
        )
        assert ours.output_indices_ == theirs.output_indices_
        assert {*ours.named_transformers_} == {*theirs.named_transformers_}
        for name, one in theirs.named_transformers_.items():
            assert (one == "drop") == (ours.named_transformers_[name] == "drop")


@pytest.mark.parametrize("text", [tn.TfidfVectorizer(), tn.TextFeatures(n_features=8), tn.CountVectorizer()])
def test_missing_text_beside_other_columns_is_refused_by_name_and_the_remedies_work(text, tmp_path):
    frame = pd.DataFrame({"words": ["good red", "bad", None, "good"] * 5, "x": np.arange(20.0), "y": [1, 0] * 10})
    frame.to_parquet(tmp_path / "day.parquet", row_group_size=8)
    X, y, full = frame[["words", "x"]], frame["y"], frame.fillna({"words": ""})
    model = tn.make_pipeline(
        tn.ColumnTransformer([("words", text, "words"), ("numbers", tn.StandardScaler(), ["x"])]),
        tn.LogisticRegression(),
    )
    fitted = clone(model).fit(full[["words", "x"]], y)
    rows = tn.scan(tmp_path / "day.parquet", target="y")
    for call in (
        lambda: clone(model).fit(X, y),
        lambda: fitted.predict(X),
        lambda: clone(model).fit(rows),
        lambda: fitted.predict(rows).collect(),
        lambda: tn.cross_validate(model, X, y, folds=2),
    ):
        with pytest.raises(tn.DataError, match=r"no text in column 'words'.* row 2: it is missing\. Remedy: TextF"):
            call()
    assert len(fitted.predict(X.fillna({"words": ""}))) == 20
    some = tn.scan(tmp_path / "day.parquet", target="y", where=pc.field("words").is_valid())
    assert len(clone(model).fit(some).predict(some).collect()) == 15


def filled_before_text():
    constant = tn.SimpleImputer(strategy="constant", fill_value="")
    return {
        "empty": tn.TextFeatures(missing="empty"),
        "hashed": tn.TextFeatures(n_features=8, missing="empty"),
        "counts": tn.CountVectorizer(missing="empty"),
        "imputed": tn.make_pipeline(constant, tn.TextFeatures()),
    }


@pytest.mark.parametrize("name", filled_before_text())
def test_missing_text_is_empty_text_where_that_is_asked_for(name, tmp_path):
    """The same as of rows in which it was filled in: in memory, over files, in folds, and from a model file."""
    frame = pd.DataFrame({"words": ["good red", "bad", None, "good"] * 5, "x": np.arange(20.0), "y": [1, 0] * 10})
    frame.to_parquet(tmp_path / "day.parquet", row_group_size=8)
    rows = tn.scan(tmp_path / "day.parquet", target="y")
    full = frame.fillna({"words": ""})
    branches = filled_before_text()

    def pipeline(text):
        numbers = ("numbers", tn.StandardScaler(), ["x"])
        return tn.make_pipeline(tn.ColumnTransformer([("words", text, ["words"]), numbers]), tn.LogisticRegression())

    expected = pipeline(branches[name]).fit(full[["words", "x"]], full["y"])
    for model in (pipeline(branches[name]).fit(frame[["words", "x"]], frame["y"]), pipeline(branches[name]).fit(rows)):
        np.testing.assert_allclose(model[-1].coef_, expected[-1].coef_, rtol=1e-8)
        assert model[0].get_feature_names_out().tolist() == expected[0].get_feature_names_out().tolist()
        want = expected.predict_proba(full[["words", "x"]])
        model.save(tmp_path / "model")
        loaded = tn.load(tmp_path / "model")
        np.testing.assert_allclose(loaded.predict_proba(frame[["words", "x"]]), want, rtol=1e-8)
        np.testing.assert_allclose(loaded.predict_proba(rows).collect(), want, rtol=1e-8)
    folds = tn.cross_validate(pipeline(branches[name]), rows, folds=2, shuffle=True).scores
    in_memory = tn.cross_validate(
        pipeline(branches[name]), full[["words", "x"]], full["y"], folds=2, shuffle=True
    ).scores
    np.testing.assert_allclose(folds, in_memory)


def test_an_imputer_before_text_fills_in_a_word_of_its_own():
    frame = pd.DataFrame({"words": ["a bee", None, "bee"], "x": [1.0, 2.0, 3.0]})
    branch = tn.make_pipeline(tn.SimpleImputer(strategy="constant", fill_value="nothing"), tn.TextFeatures("count"))
    model = tn.ColumnTransformer([("words", branch, ["words"]), ("x", "passthrough", ["x"])]).fit(frame)
    assert model.transform(frame).tolist() == [[1, 0, 1], [0, 1, 2], [1, 0, 3]]
    imputer = model.named_transformers_["words"][0]
    assert imputer.statistics_.tolist() == ["nothing"]
    assert imputer.certificate_["columns with gaps"].value == 1
    two = tn.make_pipeline(tn.SimpleImputer(strategy="constant", fill_value=""), tn.TextFeatures())
    with pytest.raises(ValueError, match="'x'"):
        tn.ColumnTransformer([("words", two, ["words", "x"])]).fit(frame)


def test_an_imputer_then_text_in_a_pipeline_alone(tmp_path):
    frame = pd.DataFrame({"words": ["good red", "bad", None, "good"] * 5, "y": [1, 0] * 10})
    frame.to_parquet(tmp_path / "day.parquet", row_group_size=8)
    steps = [tn.SimpleImputer(strategy="constant", fill_value=""), tn.TextFeatures(), tn.LogisticRegression()]
    memory = tn.make_pipeline(*clone(steps)).fit(frame[["words"]], frame["y"])
    rows = tn.scan(tmp_path / "day.parquet", target="y")
    files = tn.make_pipeline(*clone(steps)).fit(rows)
    np.testing.assert_allclose(files[-1].coef_, memory[-1].coef_, rtol=1e-8)
    np.testing.assert_allclose(files.predict_proba(rows).collect(), memory.predict_proba(frame[["words"]]), rtol=1e-8)


def test_claims_name_the_columns_and_categories_that_a_branch_is_fitted_to():
    frame = pd.DataFrame(
        {
            "at": pd.date_range("2024", periods=6),
            "a": [1.0, 2, 3, 4, 5, 6],
            "shop": list("xxyyzx"),
            "kind": [1, 1, 2, 2, 2, 2],
        }
    )
    encode = tn.OneHotEncoder()
    for branch in (encode, tn.make_pipeline(encode)):
        columns = tn.ColumnTransformer([("n", "passthrough", ["a"]), ("c", branch, ["kind", "shop"])]).fit(frame)
        (claim,) = [c for c in columns.certificate_.claims if c.kind.endswith("rarest category")]
        assert claim.because == "weight of category 'z' of column 'shop', the rarest"
    made = tn.make_pipeline(tn.SimpleImputer(strategy="constant", fill_value="-"), encode)
    columns = tn.ColumnTransformer([("c", made, ["shop"])]).fit(frame)
    (claim,) = [c for c in columns.certificate_.claims if c.kind.endswith("rarest category")]
    assert claim.because == "weight of category number 3 of column number 0 of its input, the rarest"


def test_tags_ask_each_member_once_what_it_needs(monkeypatch):
    asked, need = [], tn.StandardScaler().need
    counted = property(lambda self: (asked.append(1), need)[1])
    monkeypatch.setattr(tn.StandardScaler, "need", counted)
    model = tn.ColumnTransformer([("one", tn.StandardScaler(), ["a"]), ("other", tn.StandardScaler(), ["b"])])
    assert get_tags(model).input_tags.allow_nan
    assert len(asked) == 2


def test_categories_that_pass_beside_sparse_text_are_scored_as_they_are_predicted(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"shop": random.choice(list("abc"), 90), "note": random.choice(["late", "good box", "bad"], 90)}
    )
    frame["y"] = random.integers(0, 2, 90)
    frame.to_parquet(tmp_path / "day.parquet", row_group_size=30)
    rows = tn.scan(tmp_path / "day.parquet", target="y")
    columns = tn.ColumnTransformer([("c", "passthrough", ["shop"]), ("t", tn.TextFeatures(), "note")])
    folds = [(np.arange(30, 90), np.arange(30)), (np.arange(60), np.arange(60, 90))]
    for learner in (tn.LogisticRegression(), tn.DecisionTreeClassifier(max_depth=2)):
        model = tn.make_pipeline(columns, learner)
        fitted = clone(model).fit(tn.scan(frame[:60], target="y"))
        test = tn.scan(frame[60:], target="y")
        error = tn.certify(fitted, test)["error"].value
        assert error == pytest.approx(np.mean(fitted.predict(frame[60:][["shop", "note"]]) != frame["y"][60:]))
        parts = [[tn.scan(frame.iloc[some], target="y") for some in fold] for fold in folds]
        by_hand = [clone(model).fit(train).score(test) for train, test in parts]
        assert tn.cross_validate(model, rows, folds=folds).scores.ravel().tolist() == by_hand
