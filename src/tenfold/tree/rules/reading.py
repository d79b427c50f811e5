"""Reading a tree: as text, rules, a disjunctive normal form, SQL, a Graphviz graph, and in numbers."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Array, Flags, Schema
from tenfold.tree.rules.conditions import AMONG, BELOW, DNF, Condition, Rule, branch, path_conditions, tightened, words
from tenfold.tree.tree import Tree

DIALECTS = {"ansi": False, "mysql": True}
"""whether a backslash escapes"""


class TreeStats(NamedTuple):
    """Numbers of nodes and leaves, and the depth of a tree."""

    leaves: int
    height: int
    """splits on the longest way"""
    external_path_length: int
    """sum of the depths of all leaves: what it takes to get to each once"""
    weighted_external_path_length: float
    """the same, times the weight of the training rows in the leaf: what it takes to classify them"""


class Book(NamedTuple):
    """All that reading a tree takes."""

    tree: Tree
    schema: Schema
    prediction: Any
    """prediction of each node: a class, or a number"""
    weight: Array
    """of the training rows of each node"""
    share: Array
    """share of its rows that have the predicted class; 1 for numbers"""
    gaps: Flags
    """which columns had missing values"""
    classes: Array
    """weights of the classes of the training rows of each node; of numbers, of none"""

    def answer(self, k: int) -> str:
        """Prediction of a node in words."""
        said = self.prediction[k]
        return f"{said:.6g}" if self.schema.classes is None else str(said)


def stats(book: Book) -> TreeStats:
    """How many leaves the tree has, how deep it is, and how long its paths are."""
    tree, leaves = book.tree, book.tree.leaves
    depth = tree.depth[leaves]
    return TreeStats(len(leaves), tree.max_depth, int(depth.sum()), float((depth * book.weight[leaves]).sum()))


def rules(book: Book) -> tuple[Rule, ...]:
    """A rule a leaf, from left to right."""
    above, found = book.tree.parent, []
    for k in in_order(book.tree):
        if book.tree.feature[k] < 0:
            found.append(rule(book, tightened(path_conditions(book.tree, k, above)), k))
    return tuple(found)


def unseen_rules(book: Book) -> tuple[Rule, ...]:
    """A rule for each node that answers itself: where it splits categories, for those that none of its rows had."""
    tree, above, found = book.tree, book.tree.parent, []
    for k in in_order(tree):
        if tree.route_at[k] < 0:
            continue
        conditions = tightened((*path_conditions(tree, k, above), branch(tree, k, -1)))
        if all(one.sign != AMONG or one.codes or one.missing for one in conditions):
            found.append(rule(book, conditions, k))
    return tuple(found)


def rule(book: Book, conditions: tuple[Condition, ...], k: int) -> Rule:
    """The rule that predicts like node k."""
    when = " and ".join(words(one, book.schema, book.gaps) for one in conditions)
    text = f"if {when} then {book.answer(k)}" if when else book.answer(k)
    weights = tuple(book.classes[k].tolist())
    return Rule(conditions, book.prediction[k], float(book.weight[k]), float(book.share[k]), text, weights)


def in_order(tree: Tree) -> list[int]:
    """The nodes, each before its children, from left to right."""
    found, stack = [], [0]
    while stack:
        k = stack.pop()
        found.append(k)
        if tree.feature[k] >= 0:
            first = int(tree.first_child[k])
            stack.extend(range(first + int(tree.children[k]) - 1, first - 1, -1))
    return found


def dnf(book: Book, label: Any, unseen: bool) -> DNF:
    """Condition of a class in words: one of several conjunctions holds."""
    every = rules(book) + (unseen_rules(book) if unseen else ())
    found = tuple(one.conditions for one in every if one.prediction == label)
    terms = [" ∧ ".join(words(c, book.schema, book.gaps) for c in one) for one in found]
    text = "true" if terms == [""] else " ∨ ".join(f"({term})" for term in terms)
    return DNF(label, found, text or "false")


def text(book: Book) -> str:
    """Tree as indented text with one line for each branch."""
    tree, above = book.tree, book.tree.parent
    if tree.node_count == 1:
        return f"{book.answer(0)} ({book.weight[0]:g})"
    lines = []
    for k in in_order(tree)[1:]:
        up = int(above[k])
        line = "|   " * int(tree.depth[k] - 1) + words(
            branch(tree, up, int(k - tree.first_child[up])), book.schema, book.gaps
        )
        lines.append(line if tree.feature[k] >= 0 else f"{line}: {book.answer(k)} ({book.weight[k]:g})")
    return "\n".join(lines)


class Dialect(NamedTuple):
    """How names and text are written in SQL, and which columns of the table are of the type BOOLEAN."""

    backslash: bool = False
    """whether a backslash escapes (MySQL, BigQuery, Spark), and names are in backticks"""
    booleans: frozenset[str] = frozenset()

    def name(self, column: str) -> str:
        """Name of a column."""
        if not self.backslash:
            return '"' + column.replace('"', '""') + '"'
        return "`" + column.replace("`", "``") + "`"

    def literal(self, value: Any) -> str:
        """A number or a text as SQL writes it."""
        value = value.item() if isinstance(value, np.generic) else value
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, (int, float)):
            return repr(value)
        if not self.backslash:
            return "'" + str(value).replace("'", "''") + "'"
        return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"

    def bound(self, name: str, column: str, sign: str, bound: float) -> str | None:
        """SQL condition that a value is not missing and within a bound; None: that it is missing."""
        below = sign == BELOW
        if bound == math.inf or (column in self.booleans and not 0 <= bound < 1):
            return f"{name} IS NOT NULL" if below == (bound >= 1) else None
        if column in self.booleans:
            return f"NOT {name}" if below else name
        return f"{name} {sign} {bound!r}"


def dialect(named: str, booleans: Any, schema: Schema) -> Dialect:
    """The dialect of SQL of this name, and which columns are booleans."""
    if named not in DIALECTS:
        raise ValueError(f"dialect={named!r} is not one of {list(DIALECTS)}")
    numbers = {column.name for column in schema.columns if column.categories is None}
    if strange := sorted(set(booleans) - numbers):
        raise ValueError(f"booleans names {strange}; the columns of numbers are {sorted(numbers)}")
    return Dialect(DIALECTS[named], frozenset(booleans))


def sql(book: Book, dialect: Dialect) -> str:
    """A CASE expression, as deep as the tree; missing values are NULL, and unknown categories count as missing."""
    tree = book.tree

    def case(k: int) -> list[str]:
        own = [dialect.literal(book.prediction[k])]
        if tree.feature[k] < 0:
            return own
        ways = [branch(tree, k, child) for child in range(int(tree.children[k]))]
        below = [case(int(tree.first_child[k]) + child) for child in range(len(ways))]
        last = next((child for child, one in enumerate(ways) if one.missing), None)
        known = {code for one in ways for code in one.codes}
        none = tuple(code for code in range(int(tree.route_width[k]) - 1) if code not in known)
        if none and last is not None:
            ways, below = [*ways, ways[last]._replace(codes=none, missing=False)], [*below, own]
        heads = [f"WHEN {condition_in_sql(one, book.schema, dialect)} THEN" for one in ways]
        some = [two for i, two in enumerate(zip(heads, below, strict=True)) if i != last]
        lines = ["CASE"]
        for head, answer in [*some, ("ELSE", own if last is None else below[last])]:
            lines += [f"  {head} {answer[0]}", *(f"  {line}" for line in answer[1:])]
        return [*lines, "END"]

    return "\n".join(case(0))


def condition_in_sql(one: Condition, schema: Schema, dialect: Dialect) -> str:
    """The condition of a split, written in SQL."""
    column = schema.columns[one.column]
    name = dialect.name(column.name)
    if one.sign != AMONG:
        bound = dialect.bound(name, column.name, one.sign, one.bound)
        tests = [] if bound is None else [bound]
    else:  # an unknown category counts as missing
        codes = sorted(set(range(len(column.categories))) - set(one.codes)) if one.missing else one.codes
        named = ", ".join(dialect.literal(column.categories[c]) for c in codes)
        if one.missing and not named:
            return "1 = 1"
        tests = [f"{name} {'NOT IN' if one.missing else 'IN'} ({named})"] if named else []
    if one.missing:
        tests.append(f"{name} IS NULL")
    return " OR ".join(tests) or "1 = 0"


def graphviz(book: Book) -> str:
    """The source of a graph, for the program `dot`."""
    tree, above = book.tree, book.tree.parent
    lines = ["digraph tree {", '  node [shape=box, style=rounded, fontname="helvetica"];']
    for k in range(tree.node_count):
        inner = tree.feature[k] >= 0
        name = book.schema.columns[int(tree.feature[k])].name if inner else book.answer(k)
        label = _quoted(f"{name}\n{book.weight[k]:g}")
        lines.append(f"  {k} [label={label}{'' if inner else ', style=filled'}];")
    for k in range(1, tree.node_count):
        up = int(above[k])
        lines.append(f"  {up} -> {k} [label={_quoted(edge(book, up, int(k - tree.first_child[up])))}];")
    return "\n".join([*lines, "}"])


def edge(book: Book, k: int, child: int) -> str:
    """Label of a branch: the condition without its column."""
    one = branch(book.tree, k, child)
    if one.sign != AMONG:
        gap = ", missing" if one.missing and book.gaps[one.column] else ""
        if one.bound == math.inf:
            return "missing" if one.missing else "not missing"
        return f"{'≤' if one.sign == BELOW else '>'} {one.bound:.3g}{gap}"
    missing = ["missing"] * int(one.missing and book.gaps[one.column])
    names = [str(book.schema.columns[one.column].categories[c]) for c in one.codes] + missing
    return ", ".join(names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"])


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
