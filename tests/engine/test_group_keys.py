"""Keys: the group of a row does not depend on how the rows are cut, or on who asks."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tenfold import DataError, Local, scan
from tenfold.core import Need, Schema
from tenfold.engine.count_jobs import CountClasses, CountLabels, CountRows
from tenfold.engine.group_keys import Contiguous, Key, Labelled, Listed, Shuffled, Stratified
from tenfold.sources import ArraySource, part_rows

N = 103
NEED = Need("numeric", target="class", side=("place",))
LABEL = np.random.default_rng(0).integers(0, 3, N)
PLACE = np.array(["north", "south", "west"], dtype=object)[np.random.default_rng(1).integers(0, 3, N)]
FRAME = pd.DataFrame({"x": np.arange(float(N)), "y": LABEL, "place": PLACE})


def source(rows):
    with part_rows(rows):
        return scan(FRAME, target="y", columns=["x"])


def counted(rows):
    """Rows of each class in earlier parts."""
    some = source(rows)
    schema = some.schema_of(0, NEED)
    schema = Schema(schema.columns, "class", np.arange(3), True)
    with Local(threads=2).open(some) as session:
        found = session.reduce(CountClasses(NEED, schema)).each
    counts = np.array([found[part][0] for part in range(len(some))])
    return np.cumsum(counts, axis=0) - counts


def codes(key, rows):
    """The group of each row, by a coder for each part."""
    some = source(rows)
    schema = Schema(some.schema_of(0, NEED).columns, "class", np.arange(3), True)
    key = pickle.loads(pickle.dumps(key))
    found = []
    for part in reversed(range(len(some))):  # parts know nothing of each other
        coder = key.coder(part)
        found[:0] = [coder(chunk) for chunk in some.chunks(part, NEED, schema)]
    return np.concatenate(found)


CUTS = np.array([[0, 10, 20, 30], [0, 5, 5, 20], [0, 1, 2, 3]])
KEYS = {
    "contiguous": lambda rows: Contiguous(4, np.array([0, 26, 52, 78])),
    "shuffled": lambda rows: Shuffled(4, 5),
    "listed": lambda rows: Listed(4, np.arange(N) % 5 - 1),
    "stratified": lambda rows: Stratified(4, counted(rows), CUTS, None),
    "stratified, shuffled": lambda rows: Stratified(4, counted(rows), CUTS, 7),
    "labelled": lambda rows: Labelled(
        2, "place", np.array(["north", "south", "west"], dtype=object), np.array([1, 0, 1])
    ),
}


@pytest.mark.parametrize("name", KEYS)
def test_where_rows_are_cut_does_not_matter(name):
    whole = codes(KEYS[name](N), N)
    for rows in (1, 7, 50, 102):
        assert codes(KEYS[name](rows), rows).tolist() == whole.tolist()


def test_what_the_keys_say():
    assert codes(KEYS["contiguous"](9), 9).tolist() == np.repeat(range(4), [26, 26, 26, 25]).tolist()
    assert codes(KEYS["listed"](9), 9).tolist() == (np.arange(N) % 5 - 1).tolist()
    assert codes(KEYS["labelled"](9), 9).tolist() == np.where(PLACE == "south", 0, 1).tolist()
    place = np.array([(LABEL[:i] == LABEL[i]).sum() for i in range(N)])  # among the rows of its class
    wanted = [np.searchsorted(CUTS[c], i, side="right") - 1 for c, i in zip(LABEL, place, strict=True)]
    assert codes(KEYS["stratified"](9), 9).tolist() == wanted


def test_shuffled_runs_have_each_group_once():
    found = codes(Shuffled(4, 5), 9)
    assert all(sorted(run) == [0, 1, 2, 3] for run in found[:100].reshape(-1, 4).tolist())
    assert len(set(found[100:])) == 3
    assert len({tuple(run) for run in found[:100].reshape(-1, 4).tolist()}) > 10
    other = codes(Shuffled(4, 6), 9)
    assert 5 < (other == found).sum() < 60
    in_classes = codes(KEYS["stratified, shuffled"](9), 9)
    for c in range(3):
        mine = in_classes[c == LABEL]
        whole = len(mine) // 4 * 4
        assert all(sorted(run) == [0, 1, 2, 3] for run in mine[:whole].reshape(-1, 4).tolist())
        assert len(set(mine[whole:])) == len(mine) - whole


def test_classes_of_one_seed_are_dealt_apart():
    """Rows of different classes at the same place of their class are not all in the same fold."""
    label = np.tile([0, 1], 200)
    key = Stratified(5, np.zeros((1, 2), np.int64), np.zeros((2, 5), np.int64), 3)
    chunk = ArraySource(np.zeros((400, 1)), label).load(0, Need("numeric", target="class"), _two())
    found = key.coder(0)(chunk)
    assert 10 < (found[::2] == found[1::2]).sum() < 80


def _two():
    return Schema(ArraySource(np.zeros((1, 1))).schema_of(0, Need()).columns, "class", np.arange(2), False)


def test_a_coder_has_the_number_of_the_row_in_the_source():
    """Rows without weight are passed over and keep their numbers; rows within a part begin where it is said."""
    weight = np.where(np.arange(N) % 3 == 0, 0.0, 1.0)
    with part_rows(10):
        some = ArraySource(np.zeros((N, 1)), LABEL, weight)
    key = Listed(N, np.arange(N))
    found = []
    for part in range(len(some)):
        chunk = some.load(part, Need(), some.schema_of(part, Need()))
        found.append(key.coder(part)(chunk))
    assert np.concatenate(found).tolist() == np.flatnonzero(weight).tolist()


def test_rows_that_say_no_group():
    holes = FRAME.assign(place=np.where(np.arange(N) == 60, None, PLACE))
    some = scan(holes, target="y", columns=["x"])
    schema = Schema(some.schema_of(0, NEED).columns, "class", np.arange(3), True)
    chunk = some.load(0, NEED, schema)
    with pytest.raises(DataError, match="column 'place' has missing entries: some rows have no group"):
        KEYS["labelled"](9).coder(0)(chunk)
    known = source(N).load(0, NEED, schema)
    few = Labelled(2, "place", np.array(["north", "south"], dtype=object), np.array([1, 0]))  # no west
    with pytest.raises(DataError, match="some rows have no group"):
        few.coder(0)(known)


def test_a_key_by_itself_says_nothing():
    with pytest.raises(NotImplementedError):
        Key(3).coder(0)


@pytest.mark.parametrize("rows", [1, 10, N])
def test_counting(rows):
    """Rows of each class and where the first one is, rows at all, and rows of each label."""
    some = source(rows)
    schema = Schema(some.schema_of(0, NEED).columns, "class", np.arange(3), True)
    with Local(threads=2).open(some) as session:
        classes = session.reduce(CountClasses(NEED, schema)).each
        lengths = session.reduce(CountRows(NEED, schema)).each
        labels = session.reduce(CountLabels("place")).each
    cuts = np.linspace(0, N, len(some) + 1).astype(int)
    for part, (start, stop) in enumerate(zip(cuts[:-1], cuts[1:], strict=True)):
        here = LABEL[start:stop]
        assert lengths[part] == stop - start
        assert classes[part][0].tolist() == np.bincount(here, minlength=3).tolist()
        for c in set(here.tolist()):
            assert classes[part][1][c] == here.tolist().index(c)
        assert labels[part] == pd.Series(PLACE[start:stop]).value_counts().to_dict()


@pytest.mark.parametrize("rows", [1, 10, N])
@pytest.mark.parametrize("names", [None, ["late", "early", "noon"]])
def test_classes_are_counted_before_they_are_known(rows, names):
    frame = FRAME if names is None else FRAME.assign(y=np.array(names, dtype=object)[LABEL])
    with part_rows(rows):
        some = scan(frame, target="y", columns=["x"])
    known = np.arange(3) if names is None else np.array(sorted(names), dtype=object)
    schema = Schema(some.schema_of(0, NEED).columns, "class", known, True)
    with Local(threads=2).open(some) as session:
        wanted = session.reduce(CountClasses(NEED, schema)).each
        found = session.reduce(CountClasses(NEED)).each
    for part, (count, first, classes) in found.items():
        at = np.searchsorted(known, classes)
        assert count.tolist() == wanted[part][0][at].tolist()
        assert first.tolist() == wanted[part][1][at].tolist()
        assert count.sum() == wanted[part][0].sum()


def test_counting_leaves_out_what_has_no_weight_or_no_label():
    frame = FRAME.assign(
        weight=np.arange(N) % 2,
        place=pa.array([None if i % 10 == 0 else v for i, v in enumerate(PLACE)]).to_pandas(),
    )
    some = scan(frame, target="y", columns=["x"], weight="weight")
    schema = Schema(some.schema_of(0, NEED).columns, "class", np.arange(3), True)
    with Local(threads=1).open(some) as session:
        assert session.reduce(CountRows(NEED, schema)).each == {0: N}
        assert session.reduce(CountClasses(NEED, schema)).each[0][0].tolist() == np.bincount(LABEL[1::2]).tolist()
        assert sum(session.reduce(CountLabels("place")).each[0].values()) == N - 11
