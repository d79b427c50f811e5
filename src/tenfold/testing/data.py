"""Random little data sets for a need: with repeated rows, constant columns, text, weights of zero."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from tenfold.core import Array, Codes, Labels, Need, RowIndex, Values

SEQUENCE_LENGTH = 4
"""number of rows of a sequence"""


class RandomTable(NamedTuple):
    """Rows of a made table, with their target and weights."""

    X: Values
    y: Values | None
    weight: Array
    """of each sequence, if rows come in sequences"""
    word: int | None = None
    """which column is text among numbers"""
    length: int = 0
    """number of rows of each sequence; 0: rows are independent"""

    @property
    def row_weight(self) -> Array:
        """The weight of each row."""
        return np.repeat(self.weight, self.length) if self.length else self.weight

    @property
    def given(self) -> dict[str, Any]:
        """Arguments of a fit beside X and y: the weight of each row, and the lengths of sequences."""
        lengths = {"lengths": np.full(len(self.weight), self.length)} if self.length else {}
        return {"sample_weight": self.row_weight, **lengths}

    @property
    def seen(self) -> Values:
        """The rows that have a weight."""
        return self.X[self.row_weight > 0]

    @property
    def sequences(self) -> Codes:
        """The number of the sequence that each row belongs to."""
        return np.repeat(np.arange(len(self.weight)), self.length)

    @property
    def unit(self) -> float:
        """Size of the numbers times how many there are, 0 for text."""
        X = self.X if self.word is None else np.delete(self.X, self.word, axis=1).astype(np.float64)
        return float(np.nanmax(np.abs(X))) * len(X) if X.dtype.kind == "f" else 0.0

    @property
    def columns(self) -> tuple[Values, ...]:
        """Return the columns, each in its own type."""
        of_both = self.word is not None
        return tuple(c.astype(np.float64) if of_both and j != self.word else c for j, c in enumerate(self.X.T))

    def rows(self, index: RowIndex) -> RandomTable:
        """Some of the rows, or whole sequences, perhaps more than once."""
        weight = self.weight[index]
        if self.length:
            first = np.arange(len(self.weight))[index] * self.length
            index = (first[:, None] + np.arange(self.length)).ravel()
        y = None if self.y is None else self.y[index]
        return RandomTable(self.X[index], y, weight, self.word, self.length)


def draw(need: Need, seed: int, rows: int = 24, columns: int = 3) -> RandomTable:
    """Draw a random table for a need; if it takes both kinds, odd seeds add a column of text to the numbers.

    Text is in one column: documents of a few words.

    Where missing values are taken, every third seed has some among the numbers. Where whole sequences are, there are
    as many as rows else, of four rows each.
    """
    random = np.random.default_rng(seed)
    if need.sequence is not None:
        of_rows, many = replace(need, sequence=None, per_sequence=False), 1 if need.kinds == "categorical" else columns
        table = draw(of_rows, seed, rows * SEQUENCE_LENGTH, many)
        if need.per_sequence and table.y is not None:
            table = table._replace(y=np.repeat(table.y[::SEQUENCE_LENGTH], SEQUENCE_LENGTH))
        return table._replace(weight=table.weight[::SEQUENCE_LENGTH] + (np.arange(rows) == 0), length=SEQUENCE_LENGTH)
    made = {"categorical": _text, "text": _documents, "date": _dates}.get(need.kinds, _numbers)
    X: Values = made(random, rows, columns)
    X = np.abs(X) if need.counts else X
    y = None
    if need.target == "number":
        slope = X @ random.normal(size=columns) if X.dtype.kind == "f" else np.zeros(rows)
        y = np.round(slope + random.normal(size=rows), 2) + random.integers(-9, 9)
        y = np.abs(y) + 0.5 if need.positive else y
    if need.target == "class":
        names = np.array(["no", "yes"] if need.binary else ["high", "low", "middle"], dtype=object)
        y = names[random.integers(0, len(names), rows)]
    weight = random.integers(0, 4, rows).astype(np.float64)
    weight[random.integers(rows)] = 1.0
    if need.missing and X.dtype.kind in "fM" and seed % 3 == 0:
        _forget(np.random.default_rng([seed, 1]), X)
    if need.kinds != "mixed" or seed % 2 == 0:
        return RandomTable(X, y, weight)
    word, words = int(random.integers(columns)), _words(random, rows, 1)[:, 0]
    X = X.astype(object)
    X[:, word] = words
    return RandomTable(X, y, weight, word)


def _forget(random: Generator, X: Values) -> None:
    """Make an eighth of the values missing, but for one in each column."""
    gone = random.random(X.shape) < 0.125
    gone[random.integers(len(X), size=X.shape[1]), np.arange(X.shape[1])] = False
    X[gone] = np.nan if X.dtype.kind == "f" else np.datetime64("NaT")


def _numbers(random: Generator, rows: int, columns: int) -> Values:
    X: Values = np.round(random.normal(size=(rows, columns)) * 10.0 ** random.integers(-2, 3, columns), 3)
    X += np.round(random.normal(size=columns) * 10.0 ** random.integers(-1, 4, columns))
    again = random.integers(0, rows, rows // 4)
    X[random.integers(0, rows, len(again))] = X[again]
    if random.random() < 0.2:
        X[:, random.integers(columns)] = 5.0
    return X


def _dates(random: Generator, rows: int, columns: int) -> Values:
    """Seconds of a few centuries, some rows more than once, and a column of midnights."""
    X: Values = random.integers(-(2**32), 2**32, (rows, columns)).astype("M8[s]")
    X[:, 0] = X[:, 0].astype("M8[D]")
    again = random.integers(0, rows, rows // 4)
    X[random.integers(0, rows, len(again))] = X[again]
    return X


def _text(random: Generator, rows: int, columns: int) -> Labels:
    if random.random() < 0.5:
        return random.integers(-2, 3, (rows, columns))
    return _words(random, rows, columns)


def _documents(random: Generator, rows: int, columns: int) -> Labels:
    words = np.array(["aa", "bb", "Cc", "d\u00e4d", "ee42"], dtype=object)
    lengths = random.integers(1, 2 * columns, rows)
    texts = [" ".join(random.choice(words, length)) for length in lengths.tolist()]
    return np.array(texts, dtype=object)[:, None]


def _words(random: Generator, rows: int, columns: int) -> Labels:
    words = np.array(["a", "b", "c", "dd"], dtype=object)
    return words[random.integers(0, len(words), (rows, columns))]
