"""Arrays as a source: parts, views by need, weights of zero, labels."""

import numpy as np
import pytest

from tenfold.core import DataError, Need
from tenfold.engine import Local, schema_of
from tenfold.engine.executors.local import LocalSession
from tenfold.sources import ArraySource, part_rows
from tenfold.sources.label_codes import class_codes, code, levels


@pytest.mark.parametrize(
    ("rows", "parts"), [(1, 1), (4096, 1), (4097, 2), (65_536, 16), (1_000_000, 16), (2_000_000, 31)]
)
def test_parts_are_equal_slices_by_the_number_of_rows_alone(rows, parts):
    source = ArraySource(np.zeros((rows, 1)))
    sizes = np.diff(source._cuts)
    assert len(source) == parts
    assert sizes.sum() == rows
    assert sizes.max() - sizes.min() <= 1


def test_one_target_is_a_number_or_a_class():
    source = ArraySource(np.zeros((4, 1)), np.array([3, 1, 3, 2]))
    number, label = Need(target="number"), Need(target="class")
    session = LocalSession(Local(threads=1), source)
    assert source.load(0, number, schema_of(source, number, session)).y.tolist() == [3, 1, 3, 2]
    found = schema_of(source, label, session)
    assert found.classes.tolist() == [1, 2, 3]
    assert found.classes.dtype == np.int64
    assert source.load(0, label, found).y.tolist() == [2, 0, 2, 1]
    assert schema_of(source, label, session) is found  # remembered


def test_rows_of_weight_zero_do_not_exist():
    need = Need("categorical", target="class")
    with part_rows(2):
        source = ArraySource(
            (np.array(["a", "b", "c", "d"], dtype=object),),
            np.array(["x", "y", "z", "z"]),
            np.array([1.0, 0.0, 0.0, 0.0]),
        )
    schema = schema_of(source, need, LocalSession(Local(threads=2), source))
    assert schema.columns[0].categories.tolist() == ["a"]
    assert schema.classes.tolist() == ["x"]
    first, last = (source.load(i, need, schema) for i in (0, 1))
    assert (first.n, first.dropped, last.n, last.dropped) == (1, 1, 0, 2)


def test_an_array_cannot_be_made_of_a_source():
    with pytest.raises(DataError, match="no rows in memory"):
        np.asarray(ArraySource(np.zeros((2, 1))))


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (np.array([3, 1, 3], dtype=np.int8), [1, 3]),
        (np.array([2**60, -5]), [-5, 2**60]),
        (np.array([True, False, True]), [False, True]),
        (np.array([1.5, np.nan, 0.5]), [0.5, 1.5]),
        (np.array(["b", "a", "b"]), ["a", "b"]),
        (np.array(["b", None, "a"], dtype=object), ["a", "b"]),
        (np.array([2, None, 1.5], dtype=object), [1.5, 2.0]),
    ],
)
def test_levels_and_codes(values, found):
    known = levels(values, "column 'a'")
    assert known.tolist() == found
    if values.dtype.kind in "biufU":
        assert known.dtype.kind == values.dtype.kind
    codes = code(values, known, "column 'a'")
    expected = [np.nan if v is None or v != v else found.index(v) for v in values.tolist()]
    np.testing.assert_array_equal(codes, expected)


def test_unseen_values_and_classes():
    known = np.array(["a", "c"], dtype=object)
    assert code(np.array(["a", "b", "c", "zz"]), known, "x").tolist() == [0, -1, 1, -1]
    assert class_codes(np.array([5, 7]), np.array([5, 7])).tolist() == [0, 1]
    for strange in ([6], [4], [10**12]):
        with pytest.raises(DataError, match=rf"classes \[{strange[0]}\] that are not among"):
            class_codes(np.array(strange), np.array([5, 7]))
    with pytest.raises(DataError, match="not among the known classes"):
        class_codes(np.array(["b"]), np.array(["a"]))


def test_what_has_no_categories_is_named():
    with pytest.raises(DataError, match="column 'when' has type datetime64"):
        levels(np.array(["2020-01-01"], dtype="datetime64[D]"), "column 'when'")
    with pytest.raises(DataError, match="column 'raw' holds binary"):
        levels(np.array([b"a"], dtype=object), "column 'raw'")
    with pytest.raises(DataError, match="infinity"):
        levels(np.array([1.0, np.inf]), "column 'a'")


def test_fingerprints_tell_data_apart():
    a = np.random.default_rng(0).normal(size=(1000, 3))
    b = a.copy()
    b[0, 0] += 1
    prints = {ArraySource(v).fingerprint() for v in (a, b, a[:-1], a.astype(np.float32))}
    assert len(prints) == 4
    assert ArraySource(a).fingerprint() == ArraySource(a.copy()).fingerprint()
