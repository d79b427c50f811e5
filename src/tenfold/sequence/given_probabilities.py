"""Probabilities that a user gave: checked by name, and in the order of sorted symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Codes, Need, Schema
from tenfold.estimator.given_model import read_as
from tenfold.estimator.shell.constraints import numbers


def checked_shares(given: Any, name: str, shape: tuple[int, ...]) -> Array:
    """Probabilities that a user gave: of this shape, each row adding up to one."""
    found: Array = np.array(numbers(given, name), order="C")
    if found.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {found.shape}")
    if not (found >= 0).all() or not np.allclose(found.sum(axis=-1), 1.0):
        what = "must" if found.ndim == 1 else "must, in each row,"
        raise ValueError(f"{name} {what} hold probabilities that add up to 1")
    return found / found.sum(axis=-1, keepdims=True)


def checked_chain(startprob: Any, transmat: Any) -> tuple[Array, Array]:
    """Start and transition probabilities, of as many states as there are start probabilities."""
    found = np.asarray(numbers(startprob, "startprob"))
    if found.ndim != 1 or not len(found):
        raise ValueError(f"startprob must have one axis, with a probability for each state, not shape {found.shape}")
    k = len(found)
    return checked_shares(startprob, "startprob", (k,)), checked_shares(transmat, "transmat", (k, k))


def checked_emissions(given: Any, states: int) -> Array:
    """Emission probabilities: a row for each state, with as many symbols as it has columns."""
    found = np.asarray(numbers(given, "emissionprob"))
    if found.ndim != 2 or found.shape[0] != states or not found.shape[1]:
        raise ValueError(f"emissionprob must have a row for each of the {states} states, not shape {found.shape}")
    return checked_shares(given, "emissionprob", found.shape)


def sorted_symbols(symbols: Any, count: int, need: Need) -> tuple[Schema, Codes]:
    """The schema of one column of symbols, and for each symbol in sorted order its place among those given.

    By default symbols are the numbers 0, 1, 2, ...
    """
    given = list(range(count)) if symbols is None else list(symbols)
    if len(given) != count:
        raise ValueError(f"symbols must be {count}, as many as there are probabilities, not {len(given)}")
    schema, X = read_as(need, [[symbol] for symbol in given])
    column = X.column(0)
    codes = np.where(column >= 0, column, -1).astype(np.int64)
    if len(set(codes.tolist())) != count or (codes < 0).any():
        raise ValueError(f"symbols must differ from each other and not be missing, got {given}")
    return schema, np.argsort(codes)
