"""Values at both ends of every range of scikit-learn's constraints are taken, or refused with a remedy that works."""

from collections import Counter

import pytest

from boundaries import OURS, RIGHT, THEIRS, cases, constraints, is_inside, keywords, outcome
from tenfold.estimator.shell.keywords import Refused, RefusedValues, keywords_of
from tiers import only_full

LONG = {
    "AdaBoostClassifier", "BaggingClassifier", "BaggingRegressor", "BisectingKMeans", "GradientBoostingClassifier",
    "GradientBoostingRegressor", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor",
    "MLPClassifier", "MLPRegressor", "RandomForestClassifier", "RandomForestRegressor",
    "StackingClassifier", "StackingRegressor",
}  # fmt: skip
"""learners whose values take more than some seconds"""


@pytest.mark.parametrize("name", [*(name for name in OURS if name not in LONG), *only_full(*sorted(LONG))])
def test_every_value_at_a_boundary_is_taken_or_refused_with_a_remedy(name):
    found = [(case, *outcome(case)) for case in cases(name)]
    wrong = [f"{case}: {kind} {why}" for case, kind, why in found if kind not in RIGHT or why]
    assert not wrong, "\n".join(wrong)


def test_every_constraint_has_a_value():
    """Of each keyword of each learner, and of each constraint of it, some value is looked at."""
    count = Counter()
    for name in OURS:
        looked_at = cases(name)
        for word in keywords(THEIRS[name]):
            values = [case.value for case in looked_at if case.word == word]
            assert values, f"{name}({word}=...)"
            count["keywords"] += 1
            for one in constraints(name, word) or ():
                assert any(is_inside([one], value) for value in values), f"{name}({word}=...): {one}"
                count["constraints"] += 1
        count["values"] += len(looked_at)
    assert count["keywords"] == sum(len(keywords(THEIRS[name])) for name in OURS)
    assert count["values"] > 3 * count["constraints"] > 3 * count["keywords"]


def test_every_remedy_is_a_call():
    remedies = [
        one.remedy
        for learner in OURS.values()
        for decision in keywords_of(type(learner)).values()
        if isinstance(decision, (Refused, RefusedValues))
        for one in (decision.each if isinstance(decision, RefusedValues) else (decision,))
    ]
    assert len(remedies) > 200
    assert [str(remedy) for remedy in remedies if remedy.call is None] == []
