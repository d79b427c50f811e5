"""Forged model files: taken apart, changed in one place, and put together again with a checksum that fits.

Used by the tests and by `benchmarks/fuzz_files.py`. A mutation knows the format: it changes a number inside a tensor,
the shape or type of a tensor, a value of the document, the order of things, or, now and then, bare bytes.
"""

from __future__ import annotations

import copy
import hashlib
import json
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

UNSIGNED = "0" * 64
DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "|b1",
}  # fmt: skip
NAMES = {np.dtype(kind): name for name, kind in DTYPES.items()}
WHOLE = (-(2**63), -(2**62), -(2**31), -3, -2, -1, 0, 1, 2, 3, 4, 7, 8, 64, 255, 256, 1 << 16, 2**31, 2**62, 2**63 - 1)
REAL = (np.nan, np.inf, -np.inf, -1.0, 0.0, -0.0, 0.5, 1.0, 2.0, 1e-320, 1e-200, 1e18, 1e155, 1e308, -1e308)
INTS = (*WHOLE, 5, 10, 100, 10_000, 10**9, 2**64, 10**30)
TEXTS = ("", "0", "-", "nan", "done", "look", "rows", "level", "finish", "values", "judge", "prune", "all", "ä" * 300)
NONSENSE = (
    None, True, 0, 1, -1, 3, 8, 2**31, 2**62, 0.5, 1e308, "", "0", "1", "-", "Ridge", "KMeans", "nan", "F32", [], [0],
    [0, 8], {}, {"is": None}, {"is": "done"}, {"is": True}, {"int": "0"}, {"int": "-7"},
    {"int": "18446744073709551616"},
    {"float": "inf"}, {"float": "nan"}, {"tensor": "0"}, {"tensor": "3"}, {"list": []}, {"tuple": []}, {"dict": []},
    {"learner": "Ridge", "params": {}},
)  # fmt: skip


class Parts(NamedTuple):
    """A file taken apart."""

    document: dict[str, Any]
    tensors: dict[str, Any]


class Forged(NamedTuple):
    """The bytes of a changed file, and what was changed."""

    raw: bytes
    field: str
    mutation: str


def taken_apart(raw: bytes) -> Parts:
    """The document and the tensors of a file."""
    (length,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + length])
    document = json.loads(head.pop("__metadata__")["tenfold"])
    body, tensors = raw[8 + length :], {}
    for name, entry in head.items():
        start, stop = entry["data_offsets"]
        tensors[name] = np.frombuffer(body[start:stop], DTYPES[entry["dtype"]]).reshape(entry["shape"]).copy()
    return Parts(document, tensors)


