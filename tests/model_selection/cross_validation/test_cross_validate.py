"""Cross-validation against scikit-learn, from every source, on every runner, and how often it reads the rows."""

import re
import threading
from collections import Counter
from contextlib import contextmanager

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from distributed import Client, LocalCluster
from sklearn import linear_model, naive_bayes, preprocessing
from sklearn.metrics import accuracy_score, log_loss, mean_absolute_error, r2_score
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.model_selection import cross_validate as peer_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import tenfold as tn
from tenfold.sources import ArraySource, part_rows
from tenfold.sources.files.parquet import ParquetSource

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask itself, with a newer pandas

N = 240
NUMBERS = ["a", "b", "c", "d"]
WORDS = ["u", "v", "w"]


def make(n=N, seed=0):
    """Numbers of unlike sizes, words, a number and a class to predict, groups, weights with zeros."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 4)) * [1, 5, 0.1, 20] + [0, 3, -7, 100]
    words = np.array(["red", "green", "blue", "grey"], dtype=object)[random.integers(0, 4, (n, 3))]
    y = X @ [1, 0.5, -3, 0.1] + (words[:, 0] == "red") + random.standard_normal(n)
    label = np.array(["low", "middle", "top"], dtype=object)[np.digitize(y + random.standard_normal(n), [31, 34])]
    group = random.permutation(np.repeat(np.arange(n), random.integers(1, 20, n))[:n])
    return pd.DataFrame(
        {
            **dict(zip(NUMBERS, X.T, strict=True)),
            **dict(zip(WORDS, words.T, strict=True)),
            "y": y,
            "label": label,
            "group": group,
            "fold": random.integers(0, 5, n),
            "weight": random.random(n) * random.integers(0, 3, n),
        }
    )


DATA = make()
X, Y, LABEL, GROUP = DATA[NUMBERS].to_numpy(), DATA["y"].to_numpy(), DATA["label"].to_numpy(), DATA["group"].to_numpy()
TEXT = DATA[WORDS].to_numpy()
CODES = preprocessing.OrdinalEncoder(dtype=int).fit_transform(TEXT)

REGRESSORS = {
    "Ridge": (tn.Ridge(3.0), linear_model.Ridge(3.0)),
    "LinearRegression": (tn.LinearRegression(), linear_model.LinearRegression()),
    "scaled": (
        make_pipeline(tn.StandardScaler(), tn.Ridge(30.0)),
        make_pipeline(preprocessing.StandardScaler(), linear_model.Ridge(30.0)),
    ),
}
CLASSIFIERS = {
    "GaussianNB": (tn.GaussianNB(), naive_bayes.GaussianNB()),
    "scaled": (
        make_pipeline(tn.MinMaxScaler(), tn.StandardScaler(), tn.GaussianNB(var_smoothing=0.01)),
        make_pipeline(
            preprocessing.MinMaxScaler(), preprocessing.StandardScaler(), naive_bayes.GaussianNB(var_smoothing=0.01)
        ),
    ),
}

SPLITTERS = {
    "k-fold": KFold(5),
    "shuffled": KFold(5, shuffle=True, random_state=1),
    "groups": GroupKFold(4),
    "time": TimeSeriesSplit(4, gap=7),
    "repeated": RepeatedKFold(n_splits=4, n_repeats=3, random_state=1),
    "random": ShuffleSplit(5, test_size=0.2, random_state=1),
    "random, some in neither": ShuffleSplit(7, train_size=0.5, test_size=0.2, random_state=1),
    "random groups": GroupShuffleSplit(3, test_size=0.3, random_state=1),
    "one group out": LeaveOneGroupOut(),
    "predefined": PredefinedSplit(np.where(DATA["fold"] == 4, -1, DATA["fold"])),
}
STRATIFIED = {
    "stratified": StratifiedKFold(5),
    "stratified, shuffled": StratifiedKFold(5, shuffle=True, random_state=1),
    "stratified groups": StratifiedGroupKFold(4),
    "stratified, repeated": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1),
    "stratified, random": StratifiedShuffleSplit(4, test_size=0.25, random_state=1),
}


def same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def grouped(name):
    return {"groups": GROUP} if "group" in name else {}


# ---- scikit-learn -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPLITTERS)
def test_numbers_as_scikit_learn_scores_them(name):
    score = "neg_mean_squared_error" if name == "one group out" else "r2"
    with part_rows(50):
        ours = [one for one, _ in REGRESSORS.values()]
        cv = tn.cross_validate(ours, X, Y, folds=SPLITTERS[name], scoring=score, **grouped(name))
    for scores, (_, peer) in zip(cv.scores, REGRESSORS.values(), strict=True):
        same(scores[0], cross_val_score(peer, X, Y, cv=SPLITTERS[name], scoring=score, **grouped(name)))


@pytest.mark.parametrize("name", [*SPLITTERS, *STRATIFIED])
def test_classes_as_scikit_learn_scores_them(name):
    folds = {**SPLITTERS, **STRATIFIED}[name]
    with part_rows(50):
        cv = tn.cross_validate([one for one, _ in CLASSIFIERS.values()], X, LABEL, folds=folds, **grouped(name))
        words = tn.cross_validate(tn.CategoricalNB(0.5), TEXT, LABEL, folds=folds, **grouped(name))
    for scores, (_, peer) in zip(cv.scores, CLASSIFIERS.values(), strict=True):
        same(scores[0], cross_val_score(peer, X, LABEL, cv=folds, **grouped(name)))
    peer = naive_bayes.CategoricalNB(alpha=0.5, min_categories=CODES.max(axis=0) + 1)
    same(words.scores[0, 0], cross_val_score(peer, CODES, LABEL, cv=folds, **grouped(name)))


def test_one_row_out():
    some = slice(0, 30)
    cv = tn.cross_validate(
        [one for one, _ in REGRESSORS.values()], X[some], Y[some], folds=LeaveOneOut(), scoring="neg_mean_squared_error"
    )
    for scores, (_, peer) in zip(cv.scores, REGRESSORS.values(), strict=True):
        same(
            scores[0],
            cross_val_score(peer, X[some], Y[some], cv=LeaveOneOut(), scoring="neg_mean_squared_error"),
        )
    classes = tn.cross_validate(tn.GaussianNB(), X[some], LABEL[some], folds=LeaveOneOut())
    same(classes.scores[0, 0], cross_val_score(naive_bayes.GaussianNB(), X[some], LABEL[some], cv=LeaveOneOut()))
    undefined = tn.cross_validate(tn.Ridge(), X[some], Y[some], folds=LeaveOneOut())
    assert np.isnan(undefined.scores).all()
    assert "nan" in str(undefined)


def test_numbers_of_folds_arrays_and_lists():
    fold = DATA["fold"].to_numpy()
    listed = list(TimeSeriesSplit(3).split(X))
    cases = [
        ({"folds": 7}, {"cv": KFold(7)}),
        ({"folds": 4, "groups": GROUP}, {"cv": GroupKFold(4), "groups": GROUP}),
        ({"folds": fold}, {"cv": PredefinedSplit(fold)}),
        ({"folds": listed}, {"cv": listed}),
    ]
    for mine, theirs in cases:
        found = tn.cross_validate(tn.Ridge(), X, Y, **mine).scores[0, 0]
        same(found, cross_val_score(linear_model.Ridge(), X, Y, **theirs))
    cases[0] = ({"folds": 7}, {"cv": StratifiedKFold(7)})
    for mine, theirs in cases:
        found = tn.cross_validate(tn.GaussianNB(), X, LABEL, **mine).scores[0, 0]
        same(found, cross_val_score(naive_bayes.GaussianNB(), X, LABEL, **theirs))


def test_ten_folds_by_default():
    cv = tn.cross_validate(tn.Ridge(), X, Y)
    same(cv.scores[0, 0], cross_val_score(linear_model.Ridge(), X, Y, cv=10))
    assert cv.scoring == ["r2"]
    assert cv.sizes == [(216, 24)] * 10
    assert tn.cross_validate(tn.GaussianNB(), X, LABEL).scoring == ["accuracy"]


def test_words_through_indicators():
    """All categories are known beforehand, which indicators do not show: those of others are zero."""
    rare = TEXT.copy()
    rare[3, 1] = "violet"
    cv = tn.cross_validate(make_pipeline(tn.OneHotEncoder(handle_unknown="ignore"), tn.Ridge()), rare, Y, folds=6)
    peer = make_pipeline(
        preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False), linear_model.Ridge()
    )
    same(cv.scores[0, 0], cross_val_score(peer, rare, Y, cv=KFold(6)))


NUMBER_SCORES = ["r2", "neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error"]
CLASS_SCORES = ["accuracy", "balanced_accuracy", "f1_macro", "precision_weighted", "recall_micro", "neg_log_loss"]
TWO_SCORES = ["roc_auc", "average_precision", "f1", "precision", "recall", "neg_brier_score", "neg_log_loss"]


@pytest.mark.parametrize("which", ["numbers", "classes", "two classes", "words"])
def test_many_scores_at_once(which):
    two = (Y > 32).astype(int)
    ours, peer, rows, target, names = {
        "numbers": (tn.Ridge(), linear_model.Ridge(), X, Y, NUMBER_SCORES),
        "classes": (tn.GaussianNB(), naive_bayes.GaussianNB(), X, LABEL, CLASS_SCORES),
        "two classes": (tn.GaussianNB(), naive_bayes.GaussianNB(), X, two, TWO_SCORES),
        "words": (tn.CategoricalNB(), naive_bayes.CategoricalNB(min_categories=4), TEXT, LABEL, CLASS_SCORES),
    }[which]
    with part_rows(50):
        cv = tn.cross_validate(ours, rows, target, folds=5, scoring=names)
    wanted = peer_validate(peer, CODES if which == "words" else rows, target, cv=5, scoring=names)
    assert cv.scoring == names
    for at, name in enumerate(names):
        same(cv.scores[0, at], wanted[f"test_{name}"])
        alone = tn.cross_validate(ours, rows, target, folds=5, scoring=name)
        same(alone.scores[0, 0], cv.scores[0, at])


def test_scores_of_a_perfect_fit_do_not_lose_their_digits():
    """Where errors are tiny beside the numbers, they are not read off the moments but made of the predictions."""
    random = np.random.default_rng(1)
    near = random.standard_normal((100, 2)) + [1e4, 0]
    y = near @ [3.0, -2.0] + 1e-5 * random.standard_normal(100)
    cv = tn.cross_validate(tn.LinearRegression(), near, y, folds=5, scoring="neg_mean_squared_error")
    assert cv.scans == 3  # moments, R-factors, scores
    peer = cross_val_score(linear_model.LinearRegression(), near, y, cv=5, scoring="neg_mean_squared_error")
    np.testing.assert_allclose(cv.scores[0, 0], peer, rtol=1e-6)


def test_sizes_are_those_of_the_folds_however_they_are_scored():
    """The last fold is far away: the scores of the others could be read off, and its could not."""
    random = np.random.default_rng(1)
    fold = np.repeat([0, 1, 2], [10, 30, 60])
    some = random.standard_normal((100, 1)) + 1e4 * (fold == 2)[:, None]
    y = some[:, 0] + random.standard_normal(100)
    cv = tn.cross_validate(tn.Ridge(), some, y, folds=fold)
    assert cv.scans == 2
    assert cv.sizes == [(90, 10), (70, 30), (40, 60)]
    same(cv.scores[0, 0], cross_val_score(linear_model.Ridge(), some, y, cv=PredefinedSplit(fold)))


# ---- beside estimators of scikit-learn ---------------------------------------------------------------


def test_estimators_of_scikit_learn_in_the_same_list():
    cv = tn.cross_validate([tn.Ridge(2.0), linear_model.Ridge(2.0), linear_model.Lasso()], X, Y, folds=6)
    same(cv.scores[0], cv.scores[1])
    same(cv.scores[2, 0], cross_val_score(linear_model.Lasso(), X, Y, cv=6))
    assert cv.scans == 1
    assert cv.fit_seconds[0] == 0
    assert min(cv.fit_seconds[1:]) > 0
    shuffled = tn.cross_validate([tn.Ridge(), linear_model.Ridge()], X, Y, folds=6, shuffle=True, repeats=2)
    same(shuffled.scores[0], shuffled.scores[1])
    both = tn.cross_validate(
        [tn.Ridge(), linear_model.Ridge()], X, Y, folds=4, groups=GROUP, scoring=["r2", "neg_mean_absolute_error"]
    )
    same(both.scores[0], both.scores[1])


@pytest.mark.parametrize("form", ["array", "list", "pandas", "polars", "arrow"])
def test_string_classes_and_frames_beside_scikit_learn(form):
    rows = {
        "array": lambda: X,
        "list": X.tolist,
        "pandas": lambda: DATA[NUMBERS],
        "polars": lambda: pl.from_pandas(DATA[NUMBERS]),
        "arrow": lambda: pa.Table.from_pandas(DATA[NUMBERS]),
    }[form]()
    target = {"list": LABEL.tolist(), "pandas": DATA["label"]}.get(form, LABEL)
    names = ["accuracy", "neg_log_loss", "f1_macro"]
    ours = [tn.GaussianNB(), naive_bayes.GaussianNB()]
    if form != "arrow":
        ours.append(DecisionTreeClassifier(max_depth=2, random_state=0))
    else:
        ours = ours[:1]  # scikit-learn takes no Arrow tables
    cv = tn.cross_validate(ours, rows, target, folds=5, scoring=names)
    wanted = peer_validate(naive_bayes.GaussianNB(), X, LABEL, cv=5, scoring=names)
    for scores in cv.scores[:2]:
        for at, name in enumerate(names):
            same(scores[at], wanted[f"test_{name}"])


def test_what_only_scikit_learn_can_read():
    """Words, holes and sparse rows reach an estimator in memory as they are."""
    peer = make_pipeline(
        preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False), linear_model.Ridge()
    )
    for words in (DATA[WORDS], TEXT):
        cv = tn.cross_validate(
            {"mine": make_pipeline(tn.OneHotEncoder(handle_unknown="ignore"), tn.Ridge()), "theirs": peer},
            words,
            Y,
            folds=5,
        )
        same(cv.scores[0], cv.scores[1])
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    trees = DecisionTreeClassifier(max_depth=3, random_state=0)  # it takes NaN
    cv = tn.cross_validate(trees, holes, LABEL, folds=3)
    same(cv.scores[0, 0], cross_val_score(trees, holes, LABEL, cv=3))
    thin = sp.csr_array(np.where(np.abs(X - X.mean(axis=0)) > X.std(axis=0), X, 0.0))
    cv = tn.cross_validate([tn.Ridge(), linear_model.Ridge(solver="sparse_cg", tol=1e-12)], thin, Y, folds=4)
    np.testing.assert_allclose(cv.scores[0], cv.scores[1], rtol=1e-6)


def test_the_column_that_says_the_fold_is_hidden_from_scikit_learn_too():
    wanted = cross_val_score(linear_model.Ridge(), X, Y, cv=PredefinedSplit(DATA["fold"]))
    frames = [DATA[[*NUMBERS, "fold"]], pl.from_pandas(DATA[[*NUMBERS, "fold"]])]
    for frame in frames:
        cv = tn.cross_validate([tn.Ridge(), linear_model.Ridge()], frame, Y, folds="fold")
        same(cv.scores[:, 0], [wanted, wanted])
        assert list(frame.columns) == [*NUMBERS, "fold"]
        both = tn.cross_validate([tn.Ridge(), linear_model.Ridge()], frame, Y, folds=3, groups="fold")
        same(
            both.scores[0, 0],
            cross_val_score(linear_model.Ridge(), X, Y, cv=GroupKFold(3), groups=DATA["fold"]),
        )
        same(both.scores[0], both.scores[1])
    cv = tn.cross_validate([tn.GaussianNB(), naive_bayes.GaussianNB()], frames[0], LABEL, folds="fold")
    wanted = cross_val_score(naive_bayes.GaussianNB(), X, LABEL, cv=PredefinedSplit(DATA["fold"]))
    same(cv.scores[:, 0], [wanted, wanted])


# ---- sources ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Two files of several row groups."""
    folder = tmp_path_factory.mktemp("rows")
    table = pa.Table.from_pandas(DATA)
    pq.write_table(table.slice(0, 150), folder / "a.parquet", row_group_size=31)
    pq.write_table(table.slice(150), folder / "b.parquet", row_group_size=31)
    return folder


