"""Random little data sets for a need: with repeated rows, constant columns, text, weights of zero."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from tenfold.core import Array, Labels, Need, RowIndex, Values


class Table(NamedTuple):
    """Rows of a made table, with their target and weights."""

    X: Values
    y: Values | None
    weight: Array
    word: int | None = None
    """which column is text among numbers"""

    @property
    def unit(self) -> float:
        """Size of the numbers times how many there are, 0 for text."""
        X = self.X if self.word is None else np.delete(self.X, self.word, axis=1).astype(np.float64)
        return float(np.nanmax(np.abs(X))) * len(X) if X.dtype.kind == "f" else 0.0

    @property
    def columns(self) -> tuple[Values, ...]:
        """Each in its own type."""
        of_both = self.word is not None
        return tuple(c.astype(np.float64) if of_both and j != self.word else c for j, c in enumerate(self.X.T))

    def rows(self, index: RowIndex) -> Table:
        """Some of the rows, perhaps more than once."""
        y = None if self.y is None else self.y[index]
        return Table(self.X[index], y, self.weight[index], self.word)


def draw(need: Need, seed: int, rows: int = 24, columns: int = 3) -> Table:
    """A table for a need, from a seed; where both are taken, odd seeds put a column of text among the numbers.

    Where missing values are taken, every third seed has some among the numbers.
    """
    random = np.random.default_rng(seed)
    X = _text(random, rows, columns) if need.kinds in ("categorical", "text") else _numbers(random, rows, columns)
    X = np.abs(X) if need.counts else X
    y = None
    if need.target == "number":
        y = np.round(X @ random.normal(size=columns) + random.normal(size=rows), 2) + random.integers(-9, 9)
        y = np.abs(y) + 0.5 if need.positive else y
    if need.target == "class":
        names = np.array(["no", "yes"] if need.binary else ["high", "low", "middle"], dtype=object)
        y = names[random.integers(0, len(names), rows)]
    weight = random.integers(0, 4, rows).astype(np.float64)
    weight[random.integers(rows)] = 1.0
    if need.missing and X.dtype.kind == "f" and seed % 3 == 0:
        _forget(np.random.default_rng([seed, 1]), X)
    if need.kinds != "mixed" or seed % 2 == 0:
        return Table(X, y, weight)
    word, words = int(random.integers(columns)), _words(random, rows, 1)[:, 0]
    X = X.astype(object)
    X[:, word] = words
    return Table(X, y, weight, word)


def _forget(random: Generator, X: Values) -> None:
    """Make an eighth of the values missing, but for one in each column."""
    gone = random.random(X.shape) < 0.125
    gone[random.integers(len(X), size=X.shape[1]), np.arange(X.shape[1])] = False
    X[gone] = np.nan


def _numbers(random: Generator, rows: int, columns: int) -> Values:
    X: Values = np.round(random.normal(size=(rows, columns)) * 10.0 ** random.integers(-2, 3, columns), 3)
    X += np.round(random.normal(size=columns) * 10.0 ** random.integers(-1, 4, columns))
    again = random.integers(0, rows, rows // 4)
    X[random.integers(0, rows, len(again))] = X[again]
    if random.random() < 0.2:
        X[:, random.integers(columns)] = 5.0
    return X


def _text(random: Generator, rows: int, columns: int) -> Labels:
    if random.random() < 0.5:
        return random.integers(-2, 3, (rows, columns))
    return _words(random, rows, columns)


def _words(random: Generator, rows: int, columns: int) -> Labels:
    words = np.array(["a", "b", "c", "dd"], dtype=object)
    return words[random.integers(0, len(words), (rows, columns))]
