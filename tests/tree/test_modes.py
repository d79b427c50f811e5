"""The same tree from rows in one place, level by level, and with small nodes finished where their rows are."""

import numpy as np
import pandas as pd
import pytest

from tenfold import Local, on
from tenfold.sources import part_rows
from tenfold.testing import bits
from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier
from tenfold.tree.decision_tree_regressor import DecisionTreeRegressor
from tenfold.tree.growing import grower, levelwise
from tiers import only_full

N = 4000


def mixed(seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((N, 4))
    X[random.random((N, 4)) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["short"] = np.array(list("uvwxyz"))[random.integers(0, 6, N)]
    frame["long"] = [f"k{i}" for i in random.integers(0, 300, N)]
    z = np.nan_to_num(X[:, 0] * X[:, 1]) + frame["short"].isin(["u", "x"]) + 0.5 * random.standard_normal(N)
    return frame, z.to_numpy(), random.random(N)


@pytest.mark.parametrize("weighted", [*only_full(False), True])
@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(max_depth=4),
        DecisionTreeClassifier("entropy", min_samples_leaf=20),
        DecisionTreeClassifier("gain_ratio", max_depth=9),
        DecisionTreeClassifier(max_leaf_nodes=20),
        DecisionTreeClassifier(max_features=2, min_samples_leaf=10, random_state=3),
        DecisionTreeClassifier(class_weight="balanced", min_impurity_decrease=1e-3),
        DecisionTreeClassifier(class_weight={0: 7.3, 2: 0.1}, min_weight_fraction_leaf=0.01),
        DecisionTreeClassifier("gain_power_per_cost", feature_costs=[1, 2, 3, 4, 1, 9], min_samples_leaf=10),
        DecisionTreeClassifier("entropy", split="multiway", min_samples_leaf=10),
        DecisionTreeRegressor(min_samples_leaf=20),
        DecisionTreeRegressor(max_leaf_nodes=20),
        DecisionTreeRegressor(max_features="sqrt", min_impurity_decrease=1e-3),
    ],
)
def test_the_same_tree_however_it_is_grown(monkeypatch, model, weighted):
    frame, z, weight = mixed(0)
    y = np.digitize(z, [-0.5, 0.5, 1.5]) if isinstance(model, DecisionTreeClassifier) else z
    found, turns = set(), set()
    for gather, few, memory in (
        (1 << 27, 0, 1),
        (0, 0, 1 << 26),
        (0, 0, 1 << 18),
        (0, 400, 1 << 26),
        (0, 400, 1 << 15),
    ):
        monkeypatch.setattr(grower, "MAX_GATHERED_BYTES", gather)
        monkeypatch.setattr(levelwise, "GATHER_BELOW_ROWS", few)
        monkeypatch.setattr(levelwise, "HISTOGRAM_BYTES_PER_SCAN", memory)
        model.fit(frame, y, sample_weight=weight if weighted else None)
        found.add((bits(model.model_.tree), bits(model.summary_)))
        turns.add(model.certificate_.provenance.passes)
    assert len(found) == 1
    assert len(turns) >= 3, "all ways took the same number of reduces: were they the same way?"
    assert model.tree_.node_count > 20


@pytest.mark.full
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(missing="node_majority", max_depth=6),
        DecisionTreeClassifier("entropy", missing="class_majority", max_features=3, class_weight="balanced"),
        DecisionTreeClassifier("gain_ratio", missing="fractional", split="multiway", min_samples_leaf=20),
        DecisionTreeClassifier(missing="fractional", max_leaf_nodes=20, class_weight="balanced"),
        DecisionTreeRegressor(missing="fractional", min_samples_leaf=20),
    ],
)
def test_the_same_tree_with_other_parts_and_less_memory(monkeypatch, model, weighted):
    """These go level by level wherever the rows are: parts, threads and the room for histograms do not matter."""
    frame, z, weight = mixed(1)
    y = np.digitize(z, [-0.5, 0.5, 1.5]) if isinstance(model, DecisionTreeClassifier) else z
    found, turns = set(), set()
    for rows, threads, memory in ((None, 1, 1 << 26), (700, 2, 1 << 18), (1100, 3, 1 << 20)):
        monkeypatch.setattr(levelwise, "HISTOGRAM_BYTES_PER_SCAN", memory)
        with part_rows(rows), on(Local(threads=threads)):
            model.fit(frame, y, sample_weight=weight if weighted else None)
        found.add((bits(model.model_.tree), bits(model.summary_)))
        turns.add(model.certificate_.provenance.passes)
    assert len(found) == 1
    assert len(turns) >= 2
    assert model.tree_.node_count > 20