def sources(path, target, columns, beside=(), **more):
    """The same rows from everywhere; Dask knows only of columns that have a role, and of one beside them."""
    names = {"target": target, "columns": columns, **more}
    yield tn.scan(path, **names)
    yield tn.scan(DATA, **names)
    with part_rows(33):
        yield tn.scan(pl.from_pandas(DATA), **names)
        yield tn.scan(pa.Table.from_pandas(DATA), **names)
    frame = DATA[[*columns, target, *more.values(), *beside]]
    yield tn.scan(dd.from_pandas(frame, npartitions=5, sort=False), target=target, **more)


@pytest.mark.parametrize("folds", ["number", "shuffled", "array", "list", "fold", "group"])
def test_rows_from_everywhere_have_the_same_scores(path, folds):
    options = {
        "number": {"folds": 5, "shuffle": False},
        "shuffled": {"folds": 5, "shuffle": True, "random_state": 3, "repeats": 2},
        "array": {"folds": DATA["fold"].to_numpy()},
        "list": {"folds": list(KFold(3).split(X))},
        "fold": {"folds": "fold"},
        "group": {"folds": 4, "groups": "group"},
    }[folds]
    in_memory = {"fold": {"folds": DATA["fold"]}, "group": {"folds": 4, "groups": GROUP}}.get(folds, options)
    cases = [
        ([tn.Ridge(), make_pipeline(tn.StandardScaler(), tn.Ridge(9.0))], "y", NUMBERS, X, Y),
        ([tn.GaussianNB(), tn.AdaBoostClassifier(n_estimators=4)], "label", NUMBERS, X, LABEL),
        ([tn.CategoricalNB()], "label", WORDS, TEXT, LABEL),
    ]
    for learners, target, columns, rows, y in cases:
        wanted = tn.cross_validate(learners, rows, y, **in_memory).scores
        frame = tn.cross_validate(learners, DATA[columns], y, **in_memory).scores
        same(frame, wanted)
        beside = [name for name in options.values() if isinstance(name, str)]
        for source in sources(path, target, columns, beside):
            same(tn.cross_validate(learners, source, **options).scores, wanted)


