"""What `class_weight` of a classifier means: a factor of the weights of the rows of each class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tenfold.core import Array, Codes, Schema

ClassWeight = Mapping[Any, float] | str | None


def class_weights(given: ClassWeight, schema: Schema, mass: Array | Codes) -> Array:
    """The factor of each class: by its name, 1 of one that is not named; or "balanced", of classes of this weight."""
    if given is None:
        return np.ones(len(schema.classes))
    return balanced_weights(mass) if isinstance(given, str) else named_weights(given, schema)


def named_weights(weights: Mapping[Any, float], schema: Schema) -> Array:
    """Weights of classes by their names, 1 of one that is not named."""
    classes = schema.classes.tolist()
    strange, unnamed = [c for c in weights if c not in classes], [c for c in classes if c not in weights]
    if strange and unnamed:
        raise ValueError(f"class_weight names {strange}, but not {unnamed}: the classes are {classes}")
    found = np.array([float(weights.get(c, 1.0)) for c in classes])
    if not (np.isfinite(found).all() and (found >= 0).all() and found.any()):
        raise ValueError("class_weight: weights are numbers from 0 on, and not all are 0")
    return found


def balanced_weights(mass: Array | Codes) -> Array:
    """Weights that give all classes that are there the same."""
    there = mass > 0
    return np.where(there, mass.sum() / (there.sum() * np.where(there, mass, 1)), 1.0)
