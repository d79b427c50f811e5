"""Checks of arguments: each error names the argument."""

from __future__ import annotations

from math import inf, log
from operator import index
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray


def number(name: str, value: SupportsFloat | SupportsIndex | str) -> float:
    """Return a finite number, or raise."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, got {value!r}") from None


def fraction(name: str, value: float) -> float:
    """A number strictly between 0 and 1."""
    value = number(name, value)
    if not 0 < value < 1:
        raise ValueError(f"{name} must be above 0 and below 1, got {value!r}")
    return value


def between(name: str, value: float, low: float = 0.0, high: float = 1.0) -> float:
    """A number from `low` to `high`, both included."""
    value = number(name, value)
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low:g} to {high:g}, got {value!r}")
    return value


def positive(name: str, value: float, *, finite: bool = True) -> float:
    """Return a number above 0, or raise."""
    value = number(name, value)
    if not (value > 0 and (value < inf or not finite)):
        raise ValueError(f"{name} must be {'finite and ' if finite else ''}above 0, got {value!r}")
    return value


def whole(name: str, value: Any, low: int = 1, high: int | None = None) -> int:
    """An integer from `low` on."""
    try:
        number = index(value)
    except TypeError:
        raise ValueError(f"{name} must be an integer, got {value!r}") from None
    if number < low or (high is not None and number > high):
        upto = "" if high is None else f" and at most {high}"
        raise ValueError(f"{name} must be an integer at least {low}{upto}, got {number}")
    return number


def one_of(name: str, value: str, options: tuple[str, ...]) -> str:
    """Return one of the given words, or raise."""
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}")
    return value


def vector(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """A row of finite numbers, at least one."""
    array = np.asarray(value, dtype=float)
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
        raise ValueError(f"{name} must be a sequence of finite numbers, at least one")
    return array


def matrix(name: str, value: ArrayLike, columns: int) -> NDArray[np.float64]:
    """Return a matrix of finite numbers with a given number of columns, or raise."""
    array = np.asarray(value, dtype=float)
    if array.ndim != 2 or array.shape[1] != columns or not np.isfinite(array).all():
        raise ValueError(f"{name} must be a matrix of finite numbers with {columns} columns, got shape {array.shape}")
    return array


def of_length(name: str, value: ArrayLike, length: int) -> NDArray[np.float64]:
    """Return a vector of finite numbers with a given length, or raise."""
    array = np.asarray(value, dtype=float)
    if array.shape != (length,) or not np.isfinite(array).all():
        raise ValueError(f"{name} must be {length} finite numbers, got shape {array.shape}")
    return array


def log_of_size(size: int | None, log_size: float | None) -> float:
    """Return the logarithm of the number of hypotheses, from the number or its logarithm."""
    if (size is None) == (log_size is None):
        raise ValueError("give either size or log_size")
    if size is not None:
        return log(whole("size", size))
    return between("log_size", float(log_size or 0.0), 0.0, float(np.finfo(float).max))