def test_dask_collections_with_their_targets():
    frame = dd.from_pandas(DATA, npartitions=4, sort=False)
    wanted = tn.cross_validate(tn.Ridge(), X, Y, folds=5)
    same(tn.cross_validate(tn.Ridge(), frame[NUMBERS], frame["y"], folds=5).scores, wanted.scores)
    by_fold = tn.cross_validate(tn.Ridge(), frame[[*NUMBERS, "fold"]], frame["y"], folds="fold")
    same(by_fold.scores, tn.cross_validate(tn.Ridge(), X, Y, folds=DATA["fold"]).scores)
    arrays = da.from_array(X, chunks=(70, 2)), da.from_array(Y, chunks=50)
    same(tn.cross_validate(tn.Ridge(), *arrays, folds=5).scores, wanted.scores)
    found = tn.cross_validate(tn.GaussianNB(), frame[NUMBERS], frame["label"], folds=5)
    same(found.scores, tn.cross_validate(tn.GaussianNB(), X, LABEL, folds=5).scores)


def test_some_of_the_rows_of_files(path):
    keep = pc.field("b") > 2
    left = DATA[DATA["b"] > 2]
    source = tn.scan(path, target="y", columns=NUMBERS, where=keep)
    cv = tn.cross_validate(tn.Ridge(), source, folds=5, shuffle=False)
    same(cv.scores[0, 0], cross_val_score(linear_model.Ridge(), left[NUMBERS], left["y"], cv=5))
    labelled = tn.scan(path, target="label", columns=NUMBERS, where=keep)
    found = tn.cross_validate(tn.GaussianNB(), labelled, folds=5, shuffle=False).scores[0, 0]
    same(found, cross_val_score(naive_bayes.GaussianNB(), left[NUMBERS], left["label"], cv=5))


