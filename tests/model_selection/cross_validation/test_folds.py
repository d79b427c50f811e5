"""Folds: who learns from which rows and who is scored on which, by learners that keep a ledger."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.core import ONE, Array, Claim, Codes, Grouped, Need
from tenfold.estimator import Classifier, Regressor
from tenfold.model_selection.cross_validation.candidates import candidates_of as entries_of
from tenfold.model_selection.cross_validation.fit_and_score import FitAndScore as Run
from tenfold.sources import part_rows
from tiers import draws

# The only feature is the number of the row, so rows are sorted by it.
pytestmark = pytest.mark.filterwarnings("ignore:the folds are not alike")

quiet = settings(max_examples=draws(20, 25), suppress_health_check=list(HealthCheck))
seeds = st.integers(0, 2**32 - 1)

JUDGED = []
"""what the learners below were asked: the rows they had learned from, and those they were scored on"""


class Ids:
    """Numbers of rows; no row comes twice."""

    def __init__(self, ids):
        self.ids = frozenset(ids)

    def __add__(self, other):
        assert not self.ids & other.ids, "a row was learned from twice"
        return Ids(self.ids | other.ids)


class FirstColumn(Grouped):
    """The first column of each row."""

    def summarize(self, chunk):
        return Ids(chunk.X.column(0).astype(int).tolist())


class Ledger(NamedTuple):
    step: int
    ids: frozenset
    classes: int


class Keeper:
    """A learner of one pass that remembers the first column of each row."""

    passes = ONE

    def __init__(self):
        pass

    def with_listed_categories(self, schema):
        return schema

    def start(self, schema):
        return Ledger(0, frozenset(), 0 if schema.classes is None else len(schema.classes))

    def ask(self, state):
        return None if state.step else FirstColumn()

    def update(self, state, summary):
        return Ledger(1, summary.ids, state.classes)

    def model(self, state):
        return state

    def certify(self, model, summary):
        return (Claim("gap", 0.0, "proved", "nothing is learned", "objective"),)


class KeepsNumbers(Keeper, Regressor):
    need = Need("numeric", target="number")

    def predict_from(self, state, X):
        JUDGED.append((state.ids, X.column(0).astype(int).tolist()))
        return np.zeros(len(X))


class KeepsClasses(Keeper, Classifier):
    need = Need("numeric", target="class")

    def scores_from(self, state, X):
        JUDGED.append((state.ids, X.column(0).astype(int).tolist()))
        return np.zeros((len(X), state.classes))


class Recorder(BaseEstimator):
    """The same as an estimator of scikit-learn."""

    def fit(self, X, y):
        self.ids_ = frozenset(np.asarray(X)[:, 0].astype(int).tolist())
        assert len(self.ids_) == len(y)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        ids = np.asarray(X)[:, 0].astype(int).tolist()
        JUDGED.append((self.ids_, ids))
        return np.repeat(self.classes_[:1], len(ids))


class RecordsNumbers(RegressorMixin, Recorder):
    pass


class RecordsClasses(ClassifierMixin, Recorder):
    pass


KEEPERS = {"number": (KeepsNumbers(), RecordsNumbers()), "class": (KeepsClasses(), RecordsClasses())}


def splits_of(learner, X, y=None, **options):
    """Pairs of training rows and rows scored on."""
    JUDGED.clear()
    score = "accuracy" if isinstance(learner, (KeepsClasses, RecordsClasses)) else "neg_mean_absolute_error"
    cv = tn.cross_validate(learner, X, y, scoring=score, **options)
    found = {}
    for train, test in JUDGED:
        rows = found.setdefault(train, set())
        assert not rows & set(test), "a row was scored twice by one model"
        rows |= set(test)
    assert sorted(cv.sizes) == sorted((len(train), len(test)) for train, test in found.items())
    return {(train, frozenset(test)) for train, test in found.items()}


def pairs(splits):
    return {(frozenset(train.tolist()), frozenset(test.tolist())) for train, test in splits}


def rows(n=90, seed=0):
    """Rows with their number in the first column, a number, a class and a group for each."""
    random = np.random.default_rng(seed)
    X = np.column_stack([np.arange(n), random.standard_normal(n)])
    label = np.array(["low", "middle", "top"], dtype=object)[random.choice(3, n, p=[0.5, 0.3, 0.2])]
    label[:3] = ["top", "low", "middle"]
    group = np.repeat(np.arange(n), random.integers(1, 12, n))[:n]
    return X, random.standard_normal(n), label, random.permutation(group)


SPLITTERS = {
    "k-fold": KFold(5),
    "k-fold shuffled": KFold(5, shuffle=True, random_state=1),
    "stratified": StratifiedKFold(4),
    "stratified shuffled": StratifiedKFold(4, shuffle=True, random_state=1),
    "groups": GroupKFold(3),
    "stratified groups": StratifiedGroupKFold(3),
    "time, with a gap": TimeSeriesSplit(4, gap=3),
    "time, a window": TimeSeriesSplit(4, max_train_size=15, test_size=10),
    "repeated": RepeatedKFold(n_splits=3, n_repeats=2, random_state=2),
    "repeated often": RepeatedKFold(n_splits=4, n_repeats=4, random_state=2),
    "repeated stratified": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=2),
    "random": ShuffleSplit(6, random_state=3),
    "random, some rows in neither": ShuffleSplit(7, train_size=0.4, test_size=0.2, random_state=3),
    "two random, some rows in neither": ShuffleSplit(2, train_size=0.4, test_size=0.2, random_state=3),
    "random stratified": StratifiedShuffleSplit(5, test_size=0.3, random_state=3),
    "random groups": GroupShuffleSplit(4, test_size=0.3, random_state=3),
    "one group out": LeaveOneGroupOut(),
    "one out": LeaveOneOut(),
    "predefined": PredefinedSplit(np.r_[np.full(10, -1), np.arange(80) % 4]),
}


@pytest.mark.parametrize("kind", ["number", "class"])
@pytest.mark.parametrize("name", SPLITTERS)
def test_a_splitter_is_followed_to_the_row(name, kind):
    """Learned from and scored on are exactly the rows that the splitter says: nothing leaks, nothing is lost."""
    X, y, label, group = rows()
    if kind == "number":
        label = y = (y > 0).astype(float)  # numbers that can be stratified
    options = {"groups": group} if "group" in name else {}
    wanted = pairs(SPLITTERS[name].split(X, label, **options))
    assert all(not train & test for train, test in wanted)
    for learner in KEEPERS[kind]:
        with part_rows(13):
            assert splits_of(learner, X, label if kind == "class" else y, folds=SPLITTERS[name], **options) == wanted


def test_two_out():
    X, y, *_ = rows(9)
    assert splits_of(KeepsNumbers(), X, y, folds=LeavePOut(2)) == pairs(LeavePOut(2).split(X))


@pytest.mark.parametrize("part", [1, 7, 89, 90, 4096])
def test_numbers_of_folds_are_those_of_scikit_learn(part):
    X, y, label, group = rows()
    with part_rows(part):
        for k in (2, 7, 90):
            assert splits_of(KeepsNumbers(), X, y, folds=k) == pairs(KFold(k).split(X))
        for k in (2, 5, 13):
            assert splits_of(KeepsClasses(), X, label, folds=k) == pairs(StratifiedKFold(k).split(X, label))
        for keeper, target in ((KeepsNumbers(), y), (KeepsClasses(), label)):
            assert splits_of(keeper, X, target, folds=3, groups=group) == pairs(GroupKFold(3).split(X, y, group))
            words = np.array([f"g{g}" for g in group], dtype=object)
            assert splits_of(keeper, X, target, folds=3, groups=words) == pairs(GroupKFold(3).split(X, y, words))


@pytest.mark.parametrize("kind", ["number", "class"])
def test_given_folds(kind):
    """As an array of labels, and as a list of training rows and test rows."""
    X, y, label, _ = rows()
    target = label if kind == "class" else y
    fold = np.random.default_rng(4).integers(0, 5, len(X))
    wanted = pairs(PredefinedSplit(fold).split())
    words = np.array(list("edcba"))[fold]
    listed = list(TimeSeriesSplit(3).split(X))
    masks = [(np.isin(np.arange(90), train), np.isin(np.arange(90), test)) for train, test in listed]
    for learner in KEEPERS[kind]:
        for given_ in (fold, fold.tolist(), fold * 1.5, words, words.astype(object), pd.Series(fold)):
            assert splits_of(learner, X, target, folds=given_) == wanted
        assert splits_of(learner, X, target, folds=listed) == pairs(listed)
        assert splits_of(learner, X, target, folds=masks) == pairs(listed)


@pytest.fixture(scope="module")
def table():
    X, y, label, group = rows()
    fold = np.random.default_rng(5).integers(0, 4, 90)
    return pa.table(
        {
            "id": X[:, 0],
            "x": X[:, 1],
            "y": y,
            "label": pa.array(label, pa.string()),
            "group": group,
            "word": pa.array([f"g{g}" for g in group]),
            "kind": pa.array([f"g{g}" for g in group]).dictionary_encode(),
            "fold": fold.astype(np.int16),
            "place": pa.array(np.array(["east", "north", "south", "west"])[fold]),
            "odd": fold % 2 == 1,
        }
    )


def forms(table, path, target):
    """The same rows from files with many row groups, and in memory."""
    names = {"target": target, "columns": ["id", "x"]}
    pq.write_table(table, path / f"{target}.parquet", row_group_size=17)
    yield tn.scan(str(path / f"{target}.parquet"), **names)
    with part_rows(11):
        yield tn.scan(table.to_pandas(), **names)
        yield tn.scan(table, **names)


@pytest.mark.parametrize("kind", ["number", "class"])
def test_folds_and_groups_by_the_name_of_a_column(table, tmp_path, kind):
    keeper, _ = KEEPERS[kind]
    none = np.zeros(90)
    by_fold = pairs(PredefinedSplit(table["fold"].to_numpy()).split())
    by_group = pairs(GroupKFold(4).split(none, none, table["group"].to_numpy()))
    by_word = pairs(GroupKFold(4).split(none, none, table["word"].to_numpy(zero_copy_only=False)))
    for source in forms(table, tmp_path, {"number": "y", "class": "label"}[kind]):
        for column in ("fold", "place"):
            assert splits_of(keeper, source, folds=column) == by_fold
        assert splits_of(keeper, source, folds="odd") == pairs(
            PredefinedSplit(table["odd"].to_numpy(zero_copy_only=False)).split()
        )
        assert splits_of(keeper, source, folds=4, groups="group") == by_group
        for column in ("word", "kind"):
            assert splits_of(keeper, source, folds=4, groups=column) == by_word
        assert splits_of(keeper, source, folds=4, groups=table["group"].to_numpy()) == by_group


@pytest.mark.parametrize("kind", ["number", "class"])
@pytest.mark.parametrize("frame", [pa.Table.to_pandas, lambda t: __import__("polars").from_arrow(t)])
def test_the_column_of_a_frame_says_the_fold_and_is_no_feature(table, kind, frame):
    target = table["y"].to_numpy() if kind == "number" else table["label"].to_numpy(zero_copy_only=False)
    X = frame(table.select(["id", "x", "place"]))
    wanted = pairs(PredefinedSplit(table["fold"].to_numpy()).split())
    for learner in KEEPERS[kind]:
        with part_rows(11):
            assert splits_of(learner, X, target, folds="place") == wanted
            by_place = splits_of(learner, X, target, folds=2, groups="place")
        assert by_place == pairs(GroupKFold(2).split(X, target, table["fold"].to_numpy()))


def test_rows_that_are_left_out_have_no_number(table, tmp_path):
    """With `where`, folds are of the rows that are left, as if the others were not there."""
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=17)
    keep = pc.field("x") > -0.5
    left = table.filter(keep)
    ids = left["id"].to_numpy().astype(int)
    assert 40 < len(ids) < 90

    def named(splits):
        return {(frozenset(ids[sorted(a)].tolist()), frozenset(ids[sorted(b)].tolist())) for a, b in splits}

    label = left["label"].to_numpy(zero_copy_only=False)
    numbers, classes = (
        tn.scan(str(tmp_path / "rows.parquet"), target=t, columns=["id", "x"], where=keep) for t in ("y", "label")
    )
    none = np.zeros(len(ids))
    assert splits_of(KeepsNumbers(), numbers, folds=5, shuffle=False) == named(pairs(KFold(5).split(ids)))
    assert splits_of(KeepsClasses(), classes, folds=4, shuffle=False) == named(
        pairs(StratifiedKFold(4).split(none, label))
    )
    listed = list(TimeSeriesSplit(3, gap=2).split(ids))
    assert splits_of(KeepsNumbers(), numbers, folds=listed) == named(pairs(listed))
    group = left["group"].to_numpy()
    wanted = named(pairs(GroupKFold(3).split(none, none, group)))
    assert splits_of(KeepsNumbers(), numbers, folds=3, groups="group") == wanted
    assert splits_of(KeepsNumbers(), numbers, folds=3, groups=group) == wanted


def test_row_groups_in_batches_have_the_same_folds(table, tmp_path, monkeypatch):
    sources = [next(forms(table, tmp_path, target)) for target in ("y", "label")]
    cases = [
        (KeepsNumbers(), 0, {"folds": 7}),
        (KeepsNumbers(), 0, {"folds": 7, "shuffle": True}),
        (KeepsNumbers(), 0, {"folds": TimeSeriesSplit(4, gap=2)}),
        (KeepsNumbers(), 0, {"folds": 3, "groups": "word"}),
        (KeepsNumbers(), 0, {"folds": "place"}),
        (KeepsClasses(), 1, {"folds": 7}),
        (KeepsClasses(), 1, {"folds": 7, "shuffle": True}),
    ]
    whole = [splits_of(keeper, sources[at], **options) for keeper, at, options in cases]
    monkeypatch.setattr("tenfold.sources.files.parquet.MAX_ROW_GROUP_BYTES", 0)
    monkeypatch.setattr("tenfold.sources.files.parquet.BATCH_ROWS", 5)
    assert len(list(sources[0].tables(0, ["x"]))) == 4
    assert [splits_of(keeper, sources[at], **options) for keeper, at, options in cases] == whole
    kept = [tn.scan(s.files, target=s.roles.target, columns=["id", "x"], where=pc.field("x") > -1) for s in sources]
    assert len(list(kept[0].tables(0, ["x"]))) > 1
    batches = [splits_of(keeper, kept[at], **options) for keeper, at, options in cases]
    monkeypatch.undo()
    assert len(list(kept[0].tables(0, ["x"]))) == 1
    assert [splits_of(keeper, kept[at], **options) for keeper, at, options in cases] == batches


def test_rows_of_weight_zero_are_in_no_fold():
    X, y, label, _ = rows()
    weight = np.random.default_rng(6).integers(0, 3, 90).astype(float)
    there = frozenset(np.flatnonzero(weight).tolist())
    with part_rows(13):
        numbers, classes = tn.scan(X, target=y, weight=weight), tn.scan(X, target=label, weight=weight)
        found = splits_of(KeepsNumbers(), numbers, folds=5)
        assert found == {(a & there, b & there) for a, b in pairs(KFold(5).split(X))}
        at = np.array(sorted(there))
        wanted = {
            (frozenset(at[a].tolist()), frozenset(at[b].tolist())) for a, b in StratifiedKFold(4).split(at, label[at])
        }
        assert splits_of(KeepsClasses(), classes, folds=4) == wanted


# ---- properties ------------------------------------------------------------------------------------


def draw(seed):
    """Some rows and a number of folds that fits them."""
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 80))
    X, y, label, group = rows(n, seed)
    return X, y, label, group, int(random.integers(2, min(n, 12) + 1)), int(random.integers(1, n + 1))


def judged_of(splits, n):
    """The rows scored, of each split, which partition all rows; what is left is learned from."""
    assert sorted(i for _, test in splits for i in test) == list(range(n))
    assert all(train == frozenset(range(n)) - test for train, test in splits)
    return [test for _, test in splits]


@quiet
@given(seeds)
def test_numbered_folds_partition_the_rows_evenly(seed):
    X, y, _, _, k, part = draw(seed)
    for options in ({}, {"shuffle": True, "random_state": seed % 1000}):
        with part_rows(part):
            sizes = [len(test) for test in judged_of(splits_of(KeepsNumbers(), X, y, folds=k, **options), len(X))]
        assert len(sizes) == k
        assert max(sizes) - min(sizes) <= 1
        assert splits_of(RecordsNumbers(), X, y, folds=k, **options) == splits_of(
            KeepsNumbers(), X, y, folds=k, **options
        )


@quiet
@given(seeds)
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_classes_are_spread_evenly(seed):
    X, _, label, _, k, part = draw(seed)
    k = min(k, max(np.unique(label, return_counts=True)[1]))
    for options in ({}, {"shuffle": True, "random_state": seed % 1000}) if k > 1 else ():
        with part_rows(part):
            found = splits_of(KeepsClasses(), X, label, folds=k, **options)
        for name in np.unique(label):
            sizes = [sum(label[i] == name for i in test) for test in judged_of(found, len(X))]
            assert len(sizes) == k
            assert max(sizes) - min(sizes) <= 1


@quiet
@given(seeds)
def test_groups_never_straddle(seed):
    X, y, label, group, k, part = draw(seed)
    k = min(k, len(np.unique(group)))
    for keeper, target in ((KeepsNumbers(), y), (KeepsClasses(), label)) if k > 1 else ():
        with part_rows(part):
            found = splits_of(keeper, X, target, folds=k, groups=group)
        for test in judged_of(found, len(X)):
            assert not {group[i] for i in test} & {group[i] for i in range(len(X)) if i not in test}


@quiet
@given(seeds)
def test_the_past_is_learned_and_the_future_judged(seed):
    X, y, _, _, k, part = draw(seed)
    gap = seed % 3
    k = min(k, (len(X) - gap) // 2 - 1)
    if k > 1:
        with part_rows(part):
            found = splits_of(KeepsNumbers(), X, y, folds=TimeSeriesSplit(k, gap=gap))
        assert len(found) == k
        assert all(max(train) + gap < min(test) for train, test in found)


def test_shuffled_folds_follow_the_seed():
    X, y, label, _ = rows()
    for keeper, target in ((KeepsNumbers(), y), (KeepsClasses(), label)):
        run = dict(folds=5, shuffle=True)
        first = splits_of(keeper, X, target, **run, random_state=0)
        assert splits_of(keeper, X, target, **run) == first
        with part_rows(7):
            assert splits_of(keeper, X, target, **run) == first
        others = [splits_of(keeper, X, target, **run, random_state=seed) for seed in range(1, 8)]
        assert all(not first & other for other in others)
        together = splits_of(keeper, X, target, **run, repeats=3)
        assert len(together) == 15
        assert first < together
        assert judged_of(first, 90)
        other = 1_000_003  # of the next repetition
        assert splits_of(keeper, X, target, **run, random_state=other) < together


def test_shuffled_folds_are_drawn_without_favour():
    """Of many rows, how many of fold a are followed by one of fold b is as chance has it."""
    from tenfold.engine.group_keys import Shuffled

    n, k = 200_000, 4
    codes = Shuffled(k, 7).of(np.arange(n))
    pairs_ = np.bincount(codes[3:-1:4] * k + codes[4::4], minlength=k * k)  # from one run to the next: independent
    assert ((pairs_ - n / 4 / k**2) ** 2 / (n / 4 / k**2)).sum() < 40  # χ² of 15 degrees, 1 in 2000
    orders = codes.reshape(-1, k) @ k ** np.arange(k)
    count = np.unique(orders, return_counts=True)[1]
    assert len(count) == 24
    assert ((count - n / 4 / 24) ** 2 / (n / 4 / 24)).sum() < 55


@quiet
@given(seeds)
def test_the_model_of_a_fold_is_that_of_its_rows(seed):
    """Merging all folds but one is fitting to the rows of all but one: to rounding, and exactly for counts."""
    X, _, label, _, k, part = draw(seed)
    random = np.random.default_rng(seed)
    X = np.column_stack([random.standard_normal((len(X), 2)) * [1, 100] + [0, 1e4], random.integers(0, 9, len(X))])
    y = X @ [1, 2, 3] + random.standard_normal(len(X))
    words = random.integers(0, 3, (len(X), 2))
    ridge, counts = entries_of([tn.Ridge(0.3), tn.LinearRegression()]), entries_of([tn.CategoricalNB()])
    fold = random.permutation(len(X)) % k
    with part_rows(part):
        given = {"folds": fold, "shuffle": False, "seed": 0, "groups": None}
        Run(ridge, X, y, **given, scoring="neg_mean_squared_error").results()
        Run(counts, words, label, **given, scoring=None).results()
    for j in range(k):
        train = fold != j
        model = tn.Ridge(0.3).fit(X[train], y[train])
        np.testing.assert_allclose(ridge[0].members[0][j].at.model.coef, model.coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(ridge[0].members[0][j].at.model.intercept, model.intercept_, rtol=1e-9)
        assert ridge[0].members[0][j].at.rows == train.sum()
        found = counts[0].members[0][j].at
        classes, columns = found.schema.classes, found.schema.columns
        assert found.summary.weight.tolist() == [(label[train] == c).sum() for c in classes]
        want = [
            [
                (words[train & (label == c), at] == v).sum()
                for at, column in enumerate(columns)
                for v in column.categories
            ]
            for c in classes
        ]
        assert found.summary.count.tolist() == want


# ---- memory ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Seen:
    """A hash of each row, and what belongs to it."""

    row: Annotated[Codes, "seen"]
    target: Annotated[Array, "seen"]

    def __add__(self, other):
        return Seen(np.append(self.row, other.row), np.append(self.target, other.target))


class HashedRows(Grouped):
    """A hash of each row, and its target."""

    def summarize(self, chunk):
        return Seen(hashes(chunk.X), chunk.y.astype(float))


class Heart(NamedTuple):
    step: int
    row: Annotated[Codes, "seen"]
    target: Annotated[Array, "seen"]
    classes: int

    def recall(self, X):
        """The target of each row that was seen, 0 of others."""
        known = dict(zip(self.row.tolist(), self.target.tolist(), strict=True))
        return np.array([known.get(one, 0.0) for one in hashes(X).tolist()])


def hashes(X):
    return np.array([hash(row.tobytes()) for row in X.take(np.arange(len(X)))], dtype=np.int64)


class ByHeart(Keeper):
    """Knows by heart the rows it has seen, and nothing of any other."""

    def start(self, schema):
        return Heart(0, np.zeros(0, np.int64), np.zeros(0), 0 if schema.classes is None else len(schema.classes))

    def ask(self, state):
        return None if state.step else HashedRows()

    def update(self, state, summary):
        return Heart(1, summary.row, summary.target, state.classes)


class Memory(ByHeart, Classifier):
    need = Need("numeric", target="class")

    def scores_from(self, state, X):
        return np.eye(state.classes)[state.recall(X).astype(int)]


class MemoryOfNumbers(ByHeart, Regressor):
    need = Need("numeric", target="number")

    def predict_from(self, state, X):
        return state.recall(X)


WAYS = {
    "contiguous": {"folds": 5},
    "shuffled": {"folds": 5, "shuffle": True},
    "repeated": {"folds": 3, "shuffle": True, "repeats": 3},
    "array": {"folds": np.arange(400) % 4},
    "list": {"folds": list(KFold(4).split(np.zeros(400)))},
    "groups": {"folds": 4, "groups": np.arange(400) // 10},
    "stratified": {"folds": StratifiedKFold(4, shuffle=True, random_state=0)},
    "time": {"folds": TimeSeriesSplit(4, gap=5)},
    "random": {"folds": ShuffleSplit(6, random_state=0)},
    "many random": {"folds": ShuffleSplit(9, train_size=0.5, test_size=0.3, random_state=0)},
    "grouped splitter": {"folds": LeaveOneGroupOut(), "groups": np.arange(400) // 50},
}


@pytest.mark.parametrize("way", WAYS)
def test_who_knows_by_heart_is_no_better_than_chance(way):
    """On rows whose target is drawn by chance; on what it has learned, it is always right."""
    random = np.random.default_rng(8)
    X, y = random.standard_normal((400, 3)), random.permutation(np.arange(400) % 2)
    with part_rows(60):
        cv = tn.cross_validate([Memory(), KNeighborsClassifier(1)], X, y, **WAYS[way])
        numbers = tn.cross_validate(MemoryOfNumbers(), X, 2 * y - 1, **WAYS[way], scoring="neg_mean_squared_error")
    np.testing.assert_allclose(cv.mean, 0.5, atol=0.09)
    assert (numbers.scores == -1).all()
    with part_rows(60):
        assert Memory().fit(X, y).predict(X).tolist() == y.tolist()
        assert KNeighborsClassifier(1).fit(X, y).score(X, y) == 1
        assert MemoryOfNumbers().fit(X, 2 * y - 1).score(X, 2 * y - 1) == 1


@pytest.mark.parametrize("learner", [Memory(), KNeighborsClassifier(1)])
def test_a_leak_would_be_seen(learner):
    """Every row stands twice, in different folds: then what is learned by heart is right."""
    random = np.random.default_rng(9)
    X, y = random.standard_normal((200, 3)), random.permutation(np.arange(200) % 2)
    twice, both = np.vstack([X, X]), np.append(y, y)
    with part_rows(60):
        apart = tn.cross_validate(learner, twice, both, folds=np.arange(400) // 100)
        beside = tn.cross_validate(learner, twice, both, folds=np.arange(400) % 200 // 50)
    assert (apart.scores == 1).all()
    assert apart.sizes == [(300, 100)] * 4
    assert abs(beside.mean[0, 0] - 0.5) < 0.1


# ---- errors ----------------------------------------------------------------------------------------


def test_folds_that_cannot_be():
    X, y, label, _ = rows()
    numbers, classes = KeepsNumbers(), KeepsClasses()
    for folds in (1, 0, -3, True):
        with pytest.raises(ValueError, match="at least 2"):
            tn.cross_validate(numbers, X, y, folds=folds)
    with pytest.raises(ValueError, match="n_splits=91 greater than the number of samples: n_samples=90"):
        tn.cross_validate(numbers, X, y, folds=91)
    with pytest.raises(ValueError, match="greater than the number of groups: 3"):
        tn.cross_validate(numbers, X, y, folds=4, groups=np.arange(90) % 3)
    with pytest.raises(ValueError, match="n_splits=60 cannot be greater than the number of members in each class"):
        tn.cross_validate(classes, X, label, folds=60)
    few = np.where(np.arange(90) < 3, "rare", "common")
    with pytest.warns(UserWarning, match="least populated class has only 3 members, which is less than the 5 folds"):
        cv = tn.cross_validate(classes, X, few, folds=5)
    assert cv.scores.shape == (1, 1, 5)
    with pytest.raises(tn.DataError, match=r"folds has shape \(89,\), but there are 90 rows"):
        tn.cross_validate(numbers, X, y, folds=np.zeros(89))
    with pytest.raises(tn.DataError, match=r"groups has shape \(2,\), but there are 90 rows"):
        tn.cross_validate(numbers, X, y, folds=2, groups=[1, 2])
    with pytest.raises(tn.DataError, match="one fold only"):
        tn.cross_validate(numbers, X, y, folds=np.zeros(90))
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        tn.cross_validate(numbers, X, y, folds=GroupKFold(2))


def test_splits_that_cannot_be():
    X, y, *_ = rows()
    for splits, why in (
        ([(np.arange(50), np.arange(40, 90))], "split 0 learns from rows that it is scored on"),
        ([(np.arange(40), np.arange(40, 90)), (np.arange(0), np.arange(9))], "split 1 has no rows to learn from"),
        ([(np.arange(40), np.arange(0))], "or none to be scored on"),
        ([(np.arange(40) // 2, np.arange(40, 90))], "split 0 learns from some rows more than once"),
    ):
        with pytest.raises(tn.DataError, match=why):
            tn.cross_validate(KeepsNumbers(), X, y, folds=splits)


def test_what_does_not_go_together(table):
    X, y, _, group = rows()
    for options in ({"shuffle": True}, {"shuffle": True, "repeats": 2}):
        with pytest.raises(ValueError, match="groups decide the folds"):
            tn.cross_validate(KeepsNumbers(), X, y, folds=3, groups=group, **options)
        for folds in (KFold(3), np.arange(90) % 3, list(KFold(3).split(X))):
            with pytest.raises(ValueError, match="these folds are given"):
                tn.cross_validate(KeepsNumbers(), X, y, folds=folds, **options)
    with pytest.raises(ValueError, match="shuffle=True"):
        tn.cross_validate(KeepsNumbers(), X, y, repeats=2)
    with pytest.raises(ValueError, match="repeats must be at least 1"):
        tn.cross_validate(KeepsNumbers(), X, y, repeats=0, shuffle=True)
    source = tn.scan(table, target="label", columns=["id", "x"])
    with pytest.raises(ValueError, match="needs the groups as an array"):
        tn.cross_validate(KeepsClasses(), source, folds=GroupKFold(2), groups="group")
    with pytest.raises(tn.DataError, match="StratifiedKFold looks at the target"):
        tn.cross_validate(KeepsClasses(), source, folds=StratifiedKFold(3))


def test_columns_that_are_not_there(table):
    X, y, *_ = rows()
    for learner in KEEPERS["number"]:
        with pytest.raises(tn.DataError, match="rows without named columns have no column 'fold'"):
            tn.cross_validate(learner, X, y, folds="fold")
        with pytest.raises(tn.DataError, match="there is no column 'flod'; there are"):
            tn.cross_validate(learner, table.select(["id", "x"]).to_pandas(), y, folds="flod")
    holes = table.set_column(7, "fold", pa.array([None, *range(1, 90)]))
    with pytest.raises(tn.DataError, match="column 'fold' has missing entries: some rows have no group"):
        tn.cross_validate(KeepsNumbers(), tn.scan(holes, target="y", columns=["id", "x"]), folds="fold")


def test_folds_as_a_splitter_gives_them_one_by_one():
    """A generator, as scikit-learn takes it; a text is no splitter, though it can be split."""
    model, rows = tn.GaussianNB(), np.arange(40.0)[:, None]
    label = np.arange(40) % 2
    given = tn.cross_validate(model, rows, label, folds=KFold(5).split(rows)).scores
    assert np.array_equal(given, tn.cross_validate(model, rows, label, folds=KFold(5)).scores)
    with pytest.raises(ValueError, match="folds must be at least 2, not 'store'"):
        tn.cross_validate(model, pd.DataFrame({"x": rows[:, 0], "store": label}), label, folds="store", groups=label)


def test_the_reason_of_a_splitter_is_told(tmp_path):
    """Only what looks at the target is said to look at it."""
    pd.DataFrame({"x": np.arange(40.0), "y": np.arange(40.0)}).to_parquet(tmp_path / "rows.parquet")
    rows = tn.scan(tmp_path / "rows.parquet", target="y")
    with pytest.raises(ValueError, match="Too many splits"):
        tn.cross_validate(tn.Ridge(), rows, folds=TimeSeriesSplit(n_splits=20, test_size=5))


def test_a_fold_without_weight():
    X, y, *_ = rows()
    weight = np.where(np.arange(90) < 30, 0.0, 1.0)
    source = tn.scan(X, target=y, weight=weight)
    for learner, score in ((KeepsNumbers(), "r2"), (tn.Ridge(), "r2"), (tn.Ridge(), "neg_mean_absolute_error")):
        with pytest.raises(tn.DataError, match="split 0 has no rows to be scored on"):
            tn.cross_validate(learner, source, folds=3, scoring=score)


# ---- folds of files, of computed values, in time --------------------------------------------------


def daily(path, sizes=(40, 1, 25, 70, 14), **roles):
    """Files of unequal size, in two row groups or one, with times of which days overlap files; and all as one table."""
    n, random = sum(sizes), np.random.default_rng(7)
    stamp = np.datetime64("2025-03-01T12:00", "us") + np.sort(random.integers(0, 9 * 86_400, n)).astype("m8[s]")
    table = pa.table(
        {
            "id": np.arange(n, dtype=float),
            "x": random.normal(size=n),
            "y": random.normal(size=n),
            "label": np.sort(random.choice(["no", "yes"], n)),  # sorted classes
            "at": stamp,
            "shop": random.choice(["Bern", "Oslo", "Rome"], n),
            "weight": random.integers(0, 3, n).astype(float),
        }
    )
    start = 0
    for k, size in enumerate(sizes):
        pq.write_table(table.slice(start, size), path / f"{k:03}.parquet", row_group_size=-(-size // 2))
        start += size
    roles = {"target": "y", "columns": ["id", "x"], **roles}
    return tn.scan(str(path), **roles), table, np.repeat(np.arange(len(sizes)), sizes)


def one_out(group):
    return pairs(LeaveOneGroupOut().split(group, groups=group))


def without_zeros(splits, weight):
    kept = frozenset(np.flatnonzero(weight).tolist())
    return {(train & kept, test & kept) for train, test in splits}


@pytest.mark.parametrize("kind", ["number", "class"])
def test_each_file_is_a_fold(tmp_path, kind):
    rows, _, file = daily(tmp_path, target={"number": "y", "class": "label"}[kind])
    keeper = KEEPERS[kind][0]
    assert splits_of(keeper, rows, folds="file") == one_out(file)
    assert splits_of(keeper, rows, folds=3, groups="file") == pairs(GroupKFold(3).split(file, groups=file))
    by_hand = tn.cross_validate(tn.Ridge(), daily(tmp_path)[0], folds=file).scores
    by_file = tn.cross_validate(tn.Ridge(), daily(tmp_path)[0], folds="file")
    assert np.array_equal(by_file.scores, by_hand, equal_nan=True)
    assert by_file.scans == 1
    assert "5 folds one for each file" in str(by_file)


def test_files_of_weighted_rows_of_selected_rows_and_of_computed_columns(tmp_path):
    rows, table, file = daily(tmp_path, weight="weight")
    weight = table["weight"].to_numpy()
    at = np.flatnonzero(file != 1)  # the file of one row, whose weight may be zero
    rows = tn.scan(rows.files[:1] + rows.files[2:], target="y", columns=["id", "x"], weight="weight")
    left = without_zeros({(frozenset(at[[*a]]), frozenset(at[[*b]])) for a, b in one_out(file[at])}, weight)
    assert splits_of(KeepsNumbers(), rows, folds="file") == left
    rows, table, file = daily(tmp_path, where=pc.field("id") >= 41)  # neither of the first two files has a row
    ids = np.arange(41, 150)
    wanted = {(frozenset(ids[[*a]]), frozenset(ids[[*b]])) for a, b in one_out(file[41:])}
    assert splits_of(KeepsNumbers(), rows, folds="file") == wanted
    more = daily(tmp_path)[0].with_columns(z=tn.col("x") * 2)
    assert splits_of(KeepsNumbers(), more, folds="file") == one_out(file)


def test_files_of_text_are_folds_too(tmp_path):
    """Files that are read as one table keep their bounds, also of the rows that are selected."""
    _, table, file = daily(tmp_path)
    for k in range(5):
        table.select(["id", "x", "y"]).filter(file == k).to_pandas().to_csv(tmp_path / f"{k}.csv", index=False)
    names = {"target": "y", "columns": ["id", "x"]}
    assert splits_of(KeepsNumbers(), tn.scan(str(tmp_path / "*.csv"), **names), folds="file") == one_out(file)
    keep, ids = pc.field("id") >= 41, np.arange(41, 150)
    wanted = {(frozenset(ids[[*a]]), frozenset(ids[[*b]])) for a, b in one_out(file[41:])}
    for rows in (
        tn.scan(str(tmp_path / "*.csv"), **names, where=keep),
        tn.scan(str(tmp_path / "*.csv"), **names).only(keep),
    ):
        assert splits_of(KeepsNumbers(), rows, folds="file") == wanted


def test_many_files_are_joined_in_order_and_the_result_says_so(tmp_path):
    sizes = [3, 5, 2] * 7
    rows, _, file = daily(tmp_path, sizes)
    groups = np.repeat(np.arange(10), [3] + [2] * 9)[file]
    assert splits_of(KeepsNumbers(), rows, folds="file") == one_out(groups)
    cv = tn.cross_validate(tn.Ridge(), rows, folds="file", scoring="neg_mean_squared_error")
    assert cv.division == "of 2 or 3 files each, in order"
    assert "10 folds of 2 or 3 files each, in order, 1 scan" in str(cv)
    curve = tn.learning_curve(tn.Ridge(), rows, folds="file", train_sizes=[0.5, 1.0], scoring="neg_mean_squared_error")
    assert curve.test_scores.shape == (2, 10)
    np.testing.assert_allclose(curve.test_scores[-1], cv.scores[0, 0], rtol=1e-12)
    assert "10 folds of 2 or 3 files each, in order" in str(curve)


def test_rows_of_one_file_or_of_none_have_no_folds_of_files(tmp_path):
    rows, table, _ = daily(tmp_path, [30])
    with pytest.raises(tn.DataError, match="one file only.*Remedy: a number of folds"):
        tn.cross_validate(tn.Ridge(), rows, folds="file")
    with pytest.raises(ValueError, match="n_splits=2 greater than the number of groups: 1"):
        tn.cross_validate(tn.Ridge(), rows, folds=2, groups="file")
    for X, y in ((tn.scan(table, "y", columns=["x"]), None), (np.eye(30), np.ones(30))):
        with pytest.raises(tn.DataError, match=r"folds='file' is for rows that are read from files.*tenfold\.scan"):
            tn.cross_validate(tn.Ridge(), X, y, folds="file")
    named = tn.scan(table.append_column("file", table["shop"]), "y", columns=["x"])
    with pytest.raises(tn.DataError, match=r"groups='file' is no column.*groups=tenfold.col\('file'\)"):
        tn.cross_validate(tn.Ridge(), named, folds=3, groups="file")


def test_folds_in_time_are_those_of_time_series_split(tmp_path):
    rows, table, _ = daily(tmp_path)
    wanted = pairs(TimeSeriesSplit(5).split(np.arange(150)))
    assert splits_of(KeepsNumbers(), rows, folds="time") == wanted
    classes = tn.scan(str(tmp_path), target="label", columns=["id", "x"])
    assert splits_of(KeepsClasses(), classes, folds="time") == wanted
    X, y = table.select(["id", "x"]).to_pandas(), table["y"].to_numpy()
    for keeper in KEEPERS["number"]:
        assert splits_of(keeper, X, y, folds="time") == wanted
        assert splits_of(keeper, X[:7], y[:7], folds="time") == pairs(TimeSeriesSplit(5).split(np.arange(7)))
        with pytest.raises(ValueError, match="folds=6 greater than the number of samples=5"):
            splits_of(keeper, X[:5], y[:5], folds="time")
    cv = tn.cross_validate(tn.Ridge(), rows, folds="time")
    assert np.array_equal(cv.scores, tn.cross_validate(tn.Ridge(), rows, folds=TimeSeriesSplit(5)).scores)
    assert cv.scans == 1
    assert "5 folds in time: each is scored by a model of the rows before it, 1 scan" in str(cv)
    with pytest.raises(tn.DataError, match="folds='time' is no column.*TimeSeriesSplit"):
        tn.cross_validate(tn.Ridge(), tn.scan(table.rename_columns({"at": "time"}), "y", columns=["x"]), folds="time")
    with pytest.raises(ValueError, match="shuffle and repeats go with a number of folds"):
        tn.cross_validate(tn.Ridge(), rows, folds="time", shuffle=True)


@pytest.mark.parametrize("kind", ["number", "class"])
def test_folds_and_groups_by_an_expression(tmp_path, kind):
    """Of files, tables, and frames in memory, beside an estimator of scikit-learn; features stay as they are."""
    target = {"number": "y", "class": "label"}[kind]
    files, table, _ = daily(tmp_path, target=target)
    day = table["at"].to_numpy().astype("M8[D]")
    by_day, grouped = tn.col("at").dt.date(), pairs(GroupKFold(4).split(day, groups=day))
    assert 5 < len(one_out(day)) < 12
    half = tn.col("id") / 2
    odd = table["id"].to_numpy() % 2 == 1
    for rows in (files, tn.scan(table, target, columns=["id", "x"])):
        assert splits_of(KEEPERS[kind][0], rows, folds=by_day) == one_out(day)
        assert splits_of(KEEPERS[kind][0], rows, folds=4, groups=by_day) == grouped
        assert splits_of(KEEPERS[kind][0], rows, folds=half > half.floor()) == one_out(odd)
    y = table[target].to_numpy(zero_copy_only=False)
    frame = table.select(["id", "x"]).to_pandas().assign(seconds=table["at"].to_numpy().astype("i8") / 1e6)
    by_number = (tn.col("seconds") / 86_400).floor()
    for learner in KEEPERS[kind]:
        assert splits_of(learner, frame, y, folds=by_number) == one_out(day)
        assert splits_of(learner, frame, y, folds=4, groups=by_number) == grouped
    assert splits_of(KEEPERS[kind][0], pa.Table.from_pandas(frame), y, folds=by_number) == one_out(day)
    lazy = dd.from_pandas(table.select(["id", "x", "at", target]).to_pandas(), npartitions=4, sort=False)
    assert splits_of(KEEPERS[kind][0], tn.scan(lazy, target).without("at"), folds=by_day) == one_out(day)


def test_a_column_of_dates_is_a_fold_by_its_name_too(tmp_path):
    table = daily(tmp_path)[1]
    day = table["at"].to_numpy().astype("M8[D]")
    table = table.append_column("day", pa.array(day))
    rows = tn.scan(table, "y", columns=["id", "x", "day"])
    assert splits_of(KeepsNumbers(), rows, folds="day") == one_out(day)
    with pytest.raises(tn.DataError, match=r"column 'i' has 1,200 values.*groups='i'"):
        tn.cross_validate(tn.Ridge(), tn.scan(pa.table(dict.fromkeys("idxy", range(1_200))), "y"), folds="i")
    gone = table.set_column(table.column_names.index("at"), "at", pa.array([None, *table["at"].to_pylist()[1:]]))
    with pytest.raises(tn.DataError, match=r"col\(.*at.*\)\.dt\.date\(\)\" has missing entries: some rows"):
        tn.cross_validate(tn.Ridge(), tn.scan(gone, "y", columns=["x"]), folds=tn.col("at").dt.date())


def test_the_model_that_tune_refits_keeps_no_expression_of_folds(tmp_path):
    rows, table, _ = daily(tmp_path)
    by_day = tn.col("at").dt.date()
    for learner, grid in ((tn.Ridge(), {"alpha": [0.1, 10.0]}), (tn.SGDRegressor(max_iter=2), {"alpha": [0.1, 1.0]})):
        found = tn.tune(learner, grid, rows, folds=by_day)
        assert found.best_estimator_.predict(table.select(["id", "x"])).shape == (150,)
        assert f"folds by {by_day!r}" in str(found)
    whole = tn.Ridge(**tn.tune(tn.Ridge(), {"alpha": [2.0]}, rows, folds=by_day).best_params_).fit(rows)
    found = tn.tune(tn.Ridge(), {"alpha": [2.0]}, rows, folds="file").best_estimator_
    np.testing.assert_allclose(found.coef_, whole.coef_, rtol=1e-12)


def test_a_group_column_that_is_a_feature_too_and_columns_that_are_taken(tmp_path):
    """By its name a column is no feature, as an expression it stays one; errors say so, of any column with a role."""
    rows, table, _ = daily(tmp_path, columns=None, drop=["label", "at", "id"], weight="weight")

    def pipeline(name):
        encoded = ("encoded", tn.OneHotEncoder(handle_unknown="ignore"), [name])
        return make_pipeline(tn.ColumnTransformer([encoded], remainder="passthrough"), tn.Ridge())

    frame, y = table.select(["x", "shop"]).to_pandas(), table["y"].to_numpy()
    for X, target in ((rows, None), (frame, y)):
        for what in ({"folds": "shop"}, {"groups": "shop", "folds": 3}):
            with pytest.raises(tn.DataError, match=r"'shop' says the fold .*no feature.*Remedy: tenfold.col\('shop'\)"):
                tn.cross_validate(pipeline("shop"), X, target, **what)
        by_value = tn.cross_validate(pipeline("shop"), X, target, folds=tn.col("shop"))
        by_hand = tn.cross_validate(pipeline("shop"), X, target, folds=table["shop"].to_numpy(zero_copy_only=False))
        assert np.array_equal(by_value.scores, by_hand.scores)
        assert by_value.scores.shape == (1, 1, 3)
    for name, words in {
        "y": "is the target",
        "weight": "is the weight",
        "at": "is left out of the features",
        "shopp": "there is no column",
    }.items():
        with pytest.raises(tn.DataError, match=f"(column '{name}' {words}|{words} '{name}')"):
            tn.cross_validate(pipeline(name), rows, folds=3)


@pytest.mark.parametrize("kind", ["number", "class"])
def test_a_number_of_folds_of_files_is_drawn_at_random(tmp_path, kind):
    """Files, whose order is often time; tables and frames keep the folds of scikit-learn."""
    target = {"number": "y", "class": "label"}[kind]
    rows, table, _ = daily(tmp_path, target=target)
    keeper, options = KEEPERS[kind][0], {"random_state": 3}
    drawn = splits_of(keeper, rows, folds=4, shuffle=True, **options)
    in_order = splits_of(keeper, rows, folds=4, shuffle=False)
    assert drawn != in_order
    assert splits_of(keeper, rows, folds=4, **options) == drawn
    assert splits_of(keeper, rows.with_columns(z=tn.col("x")), folds=4, **options) == drawn
    assert splits_of(keeper, tn.scan(table, target, columns=["id", "x"]), folds=4) == in_order
    learner = tn.Ridge() if kind == "number" else tn.GaussianNB()
    cv = tn.cross_validate(learner, rows)
    assert np.array_equal(cv.scores, tn.cross_validate(learner, rows, shuffle=True).scores)
    assert "10 folds drawn at random, " in str(cv)
    assert "10 folds, " in str(tn.cross_validate(learner, rows, shuffle=False))
    assert tn.tune(learner, [{}], rows).results.scores.tobytes() == cv.scores.tobytes()
    assert "10 folds drawn at random, " in str(tn.learning_curve(learner, rows, train_sizes=[1.0]))
    groups = np.arange(150) // 30
    assert splits_of(keeper, rows, folds=5, groups=groups) == one_out(groups)
