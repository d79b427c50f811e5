"""The lists of SLIQ: sorted by hand; the class list after each split, which is found by brute force."""

import numpy as np
import pytest

import tenfold as tn
from tenfold.datasets import load_play_tennis


def gini(labels):
    _, count = np.unique(labels, return_counts=True)
    return 1 - ((count / count.sum()) ** 2).sum() if len(labels) else 0.0


def best_split(X, y):
    """The split of numbers that lowers Gini impurity most: (decrease, column, threshold)."""
    best = (0.0, -1, np.nan)
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for low, high in zip(values, values[1:]):
            left = X[:, j] <= (low + high) / 2
            after = sum(some.mean() * gini(y[some]) for some in (left, ~left))
            if gini(y) - after > best[0] + 1e-12:
                best = (gini(y) - after, j, (low + high) / 2)
    return best


def test_the_lists_before_and_after_each_split_by_hand():
    random = np.random.default_rng(3)
    X = random.integers(0, 12, (40, 3)).astype(float)
    y = np.where((X[:, 0] > 5) ^ (X[:, 1] > 7), "good", "bad")
    steps = tn.trace(tn.SLIQ(), X, y)
    for j, (name, found) in enumerate(steps.attribute_lists.items()):
        assert name == f"x{j}"
        expected = sorted(range(40), key=lambda i: (X[i, j], i))
        assert found.rows.tolist() == expected
        assert found.values.tolist() == [X[i, j] for i in expected]
    node, many, queue = np.zeros(40, int), 1, [0]
    assert steps.nodes[0].tolist() == node.tolist()
    step = 0
    while queue:
        at = queue.pop(0)
        mine = np.flatnonzero(node == at)
        gain, j, threshold = best_split(X[mine], y[mine])
        if gain <= 0:
            continue
        split = steps.splits[step]
        assert split.node == at
        assert split.children == (many, many + 1)
        assert split.gain == pytest.approx(gain * len(mine))
        node[mine] = np.where(X[mine, j] <= threshold, many, many + 1)
        assert split.conditions == (f"x{j} <= {threshold:g}", f"x{j} > {threshold:g}")
        step += 1
        assert steps.nodes[step].tolist() == node.tolist()
        queue += [many, many + 1]
        many += 2
    assert step == len(steps.splits) == len(steps.nodes) - 1 > 3
    assert steps.nodes[-1].tolist() == steps.model.apply(X).tolist()


def test_an_attribute_list_has_the_nodes_of_the_class_list():
    days, play = load_play_tennis(numeric=True, return_X_y=True, as_frame=True)
    steps = tn.trace(tn.SLIQ(), days, play)
    assert steps.labels.tolist() == play.tolist()
    for step in range(len(steps.nodes)):
        for name in days:
            found = steps.attribute_list(name, step)
            assert found["value"] == days[name].iloc[found["row"]].tolist()
            assert found["value"] == sorted(found["value"])
            assert found["class"] == play.iloc[found["row"]].tolist()
            assert found["node"] == steps.nodes[step, found["row"]].tolist()
    table = steps.to_frame()
    assert table["class"].tolist() == play.tolist()
    assert f"after split {len(steps.splits)}" in table
    assert "split 1: node 0 into" in str(steps)


def test_missing_values_come_last_and_rows_of_no_weight_are_left_out():
    X = np.array([[3.0], [np.nan], [1.0], [2.0], [9.0]])
    steps = tn.trace(tn.SLIQ(), X, [0, 1, 1, 0, 1], sample_weight=[1.0, 1.0, 1.0, 1.0, 0.0])
    assert steps.attribute_lists["x0"].rows.tolist() == [2, 3, 0, 1]
    assert steps.nodes.shape[1] == 4
    plain = tn.SLIQ().fit(X, [0, 1, 1, 0, 1], [1.0, 1.0, 1.0, 1.0, 0.0])
    assert plain.tree_.threshold.tobytes() == steps.model.tree_.threshold.tobytes()


def test_a_pure_node_is_not_split():
    steps = tn.trace(tn.SLIQ(), [[1.0], [2.0]], ["a", "a"])
    assert steps.splits == ()
    assert "the root is a leaf" in str(steps)


@pytest.mark.parametrize(
    "learner",
    [tn.ID3(), tn.DecisionTreeClassifier(), tn.DecisionTreeClassifier(method="exact", missing="fractional")],
)
def test_other_trees_have_no_lists(learner):
    with pytest.raises(ValueError, match=r"Remedy: SLIQ\(\)"):
        tn.trace(learner, [[1.0], [2.0]], ["a", "b"])