def test_weights(path):
    """Rows weigh as much in learning as in judging, as scikit-learn has it when told so."""
    weight = DATA["weight"].to_numpy()
    there = weight > 0
    assert 40 < there.sum() < 200
    folds = list(KFold(5).split(X))
    wanted = []
    for train, test in folds:
        said = linear_model.Ridge().fit(X[train], Y[train], sample_weight=weight[train]).predict(X[test])
        heft = {"sample_weight": weight[test]}
        wanted.append([r2_score(Y[test], said, **heft), -mean_absolute_error(Y[test], said, **heft)])
    in_memory = tn.scan(X, target=Y, weight=weight)
    for source in (in_memory, *sources(path, "y", NUMBERS, weight="weight")):
        in_order = {"folds": 5, "shuffle": False}
        cv = tn.cross_validate(tn.Ridge(), source, **in_order, scoring=["r2", "neg_mean_absolute_error"])
        same(cv.scores[0].T, wanted)
        same(tn.cross_validate(tn.Ridge(), source, **in_order).scores[0, 0], np.array(wanted)[:, 0])
        assert cv.sizes == [(there[train].sum(), there[test].sum()) for train, test in folds]
    wanted = []
    at = np.flatnonzero(there)
    for train, test in StratifiedKFold(5).split(at, LABEL[at]):
        train, test = at[train], at[test]
        model = naive_bayes.GaussianNB(var_smoothing=0).fit(X[train], LABEL[train], sample_weight=weight[train])
        heft = {"sample_weight": weight[test]}
        right = accuracy_score(LABEL[test], model.predict(X[test]), **heft)
        wanted.append([right, -log_loss(LABEL[test], model.predict_proba(X[test]), labels=model.classes_, **heft)])
    for source in sources(path, "label", NUMBERS, weight="weight"):
        learner = tn.GaussianNB(var_smoothing=0)  # the peer smooths by a variance without weights
        cv = tn.cross_validate(learner, source, folds=5, shuffle=False, scoring=["accuracy", "neg_log_loss"])
        same(cv.scores[0].T, wanted)
        same(tn.cross_validate(learner, source, **in_order).scores[0, 0], np.array(wanted)[:, 0])


def test_where_arrays_are_cut_does_not_matter():
    cases = [
        ([tn.Ridge(), tn.LinearRegression(), REGRESSORS["scaled"][0]], Y, {"scoring": NUMBER_SCORES}),
        ([tn.GaussianNB(), tn.AdaBoostClassifier(n_estimators=3)], LABEL, {"scoring": CLASS_SCORES}),
    ]
    for learners, target, options in cases:
        found = []
        for rows in (7, 24, 100, 4096):
            with part_rows(rows):
                found.append(tn.cross_validate(learners, X, target, shuffle=True, **options).scores)
        for scores in found:
            same(scores, found[0])


