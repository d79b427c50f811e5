"""Values: equality to the bit, digests that agree with it in every process, arrays nobody can change."""

import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenfold.core import Column, Need, Schema
from tenfold.core.value import Value, digest_of, same


class Thing(Value):
    it: object


class Named(Value):
    it: object
    note: str = ""
    identity = ("it",)


class Pair(NamedTuple):
    a: object
    b: object


@dataclass(frozen=True)
class Record:
    a: object
    b: object


PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(), st.binary(), st.floats(), st.sampled_from([int, float, np.int8])
)
ARRAYS = st.sampled_from([
    np.array([1, 2]), np.array([1.0, 2.0]), np.array([[1.0, 2.0]]), np.array([1.0, np.nan]), np.array([0.0]),
    np.array([-0.0]), np.array([]), np.zeros((0, 2)), np.array(["a", None], object), np.array(["a", "b"], object),
    np.array(["a", "b"]), np.float32(1), np.float64(1), np.arange(6.0)[::2], np.zeros(9000), np.ones(9000),
])  # fmt: skip
THINGS = st.recursive(
    PLAIN | ARRAYS,
    lambda some: st.one_of(
        st.lists(some, max_size=3),
        st.lists(some, max_size=3).map(tuple),
        st.builds(Pair, some, some),
        st.builds(Record, some, some),
        st.builds(Thing, some),
    ),
    max_leaves=6,
)


@given(THINGS, THINGS)
def test_digests_are_equal_where_values_are(a, b):
    assert (digest_of(a) == digest_of(b)) == same(a, b)
    assert (Thing(a) == Thing(b)) == same(a, b)
    assert Thing(a) == Thing(pickle.loads(pickle.dumps(a)))
    assert Thing(a).digest == pickle.loads(pickle.dumps(Thing(a))).digest


@pytest.mark.parametrize(
    "pair",
    [(0.0, -0.0), (1, 1.0), (1, True), ("1", 1), ("a", b"a"), ((1,), [1]), ((1, 2), Pair(1, 2)), ((), None)]
    + [(Pair(1, 2), Record(1, 2)), (("ab", "c"), ("a", "bc")), (np.int64(1), 1), (np.zeros(2), np.zeros((2, 1)))],
    ids=str,
)
def test_what_is_another_thing_is_not_equal(pair):
    assert not same(*pair)
    assert len({digest_of(one) for one in pair}) == 2


def test_a_schema_and_a_need_have_a_digest():
    def schema(last):
        column = Column("colour", "categorical", np.array(["blue", last], object))
        return Schema((column, Column("size", "numeric")), "class", np.array(["no", "yes"]), True)

    assert digest_of(schema("red"), Need("mixed")) == digest_of(schema("red"), Need("mixed"))
    assert digest_of(schema("red")) != digest_of(schema("green"))
    assert digest_of(Need("mixed")) != digest_of(Need("mixed", missing=True))


def test_arrays_of_a_value_cannot_change():
    given = np.arange(3.0)
    value = Thing(given)
    given[0] = 7.0
    assert value.it.tolist() == [0.0, 1.0, 2.0]
    for one in (value, pickle.loads(pickle.dumps(value))):
        with pytest.raises(ValueError, match="read-only"):
            one.it[0] = 1.0
        with pytest.raises(AttributeError):
            one.it = 1.0


def test_fields_that_do_not_tell():
    assert Named(1, "a") == Named(1, "b")
    assert Named(1, "a").digest == Named(1, "b").digest
    assert Named(1) != Named(2)
    with pytest.raises(TypeError, match=r"told by \['other'\], which are no fields"):
        type("Wrong", (Value,), {"identity": ("other",), "__module__": __name__})


def test_what_has_no_digest_says_so():
    with pytest.raises(TypeError, match="a function has no digest"):
        hash(Thing(lambda: 0))
    with pytest.raises(TypeError, match="a dict has no digest"):
        hash(Thing({}))


def test_a_digest_is_the_same_in_another_process():
    code = "import numpy as np; from tenfold.core.value import digest_of; print({}.hex())"
    asked = "digest_of('x', 1.5, (np.arange(4.0), None), frozenset(['a', 'b', 'c']))"
    found = subprocess.run([sys.executable, "-c", code.format(asked)], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == digest_of("x", 1.5, (np.arange(4.0), None), frozenset(["a", "b", "c"])).hex()
