"""Values: immutable objects compared bit by bit and identified by a digest.

Two members of one scan that want the same ask for equal values, and it is computed once; a worker that is sent a value
has the very thing that the driver had. So a value holds plain things only (numbers, text, arrays, records of them), its
arrays are read-only, and its digest is made of its bits, never of a pickle or of where it is in memory.
"""

from __future__ import annotations

import dataclasses
import hashlib
import struct
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from tenfold.core.arrays import Values

Put = Callable[[bytes | memoryview], None]
MAX_COMPARED_BYTES = 1 << 16
"""bytes below which two arrays are compared as bytes"""


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(dataclasses.field,))
class Value:
    """Base of values: a subclass lists its fields, and is a frozen dataclass by that.

    Equal values have equal fields, to the bit: NaN equals NaN, 0.0 is not -0.0, 1 is not 1.0, and the dtype counts.
    Arrays that could be written to are copied.

    Examples
    --------
    >>> from tenfold.core.value import Value
    >>> class Quantiles(Value):
    ...     column: int
    ...     at: tuple[float, ...] = (0.5,)
    >>> Quantiles(3) == Quantiles(3, (0.5,)), len({Quantiles(3), Quantiles(3), Quantiles(4)})
    (True, 2)
    """

    names: ClassVar[tuple[str, ...]] = ()
    """names of the fields"""
    identity: ClassVar[tuple[str, ...]] = ()
    """fields that equality compares: all, unless a class names some; the others may differ between equal values"""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclasses.dataclass(frozen=True, eq=False)(cls)
        cls.names = tuple(field.name for field in dataclasses.fields(cls))  # type: ignore[arg-type]
        if "identity" not in cls.__dict__:
            cls.identity = cls.names
        if unknown := set(cls.identity) - set(cls.names):
            raise TypeError(f"{cls.__name__} is told by {sorted(unknown)}, which are no fields of it")

    def __post_init__(self) -> None:
        for name, value in self.__dict__.items():
            if isinstance(value, np.ndarray):
                self.__dict__[name] = _frozen(value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: _frozen(value) for name, value in state.items()})

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return False
        return all(same(self.__dict__[name], other.__dict__[name]) for name in self.identity)

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def digest(self) -> bytes:
        """Sixteen bytes of its class and fields; equal for equal values in any process. Made when first asked for."""
        found: bytes | None = self.__dict__.get("_digest")
        if found is None:
            name = f"{type(self).__module__}.{type(self).__qualname__}"
            found = self.__dict__["_digest"] = digest_of(name, *(self.__dict__[name] for name in self.identity))
        return found


class Parameter(Value):
    """Value that learners take as a parameter, and that model files store by the name of its class and its fields.

    An instance read from a file is validated when it is made: a subclass refuses fields that are not allowed in
    `__post_init__`, with ValueError or TypeError.
    """


class ByIdentity(Value):
    """Any object, compared by identity, valid while it lives in the process that made it."""

    it: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and self.it is other.it

    __hash__ = Value.__hash__

    @property
    def digest(self) -> bytes:
        # A digest of where the object is in memory: two are the same only if they are one.
        return digest_of(id(self.it))


class ByParams(Value):
    """Learner, or record with learners in it, compared by classes and parameters."""

    it: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByParams) and self.digest == other.digest

    __hash__ = Value.__hash__

    @property
    def digest(self) -> bytes:
        return digest_of(_described(self.it))


def _described(value: Any) -> Any:
    """Return learners as tuples of their parameters; objects without a digest are represented by their identity."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        params = sorted(value.get_params(deep=False).items())
        return (type(value), tuple((name, _described(given)) for name, given in params))
    if isinstance(value, dict):
        return tuple((_described(name), _described(given)) for name, given in value.items())
    if isinstance(value, (list, tuple)):
        return (type(value), *map(_described, value))
    try:
        digest_of(value)
    except TypeError:
        return ByIdentity(value)
    return value


def digest_of(*values: object) -> bytes:
    """Sixteen bytes of some values; equal where `same` finds them equal."""
    made = hashlib.blake2b(digest_size=16)
    for value in values:
        feed(made.update, value)
    return made.digest()


def feed(put: Put, value: object) -> None:
    """Feed every bit of a value to a hash, in a unique encoding."""
    if value is None or isinstance(value, (bool, int, str, bytes)):
        text = value if isinstance(value, bytes) else repr(value).encode()
        put(f"{type(value).__name__} {len(text)};".encode() + text)
    elif type(value) is float:
        put(b"float;" + struct.pack("<d", value))
    elif isinstance(value, np.generic):
        put(f"{value.dtype.str};".encode() + value.tobytes())
    elif isinstance(value, np.ndarray):
        put(f"array {value.dtype.str} {value.shape};".encode())
        if value.dtype.hasobject:
            _feed_each(put, value.ravel().tolist())
        elif value.size:
            put(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Value):
        put(b"value;" + value.digest)
    elif isinstance(value, type):
        put(f"class {value.__module__}.{value.__qualname__};".encode())
    elif isinstance(value, frozenset):
        put(f"frozenset {len(value)};".encode())
        for each in sorted(digest_of(one) for one in value):
            put(each)
    elif isinstance(value, (tuple, list)) or dataclasses.is_dataclass(value):
        parts = _parts(value)
        put(f"{type(value).__module__}.{type(value).__qualname__} {len(parts)};".encode())
        _feed_each(put, parts)
    else:
        raise TypeError(
            f"a {type(value).__name__} has no digest: a value holds numbers, text, arrays, tuples, records and values"
        )


def same(a: Any, b: Any) -> bool:
    """Whether two are equal to the bit; it stops at the first difference, and makes no digest."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return _same_arrays(a, b)
    if isinstance(a, np.generic):
        return bool(a.dtype == b.dtype and a.tobytes() == b.tobytes())
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    if isinstance(a, (tuple, list)) or (dataclasses.is_dataclass(a) and not isinstance(a, (type, Value))):
        mine, theirs = _parts(a), _parts(b)
        return len(mine) == len(theirs) and all(map(same, mine, theirs))
    return bool(a == b)


def _same_arrays(a: Values, b: Values) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.hasobject:
        return all(map(same, a.ravel().tolist(), b.ravel().tolist()))
    if a.nbytes < MAX_COMPARED_BYTES:
        return bool(a.tobytes() == b.tobytes())
    one, other = (np.ascontiguousarray(x).reshape(-1).view(np.uint8) for x in (a, b))
    return bool(np.array_equal(one, other))


def _parts(record: Any) -> list[object]:
    """Return the elements of a tuple, list or dataclass, in order."""
    if isinstance(record, (tuple, list)):
        return list(record)
    return [getattr(record, field.name) for field in dataclasses.fields(record)]


def _feed_each(put: Put, values: Iterable[object]) -> None:
    for value in values:
        feed(put, value)


def _frozen(value: object) -> object:
    """Return a read-only copy of an array; any other object is returned unchanged."""
    if not isinstance(value, np.ndarray) or not value.flags.writeable:
        return value
    kept = value.copy()
    kept.flags.writeable = False
    return kept
