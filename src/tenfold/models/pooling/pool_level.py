"""Which kind of pooling the cells of a learner take."""

from __future__ import annotations

from tenfold.models.cube_level import CubeLevel
from tenfold.models.pooling.pooled_cube import INTERCEPT, PooledCube, RandomTerms, pool_models
from tenfold.models.pooling.pooled_tables import PooledTables, pool_tables
from tenfold.stats.counts.counts import CountsByClass
from tenfold.stats.counts.weight_by_class import WeightByClass
from tenfold.stats.moments.moments import Comoments


def pool_level(level: CubeLevel, random: RandomTerms) -> PooledCube | PooledTables:
    """Pool the cells of a cube, from their summaries."""
    asked, name = level.cells.summing.asked, type(level.learner).__name__
    if isinstance(asked, (CountsByClass, WeightByClass)):
        if random != INTERCEPT:
            raise ValueError(f"tables of {name} have no random terms. Remedy: pool()")
        return pool_tables(level)
    if isinstance(asked, Comoments) and asked.target and hasattr(level.learner, "fit_intercept"):
        return pool_models(level, random)
    raise TypeError(
        f"cells of {name} are not pooled: their summaries are neither moments of a linear model nor tables of classes. "
        "Remedy: Cube(LinearRegression(), by=...), Cube(CategoricalNB(), by=...) or Cube(DummyClassifier(), by=...)"
    )