def put_together(parts: Parts, **odd: Any) -> bytes:
    """The file of a document and tensors, with the checksum that fits; `odd` replaces entries of the header."""
    head, body, at = {}, [], 0
    for name, array in sorted(parts.tensors.items(), key=lambda item: -item[1].dtype.itemsize):
        bytes_ = np.ascontiguousarray(array).tobytes()
        head[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [at, at + len(bytes_)]}
        at += len(bytes_)
        body.append(bytes_)
    head.update(odd)
    text = json.dumps({**parts.document, "sha256": UNSIGNED}, separators=(",", ":"))
    header = json.dumps({"__metadata__": {"tenfold": text}, **head}, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return signed(struct.pack("<Q", len(header)) + header + b"".join(body))


def signed(raw: bytes) -> bytes:
    """The file with the checksum that fits it, if it still has a place for one."""
    mark = b'\\"sha256\\":\\"'
    at = raw.find(mark)
    if at < 0:
        return raw
    start = at + len(mark)
    plain = raw[:start] + UNSIGNED.encode() + raw[start + 64 :]
    return plain[:start] + hashlib.sha256(plain).hexdigest().encode() + plain[start + 64 :]


def places(parts: Parts) -> list[tuple[Any, ...]]:
    """The way to every value of the document that a file can say otherwise, tensors among them."""
    return [way for way in _ways(parts.document, ()) if way and way[0] not in ("magic", "sha256")]


def _ways(node: Any, way: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    yield way
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _ways(value, (*way, key))
    elif isinstance(node, list):
        for at, value in enumerate(node):
            yield from _ways(value, (*way, at))


def forged(raw: bytes, parts: Parts, where: list[tuple[Any, ...]], way: tuple[Any, ...], random: Any) -> Forged:
    """The file with one place changed, or now and then two, or some of its bare bytes."""
    if random.random() < 0.03:
        return Forged(signed(_bytes(raw, random)), "bytes", "bare bytes")
    new = Parts(copy.deepcopy(parts.document), dict(parts.tensors))
    said = [_change(new, where, way, random)]
    if random.random() < 0.15:
        said.append(_change(new, where, where[int(random.integers(len(where)))], random))
    odd = {}
    if random.random() < 0.02 and new.tensors:
        name = str(random.choice(sorted(new.tensors)))
        odd[name] = _entry(new.tensors[name], random)
        said.append(f"header {odd[name]}")
    text = ".".join(map(str, way))
    try:
        return Forged(put_together(new, **odd), text, "; ".join(said))
    except (ValueError, KeyError):  # a node that JSON does not write
        return Forged(signed(_bytes(raw, random)), "bytes", "bare bytes")


def _change(new: Parts, where: list[tuple[Any, ...]], way: tuple[Any, ...], random: Any) -> str:
    """Change a document or a tensor in place; what was done."""
    holder, key = _found(new.document, way[:-1]), way[-1]
    if not _has(holder, key):
        return "nothing"
    value = holder[key]
    if isinstance(value, str) and value in new.tensors and random.random() < 0.9:
        array, said = _tensor(new.tensors[value], new, random)
        new.tensors[value] = array
        return said
    if key in ("int", "float", "is") and random.random() < 0.85:
        return _scalar(holder, key, random)
    kind = int(random.integers(5))
    if kind == 0:
        holder[key] = copy.deepcopy(NONSENSE[int(random.integers(len(NONSENSE)))])
        return f"becomes {str(holder[key])[:60]}"
    if kind == 1:
        del holder[key]
        return "deleted"
    if kind == 2 and isinstance(value, list) and value:
        holder[key] = value * int(random.integers(2, 40))
        return "repeated"
    if kind == 3:
        nested: Any = value
        for _ in range(int(random.choice([1, 3, 20, 200]))):
            nested = {"list": [nested]} if random.random() < 0.5 else [nested]
        holder[key] = nested
        return "nested"
    other = where[int(random.integers(len(where)))]
    if not _has(_found(new.document, other[:-1]), other[-1]):
        return "nothing"
    found = _found(new.document, other)
    holder[key] = copy.deepcopy(found)
    return f"becomes what {'.'.join(map(str, other))} is"


def _has(holder: Any, key: Any) -> bool:
    """Whether something stands there, or stood there before another change."""
    return key in holder if isinstance(holder, dict) else isinstance(holder, list) and key in range(len(holder))


def _found(node: Any, way: tuple[Any, ...]) -> Any:
    """What stands there; None, if nothing does."""
    for key in way:
        if not _has(node, key):
            return None
        node = node[key]
    return node


def _scalar(holder: Any, key: str, random: Any) -> str:
    """Another number, truth or text."""
    if key == "int":
        old = int(holder[key]) if str(holder[key]).lstrip("-").isdigit() else 0
        new = int(random.choice(np.array([*INTS, old + 1, old - 1, 2 * old], dtype=object)))
        holder[key] = str(new)
    elif key == "float":
        holder[key] = float(random.choice(REAL)).hex()
    elif isinstance(holder[key], bool):
        holder[key] = not holder[key]
    else:
        holder[key] = str(random.choice(TEXTS)) if random.random() < 0.8 else None
    return f"becomes {str(holder[key])[:40]}"


def _tensor(array: Any, new: Parts, random: Any) -> tuple[Any, str]:
    """Another tensor: other numbers, another shape, another type, another's."""
    kind = int(random.integers(14))
    if kind <= 6 and array.size:
        return _numbers(array, random)
    if kind == 7 and array.size:
        return array.reshape(-1)[random.permutation(array.size)].reshape(array.shape), "shuffled"
    if kind == 8 and array.ndim:
        axis = int(random.integers(array.ndim))
        size = array.shape[axis]
        keep = int(random.choice([0, 1, max(size - 1, 0), size // 2]))
        return np.take(array, np.arange(min(keep, size)), axis=axis), f"axis {axis} cut to {keep}"
    if kind == 9 and array.ndim and array.size:
        axis, times = int(random.integers(array.ndim)), int(random.choice([1, 1, 2, 10]))
        size = array.shape[axis]
        more = np.arange(size + times) % size
        return np.take(array, more, axis=axis), f"axis {axis} longer by {times}"
    if kind == 10:
        shapes = ((-1,), (1, *array.shape), (*array.shape, 1), array.shape[::-1])
        return array.reshape(shapes[int(random.integers(len(shapes)))]), "another shape"
    if kind == 11:
        name = str(random.choice(sorted(DTYPES)))
        with np.errstate(all="ignore"):
            return array.astype(DTYPES[name]), f"as {name}"
    if kind == 12:
        other = str(random.choice(sorted(new.tensors)))
        return new.tensors[other], f"tensor {other} in its place"
    if array.ndim and random.random() < 0.3:
        shape = list(array.shape)
        shape[int(random.integers(array.ndim))] = 0
        return np.empty(shape, array.dtype), "empty"
    return _numbers(array, random) if array.size else (array.reshape(0), "flat")


def _numbers(array: Any, random: Any) -> tuple[Any, str]:
    """Some or all numbers of a tensor replaced."""
    array = array.copy()
    flat = array.reshape(-1)
    if array.dtype == bool:
        new: Any = bool(random.integers(2))
    elif array.dtype.kind in "iu":
        ends = np.iinfo(array.dtype)
        near = int(flat[int(random.integers(len(flat)))]) + int(random.integers(-2, 3))
        new = (*WHOLE, array.size, array.size - 1, len(array), near, near)[int(random.integers(len(WHOLE) + 5))]
        new = min(max(new, int(ends.min)), int(ends.max))
    else:
        near = float(flat[int(random.integers(len(flat)))])
        new = (*REAL, -near, near * (1 + 1e-9))[int(random.integers(len(REAL) + 2))]
    kind = int(random.integers(4))
    which: Any = slice(None)
    if kind <= 1:
        which = int(random.integers(len(flat)))
    elif kind == 2:
        which = random.random(len(flat)) < 0.3
    with np.errstate(all="ignore"):
        flat[which] = new
    many = "all" if kind == 3 else "some" if kind == 2 else f"number {which}"
    return array, f"{many} of {len(flat)} becomes {new}"


def _entry(array: Any, random: Any) -> dict[str, Any]:
    """An entry of the header that lies about its tensor."""
    size = array.nbytes
    shape = list(array.shape)
    wrong = [[], [2**40], [2**31, 2**31], [-1], [0], [1] * 9, [*shape, 0], [2**62, 4], ["1"], [1.0]]
    offsets = [[0, size], [0, 0], [8, size], [-8, 0], [0, 2**50], [size, 0], [0], [0, size, 8], [1, size + 1]]
    return {
        "dtype": str(random.choice([*DTYPES, "BF16", "F8", ""])) if random.random() < 0.3 else NAMES[array.dtype],
        "shape": wrong[int(random.integers(len(wrong)))] if random.random() < 0.6 else shape,
        "data_offsets": offsets[int(random.integers(len(offsets)))],
    }


def _bytes(raw: bytes, random: Any) -> bytes:
    """Bare bytes: flips, a piece put in, cut, moved or added."""
    a, b = sorted(int(n) for n in random.integers(0, len(raw) + 1, 2))
    few = random.bytes(int(random.integers(1, 9)))
    kind = int(random.integers(6))
    if kind <= 1:
        changed = bytearray(raw)
        for at in random.integers(0, len(raw), kind + 1):
            changed[at] ^= 1 << int(random.integers(8))
        return bytes(changed)
    middle = (a + b) // 2
    pieces = (raw[:a] + few + raw[a:], raw[:a] + raw[a + len(few) :], raw[:a],
              raw[:a] + raw[middle:b] + raw[a:middle] + raw[b:])  # fmt: skip
    return pieces[kind - 2]
