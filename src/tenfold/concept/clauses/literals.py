"""Conjunctions of at most k literals over boolean columns, and which of them rows satisfy, by sets of bits.

Literal 2j states that column j is true, 2j + 1 that it is false. A clause is the negation of a conjunction, so both
k-CNF
and k-DNF ask the same of the rows: which conjunctions are satisfied by a row of each class. The answers merge by "or".
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import combinations, product
from math import comb
from typing import Annotated, ClassVar

import numpy as np

from tenfold.core import Chunk, Codes, Columns, DataError, Flags, Mergeable, Schema
from tenfold.core.arrays import Letters
from tenfold.core.field_values import NOT_NAN, Between
from tenfold.core.statistic import Grouped

MAX_CONJUNCTIONS = 2_000_000
"""conjunctions, at most"""
NO_LITERAL = -1
"""padding of conjunctions with fewer literals"""


def count(n: int, k: int) -> int:
    """How many conjunctions of 1 to k literals over n columns there are."""
    return sum(comb(n, size) << size for size in range(1, k + 1))


@lru_cache(maxsize=4)
def conjunctions(n: int, k: int) -> Codes:
    """All conjunctions of 1 to k literals over different columns, the short ones first, in the order of literals."""
    if count(n, k) > MAX_CONJUNCTIONS:
        raise DataError(
            f"{count(n, k):,} clauses of at most {k} of {n} columns are more than {MAX_CONJUNCTIONS:,}. "
            f"Remedy: a smaller k, or "
            "fewer columns"
        )
    found = []
    for size in range(1, k + 1):
        columns = np.array(list(combinations(range(n), size)), dtype=np.int64).reshape(-1, size)
        signs = np.array(list(product((0, 1), repeat=size)), dtype=np.int64)
        literals = (2 * columns[:, None] + signs[None]).reshape(-1, size)
        order = np.lexsort(literals.T[::-1])
        found.append(np.pad(literals[order], ((0, 0), (0, k - size)), constant_values=NO_LITERAL))
    out = np.concatenate(found)
    out.flags.writeable = False
    return out


def bits_of(X: Columns, binarize: float) -> Letters:
    """Bit sets of the rows that satisfy each literal, eight rows per byte."""
    out = np.zeros((2 * X.shape[1], -(-len(X) // 8)), np.uint8)
    for j in range(X.shape[1]):
        true = np.asarray(X.column(j) > binarize)
        out[2 * j], out[2 * j + 1] = np.packbits(true), np.packbits(~true)
    return out


def satisfied(bits: Letters, table: Codes) -> Flags:
    """Which conjunctions of a table, in its order, are satisfied by a row."""
    out = np.zeros(len(table), bool)
    sizes = (table != NO_LITERAL).sum(axis=1)
    for size in range(1, table.shape[1] + 1):
        first, last = np.searchsorted(sizes, (size, size + 1))
        some = table[first:last, :size]
        if not len(some):
            continue
        start = np.flatnonzero(np.r_[True, (some[1:, :-1] != some[:-1, :-1]).any(axis=1)])
        for a, b in zip(start.tolist(), [*start[1:].tolist(), len(some)], strict=True):
            also = some[a:b, -1]
            if size == 1:
                out[first + a : first + b] = bits[also].any(axis=1)
                continue
            shared = np.bitwise_and.reduce(bits[some[a, :-1]], axis=0)
            if shared.any():
                out[first + a : first + b] = (bits[also] & shared).any(axis=1)
    return out


def fires(bits: Letters, clauses: Codes, n: int) -> Flags:
    """Which of n rows satisfy one of the conjunctions."""
    out = np.zeros(bits.shape[1], np.uint8)
    for one in clauses:
        out |= np.bitwise_and.reduce(bits[one[one != NO_LITERAL]], axis=0)
    return np.unpackbits(out, count=n).astype(bool)


def least(table: Codes, some: Flags) -> Codes:
    """Minimal conjunctions of some conjunctions of a table: those that contain no shorter one."""
    chosen = table[some]
    known = {tuple(row[row != NO_LITERAL].tolist()) for row in chosen}
    kept = [
        not any(part in known for size in range(1, len(one)) for part in combinations(one, size))
        for one in (tuple(row[row != NO_LITERAL].tolist()) for row in chosen)
    ]
    return np.ascontiguousarray(chosen[np.array(kept, dtype=bool)])


class Satisfied(Mergeable):
    """Which conjunctions are satisfied by a row of each class, and how rows fared against a hypothesis."""

    exact: ClassVar[bool] = True
    seen: Annotated[Flags, "class", "conjunction"]
    tested: Annotated[Codes, "clause", "literal", Between(-1)]
    """the hypothesis that rows were held against"""
    known: bool
    """whether all rows were held against the same one"""
    wrong: float
    """weight of rows that it calls wrong"""
    witness: Annotated[float, NOT_NAN]
    """number of the first of them, infinite if there is none"""

    def __add__(self, other: Satisfied) -> Satisfied:
        same = self.known and other.known and np.array_equal(self.tested, other.tested)
        return Satisfied(
            self.seen | other.seen,
            self.tested if same else self.tested[:0],
            same,
            self.wrong + other.wrong,
            min(self.witness, other.witness),
        )

    def recode(self, old: Schema, new: Schema) -> Satisfied:
        """Recode the classes to a larger schema."""
        at = old.places("class", new)
        if at is None:
            return self
        seen = np.zeros((len(new.classes), self.seen.shape[1]), bool)
        seen[at] = self.seen
        return replace(self, seen=seen, tested=self.tested[:0], known=False)


class ConjunctionsOfLiterals(Grouped[Satisfied]):
    """Which conjunctions of at most k literals are satisfied by a row of each class."""

    k: int
    binarize: float
    classes: int
    tested: Codes
    """conjunctions that a hypothesis is made of; none: nothing is tested yet"""
    known: bool
    """whether there is a hypothesis to test"""
    fired: int
    """the class of rows that satisfy one of them, -1 if there is none"""

    def summarize(self, chunk: Chunk) -> Satisfied:
        # Look up each conjunction among the rows of each class; hold the rows against the hypothesis.
        table = conjunctions(chunk.X.shape[1], self.k)
        bits = bits_of(chunk.X, self.binarize)
        seen = np.zeros((self.classes, len(table)), bool)
        for c in range(self.classes):
            seen[c] = satisfied(bits & np.packbits(chunk.y == c), table)
        wrong, witness = 0.0, np.inf
        if self.known and len(chunk.weight):
            fired = fires(bits, self.tested, len(chunk.weight))
            bad = np.flatnonzero(fired != (chunk.y == self.fired))
            if len(bad):
                wrong, witness = float(chunk.weight[bad].sum()), float(chunk.X.row(int(bad[0])))
        return Satisfied(seen, self.tested, self.known, wrong, witness)


def clause_words(clauses: Codes, names: tuple[str, ...], negated: bool) -> list[tuple[str, ...]]:
    """Clauses in the words of the data: "x" or "not x"; those of a CNF are negated conjunctions."""
    return [
        tuple(
            ("" if (literal & 1) == negated else "not ") + names[literal >> 1]
            for literal in one
            if literal != NO_LITERAL
        )
        for one in clauses.tolist()
    ]