def test_row_groups_in_batches(path, monkeypatch):
    numbers, labelled = (tn.scan(path, target=t, columns=NUMBERS) for t in ("y", "label"))

    def scores():
        return [
            tn.cross_validate([tn.Ridge(), REGRESSORS["scaled"][0]], numbers, folds=6).scores,
            tn.cross_validate(tn.GaussianNB(), labelled, folds=6, shuffle=True).scores,
            tn.cross_validate(tn.AdaBoostClassifier(n_estimators=3), labelled, folds=3).scores,
        ]

    whole = scores()
    monkeypatch.setattr("tenfold.sources.files.parquet.MAX_ROW_GROUP_BYTES", 0)
    monkeypatch.setattr("tenfold.sources.files.parquet.BATCH_ROWS", 7)
    assert len(list(numbers.tables(0, ["a"]))) == 5
    for found, wanted in zip(scores(), whole, strict=True):
        same(found, wanted)


# ---- runners ---------------------------------------------------------------------------------------


WAYS = {
    "contiguous": {"folds": 4, "shuffle": False},
    "shuffled": {"folds": 4, "shuffle": True},
    "column": {"folds": "fold"},
    "groups": {"folds": 3, "groups": "group"},
}


def everything(path, way):
    """The bits of the scores of many learners."""
    source, labelled, words = (
        tn.scan(path, target=t, columns=c, weight="weight")
        for t, c in (("y", NUMBERS), ("label", NUMBERS), ("label", WORDS))
    )
    numbers = [tn.Ridge(), tn.Ridge(50.0), tn.LinearRegression(), REGRESSORS["scaled"][0]]
    classes = [tn.GaussianNB(), tn.AdaBoostClassifier(n_estimators=3), CLASSIFIERS["scaled"][0]]
    found = [
        tn.cross_validate(numbers, source, scoring=["r2", "neg_mean_absolute_error"], **WAYS[way]),
        tn.cross_validate(classes, labelled, scoring=["accuracy", "neg_log_loss"], **WAYS[way]),
        tn.cross_validate(tn.CategoricalNB(), words, **WAYS[way]),
    ]
    return [(cv.scores.tobytes(), cv.sizes, cv.scans) for cv in found]


@pytest.fixture(scope="module")
def expected(path):
    with tn.on(tn.Local(threads=1)):
        found = {way: everything(path, way) for way in WAYS}
    assert len({scores for some in found.values() for scores, _, _ in some}) == 3 * len(WAYS)
    return found


@pytest.mark.parametrize("threads", [2, 3])
def test_the_same_bits_on_threads(path, expected, threads):
    with tn.on(tn.Local(threads=threads)):
        assert {way: everything(path, way) for way in WAYS} == expected


@pytest.mark.full
@pytest.mark.timeout(120)
def test_the_same_bits_on_two_processes(path, expected):
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
        tn.on(tn.Dask(client)),
    ):
        assert everything(path, "column") == expected["column"]
        source = tn.scan(path, target="y", columns=NUMBERS, weight="weight")
        there = tn.cross_validate(tn.Ridge(), source, folds=4, shuffle=True).scores
    assert there.tobytes() == tn.cross_validate(tn.Ridge(), source, folds=4, shuffle=True).scores.tobytes()


# ---- scans -----------------------------------------------------------------------------------------


class Read(ArraySource):
    """Counts how often each part is read."""

    def __init__(self, *given):
        with part_rows(60):
            super().__init__(*given)
        self.reads = Counter()
        self.within = threading.local()

    def read_now(self, part):
        """Count a reading, unless it is one of several that read the part at once."""
        self.reads[part] += not getattr(self.within, "once", False)

    @contextmanager
    def once(self, part, needs, columns=()):
        self.read_now(part)
        self.within.once = True
        try:
            yield
        finally:
            self.within.once = False

    def chunks(self, part, need, schema):
        self.read_now(part)
        yield from super().chunks(part, need, schema)

    def schema_of(self, part, need):
        if self.scans_for(need):
            self.read_now(part)
        return super().schema_of(part, need)


ALPHAS = np.logspace(-3, 3, 30)
FIVE = [
    tn.Ridge(),
    tn.Ridge(10.0),
    tn.LinearRegression(),
    tn.Ridge(fit_intercept=False),
    tn.LinearRegression(fit_intercept=False),
]


@pytest.mark.parametrize(
    ("learners", "options", "scans"),
    [
        (tn.Ridge(), {}, 1),
        ([tn.Ridge(a) for a in ALPHAS], {}, 1),
        (FIVE, {}, 1),
        (FIVE, {"shuffle": True, "repeats": 3}, 1),
        (FIVE, {"folds": GROUP % 7}, 1),
        (FIVE, {"folds": KFold(4)}, 1),
        (FIVE, {"folds": 4, "groups": GROUP}, 1),
        (FIVE, {"scoring": NUMBER_SCORES}, 2),  # absolute errors are not in the moments
        (FIVE, {"folds": RepeatedKFold(n_splits=5, n_repeats=5, random_state=0)}, 1),
        (make_pipeline(tn.StandardScaler(), tn.MaxAbsScaler(), tn.Ridge()), {}, 4),  # each step, and the scores
        (make_pipeline(tn.Ridge()), {}, 1),
    ],
)
def test_scans_for_numbers(learners, options, scans):
    source = Read(X, Y)
    cv = tn.cross_validate(learners, source, **options)
    assert cv.scans == scans
    assert source.reads == dict.fromkeys(range(4), scans)


