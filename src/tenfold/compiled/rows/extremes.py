"""Extremes of columns, rows of zeros, and a test for NaN and infinity: one pass over rows in cache."""

from __future__ import annotations

from tenfold.compiled.decorators import kernel


@kernel
def all_finite(rows):
    """Return whether no value is NaN or infinite."""
    values = rows.reshape(rows.size)
    wrong = 0
    for k in range(len(values)):
        wrong += values[k] - values[k] != 0.0
    return wrong == 0


@kernel
def widen(rows, low, high):
    """Lower `low[j]` and raise `high[j]` to the values of column j, NaN left out."""
    for i in range(rows.shape[0]):
        row = rows[i]
        for j in range(len(row)):
            low[j] = row[j] if row[j] < low[j] else low[j]
            high[j] = row[j] if row[j] > high[j] else high[j]


@kernel
def raise_to_sizes(rows, largest):
    """Raise `largest[j]` to the absolute values of column j, NaN left out."""
    for i in range(rows.shape[0]):
        row = rows[i]
        for j in range(len(row)):
            size = abs(row[j])
            largest[j] = size if size > largest[j] else largest[j]


@kernel
def find_zeros(rows, zero):
    """zero[i]: whether row i is all zeros."""
    for i in range(rows.shape[0]):
        row = rows[i]
        j = 0
        while j < len(row) and row[j] == 0.0:
            j += 1
        zero[i] = j == len(row)
