"""Constraints of parameters, in scikit-learn's terms, for `_parameter_constraints`."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, Options, RealNotInt

from tenfold.core import Array, ParameterError, Remedy

anything = "no_validation"
"""no constraint: the learner itself looks at the value, if anybody does"""
boolean = "boolean"
transformer = HasMethods(["fit", "transform"])
array = "array-like"
seed = "random_state"
positive = Interval(Real, 0, None, closed="right")
"""a number above zero, infinity too"""
fraction = Interval(RealNotInt, 0, 1, closed="both")
"""a real number from 0 to 1 that is no integer: 1.0, where 1 means one of them"""
decay = Interval(Real, 0, 1, closed="left")
"""a real number from 0 to below 1"""
percentage = Interval(Real, 0, 100, closed="both")
infinity = Options(Real, {math.inf})
"""infinity, for no limit"""
nonzero_fraction = Interval(RealNotInt, 0, 1, closed="right")
"""fraction above 0, up to 1"""

MAX_INTEGER = 1 << 62
"""the largest integer that a parameter may be"""


def real(low: float, *, open: bool = False) -> Any:
    """A real number at least (or above) `low`."""
    return Interval(Real, low, None, closed="neither" if open else "left")


class _IntegersFrom(Interval):
    """Integers from one on, up to the largest that kernels take: messages name that as a power."""

    def __str__(self) -> str:
        return f"an int in the range [{self.left}, 2**{MAX_INTEGER.bit_length() - 1}]"


def integer(low: int, high: int = MAX_INTEGER) -> Any:
    """An integer from `low` to `high`, which is so small that kernels can take it."""
    return (_IntegersFrom if high == MAX_INTEGER else Interval)(Integral, low, high, closed="both")


def numbers(given: Any, name: str) -> Any:
    """The numbers of a parameter, an array; ValueError, if it holds anything else."""
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, not {given!r}") from None


def class_prior(given: Any, weight: Array, fitted: bool = True) -> Array:
    """The probabilities of the classes: those given, checked, or the shares of the weights.

    Not `fitted`: equal ones of the classes that have rows, which in a fold some may not.
    """
    if given is None:
        weight = weight if fitted else np.where(weight > 0, 1.0, 0.0)
        return weight / weight.sum(axis=-1, keepdims=True)
    prior: Array = numbers(given, "priors")
    if prior.shape != weight.shape:
        raise ValueError(f"Number of priors must match number of classes: {len(weight)}.")
    if (prior < 0).any():
        raise ValueError("priors must be non-negative")
    if not np.isclose(prior.sum(), 1.0):
        raise ValueError("The priors must sum to 1.")
    return prior


def refuse_splitter(cls: type, given: Any) -> None:
    """Refuse a splitter of scikit-learn as `cv` of a learner, which would have to hold all rows for it."""
    if hasattr(given, "get_n_splits"):
        kind = type(given)
        public = kind.__module__.startswith("sklearn.model_selection.")
        folds = f"cv=list({'sklearn.model_selection.' if public else ''}{given!r}.split(X, y))"
        raise ParameterError(
            f"{cls.__name__}: cv={given!r} is a splitter, which needs all rows to define its folds",
            Remedy(f"tn.{cls.__name__}({folds})") if public else Remedy(None, folds),
        )


def choice(*options: str) -> Any:
    """A parameter that is one of these words."""
    return Options(str, set(options))


def share(*, open: bool = False, low: float = 0.0) -> Any:
    """A real number from 0 to 1, or between `low` and 1 and no integer."""
    return Interval(RealNotInt, low, 1, closed="neither") if open else Interval(Real, 0, 1, closed="both")


def pair(given: Any, name: str) -> tuple[int, int]:
    """Two integers from 1 on, the first not above the second."""
    two = isinstance(given, (tuple, list)) and len(given) == 2 and all(isinstance(one, Integral) for one in given)
    if not two or not 1 <= given[0] <= given[1]:
        raise ValueError(f"{name} must be two positive integers, the first not greater than the second, not {given!r}")
    return int(given[0]), int(given[1])
