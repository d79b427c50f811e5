"""The table for choosing a learner has a row for each, and says nothing that the classes contradict."""

import inspect

import pytest
from choosing import BIASES, CHOICES, PROBLEMS
from sklearn.base import is_classifier, is_clusterer, is_regressor

import tenfold as tn
from tenfold.estimator import Estimator

LEARNERS = {
    name: value
    for name, value in ((name, getattr(tn, name)) for name in tn.__all__)
    if inspect.isclass(value) and issubclass(value, Estimator)
}
MADE = {name: value for name, value in LEARNERS.items() if not inspect.signature(value).parameters.get("estimators")}


def test_every_learner_has_a_row_and_nobody_else():
    assert not LEARNERS.keys() - CHOICES.keys(), "learners without a row in docs/choosing.py"
    assert not CHOICES.keys() - LEARNERS.keys(), "rows in docs/choosing.py of learners that are not there"


def test_rows_are_whole():
    for name, one in CHOICES.items():
        assert one.problem in PROBLEMS, name
        assert one.bias in (*BIASES, "none"), name
        assert all(one), name


@pytest.mark.parametrize("name", MADE)
def test_what_a_learner_is_for(name):
    kind = {"a number": is_regressor, "counts or sizes": is_regressor, "classes": is_classifier,
            "a concept": is_classifier, "groups": is_clusterer}.get(CHOICES[name].problem)  # fmt: skip
    learner = LEARNERS[name]()
    if kind is None:
        whole = learner.need.target if learner.need.per_sequence else None  # sequences that have one target each
        assert is_regressor(learner) == (whole == "number")
        assert is_classifier(learner) == (whole == "class")
    elif name != "GaussianMixture":  # by scikit-learn's word a density
        assert kind(learner)


def test_lazy_learners_do_their_work_when_asked():
    """The cost of a prediction grows with the rows for those, and for kernels with all their rows, alone."""
    grows = {name for name, one in CHOICES.items() if "n" in one.predict.split()}
    assert grows == {name for name, value in LEARNERS.items() if value.learning == "lazy"} | {"KernelRidge"}
