"""Strings, sets and trees as rows: each is one value of one column, and travels as text.

A string is its own text; a set and a tree are written in JSON, members in the order of their texts. So they merge,
travel and are written to files as other text is.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from typing import Any, Literal

import numpy as np

from tenfold.core.arrays import Labels
from tenfold.core.errors import DataError

ObjectKind = Literal["strings", "sets", "trees"]
OBJECT_KINDS: tuple[ObjectKind, ...] = ("strings", "sets", "trees")
EXAMPLES = {"strings": '"abab"', "sets": '{"a", "b"}', "trees": '("S", ("NP", "we"), ("VP", "run"))'}
"""an object of each kind, as Python writes it"""


def as_text(one: Any, kind: ObjectKind, where: str) -> str:
    """The text of a string, a set or a tree; any other object is refused, with the place where it is."""
    match kind:
        case "strings" if isinstance(one, str):
            return str(one)
        case "sets" if isinstance(one, Iterable) and not isinstance(one, (str, bytes, dict)):
            return _json([json.loads(text) for text in sorted({_json(_plain(m, where), where) for m in one})], where)
        case "trees" if isinstance(one, tuple) and one:
            return _json(_plain(one, where), where)
    raise DataError(
        f"{where} is {_shortened(one)}, and the kernel compares {kind}. Remedy: a list of {kind}, such as "
        f"{EXAMPLES[kind]}"
    )


def from_text(text: str, kind: ObjectKind, where: str = "a row") -> Any:
    """The string, set or tree that a text stands for."""
    if kind == "strings":
        return text
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or (kind == "trees" and not found):
        raise DataError(
            f"{where} is the text {_shortened(text)}, and the kernel compares {kind}. Remedy: {kind} of Python, such "
            f"as {EXAMPLES[kind]}; or text that is a list in JSON"
        )
    return frozenset(map(_as_tuples, found)) if kind == "sets" else _as_tuples(found)


def objects_of(texts: Iterable[str], kind: ObjectKind) -> Labels:
    """An array of the strings, sets or trees that texts stand for."""
    found = [from_text(text, kind, f"row {at}") for at, text in enumerate(texts)]
    out = np.empty(len(found), dtype=object)
    for at, one in enumerate(found):  # numpy would make a table of tuples
        out[at] = one
    return out


def _plain(one: Any, where: str) -> Any:
    """Labels and members as JSON has them: text, numbers, and lists for tuples."""
    if isinstance(one, tuple):
        try:
            return [_plain(part, where) for part in one]
        except RecursionError:
            raise DataError(f"{where} is a tree that is too deep to be kept: about 300 levels at most") from None
    if isinstance(one, np.generic):
        one = one.item()
    finite = not isinstance(one, float) or np.isfinite(one)
    if isinstance(one, (str, int, float)) and finite:
        return one
    raise DataError(
        f"{where} has the member {_shortened(one)}: members of sets and labels of trees are text, finite numbers, or "
        "tuples of these"
    )


def _json(one: Any, where: str) -> str:
    try:
        return json.dumps(one, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise DataError(f"{where} is a tree that is too deep to be kept: about 300 levels at most") from None


def _as_tuples(one: Any) -> Hashable:
    return tuple(map(_as_tuples, one)) if isinstance(one, list) else one


def _shortened(one: Any) -> str:
    text = repr(one)
    return text if len(text) <= 60 else f"{text[:57]}..."
