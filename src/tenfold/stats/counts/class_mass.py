"""The weight of the rows of each class: it simply adds."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.core import Array, Chunk, Mergeable
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Statistic


class ClassMass(Mergeable):
    """The weight of the rows of each class."""

    mass: Annotated[Array, "class", NOT_NEGATIVE]


class MassByClass(Statistic[ClassMass]):
    """The weight of the rows of each class, for weights of classes that are "balanced"."""

    classes: int

    def summarize(self, chunk: Chunk) -> ClassMass:
        codes, mass = np.asarray(chunk.y).astype(np.int64), np.zeros(self.classes)
        np.add.at(mass, codes, chunk.weight)
        return ClassMass(mass)
