"""The list of all call signatures of kernels, which is closed so that all can be compiled beforehand.

A line of `signatures.txt` is a kernel and the types of its arguments, in numba's notation: `float64[:,::1]` is an array
of two axes in C order. Behind an array that is only read stands `!`; such an argument takes arrays that may be written
to as well. So what differs in that alone is one signature, compiled once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from numba import types

SIGNATURE_FILE = Path(__file__).with_name("signatures.txt")
TYPE_PATTERN = re.compile(r"(\w+)(?:\[([:1,]+)\])?(!?)")


def written(argument: types.Type) -> str:
    """Return the text of a type on the list."""
    if not isinstance(argument, types.Array):
        return str(argument)
    axes = [":"] * argument.ndim
    if argument.layout in "CF":
        axes[-1 if argument.layout == "C" else 0] = "::1"
    unusual = "" if argument.aligned else "unaligned "
    return f"{unusual}{argument.dtype}[{','.join(axes)}]{'' if argument.mutable else '!'}"


def read(text: str) -> types.Type:
    """Parse a type of the list."""
    found = TYPE_PATTERN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no type of the list of signatures")
    name, axes, only_read = found.groups()
    kind = types.boolean if name == "bool" else getattr(types, name)
    if axes is None:
        return kind
    each = axes.split(",")
    layout = "C" if each[-1] == "::1" else "F" if each[0] == "::1" else "A"
    return types.Array(kind, len(each), layout, readonly=bool(only_read))


Signature = tuple[types.Type, ...]


def name_of(function: Any) -> str:
    """Return the name of a kernel on the list: its module and its own name."""
    return f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"


def line(name: str, signature: Iterable[types.Type]) -> str:
    """Return the line of the list for a kernel and a signature."""
    return " ".join((name, *map(written, signature)))


@cache
def lines() -> dict[str, list[str]]:
    """Return the lines of the list by kernel, unparsed."""
    found: dict[str, list[str]] = {}
    try:
        text = SIGNATURE_FILE.read_text()
    except OSError:
        return found
    for one in text.splitlines():
        name, _, given = one.partition(" ")
        found.setdefault(name, []).append(given)
    return found


@cache
def listed(name: str) -> tuple[Signature, ...]:
    """The signatures of a kernel that are on the list."""
    return tuple(tuple(read(text) for text in given.split()) for given in lines().get(name, ()))


def fits(given: types.Type, wanted: types.Type) -> bool:
    """Return whether an argument type is accepted by a parameter type: equal, or an array that is only read there."""
    if given == wanted:
        return True
    arrays = isinstance(given, types.Array) and isinstance(wanted, types.Array)
    return bool(arrays and not wanted.mutable and given.copy(readonly=True) == wanted)


def fitting(name: str, given: Signature) -> Signature | None:
    """The signature on the list by which a call can be made."""
    for wanted in listed(name):
        if len(wanted) == len(given) and all(map(fits, given, wanted)):
            return wanted
    return None


def joined(signatures: Iterable[Signature]) -> set[Signature]:
    """Merge the signatures of one kernel that differ only in which arrays are writable.

    An array that is read-only in some call is only read by the kernel, or numba would have refused that call.
    """
    found: dict[Signature, list[Signature]] = {}
    for signature in signatures:
        alike = tuple(t.copy(readonly=True) if isinstance(t, types.Array) else t for t in signature)
        found.setdefault(alike, []).append(signature)
    return {tuple(map(_least, zip(*some, strict=True))) for some in found.values()}


def _least(given: tuple[types.Type, ...]) -> types.Type:
    """Return the most restricted of equal types: read-only, if any is."""
    return next((t for t in given if isinstance(t, types.Array) and not t.mutable), given[0])
