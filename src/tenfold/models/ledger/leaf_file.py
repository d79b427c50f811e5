"""A file of a ledger: a header and sections, of which each is decoded by itself.

    magic, version, length of the header | digest of these and the header | header | section | section | ...

The header is JSON: what the file is about, and the length and digest of each section. A section is JSON too, followed
by the arrays that it speaks of. So every byte is under a digest, which is checked when the byte is used; nothing in a
file runs; and one learner of a leaf is read without the others.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from typing import Any

import numpy as np

from tenfold.core import ModelFileError
from tenfold.estimator.files.container import ALIGN, MAX_AXES, STORED, read_json
from tenfold.estimator.files.encoding import Reader, Writer

MAGIC, VERSION = b"tenfleaf", 1
START = struct.Struct("<8sII32s")
LENGTH = struct.Struct("<Q")
KINDS = {kind.str: kind for kind in STORED}


def section(to: Writer, node: Any) -> bytes:
    """Return a node and the arrays that were put aside for it, as the bytes of a section."""
    arrays = [np.asarray(array, order="C") for array in to.tensors.values()]
    shapes = [[array.dtype.str, list(array.shape)] for array in arrays]
    text = _text({"arrays": shapes, "node": node})
    return b"".join([LENGTH.pack(len(text)), text, *(_padded(array.tobytes()) for array in arrays)])


def leaf_bytes(about: dict[str, Any], sections: list[bytes]) -> bytes:
    """Return the bytes of a file: what it is about, and its sections."""
    listed = [[len(some), digest(some)] for some in sections]
    text = _text({"about": about, "sections": listed})
    start = MAGIC, VERSION, len(text)
    sign = hashlib.blake2b(START.pack(*start, b"") + text, digest_size=32).digest()
    return b"".join([START.pack(*start, sign), text, *sections])


def digest(raw: Any) -> str:
    """A digest of some bytes."""
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


class LeafFile:
    """The bytes of a file, whose header is read and checked.

    Parameters
    ----------
    raw : bytes
    where : str
        How errors call the file.
    """

    def __init__(self, raw: bytes, where: str) -> None:
        self.raw, self.where = memoryview(raw), where
        if len(raw) < START.size or raw[:8] != MAGIC:
            raise ModelFileError(f"{where} is no leaf of a ledger, or is cut off")
        magic, version, length, sign = START.unpack_from(raw)
        if version != VERSION:
            raise ModelFileError(
                f"{where} has format {version}; this tenfold reads format {VERSION}. Remedy: the tenfold that wrote it"
            )
        text = raw[START.size : START.size + length]
        if hashlib.blake2b(START.pack(magic, version, length, b"") + text, digest_size=32).digest() != sign:
            raise self._damaged("its header")
        try:
            head = read_json(text.decode(), "header")
            self.about, self.sections = head["about"], head["sections"]
            if not isinstance(self.about, dict) or len(head) != 2:
                raise ModelFileError("the header is malformed")
            self.starts = _starts(self.sections, START.size + length, len(raw))
        except (ModelFileError, KeyError, UnicodeDecodeError) as error:
            raise ModelFileError(f"{where} is malformed: {error}") from None

    def _damaged(self, what: str) -> ModelFileError:
        return ModelFileError(
            f"{self.where} is damaged: the checksum of {what} differs. Remedy: drop it, and append its rows again; or "
            "take the file from a copy of the ledger"
        )

    def digest_of(self, number: Any) -> str:
        """Return the digest of a section, as the header has it."""
        if type(number) is not int or not 0 <= number < len(self.sections):
            raise ModelFileError(f"{self.where} is malformed: it has no section {number!r}")
        found: str = self.sections[number][1]
        return found

    def bytes_of(self, number: Any) -> bytes:
        """Return a section whose bytes are those of its digest: a copy, so that its arrays do not hold the file."""
        wanted, start = self.digest_of(number), self.starts[number]
        raw = bytes(self.raw[start : start + self.sections[number][0]])
        if digest(raw) != wanted:
            raise self._damaged(f"section {number}")
        return raw

    def section(self, number: Any) -> tuple[Any, Reader]:
        """Return the node of a section, and a reader of its arrays."""
        return read_section(self.bytes_of(number), self.where)

    def check(self) -> None:
        """Check the digest of every section."""
        for number in range(len(self.sections)):
            self.bytes_of(number)


def _text(value: Any) -> bytes:
    """JSON, padded with blanks, so that what follows is aligned."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    return text + b" " * (-len(text) % ALIGN)


def _padded(raw: bytes) -> bytes:
    return raw + bytes(-len(raw) % ALIGN)


def _starts(sections: Any, first: int, size: int) -> list[int]:
    """Return where each section begins; they follow each other up to the end of the file."""
    if not isinstance(sections, list):
        raise ModelFileError("the header is malformed")
    found = [first]
    for one in sections:
        if not (isinstance(one, list) and len(one) == 2 and type(one[0]) is int and isinstance(one[1], str)):
            raise ModelFileError("the header is malformed")
        if one[0] < LENGTH.size or one[0] % ALIGN:
            raise ModelFileError("the header is malformed: a section has no such length")
        found.append(found[-1] + one[0])
    if found[-1] != size:
        raise ModelFileError("bytes are missing or left over")
    return found


def read_section(raw: bytes, where: str) -> tuple[Any, Reader]:
    """Return the node of a section of a file, and a reader of its arrays."""
    try:
        return _read(raw)
    except (ModelFileError, KeyError, UnicodeDecodeError) as error:
        raise ModelFileError(f"{where} is malformed: {error}") from None


def _read(raw: bytes) -> tuple[Any, Reader]:
    """Return what a section holds; no length in it is believed."""
    (length,) = LENGTH.unpack_from(raw)
    if length > len(raw) - LENGTH.size:
        raise ModelFileError("a section is cut off")
    at = LENGTH.size + length
    head = read_json(raw[LENGTH.size : at].decode(), "section")
    shapes, tensors = head["arrays"], {}
    if not isinstance(shapes, list):
        raise ModelFileError("a section is malformed")
    for number, one in enumerate(shapes):
        kind, shape = one if isinstance(one, list) and len(one) == 2 else ("", None)
        if not isinstance(kind, str) or kind not in KINDS or not isinstance(shape, list) or len(shape) > MAX_AXES:
            raise ModelFileError("an array is malformed")
        if not all(type(n) is int and 0 <= n <= len(raw) for n in shape):
            raise ModelFileError("an array has no such shape")
        count = math.prod(shape)
        end = at + count * KINDS[kind].itemsize
        if end > len(raw):
            raise ModelFileError("an array is cut off")
        array = np.frombuffer(raw, KINDS[kind], count, at) if count else np.empty(0, KINDS[kind])
        if kind == "|b1" and (array.view(np.uint8) > 1).any():
            raise ModelFileError("an array holds a boolean that is neither 0 nor 1")
        tensors[str(number)] = array.reshape(shape)
        at = end + -end % ALIGN
    if at != len(raw):
        raise ModelFileError("bytes of a section are left over")
    return head["node"], Reader(tensors)