@pytest.mark.parametrize(
    ("learners", "options", "scans"),
    [
        (tn.GaussianNB(), {}, 3),  # classes and how many of each, the summaries, the scores
        ([tn.GaussianNB(var_smoothing=v) for v in (1e-9, 1e-3, 0.1)], {"scoring": CLASS_SCORES}, 3),
        (tn.GaussianNB(), {"folds": GROUP % 5}, 3),
        (tn.AdaBoostClassifier(n_estimators=6), {}, 4),  # edges, then bins, which are held
        ([tn.GaussianNB(), tn.AdaBoostClassifier(n_estimators=6), tn.AdaBoostClassifier(n_estimators=2)], {}, 4),
    ],
)
def test_scans_for_classes(learners, options, scans):
    source = Read(X, LABEL)
    cv = tn.cross_validate(learners, source, **options)
    assert cv.scans == scans
    assert source.reads == dict.fromkeys(range(4), scans)
    again = tn.cross_validate(learners, source, **options)  # the classes are known by now
    less = "folds" in options  # else they are counted for the folds
    assert again.scans == scans - less
    assert source.reads == dict.fromkeys(range(4), 2 * scans - less)


def test_scans_that_gain_digits_are_counted():
    random = np.random.default_rng(0)
    near = random.standard_normal((N, 1)) + 1e-7 * random.standard_normal((N, 3))
    source = Read(near, near @ [1.0, 2.0, 3.0])
    cv = tn.cross_validate(tn.LinearRegression(), source, folds=4)
    assert cv.scans > 2
    assert source.reads == dict.fromkeys(range(4), cv.scans)


@pytest.fixture
def reads(monkeypatch):
    """How often each row group is read, whatever for."""
    count = Counter()
    plain = ParquetSource.tables

    def tables(self, part, columns, rows=None):
        count[part] += 1
        return plain(self, part, columns, rows)

    monkeypatch.setattr(ParquetSource, "tables", tables)
    return count


@pytest.mark.parametrize(
    ("learners", "target", "columns", "options", "scans"),
    [
        (tn.Ridge(), "y", NUMBERS, {}, 1),
        (FIVE, "y", NUMBERS, {"shuffle": True}, 1),
        (FIVE, "y", NUMBERS, {"folds": "fold"}, 2),  # the values of the column, and the summaries
        (FIVE, "y", NUMBERS, {"folds": 3, "groups": "group"}, 2),
        ([tn.Ridge(), REGRESSORS["scaled"][0]], "y", NUMBERS, {}, 3),  # two needs, read once
        (tn.GaussianNB(), "label", NUMBERS, {}, 3),
        (tn.GaussianNB(), "label", NUMBERS, {"folds": "fold"}, 3),
        (tn.CategoricalNB(), "label", WORDS, {}, 3),
        (make_pipeline(tn.OneHotEncoder(handle_unknown="ignore"), tn.Ridge()), "y", WORDS, {}, 4),
        ([tn.GaussianNB(), tn.CategoricalNB()], "label", ["fold", "group"], {}, 3),  # two needs, looked up at once
        ([tn.GaussianNB(), CLASSIFIERS["scaled"][0]], "label", NUMBERS, {}, 5),
    ],
)
def test_scans_of_files(path, reads, learners, target, columns, options, scans):
    source = tn.scan(path, target=target, columns=columns)
    cv = tn.cross_validate(learners, source, **options)
    assert cv.scans == scans
    assert reads == dict.fromkeys(range(len(source)), scans)


def test_steps_that_learners_have_in_common_are_fitted_once(path, monkeypatch):
    calls = Counter()
    plain = tn.StandardScaler.transform_from

    def transform_from(self, model, X):
        calls["rows"] += len(X)
        return plain(self, model, X)

    monkeypatch.setattr(tn.StandardScaler, "transform_from", transform_from)
    source = tn.scan(path, target="label", columns=NUMBERS)
    scaled = {
        "bayes": make_pipeline(tn.StandardScaler(), tn.GaussianNB()),
        "discriminant": make_pipeline(tn.StandardScaler(), tn.LinearDiscriminantAnalysis()),
        "tree": make_pipeline(tn.StandardScaler(), tn.DecisionTreeClassifier(max_depth=2)),
        "other": make_pipeline(tn.StandardScaler(with_mean=False), tn.GaussianNB()),
    }
    alone, rows = [], []
    for one in scaled.values():
        calls.clear()
        alone.append(tn.cross_validate(one, source, folds=4).scores[0])
        rows.append(calls["rows"])
    calls.clear()
    together = tn.cross_validate(scaled, source, folds=4)
    assert np.array(alone).tobytes() == together.scores.tobytes()
    once = 3 * N  # each row is in the training rows of three folds, and is scored once
    assert rows[0] == rows[1] == rows[3] == once + N
    assert calls["rows"] == rows[2] + rows[3] + 2 * N  # two more are scored


