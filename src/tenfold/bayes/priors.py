"""The probabilities of the classes before anything is seen of a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array
from tenfold.estimator.constraints import numbers


def prior(given: Any, weight: Array) -> Array:
    """The given class probabilities, checked, or those of the weights."""
    if given is None:
        return weight / weight.sum()
    given = numbers(given, "priors")
    if given.shape != weight.shape:
        raise ValueError(f"Number of priors must match number of classes: {len(weight)}.")
    if (given < 0).any() or not np.isclose(given.sum(), 1.0):
        raise ValueError("The priors must be non-negative and their sum should be 1.")
    return given
