"""The ways down a tree as conditions: one of a column of numbers is an interval's end, one of categories a set."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Schema
from tenfold.trees.tree import Tree

BELOW, ABOVE, AMONG = "<=", ">", "in"


class Condition(NamedTuple):
    """What a row must fulfil to take a branch."""

    column: int
    sign: str
    """"<=", ">" or "in" """
    bound: float
    """of "<=" and ">" """
    codes: tuple[int, ...]
    """the categories of "in" """
    missing: bool
    """whether a row that misses the value fulfils it"""


class Rule(NamedTuple):
    """If all conditions hold, the class (or the number) is said."""

    conditions: tuple[Condition, ...]
    said: Any
    """a class, or a number"""
    weight: float
    """of the training rows it comes from"""
    share: float
    """of them, that are of this class; of numbers 1"""
    text: str

    def __str__(self) -> str:
        return self.text


def branch(tree: Tree, k: int, child: int) -> Condition:
    """The condition under which a row goes from node k to one of its children, by its number among them."""
    if tree.route_at[k] < 0:
        missing = bool(tree.missing_left[k]) == (child == 0)
        return Condition(int(tree.feature[k]), (BELOW, ABOVE)[child], float(tree.threshold[k]), (), missing)
    route = tree.route[tree.route_at[k] : tree.route_at[k] + tree.route_width[k]]
    codes = np.flatnonzero(route[:-1] == child).tolist()
    return Condition(int(tree.feature[k]), AMONG, math.nan, tuple(codes), bool(route[-1] == child))


def way(tree: Tree, k: int, above: Any) -> tuple[Condition, ...]:
    """The conditions from the root to a node."""
    found = []
    while (up := int(above[k])) >= 0:
        found.append(branch(tree, up, int(k - tree.first_child[up])))
        k = up
    return tuple(reversed(found))


def tightened(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """At most one condition of each sign on a column: the tightest bound, the categories in all sets."""
    found: dict[tuple[int, str], Condition] = {}
    for one in conditions:
        key = one.column, one.sign
        had = found.get(key, one)
        bound = min(had.bound, one.bound) if one.sign == BELOW else max(had.bound, one.bound)
        codes = tuple(c for c in had.codes if c in set(one.codes))
        found[key] = Condition(*key, bound, codes, had.missing and one.missing)
    return tuple(found.values())


def words(one: Condition, schema: Schema, gaps: Any) -> str:
    """A condition as it is read; missing values are named if the column had any."""
    column, missing = schema.columns[one.column], one.missing and gaps[one.column]
    if one.sign != AMONG and one.bound == math.inf:
        return f"{column.name} {'is' if one.missing else 'is not'} missing"
    if one.sign != AMONG:
        text = f"{column.name} {one.sign} {one.bound:.6g}"
        return f"({text} or missing)" if missing else text
    names = [str(column.categories[c]) for c in one.codes] + ["missing"] * int(missing)
    return f"{column.name} = {names[0]}" if len(names) == 1 else f"{column.name} in {{{', '.join(names)}}}"