def test_learners_of_many_kinds_share_scans(tmp_path, reads):
    """Schemas and groups; two steps; shares of the rows, edges and moments; bins; rounds of Newton; scores."""
    random = np.random.default_rng(0)
    n = 1_200
    days = pd.Timestamp("2025-03-01") + pd.to_timedelta(random.integers(0, 12 * 24, n), unit="h")
    frame = pd.DataFrame({"day": days, "price": random.standard_normal(n), "shop": random.choice(list("abcd"), n)})
    frame["note"] = random.choice(["late", "late again", "broken box", ""], n)
    frame["back"] = np.where(frame["price"] + (frame["shop"] == "a") + random.standard_normal(n) > 0, "yes", "no")
    frame.loc[::7, "price"] = np.nan
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=200)
    source = tn.scan(tmp_path / "rows.parquet", target="back")

    def columns(encoder):
        numbers = tn.make_pipeline(tn.SimpleImputer(strategy="median"), tn.StandardScaler())
        text = ("text", tn.TextFeatures(), "note")
        return tn.ColumnTransformer([("n", numbers, ["price"]), ("c", encoder, ["shop"]), text])

    learners = {
        "logistic": tn.make_pipeline(columns(tn.OneHotEncoder()), tn.LogisticRegression()),
        "boosting": tn.make_pipeline(columns(tn.TargetEncoder()), tn.HistGradientBoostingClassifier(max_iter=5)),
        "bayes": tn.make_pipeline(columns(tn.TargetEncoder()), tn.GaussianNB()),
        "baseline": tn.DummyClassifier(),
    }
    asked = {"folds": 3, "groups": tn.col("day").dt.date(), "scoring": "roc_auc"}
    alone = [tn.cross_validate(one, source, **asked) for one in learners.values()]
    again = tn.scan(tmp_path / "rows.parquet", target="back")
    reads.clear()
    together = tn.cross_validate(learners, again, **asked)
    assert reads == dict.fromkeys(range(len(source)), together.scans)
    assert together.scans == max(one.scans for one in alone)  # as many as the one that needs most
    assert together.scores.tobytes() == np.concatenate([one.scores for one in alone]).tobytes()


def test_rows_that_must_be_counted_cost_a_scan(path, reads):
    source = tn.scan(path, target="y", columns=NUMBERS, where=pc.field("b") > 2)
    assert tn.cross_validate(tn.Ridge(), source).scans == 2
    assert reads == dict.fromkeys(range(len(source)), 2)


# ---- errors ----------------------------------------------------------------------------------------


def test_who_cannot_be_judged():
    for wrong in (tn.KMeans(), tn.StandardScaler(), make_pipeline(tn.StandardScaler(), tn.KMeans())):
        with pytest.raises(TypeError, match="neither a regressor nor a classifier"):
            tn.cross_validate(wrong, X, Y)
    with pytest.raises(TypeError, match="number two is neither"):
        tn.cross_validate({"number one": tn.Ridge(), "number two": tn.KMeans()}, X, Y)
    with pytest.raises(ValueError, match="no learner to score"):
        tn.cross_validate([], X, Y)
    with pytest.raises(ValueError, match="no score in common"):
        tn.cross_validate([tn.Ridge(), tn.GaussianNB()], X, (Y > 32).astype(int))
    with pytest.raises(ValueError, match="'alpha' parameter of Ridge"):
        tn.cross_validate(tn.Ridge(-1.0), X, Y)


def test_scores_that_are_not_there():
    with pytest.raises(ValueError, match="there is no score 'r_2'; there are .*'r2'"):
        tn.cross_validate(tn.Ridge(), X, Y, scoring="r_2")
    with pytest.raises(ValueError, match=r"'accuracy' is not a score of Ridge\(\)"):
        tn.cross_validate(tn.Ridge(), X, Y, scoring=["r2", "accuracy"])
    with pytest.raises(ValueError, match="'r2' is not a score of bayes"):
        tn.cross_validate({"bayes": tn.GaussianNB()}, X, LABEL, scoring="r2")
    for learner in (tn.GaussianNB(), naive_bayes.GaussianNB()):
        with pytest.raises(ValueError, match="'roc_auc' is of two classes and the target has 3"):
            tn.cross_validate(learner, X, LABEL, scoring="roc_auc")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (make_pipeline(tn.StandardScaler(), tn.MultinomialNB()), "Negative values in data"),
        (make_pipeline(tn.PolynomialFeatures(60), tn.GaussianNB()), "gives more than 1,000,000 terms"),
        (make_pipeline(tn.StandardScaler(), tn.LogisticRegression(C=-1)), "The 'C' parameter of LogisticRegression"),
        (make_pipeline(tn.ColumnTransformer([("n", tn.StandardScaler(), ["e"])]), tn.GaussianNB()), "no column 'e'"),
        (tn.LinearSVC(), "this score needs probabilities"),
        (tn.Ridge(), "a regressor: they have no score in common"),
        ("logistic", "not a learner"),
    ],
)
def test_errors_name_the_learner(path, wrong, says):
    source = tn.scan(path, target="label", columns=NUMBERS)
    asked = {"folds": 3, "scoring": "neg_log_loss"}
    with pytest.raises((ValueError, TypeError), match=rf"this one[: ].*{says}"):
        tn.cross_validate({"base": tn.DummyClassifier(), "this one": wrong}, source, **asked)
    if isinstance(wrong, str):
        return
    with pytest.raises((ValueError, TypeError), match=says) as error:
        tn.cross_validate([tn.DummyClassifier(), wrong], source, **asked)
    assert re.search(r"(LinearSVC|Ridge|Pipeline)\b.*[: ]", str(error.value).partition(says)[0])


def test_long_names_are_cut_to_classes(path):
    source = tn.scan(path, target="label", columns=NUMBERS)
    long = tn.ColumnTransformer([(f"scaled{j}", tn.StandardScaler(), [name]) for j, name in enumerate("abcd")])
    wrong = make_pipeline(long, tn.MultinomialNB())
    with pytest.raises(tn.DataError, match=r"^Pipeline of ColumnTransformer, MultinomialNB: Negative values"):
        tn.cross_validate([tn.DummyClassifier(), wrong], source, folds=3)


def test_scikit_learn_cannot_read_a_source(path, reads):
    source = tn.scan(path, target="label", columns=NUMBERS)
    mixed = make_pipeline(preprocessing.StandardScaler(), tn.GaussianNB())
    for given in (KNeighborsClassifier(), mixed, [tn.GaussianNB(), KNeighborsClassifier()]):
        with pytest.raises(tn.DataError, match="needs its rows in memory. Remedy: give arrays or a frame"):
            tn.cross_validate(given, source)
    assert not reads  # it was said before anything was read
    frame = dd.from_pandas(DATA, npartitions=2, sort=False)
    with pytest.raises(tn.DataError, match="needs its rows in memory"):
        tn.cross_validate(KNeighborsClassifier(), frame[NUMBERS], frame["label"])
    same(
        tn.cross_validate(mixed, X, LABEL, folds=4).scores[0, 0],
        cross_val_score(CLASSIFIERS["GaussianNB"][1], X, LABEL, cv=4),
    )


