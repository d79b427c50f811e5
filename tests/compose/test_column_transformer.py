"""Transformers side by side, each of its own columns: scikit-learn's numbers, one scan, files, merging, folds."""

import numpy as np
import pandas as pd
import pytest
import sklearn.compose as peer
import sklearn.pipeline as peer_pipeline
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.sources.parquet import ParquetSource
from tenfold.testing import bits

SPECS = {
    "by name": [("s", tn.StandardScaler(), ["size", "rank"]), ("o", tn.OneHot(), ["city", "sort"])],
    "numbers as categories": [("o", tn.OneHot(), ["rank", "city"]), ("s", tn.MinMaxScaler(), ["size"])],
    "one name": [("s", tn.StandardScaler(), ["size"]), ("o", tn.OneHot(sparse_output=False), ["city"])],
    "by function": [
        ("s", tn.StandardScaler(), peer.make_column_selector(dtype_include="number")),
        ("o", tn.OneHot(), peer.make_column_selector(pattern="^city$")),
    ],
    "by slice and mask": [
        ("s", tn.StandardScaler(), slice("size", "rank")),
        ("o", tn.OneHot(), [False, False, True, True, False]),
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
    tn.ColumnTransformer([*numbers, ("o", tn.OneHot(), ["city"]), ("c", tn.OneHot(drop="first"), ["sort"])]).fit(source)
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
    spec = [("s", tn.StandardScaler(), ["rank"]), ("o", tn.OneHot(sparse_output=False), ["city"])]
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
        ([("s", tn.StandardScaler(), ["city"])], "columns that do not enter as numbers: 'city'"),
        (
            [("s", tn.StandardScaler(), ["rank"]), ("o", tn.OneHot(), ["rank"])],
            "column 'rank' enters as numbers for 's'",
        ),
        ([("s", "scale", ["rank"])], "no transformer of tenfold"),
        ([("s", tn.Ridge(), ["rank"])], "no transformer of tenfold"),
        ([("s", tn.StandardScaler())], "must be a list of"),
        ([("s", tn.StandardScaler(), [])], "no transformer that has columns"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(spec, said):
    with pytest.raises((ValueError, TypeError), match=said):
        tn.ColumnTransformer(spec).fit(frame())


def test_rows_are_recognised_by_all_their_columns():
    """Whichever columns a transformer has, the marks are those of whole rows, as of any other learner."""
    X = np.random.default_rng(0).normal(size=(400, 3))
    some = tn.ColumnTransformer([("a", tn.StandardScaler(), [0]), ("b", tn.MinMaxScaler(), [1, 2])]).fit(X)
    assert some.certificate_.provenance.marks == tn.StandardScaler().fit(X).certificate_.provenance.marks != ""
