"""What several test files share: the list of learners, found by themselves."""

from itertools import pairwise

import numpy as np

import tenfold
from tenfold.core import Chunk, Columns
from tenfold.core.rows.chunk import ROW_IDS_PER_PART
from tenfold.estimator import Estimator
from tenfold.sources.array_source import even_cuts


def learners():
    """Every public learner, with its default parameters; one that goes by two names once."""
    names = dict.fromkeys(getattr(tenfold, name) for name in tenfold.__all__)
    found = [cls() for cls in names if isinstance(cls, type) and issubclass(cls, Estimator)]
    assert len(found) >= 7
    return found


def by_law_params():
    """Every public learner with each of its `law_params`: the number of the set, and the learner."""
    return [(at, type(one)(**given)) for one in learners() for at, given in enumerate(one.law_params)]


def name_of(learner):
    return type(learner).__name__


def parts_of(weight):
    """Rows in memory with these weights, as they are cut now: numbers of those that have a weight, and their chunk."""
    for part, (a, b) in enumerate(pairwise(even_cuts(len(weight)).tolist())):
        there = a + np.flatnonzero(weight[a:b])
        X = Columns(np.empty((len(there), 1)))
        yield there, Chunk(X, None, weight[there], False, part, a, first_row_id=part * ROW_IDS_PER_PART)
