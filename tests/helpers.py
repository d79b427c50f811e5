"""What several test files share: the list of learners, found by themselves."""

import tenfold
from tenfold.estimator import Estimator


def learners():
    """Every public learner, with its default parameters."""
    names = [getattr(tenfold, name) for name in tenfold.__all__]
    found = [cls() for cls in names if isinstance(cls, type) and issubclass(cls, Estimator)]
    assert len(found) >= 7
    return found


def name_of(learner):
    return type(learner).__name__
