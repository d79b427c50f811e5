"""Units counted again: as if the summaries of the units that were drawn had been merged."""

import numpy as np
import pytest

from tenfold.engine.merge_tree import merge
from tenfold.metrics.resampling import resampler
from tenfold.stats.metrics import scorers


@pytest.mark.parametrize("name", scorers)
def test_drawing_every_unit_once_is_the_merge(name):
    random = np.random.default_rng(0)
    scorer = scorers[name]
    units = []
    for _ in range(7):
        n = int(random.integers(1, 9))
        if scorer.kind == "number":
            truth, said = 1e6 + random.normal(size=n), 1e6 + random.normal(size=n)
        else:
            truth = random.integers(0, 2, n)
            p = random.random(n).round(1)
            said = random.integers(0, 2, n) if scorer.needs == "prediction" else np.column_stack([1 - p, p])
        units.append(scorer.summarize(truth, said, random.random(n) + 0.1, 2))
    again = resampler(units)
    assert scorer.value(again(np.ones(7))) == pytest.approx(scorer.value(merge(units)), rel=1e-9)
    often = np.array([0, 2, 1, 0, 3, 0, 1])
    drawn = merge([unit for unit, k in zip(units, often) for _ in range(k)])
    assert scorer.value(again(often)) == pytest.approx(scorer.value(drawn), rel=1e-9)
