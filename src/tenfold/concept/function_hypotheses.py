"""Hypotheses that are functions of a row: a concept may be anything that can be computed of it.

A function gets a row, a list with the value of each column, and says whether it is of the positive class; or, where a
hypothesis is about chance, with which probability. What is kept of the training rows are the distinct ones, so all
functions are asked when the model is made, and none of them travels to the rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from tenfold.core import Array, Need, Schema

Functions = Mapping[str, Callable[[list[Any]], Any]]
ROWS_AS_THEY_ARE = Need("mixed", target="class", binary=True)
"""a function gets numbers as numbers, also those that no training row had"""


def are_functions(hypotheses: Any) -> bool:
    """Whether hypotheses are functions: in a dict by name, or in a list."""
    if isinstance(hypotheses, Mapping):
        return True
    return _listed(hypotheses) and any(callable(one) for one in hypotheses)


def _listed(hypotheses: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(hypotheses, Sequence) and not isinstance(hypotheses, str)


def by_name(hypotheses: Any) -> Functions:
    """Functions by their names: the keys of a dict, else what each is called where it is defined."""
    if isinstance(hypotheses, Mapping):
        found = dict(hypotheses)
    else:
        names = [getattr(one, "__name__", repr(one)) for one in hypotheses]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two hypotheses are called {twice!r}. Remedy: a dict of names and functions")
        found = dict(zip(names, hypotheses, strict=True))
    if not found:
        raise ValueError("hypotheses must be at least one")
    for name, one in found.items():
        if not callable(one) or not isinstance(name, str):
            raise ValueError(
                f"hypothesis {name!r} is {one!r}, not a function. Remedy: a dict of names and functions of a row"
            )
    return found


def listed_words(schema: Schema) -> str:
    """The categories of each column as JSON, null for a column of numbers."""
    each = [None if column.categories is None else column.categories.tolist() for column in schema.columns]
    return json.dumps(each)


def positive_probability(functions: Functions, rows: Array, words: str) -> Array:
    """The probability of the positive class by each function: rows x hypotheses.

    A function gets the value of each column; None for a category that no training row had.
    """
    columns = json.loads(words)
    out = np.empty((len(rows), len(functions)))
    for i, row in enumerate(rows.tolist()):
        values = [
            value if known is None else (known[int(value)] if value >= 0 else None)
            for value, known in zip(row, columns, strict=True)
        ]
        for j, (name, function) in enumerate(functions.items()):
            out[i, j] = _probability(name, function(list(values)), values)
    return out


def _probability(name: str, found: Any, row: list[Any]) -> float:
    """What a hypothesis says of a row, as the probability of the positive class."""
    if not isinstance(found, (bool, int, float, np.bool_, np.number)) or not 0 <= found <= 1:
        raise ValueError(
            f"hypothesis {name!r} gives {found!r} for the row {row}. Remedy: True or False, or the probability of the "
            "positive class"
        )
    return float(found)
