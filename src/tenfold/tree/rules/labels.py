"""What a tree says of its nodes to readers who bring names of their own: conditions, classes, impurities."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tenfold.core import Array
from tenfold.estimator import as_fitted, check_is_fitted
from tenfold.estimator.shell.estimator import Estimator
from tenfold.tree.records import LeafTotals
from tenfold.tree.rules.conditions import AMONG, branch, words
from tenfold.tree.rules.readable import Readable
from tenfold.tree.rules.reading import Book

IMPURITIES: dict[str, Callable[[Array], Array]] = {
    "gini": lambda p: 1.0 - (p * p).sum(axis=1),
    "entropy": lambda p: 0.0 - (p * np.log2(np.where(p > 0, p, 1.0))).sum(axis=1),
    "error": lambda p: 1.0 - p.max(axis=1),
}
"""of the shares of the classes; every other criterion is a gain of entropy"""


def book_of(model: Any) -> Book | None:
    """What a fitted tree says; None of an estimator of another library."""
    if isinstance(model, Readable):
        check_is_fitted(model)
        return as_fitted(model).book()
    if isinstance(model, Estimator):
        more = ". Remedy: one of its estimators_" if hasattr(model, "n_estimators") else ""
        raise TypeError(f"{type(model).__name__} is not a single tree{more}")
    return None


def renamed(book: Book, feature_names: Sequence[str] | None, unnamed: str) -> Book:
    """The tree with these names of columns: those given, those of the fit, or numbered ones if it had none."""
    schema = book.schema
    many = len(schema.columns)
    if feature_names is None:
        given = schema.names if schema.named else [unnamed.format(j) for j in range(many)]
    else:
        given = list(feature_names)
        if len(given) != many:
            raise ValueError(f"feature_names must contain {many} elements, got {len(given)}")
    columns = tuple(replace(column, name=str(name)) for column, name in zip(schema.columns, given, strict=True))
    return book._replace(schema=replace(schema, columns=columns))


def class_labels(book: Book, class_names: Sequence[str] | None) -> list[str]:
    """The classes in words: the names given, or the classes themselves."""
    classes = book.schema.classes
    given = classes if class_names is None else list(class_names)
    if len(given) != len(classes):
        raise ValueError(
            f"When `class_names` is an array, it should contain as many items as `decision_tree.classes_`. Got "
            f"{len(given)} while the tree was fitted with {len(classes)} classes."
        )
    return [str(one) for one in given]


def condition(book: Book, k: int, child: int, number: Callable[[float], str], signs: dict[str, str]) -> str:
    """When a row goes from node k to one of its children; missing values are said if the column had any."""
    one = branch(book.tree, k, child)
    if one.sign == AMONG or one.bound == math.inf:
        return words(one, book.schema, book.gaps)
    gap = " or missing" if one.missing and book.gaps[one.column] else ""
    return f"{book.schema.columns[one.column].name} {signs[one.sign]} {number(one.bound)}{gap}"


def heights(book: Book) -> list[int]:
    """Levels of nodes from each node down: 1 of a leaf."""
    tree = book.tree
    found = [1] * tree.node_count
    for k, up in reversed(list(enumerate(tree.parent.tolist()))):  # children come after their parents
        if up >= 0:
            found[up] = max(found[up], found[k] + 1)
    return found


def impurities(book: Book, criterion: str, summary: Any) -> tuple[str, Array] | None:
    """Name and impurity of each node; None for numbers whose squared errors are not kept with the tree."""
    tree = book.tree
    if book.schema.classes is not None:
        name = criterion if criterion in ("gini", "error", "log_loss") else "entropy"
        share = book.classes / np.where(book.weight > 0, book.weight, 1.0)[:, None]
        return name, IMPURITIES["entropy" if name == "log_loss" else name](share)
    if not isinstance(summary, LeafTotals) or len(summary.squares) != tree.node_count:
        return None
    squares, above = np.where(tree.feature >= 0, 0.0, summary.squares), tree.parent
    for k in range(tree.node_count - 1, 0, -1):  # children come after their parents
        up = int(above[k])
        squares[up] += squares[k] + book.weight[k] * (book.prediction[k] - book.prediction[up]) ** 2
    return "squared_error", squares / np.where(book.weight > 0, book.weight, 1.0)
