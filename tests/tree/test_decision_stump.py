"""A stump against all stumps there are."""

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from brute_splits import impurity, sides, table


def least_error(X, y, weight):
    """Of every split of every column, and of none."""
    found = [impurity(y, weight, "error")]
    for name in X:
        for left in sides(X[name]):
            found.append(sum(impurity(y[side], weight[side], "error") for side in (left, ~left)))
    return min(found) / weight.sum()


@pytest.mark.parametrize("seed", range(60))
def test_no_stump_gets_less_wrong(seed):
    """With missing values, categories, up to four classes and weights that are no whole numbers."""
    X, y, _ = table(seed)
    weight = np.random.default_rng(seed).random(len(y)) + 0.01
    model = tn.DecisionStump().fit(X, y, sample_weight=weight)
    assert model.tree_.max_depth <= 1
    wrong = weight[model.predict(X) != y].sum() / weight.sum()
    assert wrong == pytest.approx(least_error(X, y, weight), abs=1e-12)
    assert model.certificate_["training error"].value == pytest.approx(wrong, abs=1e-9)


def test_it_is_a_tree_of_depth_one():
    X, y, weight = table(3)
    stump = tn.DecisionStump("gini").fit(X, y, sample_weight=weight)
    tree = tn.DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(stump.predict_proba(X), tree.predict_proba(X))


def test_a_branch_for_each_category():
    X = pd.DataFrame({"c": list("aabbcc")})
    y = np.array([0, 0, 1, 1, 2, 2])
    assert tn.DecisionStump(split="multiway").fit(X, y).score(X, y) == 1.0
    assert tn.DecisionStump().fit(X, y).score(X, y) == pytest.approx(4 / 6)


def test_either_side_says_the_most_common_class_if_no_split_is_better():
    model = tn.DecisionStump().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "a"])
    assert model.predict([[-1.0], [2.0], [9.0]]).tolist() == ["a", "a", "a"]


def test_what_is_no_parameter():
    with pytest.raises(TypeError, match="max_depth"):
        tn.DecisionStump(max_depth=2)
    assert set(tn.DecisionStump().get_params()) == {
        "criterion", "split", "missing", "min_samples_leaf", "max_bins", "random_state"
    }  # fmt: skip