def test_targets_that_do_not_fit(path):
    source = tn.scan(path, target="y", columns=NUMBERS)
    with pytest.raises(ValueError, match="a Source names its own target"):
        tn.cross_validate(tn.Ridge(), source, Y)
    with pytest.raises(ValueError, match="requires y"):
        tn.cross_validate(tn.Ridge(), X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        tn.cross_validate(tn.Ridge(), X, Y[:-1])
    with pytest.raises(tn.DataError, match="continuous"):
        tn.cross_validate(tn.GaussianNB(), source)
    three = tn.scan(path, target="label", columns=WORDS)
    for rows, target in ((TEXT, LABEL), (three, None)):
        with pytest.raises(ValueError, match="two classes|Only binary"):
            tn.cross_validate([tn.CategoricalNB(), tn.FindS()], rows, target, folds=3)
    holes = X.copy()
    holes[77, 2] = np.nan
    with pytest.raises(tn.DataError, match="NaN in column 'x2', row 77"):
        tn.cross_validate(tn.Ridge(), holes, Y)


def test_learners_are_not_changed():
    ridge, pipeline = tn.Ridge(), make_pipeline(tn.StandardScaler(), tn.Ridge())
    fitted = tn.Ridge(7.0).fit(X, Y)
    coefficients = fitted.coef_.copy()
    cv = tn.cross_validate([ridge, pipeline, fitted], X, Y)
    assert cv.learners[0] is ridge
    assert not hasattr(ridge, "coef_")
    assert not hasattr(pipeline[0], "mean_")
    assert (fitted.coef_ == coefficients).all()


@pytest.mark.parametrize("learner", [tn.Perceptron(), tn.SGDClassifier(), tn.GaussianNB()])
def test_one_class_is_judged_too(learner):
    X = np.random.default_rng(0).normal(size=(20, 2))
    found = tn.cross_validate(learner, X, np.zeros(20, int), folds=np.arange(20) % 3)
    assert found.scores.tolist() == [[[1.0, 1.0, 1.0]]]


def test_erratum_28_folds_estimate_the_error_of_what_learns_from_fewer_rows():
    """k folds of n rows are unbiased for (k-1)n/k rows: σ² (1 + 1/m + (1 + 1/m) p / (m - p - 2)), not for n."""
    n, p, k, found = 20, 2, 2, []

    def error(m):
        return 1 + 1 / m + (1 + 1 / m) * p / (m - p - 2)

    for seed in range(600):
        random = np.random.default_rng(seed)
        rows = random.normal(size=(n, p))
        y = rows @ [1.0, -2.0] + random.normal(size=n)
        scores = tn.cross_validate(tn.LinearRegression(), rows, y, folds=k, scoring="neg_mean_squared_error")
        found.append(-scores.mean[0, 0])
    off = np.std(found, ddof=1) / np.sqrt(len(found))
    assert abs(np.mean(found) - error(n * (k - 1) // k)) < 4 * off
    assert abs(np.mean(found) - error(n)) > 6 * off


def test_errors_name_the_one_of_several_learners():
    random = np.random.default_rng(0)
    dates = pd.DataFrame({"day": pd.date_range("2020", periods=30), "x": random.normal(size=30)})
    y, two = random.integers(0, 2, 30), [tn.OneHotEncoder(), tn.GaussianNB()]
    refused = r"columns that cannot be used as numbers: 'day'"
    for several, name in (
        ([tn.GaussianNB(), tn.NaiveBayes()], r"GaussianNB\(\)"),
        ({"normal": tn.GaussianNB(), "any": tn.NaiveBayes()}, "normal"),
        ([tn.GaussianNB(var_smoothing=0.1)] * 2, r"GaussianNB\(var_smoothing=0\.1\)"),
    ):
        with pytest.raises(tn.DataError, match=f"^{name}: {refused}"):
            tn.cross_validate(several, dates, y)
    with pytest.raises(tn.DataError, match=f"^{refused}"):
        tn.cross_validate(tn.GaussianNB(), dates, y)
    with pytest.raises(tn.DataError, match=rf"^GaussianNB\(\): {refused}"):
        tn.fit_together([tn.StandardScaler(), tn.GaussianNB()][1:] * 2, dates, y)
    with pytest.raises(tn.DataError, match=r"^OneHotEncoder\(\): columns that cannot be used"):
        tn.fit_together(two, dates, y)


def test_scores_are_read_by_the_keys_of_scikit_learn():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    cv = tn.cross_validate(tn.GaussianNB(), X, y, cv=3, scoring=["accuracy", "roc_auc"], n_jobs=2)
    assert list(cv) == cv.keys() == ["test_accuracy", "test_roc_auc"]
    np.testing.assert_array_equal(cv["test_roc_auc"], cv.scores[0, 1])
    one = tn.cross_validate(tn.GaussianNB(), X, y, cv=3)
    np.testing.assert_array_equal(one["test_score"], one["test_accuracy"])
    with pytest.raises(KeyError, match="seconds"):
        one["fit_time"]
    with pytest.raises(KeyError, match=r"2 learners. Remedy: \.scores"):
        tn.cross_validate([tn.GaussianNB(), tn.GaussianNB(var_smoothing=0.1)], X, y, cv=3)["test_score"]
    for name in ("return_train_score", "return_estimator"):
        with pytest.raises(tn.ParameterError, match="Remedy"):
            tn.cross_validate(tn.GaussianNB(), X, y, **{name: True})
