"""Generators: rows that a plane separates by a margin, and sequences whose class is carried from row to row."""

from __future__ import annotations

import numpy as np

from tenfold.core import Array, Codes, Flags
from tenfold.theory.checks import whole


def make_separable(
    n_samples: int = 100, n_features: int = 2, *, margin: float = 0.1, random_state: int | None = None
) -> tuple[Array, Codes]:
    """Rows on either side of a plane through the origin, none nearer to it than a margin.

    Rows are uniform in the cube from -1 to 1, as far as they keep the margin; the normal of the plane is the diagonal
    of the cube. A perceptron without a constant makes at most n_features / margin² mistakes.

    Parameters
    ----------
    n_samples : int, default=100
        How many rows to draw.
    n_features : int, default=2
        How many columns they have.
    margin : float, default=0.1
        The least distance of a row from the plane, from 0 to below 1.
    random_state : int, optional
        Seed of the draws.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        1 on the side of the diagonal (1, ..., 1), else 0.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.datasets import make_separable
    >>> X, y = make_separable(50, 3, margin=0.2, random_state=0)
    >>> distance = X.sum(axis=1) / np.sqrt(3)
    >>> bool((np.abs(distance) >= 0.2).all()), bool((y == (distance > 0)).all())
    (True, True)
    """
    n, d = whole("n_samples", n_samples, 1), whole("n_features", n_features, 1)
    if not 0 <= margin < 1:
        raise ValueError(f"margin={margin!r}: a number from 0 to below 1 is needed")
    random = np.random.default_rng(random_state)
    found: list[Array] = []
    while sum(map(len, found)) < n:
        X = random.uniform(-1.0, 1.0, (2 * n, d))
        found.append(X[np.abs(X.sum(axis=1)) >= margin * np.sqrt(d)])
    X = np.concatenate(found)[:n]
    return X, (X.sum(axis=1) > 0).astype(np.int64)


def make_marked_sequences(
    n_sequences: int = 300, *, min_length: int = 4, max_length: int = 7, random_state: int | None = None
) -> tuple[Array, Flags, Codes]:
    """Sequences of bits, two of them marked: the class is whether the marked bits are equal.

    The first mark is in the first half of the sequence, the second one in the other half. A network has to carry the
    first bit on until it meets the second.

    Parameters
    ----------
    n_sequences : int, default=300
        How many sequences to draw.
    min_length, max_length : int, default=4 and 7
        The least and the largest number of rows of a sequence.
    random_state : int, optional
        Seed of the draws.

    Returns
    -------
    X : array of shape (rows, 2)
        A bit, -1 or 1, and the mark, 0 or 1; the rows of all sequences, one after another.
    y : array of bool of shape (n_sequences,)
    lengths : array of shape (n_sequences,)
        The number of rows of each sequence.

    Examples
    --------
    >>> from tenfold.datasets import make_marked_sequences
    >>> X, y, lengths = make_marked_sequences(20, random_state=0)
    >>> first = X[: lengths[0]]
    >>> marked = first[first[:, 1] == 1, 0]
    >>> len(marked), bool((marked[0] == marked[1]) == y[0])
    (2, True)
    """
    n, low = whole("n_sequences", n_sequences, 1), whole("min_length", min_length, 2)
    high = whole("max_length", max_length, low)
    random = np.random.default_rng(random_state)
    lengths = random.integers(low, high + 1, n)
    starts, half = lengths.cumsum() - lengths, lengths // 2
    early = starts + random.integers(0, half)
    late = starts + random.integers(half, lengths)
    X = np.column_stack([random.choice([-1.0, 1.0], lengths.sum()), np.zeros(lengths.sum())])
    X[early, 1] = X[late, 1] = 1.0
    return X, X[early, 0] == X[late, 0], lengths
