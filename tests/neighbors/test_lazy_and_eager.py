"""Every learner says whether it generalises while it is fitted, or when it is asked."""

import inspect

import tenfold as tn
from tenfold.core.axes import fields
from tenfold.estimator import Estimator
from tenfold.stats.rows.training_rows import TrainingRows

LEARNERS = [
    value
    for value in (getattr(tn, name) for name in tn.__all__)
    if inspect.isclass(value) and issubclass(value, Estimator)
]


def test_those_are_lazy_whose_model_is_the_rows():
    lazy = {cls.__name__ for cls in LEARNERS if cls.learning == "lazy"}
    own = [cls for cls in LEARNERS if isinstance(cls.model_type, type)]  # that of a team follows from its members
    keep = {cls.__name__ for cls in own if any(field.type is TrainingRows for field in fields(cls.model_type).values())}
    assert lazy == keep == {"KNeighborsClassifier", "KNeighborsRegressor", "LocallyWeightedRegression"}
    assert {cls.learning for cls in LEARNERS} == {"eager", "lazy"}
