"""Rows of one symbol each: their codes, how likely states make them, pairs of neighbours, and draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Chunk, Codes, Columns, DataError, Schema


def one_column(schema: Schema, name: str) -> None:
    """Refuse rows of more than one column."""
    if len(schema.columns) != 1:
        raise DataError(
            f"{name} takes one column of symbols, not {len(schema.columns)}. Remedy: choose one, or make one symbol of "
            "several columns"
        )


def codes_of(X: Columns, symbols: int) -> Codes:
    """The code of the symbol in each row; of a missing or an unknown one, the number of symbols."""
    column = X.column(0)
    return np.where(column >= 0, column, symbols).astype(np.int64)


def known_codes(X: Columns) -> Codes:
    """The code of the symbol in each row; raise for a symbol unknown from fitting, naming its row."""
    codes = X.column(0).astype(np.int64)
    if len(strange := np.flatnonzero(codes < 0)):
        raise DataError(
            f"row {X.row(int(strange[0]))} holds a symbol unknown from fitting, which has no transition "
            f"probabilities. Remedy: leave the row out, or fit to sequences that have it"
        )
    return codes


def symbol_table(emission: Array) -> Array:
    """Log-likelihoods of the states for each symbol; the last row, for a missing one, is 0."""
    with np.errstate(divide="ignore"):
        return np.ascontiguousarray(np.log(np.append(emission.T, np.ones((1, len(emission))), axis=0)))


def pair_counts(chunk: Chunk, codes: Codes, count: int) -> Array:
    """How often each code follows each, within the sequences of a chunk."""
    within = np.ones(chunk.n, bool)
    within[chunk.starts] = False
    pairs = (codes[:-1] * count + codes[1:])[within[1:]]
    return np.bincount(pairs, chunk.weight[1:][within[1:]], count * count).astype(np.float64).reshape(count, count)


def drawn_symbols(emission: Array, schema: Schema, states: Codes, random: np.random.Generator) -> Any:
    """A symbol for each state, drawn."""
    at = (random.random(len(states))[:, None] >= emission.cumsum(axis=1)[states]).sum(axis=1)
    symbols: Any = schema.columns[0].categories
    return symbols[np.minimum(at, len(symbols) - 1)][:, None]
