"""Training and test rows: of a source, two sources that read where the rows are; of arrays, what scikit-learn does."""

from __future__ import annotations

import os
from fractions import Fraction
from math import lcm
from numbers import Integral, Real
from typing import Any

from sklearn.model_selection import train_test_split as of_arrays

from tenfold.core import DataError
from tenfold.sources import is_lazy
from tenfold.sources.subset import Deal, subset

MAX_SHARE_GROUPS = 1000
"""groups that rows are dealt into, at most: shares are as fine as this"""


def train_test_split(
    *arrays: Any,
    test_size: float | None = None,
    train_size: float | None = None,
    random_state: Any = None,
    shuffle: bool = True,
    stratify: Any = None,
) -> list[Any]:
    """Split rows into training and test rows, at random.

    Of a source two sources are made. Nothing is read or copied: which rows are in which follows from their numbers and
    the seed, so it is the same wherever and however often they are read. The rows are dealt evenly: with
    `test_size=0.25`, one of the first four rows is a test row, one of the next four, and so on.

    Parameters
    ----------
    *arrays : Source, or arrays, lists, frames of the same length
        Arrays and frames are split as `sklearn.model_selection.train_test_split` does.
    test_size : float, optional
        The share of test rows, 0.25 by default. Of arrays it may be a number of rows.
    train_size : float, optional
        The share of training rows, by default all others.
    random_state : int, optional
        The seed. By default 0 for a source, so that two calls give the same rows.
    shuffle : bool, default=True
        Of arrays, whether to draw the rows by chance. A source is always drawn from.
    stratify : array, optional
        Of arrays, the classes whose shares both sides have.

    Returns
    -------
    splits : list
        Of a source, the training and the test rows. Of arrays, both of each, one after the other.

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> rows = tn.scan(pd.DataFrame({"size": range(100), "price": range(0, 200, 2)}), target="price")
    >>> train, test = tn.train_test_split(rows, test_size=0.2)
    >>> train.n_rows, test.n_rows
    (80, 20)
    >>> round(tn.LinearRegression().fit(train).score(test), 6)
    1.0
    """
    for one in arrays:
        _refuse_unread(one)
    if not any(map(is_lazy, arrays)):
        options = {"test_size": test_size, "train_size": train_size, "random_state": random_state}
        return list(of_arrays(*arrays, **options, shuffle=shuffle, stratify=stratify))
    if len(arrays) > 1:
        raise ValueError("a Source names its own target and weights: split it alone")
    if stratify is not None or not shuffle:
        raise ValueError(
            "rows of a Source are dealt evenly by their numbers, neither stratified nor in order. Remedy: leave "
            "stratify and shuffle out; for the last rows as test rows, where=... or rows.only(...)"
        )
    test, train = _shares(test_size, train_size)
    groups = lcm(test.denominator, train.denominator)
    seed = 0 if random_state is None else random_state
    if not isinstance(seed, Integral) or not 0 <= int(seed) < 2**32:
        raise ValueError(f"random_state must be an integer from 0 to 2**32 - 1 for a Source, not {random_state!r}")
    stop = int(test * groups)
    sides = (stop, stop + int(train * groups)), (0, stop)
    found = [subset(arrays[0], Deal(int(seed), groups, *side)) for side in sides]
    for side, name in zip(found, ("training", "test"), strict=True):
        if side.n_rows == 0:
            raise DataError(f"there are no {name} rows left: the source has too few. Remedy: other shares")
    return found


def _refuse_unread(rows: Any) -> None:
    """Refuse a path, and a table that is not computed yet: neither has rows to draw."""
    if isinstance(rows, (str, os.PathLike)):
        raise DataError(f"{str(rows)!r} is a path. Remedy: train_test_split(tenfold.scan({str(rows)!r}))")
    if type(rows).__name__ == "LazyFrame":
        raise DataError("a LazyFrame has no rows yet. Remedy: train_test_split(tenfold.scan(frame)), or its collect()")


def _shares(test_size: Any, train_size: Any) -> tuple[Fraction, Fraction]:
    """The shares of test and of training rows, as fractions."""
    for name, size in (("test_size", test_size), ("train_size", train_size)):
        if size is not None and not (isinstance(size, Real) and 0 < float(size) < 1):
            raise ValueError(f"{name} of a Source must be a share between 0 and 1, not {size!r}")
    if test_size is None:
        test_size = 0.25 if train_size is None else 1 - train_size
    test = Fraction(float(test_size)).limit_denominator(MAX_SHARE_GROUPS)
    train = 1 - test if train_size is None else Fraction(float(train_size)).limit_denominator(MAX_SHARE_GROUPS)
    if not test or not train or test + train > 1:
        raise ValueError(f"test_size {test_size} and train_size {train_size} must be above 0, and 1 at most together")
    return test, train
