"""A summary with other weights is that of the same rows with these weights, for every learner that says how."""

from contextlib import suppress

import numpy as np
import pytest

import tenfold as tn
from helpers import by_law_params, name_of
from tenfold.core import ONE
from tenfold.core.axes import is_record, values
from tenfold.testing.data import draw

BY = 0.25
LEARNERS = [(at, one) for at, one in by_law_params() if one.passes == ONE and one.need.sequence is None]


def pairs(a, b, name=""):
    for (field, kind, x), (_, _, y) in zip(values(a), values(b), strict=True):
        if is_record(kind.type):
            yield from pairs(x, y, f"{name}.{field}")
        else:
            yield f"{name}.{field}", np.asarray(x), np.asarray(y)


def summaries(learner):
    """The summaries of rows, and of those with other weights."""
    for seed in range(10):
        table = draw(learner.need, seed, rows=48)
        given = {**table.given, "sample_weight": table.row_weight * BY}
        with suppress(ValueError, Warning):
            return [learner._blank().fit(table.X, table.y, **one).summary_ for one in (table.given, given)]
    raise AssertionError("there is no table for it")


@pytest.mark.parametrize(("at", "learner"), LEARNERS, ids=[f"{name_of(one)}-{at}" for at, one in LEARNERS])
def test_a_scaled_summary_is_that_of_scaled_weights(at, learner):
    before, wanted = summaries(learner)
    try:
        found = before.scaled(BY)
    except TypeError as error:
        pytest.skip(str(error))
    for name, x, y in pairs(found, wanted):
        assert x.shape == y.shape, name
        np.testing.assert_allclose(x, y, rtol=1e-12, err_msg=name)


def test_it_is_said_of_all_that_models_over_time_are_made_of():
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 1, 0])
    for learner in (
        tn.Ridge(),
        tn.LinearRegression(),
        tn.PCA(1),
        tn.GaussianNB(),
        tn.BernoulliNB(),
        tn.StandardScaler(),
    ):
        assert learner.fit(X, y).summary_.scaled(0.5) is not None
    with pytest.raises(TypeError, match="TrainingRows does not say"):
        tn.KNeighborsClassifier(1).fit(X, y).summary_.scaled(0.5)
