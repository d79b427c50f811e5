"""Every learner is found by itself, and has every law and every check put on it."""

import os

import pytest

from helpers import learners, name_of
from tenfold.core.axes import fields
from tenfold.testing import LAWS, check_contract, check_law

DRAWS = int(os.environ.get("TENFOLD_DRAWS", "8"))
"""of each law; from 25 on, the contract is put on parts of a single row too"""


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("learner", learners(), ids=name_of)
def test_law(learner, law):
    check_law(law, learner, DRAWS)


@pytest.mark.parametrize("rows", [7, None] if DRAWS < 25 else [1, 7, None])
@pytest.mark.parametrize("learner", learners(), ids=name_of)
def test_contract(learner, rows):
    assert len(check_contract(learner, rows)) > 50


@pytest.mark.parametrize("learner", [one for one in learners() if one.expected_failed_checks], ids=name_of)
def test_checks_that_are_expected_to_fail_are_those_of_scikit_learn(learner):
    from sklearn.utils._test_common.instance_generator import PER_ESTIMATOR_XFAIL_CHECKS

    theirs = {kind.__name__: checks for kind, checks in PER_ESTIMATOR_XFAIL_CHECKS.items()}
    assert set(learner.expected_failed_checks) <= set(theirs[name_of(learner)])
    assert learner.draws_rows


@pytest.mark.parametrize("learner", learners(), ids=name_of)
def test_fields_are_annotated(learner):
    assert "step" in fields(learner.state_type)
    assert all(fields(kind) for kind in learner.summary_types)
