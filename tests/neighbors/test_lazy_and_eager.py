"""Every learner says whether it generalises while it is fitted, or when it is asked."""

import inspect

import tenfold as tn
from tenfold.core.axes import fields
from tenfold.core.contract import record_types
from tenfold.estimator import Estimator
from tenfold.stats.rows.training_rows import TrainingRows

LEARNERS = [
    value
    for value in (getattr(tn, name) for name in tn.__all__)
    if inspect.isclass(value) and issubclass(value, Estimator)
]


def test_those_are_lazy_whose_model_is_the_rows():
    lazy = {cls.__name__ for cls in LEARNERS if cls.learning == "lazy"}
    own = [cls for cls in LEARNERS if cls is not tn.AdaBoostClassifier]  # its model follows from its members
    models = {cls.__name__: fields(record_types(cls).model).values() for cls in own}
    keep = {name for name, each in models.items() if any(field.type is TrainingRows for field in each)}
    assert lazy == keep == {"KNeighborsClassifier", "KNeighborsRegressor", "LocallyWeightedRegression"}
    assert {cls.learning for cls in LEARNERS} == {"eager", "lazy"}
