"""The short form of `benchmarks/rare_events.py`: a few sets, some learners, memory beside Parquet."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
import rare_events


def test_sets_have_as_many_positives_as_they_say_and_new_rows_of_the_same_columns():
    for number in range(len(rare_events.KINDS)):
        given = rare_events.events(number, 5000)
        assert len(given.X) == len(given.y) == 5000
        assert 10 <= given.y.sum() <= 100
        assert list(given.positive.columns) == list(given.negative.columns) == list(given.X.columns)
        inside = given.X[given.y == 1]
        between = ((inside.min() <= given.X) & (inside.max() >= given.X)).mean()
        assert between.min() < 0.4, "no column decides"


@pytest.mark.parametrize("name", ["DecisionTree", "RuleList", "GradientBoosting"])
@pytest.mark.parametrize("number", [1, 4])
def test_recall_is_near_that_of_scikit_learn(number, name):
    given = rare_events.events(number, 6000)
    ours, theirs, strange = rare_events.measure(given, name, ("memory", "parquet"))
    assert not strange
    assert ours[0] >= theirs[0] - 0.05
    assert ours[1] <= theirs[1] + 0.01


def test_rows_are_drawn_alike_in_memory_and_in_files_of_parts_of_other_sizes(monkeypatch):
    monkeypatch.setattr(rare_events, "PART", 2_000)
    given = rare_events.events(1, 5_300)  # three parts in memory are of one size, row groups of 2,000 would not be
    assert not rare_events.measure(given, "RandomForest", ("memory", "parquet"))[2]


def test_predictions_of_another_source_that_differ_are_found(monkeypatch):
    given, fitted = rare_events.events(1, 5000), rare_events.fitted

    def other(learner, given, source, folder, client):
        return fitted(learner, given._replace(y=np.roll(given.y, source == "parquet")), "memory", folder, client)

    monkeypatch.setattr(rare_events, "fitted", other)
    assert set(rare_events.measure(given, "DecisionTree", ("memory", "parquet"))[2]) == {"parquet"}


def test_a_promise_that_is_missed_ends_with_one(monkeypatch, capsys):
    monkeypatch.setattr(rare_events, "SETS", 1)
    monkeypatch.setattr(rare_events, "LEAST", 2000)
    monkeypatch.setattr(rare_events, "MOST", 3000)
    monkeypatch.setattr(rare_events, "measure", lambda *args: (np.array([0.5, 0.0]), np.array([0.9, 0.0]), []))
    monkeypatch.setattr(sys, "argv", ["rare_events.py", "--sets", "1", "--learner", "DecisionTree"])
    with pytest.raises(SystemExit) as left:
        rare_events.main()
    assert left.value.code == 1
    assert "recall of DecisionTree" in capsys.readouterr().out
