"""Container of a model file: the safetensors format, validated before any value is used.

Eight bytes with the length of the header, a JSON header, then the tensors, one after the other.
The header's only metadata entry is a JSON text of ours with a checksum over every byte of the
file. No size in the file is trusted: memory is allocated only if it agrees with the length of the file.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from tenfold.core import ModelFileError

MAGIC, VERSION = "tenfold", 2
MAX_HEADER = 1 << 20
MAX_AXES = 8
MAX_BRACKETS = 1 << 18
"""objects and lists in a JSON text: more than a model writes in 1 MiB, too few to fill the memory"""
ALIGN = 8
"""safetensors pads the header to a multiple of this, so that every number is aligned"""
UNSIGNED = "0" * 64
DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "|b1",
}  # fmt: skip
STORED = frozenset(np.dtype(kind) for kind in DTYPES.values())


def write(path: Any, document: dict[str, Any], tensors: dict[str, Any]) -> None:
    """Write a document and its tensors: the whole file, or none of it."""
    from safetensors.numpy import save

    text = json.dumps(
        {"magic": MAGIC, "version": VERSION, "sha256": UNSIGNED, **document},
        separators=(",", ":"),
        allow_nan=False,
    )
    raw = save({k: np.asarray(v, order="C") for k, v in tensors.items()}, metadata={MAGIC: text})
    if struct.unpack("<Q", raw[:8])[0] > MAX_HEADER or _brackets(text) > MAX_BRACKETS:
        raise ModelFileError("the model's parameters are too large for a model file (header over 1 MiB)")
    digest = hashlib.sha256(raw).hexdigest()
    with written_at_once(path) as file:
        file.write_bytes(raw.replace(UNSIGNED.encode(), digest.encode(), 1))


@contextmanager
def written_at_once(path: Any) -> Iterator[Path]:
    """Yield where to write a file, so that all of it is there in the end or none, where a link points to.

    A file that is there keeps its permissions, and its owner and group as far as this process may give them. A pipe or
    a device is written to as it is.
    """
    path = Path(path).expanduser()
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"there is no folder {str(path.parent)!r} to save {path.name!r} in. Remedy: create it first, "
            f"os.makedirs({str(path.parent)!r})"
        )
    path = path.resolve() if path.is_symlink() else path
    before = path.stat() if path.exists() else None
    if before is not None and not (stat.S_ISREG(before.st_mode) or stat.S_ISDIR(before.st_mode)):
        yield path
        return
    temporary = path.with_name(f".{uuid4().hex}.tmp")
    try:
        mode = 0o666 if before is None else 0o600
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield temporary
        if before is not None:
            _give(temporary, before)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _give(path: Path, before: os.stat_result) -> None:
    """Give a file the owner, group and permissions of another; without those of a group that it cannot have."""
    mode = stat.S_IMODE(before.st_mode)
    now = path.stat()
    if hasattr(os, "chown") and (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.chown(path, before.st_uid, before.st_gid)
        except OSError:
            try:
                os.chown(path, -1, before.st_gid)
            except OSError:
                mode &= ~stat.S_IRWXG
    path.chmod(mode)


def read(path: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The document and its tensors (read-only views of the file's bytes), or ModelFileError."""
    raw = Path(path).expanduser().read_bytes()
    if len(raw) < 8:
        raise ModelFileError("the file is too short to be a model")
    (length,) = struct.unpack("<Q", raw[:8])
    if length > MAX_HEADER or length % ALIGN or 8 + length > len(raw) or raw[8:9] != b"{":
        raise ModelFileError("this is not a tenfold model file")
    try:
        head = read_json(raw[8 : 8 + length].decode(), "header")
    except UnicodeDecodeError:
        raise ModelFileError("the header is not readable") from None
    metadata = head.pop("__metadata__", None)
    if not isinstance(metadata, dict) or list(metadata) != [MAGIC] or not isinstance(metadata[MAGIC], str):
        raise ModelFileError("this is not a tenfold model file")
    document = read_json(metadata[MAGIC], "metadata")
    if document.pop("magic", None) != MAGIC:
        raise ModelFileError("this is not a tenfold model file")
    version = document.pop("version", None)
    if type(version) is not int or version != VERSION:
        given = version if type(version) is int else "of another kind"
        older = "an earlier tenfold wrote it: fit and save it again" if given == 1 else "a newer tenfold may read it"
        raise ModelFileError(f"the file has format {given}; this tenfold reads format {VERSION}. Remedy: {older}")
    _check_digest(raw, length, document.pop("sha256", None))
    return document, _tensors(head, memoryview(raw)[8 + length :])


def _check_digest(raw: bytes, length: int, claimed: Any) -> None:
    if not (isinstance(claimed, str) and len(claimed) == 64 and claimed.isascii()):
        raise ModelFileError("the file has no checksum")
    digest = hashlib.sha256(raw[:8])
    digest.update(raw[8 : 8 + length].replace(claimed.encode(), UNSIGNED.encode(), 1))
    digest.update(memoryview(raw)[8 + length :])
    if digest.hexdigest() != claimed:
        raise ModelFileError("the checksum differs: the file is damaged")


def _tensors(head: dict[str, Any], body: memoryview) -> dict[str, Any]:
    """Return views of the body: dense, aligned, without gap or overlap, each as long as its shape requires."""
    spans = sorted((_span(name, entry, len(body)) for name, entry in head.items()), key=lambda s: s[:2])
    end, tensors = 0, {}
    for start, stop, name, dtype, shape in spans:
        if start != end:
            raise ModelFileError("tensors overlap or leave gaps")
        end = stop
        values = np.frombuffer(body, dtype, math.prod(shape), start) if stop > start else np.empty(0, dtype)
        if dtype == np.bool_ and (values.view(np.uint8) > 1).any():
            raise ModelFileError(f"tensor {name[:80]!r} holds a boolean that is neither 0 nor 1")
        tensors[name] = values.reshape(shape)
    if end != len(body):
        raise ModelFileError("bytes are missing or left over")
    return tensors


def _span(name: str, entry: Any, size: int) -> tuple[int, int, str, Any, list[int]]:
    where = f"tensor {name[:80]!r}"
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"{where} is malformed")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not (isinstance(dtype, str) and dtype in DTYPES and _naturals(shape) and _naturals(offsets)):
        raise ModelFileError(f"{where} is malformed")
    if len(shape) > MAX_AXES or len(offsets) != 2 or not offsets[0] <= offsets[1] <= size:
        raise ModelFileError(f"{where} is out of bounds")
    kind = np.dtype(DTYPES[dtype])
    if offsets[0] % kind.itemsize:
        raise ModelFileError(f"{where} is not aligned")
    if any(n > size for n in shape) or math.prod(shape) * kind.itemsize != offsets[1] - offsets[0]:
        raise ModelFileError(f"{where}: shape and bytes disagree")
    return offsets[0], offsets[1], name, kind, shape


def _naturals(values: Any) -> bool:
    return isinstance(values, list) and all(type(v) is int and v >= 0 for v in values)


def _brackets(text: str) -> int:
    return text.count("[") + text.count("{")


def read_json(text: str, where: str) -> dict[str, Any]:
    """Return a JSON object, each of whose keys is there once, or ModelFileError."""
    if _brackets(text) > MAX_BRACKETS:
        raise ModelFileError(f"the {where} has too many parts")
    try:
        found = json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"the {where} is not readable: {error}") from None
    if not isinstance(found, dict):
        raise ModelFileError(f"the {where} is not readable")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not allowed")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears more than once")
    return found
