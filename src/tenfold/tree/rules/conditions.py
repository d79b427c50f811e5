"""The ways down a tree as conditions: one of a column of numbers is an interval's end, one of categories a set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Schema
from tenfold.tree.tree import Tree

BELOW, ABOVE, AMONG = "<=", ">", "in"


class Condition(NamedTuple):
    """Condition that a row must fulfil to take a branch."""

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
    """If all conditions hold, the rule predicts the class (or the number)."""

    conditions: tuple[Condition, ...]
    prediction: Any
    """a class, or a number"""
    weight: float
    """of the training rows it comes from"""
    share: float
    """of them, that are of this class; of numbers 1"""
    text: str
    weights: tuple[float, ...] = ()
    """of each class among them, in the order of `classes_`; of numbers none"""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class DNF:
    """A disjunctive normal form: the class is predicted if all conditions of one of the terms hold."""

    prediction: Any
    """the class"""
    terms: tuple[tuple[Condition, ...], ...]
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


def path_conditions(tree: Tree, k: int, above: Any) -> tuple[Condition, ...]:
    """The conditions from the root to a node."""
    found = []
    while (up := int(above[k])) >= 0:
        found.append(branch(tree, up, int(k - tree.first_child[up])))
        k = up
    return tuple(reversed(found))


def tightened(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Simplify conditions to at most one of each sign per column: the tightest bound, the common categories."""
    found: dict[tuple[int, str], Condition] = {}
    for one in conditions:
        key = one.column, one.sign
        had = found.get(key, one)
        bound = min(had.bound, one.bound) if one.sign == BELOW else max(had.bound, one.bound)
        codes = tuple(c for c in had.codes if c in set(one.codes))
        found[key] = Condition(*key, bound, codes, had.missing and one.missing)
    return tuple(found.values())


def check_rule(rule: Rule, number: int, schema: Schema) -> None:
    """Refuse a rule that speaks of other columns, categories or classes than there are."""
    if rule.prediction not in schema.classes.tolist():
        raise ValueError(
            f"rule {number} predicts {rule.prediction!r}, which is not one of {schema.classes.tolist()[:10]}"
        )
    for one in rule.conditions:
        if not 0 <= one.column < len(schema.columns):
            raise ValueError(f"rule {number} asks for column {one.column} of {len(schema.columns)}")
        name, many = schema.names[one.column], int(schema.levels[one.column])
        if one.sign not in (BELOW, ABOVE, AMONG) or (one.sign == AMONG) != (many > 0):
            told = "categories: its sign is 'in'" if many else "numbers: its sign is '<=' or '>'"
            raise ValueError(f"rule {number} asks {one.sign!r} of column {name!r}, which holds {told}")
        if one.sign == AMONG and not all(0 <= code < many for code in one.codes):
            raise ValueError(f"rule {number} has codes {one.codes} of column {name!r}, which has {many} categories")
        if one.sign != AMONG and math.isnan(one.bound):
            raise ValueError(f"rule {number} has no bound for column {name!r}. Remedy: a number")


def words(one: Condition, schema: Schema, gaps: Any) -> str:
    """A condition in words; missing values are named if the column had any."""
    column, nothing_else = schema.columns[one.column], one.sign == AMONG and not one.codes
    missing = one.missing and (gaps[one.column] or nothing_else)
    if one.sign != AMONG and one.bound == math.inf:
        return f"{column.name} {'is' if one.missing else 'is not'} missing"
    if one.sign != AMONG:
        text = f"{column.name} {one.sign} {one.bound:.6g}"
        return f"({text} or missing)" if missing else text
    names = [str(column.categories[c]) for c in one.codes] + ["missing"] * int(missing)
    return f"{column.name} = {names[0]}" if len(names) == 1 else f"{column.name} in {{{', '.join(names)}}}"
