"""Schemas merge; records are checked and recoded by the annotations of their fields."""

import pickle
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import pytest

from tenfold.core import Array, Codes, Column, MergeError, Schema
from tenfold.core.axes import check, fields, recode


def schema(*categories, classes=None, target=None):
    columns = tuple(Column(f"x{j}", "categorical", np.array(c)) for j, c in enumerate(categories))
    return Schema(columns, target, None if classes is None else np.array(classes))


def test_schemas_unite():
    a = schema([1, 3], [5], classes=["no"], target="class")
    b = schema([2, 3], [5], classes=["yes"], target="class")
    both = a + b
    assert both.columns[0].categories.tolist() == [1, 2, 3]
    assert both.classes.tolist() == ["no", "yes"]
    assert both + a == both == b + a
    assert a + a == a
    assert both.value_offsets.tolist() == [0, 3, 4]
    assert [both.size(x) for x in ("column", "class", "value", "joint", "design", "predictor", "other")] == [
        2, 2, 4, 5, 6, 5, None,
    ]  # fmt: skip


def test_schemas_that_differ():
    a = Schema((Column("a", "numeric"), Column("b", "numeric")))
    with pytest.raises(MergeError, match=r"only on the left \['b'\], only on the right \['c'\]"):
        a + Schema((Column("a", "numeric"), Column("c", "numeric")))
    with pytest.raises(MergeError, match="another order"):
        a + Schema((Column("b", "numeric"), Column("a", "numeric")))
    with pytest.raises(MergeError, match="numeric 'a' and categorical 'a'"):
        a + Schema((Column("a", "categorical", np.array([1])), Column("b", "numeric")))
    with pytest.raises(MergeError, match="one target is number"):
        Schema(a.columns, "number") + a


class Inner(NamedTuple):
    step: int
    mean: Annotated[Array, "class", "column"]


@dataclass(frozen=True, eq=False)
class Outer:
    inner: Inner
    count: Annotated[Array, "class", "value"]
    code: Annotated[Codes, "free", "free"]


def test_many_columns_of_numbers_travel_as_their_names():
    wide = Schema(tuple(Column(f"word{k}", "numeric") for k in range(2000)), "class", np.array(["a", "b"]), True)
    there, again = (pickle.loads(pickle.dumps(wide)) for _ in range(2))
    assert there == wide
    assert there.columns is again.columns
    assert (there + again).columns is there.columns
    assert there.digest == wide.digest
    other = Schema(wide.columns[1:], "class", np.array(["a", "b"]), True)
    assert other.digest != wide.digest
    names = (("ab", "c"), ("a", "bc"))
    assert len({Schema(tuple(Column(name, "numeric") for name in some)).digest for some in names}) == 2
    mixed = schema([1, 2], None)
    assert pickle.loads(pickle.dumps(mixed)) == mixed


def outer(classes=2, columns=2, values=3, free=2):
    return Outer(
        Inner(1, np.ones((classes, columns))),
        np.arange(1.0, classes * values + 1).reshape(classes, values),
        np.zeros((free, free), dtype=np.int64),
    )


OLD = schema([1, 3], [5], classes=["b", "d"], target="class")
NEW = schema([1, 2, 3], [4, 5], classes=["a", "b", "d"], target="class")


def test_recode_puts_zeros_where_labels_are_new():
    wide = recode(outer(), OLD, NEW)
    assert wide.count.tolist() == [[0, 0, 0, 0, 0], [1, 0, 2, 0, 3], [4, 0, 5, 0, 6]]
    assert wide.inner.mean.tolist() == [[0, 0], [1, 1], [1, 1]]
    assert recode(outer(), OLD, OLD).count.tolist() == outer().count.tolist()
    check(wide, NEW)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (outer(classes=3), "length 3 on axis 'class', not 2"),
        (outer(columns=1), "length 1 on axis 'column', not 2"),
        (outer(values=4), "length 4 on axis 'value', not 3"),
        (
            Outer(outer().inner, outer().count, np.zeros((2, 3), dtype=np.int64)),
            "length 3 on axis 'free', not 2",
        ),
        (Outer(outer().inner, outer().count, np.zeros((2, 2))), "type float64, not int64"),
        (Outer(outer().inner, np.ones(3), outer().code), "has 1 axes"),
        (Outer(Inner(1.0, outer().inner.mean), outer().count, outer().code), "is a float, not int"),
    ],
)
def test_check_refuses(wrong, message):
    check(outer(), OLD)
    with pytest.raises(MergeError, match=message):
        check(wrong, OLD)


def test_fields_without_annotation_are_refused():
    class Loose(NamedTuple):
        step: int
        mean: np.ndarray

    with pytest.raises(TypeError, match="Loose.mean is annotated"):
        fields(Loose)
