"""The Bayesian interchange format (BIF): networks as text, which the bnlearn repository and most programs read.

A file is words, numbers and brackets; reading it runs no code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Sequence
from itertools import product

import numpy as np

from tenfold.core import Array, DataError
from tenfold.graphical.contraction import MAX_PRODUCT_NUMBERS

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"([^"]*)"|([{}()\[\],;|])|([^\s{}()\[\],;|"]+)', re.DOTALL)
PLAIN = re.compile(r'[^\s{}()\[\],;|"]+')
MAX_NUMPY_AXES = 64
"""of a table, at most, in numpy"""
ABOUT_ONE = 1.001
"""files have few digits"""
Parts = tuple[dict[str, list[str]], dict[str, list[str]], dict[str, Array]]
"""values, parents and tables"""


class Words:
    """The words and marks of a file, one after the other."""

    def __init__(self, text: str) -> None:
        self.found = [
            (match.group(1) or match.group(2) or match.group(3) or "", match.start())
            for match in TOKEN.finditer(text)
            if not match.group().startswith(("//", "/*"))
        ]
        self.text, self.at = text, 0

    def peek(self) -> str:
        """The next word; empty at the end."""
        return self.found[self.at][0] if self.at < len(self.found) else ""

    def next(self, want: str = "") -> str:
        """Take the next word, which must be this one if one is wanted."""
        word = self.peek()
        if self.at >= len(self.found) or (want and word != want):
            raise self.error(f"{want or 'a word'!r} is expected, not {word or 'the end'!r}")
        self.at += 1
        return word

    def until(self, end: str) -> list[str]:
        """All words before a mark, commas left out, and the mark itself taken."""
        out = []
        while (word := self.next()) != end:
            if word != ",":
                out.append(word)
        return out

    def skip_block(self) -> None:
        """Leave a block of brackets out, with those inside it."""
        self.next("{")
        depth = 1
        while depth:
            word = self.next()
            depth += (word == "{") - (word == "}")

    def error(self, what: str) -> DataError:
        """An error that names the line."""
        place = self.found[min(self.at, len(self.found) - 1)][1] if self.found else 0
        return DataError(f"BIF, line {self.text.count(chr(10), 0, place) + 1}: {what}")


def read(text: str) -> Parts:
    """Values, parents and tables of the network that a text describes."""
    words = Words(text)
    values: dict[str, list[str]] = {}
    parents: dict[str, list[str]] = {}
    tables: dict[str, Array] = {}
    while words.peek():
        kind = words.next()
        if kind == "network":
            while words.peek() != "{":
                words.next()
            words.skip_block()
        elif kind == "variable":
            name = words.next()
            values[name] = _variable(words)
        elif kind == "probability":
            _probability(words, values, parents, tables)
        else:
            raise words.error(f"'network', 'variable' or 'probability' is expected, not {kind!r}")
    return values, parents, tables


def _variable(words: Words) -> list[str]:
    """Parse the declaration of a variable and its values."""
    found: list[str] = []
    words.next("{")
    while (word := words.next()) != "}":
        if word != "type":
            words.until(";")  # a property
            continue
        words.next("discrete")
        words.next("[")
        count = words.next()
        words.next("]")
        words.next("{")
        found = words.until("}")
        if count != str(len(found)):
            raise words.error(f"{count} values are announced, and {len(found)} are there")
        if words.peek() == ";":
            words.next()
    if not found:
        raise words.error("a variable without a type")
    return found


def _probability(
    words: Words, values: dict[str, list[str]], parents: dict[str, list[str]], tables: dict[str, Array]
) -> None:
    """The parents and the table of a variable."""
    words.next("(")
    name, *rest = words.until(")")
    some = rest[1:] if rest[:1] == ["|"] else rest
    for one in (name, *some):
        if one not in values:
            raise words.error(f"{one!r} is not a variable that was declared before")
    if name in tables:
        raise words.error(f"{name!r} has a table already")
    shape = tuple(len(values[one]) for one in some)
    if len(shape) >= MAX_NUMPY_AXES or math.prod(shape) * len(values[name]) > MAX_PRODUCT_NUMBERS:
        raise words.error(
            f"the table of {name!r} has {math.prod(shape) * len(values[name]):.2g} numbers, with {len(some)} parents: "
            f"more than {MAX_PRODUCT_NUMBERS:,}. Remedy: fewer parents"
        )
    table = np.full((*shape, len(values[name])), np.nan)
    default: Array | None = None
    words.next("{")
    while (word := words.next()) != "}":
        if word == "table":  # of all combinations, the values of the variable itself change slowest
            if not np.isnan(table).all():
                raise words.error(f"{name!r} has probabilities already. Remedy: one table, or a row for each case")
            numbers = _numbers(words, table.size)
            table[...] = np.moveaxis(numbers.reshape(len(values[name]), *shape), 0, -1)
        elif word == "default":
            if default is not None:
                raise words.error(f"{name!r} has a default already. Remedy: keep one of them")
            default = _numbers(words, table.shape[-1])
        elif word == "(":
            given = words.until(")")
            if len(given) != len(some):
                raise words.error(f"{len(some)} values of parents are expected, not {given}")
            place = []
            for one, value in zip(some, given, strict=True):
                if value not in values[one]:
                    raise words.error(f"{one!r} has no value {value!r}")
                place.append(values[one].index(value))
            if not np.isnan(table[tuple(place)]).any():
                raise words.error(
                    f"the probabilities of {name!r} where {dict(zip(some, given, strict=True))} are given twice. "
                    "Remedy: keep one of the rows"
                )
            table[tuple(place)] = _numbers(words, table.shape[-1])
        elif word == "property":
            words.until(";")
        else:
            raise words.error(f"'table', 'default' or values of parents are expected, not {word!r}")
    if default is not None:
        table[np.isnan(table).any(axis=-1)] = default
    if np.isnan(table).any():
        raise words.error(f"the table of {name!r} lacks some values of its parents")
    total = table.sum(axis=-1, keepdims=True)
    if not np.allclose(total, 1.0, atol=1e-3):
        raise words.error(f"the probabilities of {name!r} do not sum to 1")
    parents[name], tables[name] = some, table / total  # files have few digits


def _numbers(words: Words, count: int) -> Array:
    try:
        found = np.array([float(word) for word in words.until(";")])
    except ValueError as error:
        raise words.error(str(error)) from None
    if len(found) != count:
        raise words.error(f"{count} probabilities are expected, not {len(found)}")
    if strange := [number for number in found.tolist() if not 0 <= number <= ABOUT_ONE]:
        raise words.error(f"{strange[0]:g} is not a probability, from 0 to 1")
    return found


def written(
    values: dict[str, tuple[Hashable, ...]], parents: dict[str, tuple[str, ...]], tables: dict[str, Array], name: str
) -> str:
    """The text of a network; numbers with all their digits."""
    lines = [f"network {_word(name)} {{", "}"]
    for variable, some in values.items():
        listed = ", ".join(_words(variable, some))
        lines += [f"variable {_word(variable)} {{", f"  type discrete [ {len(some)} ] {{ {listed} }};", "}"]
    for variable, table in tables.items():
        given = parents[variable]
        behind = f" | {', '.join(map(_word, given))}" if given else ""
        lines.append(f"probability ( {_word(variable)}{behind} ) {{")
        words = [_words(one, values[one]) for one in given]
        for place in product(*(range(len(some)) for some in words)):
            numbers = ", ".join(repr(float(p)) for p in table[place])
            at = ", ".join(some[code] for some, code in zip(words, place, strict=True))
            lines.append(f"  ({at}) {numbers};" if given else f"  table {numbers};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _words(variable: str, values: Sequence[Hashable]) -> list[str]:
    """The values of a variable as words, which must differ."""
    words = [_word(str(value)) for value in values]
    if len(set(words)) != len(words):
        raise ValueError(f"variable {variable!r} has values that are the same as text: {list(values)}")
    return words


def _word(text: str) -> str:
    """A word, in quotes if it has punctuation or spaces."""
    if '"' in text or "\n" in text:
        raise ValueError(f"{text!r} cannot be written to BIF: it has quotes or ends of lines. Remedy: rename it")
    return text if PLAIN.fullmatch(text) and not text.startswith(("//", "/*")) else f'"{text}"'
