"""Trees by the names of books: each makes the first split that its book's criterion says, in its book's branches."""

import numpy as np
import pandas as pd
import pytest

import tenfold as tn

random = np.random.default_rng(0)
FRAME = pd.DataFrame({"a": random.choice(list("pqrs"), 300), "b": random.choice(list("uv"), 300)})
LABEL = ((FRAME["a"] == "p") ^ (random.random(300) < 0.3)).astype(int) + (FRAME["b"] == "u")


def entropy(y):
    share = np.bincount(y) / len(y)
    return -(share[share > 0] * np.log2(share[share > 0])).sum()


def gini(y):
    return 1 - ((np.bincount(y) / len(y)) ** 2).sum()


def gain(impurity, branch):
    return impurity(LABEL) - sum((branch == b).mean() * impurity(LABEL[branch == b]) for b in np.unique(branch))


def ratio(column):
    return gain(entropy, column) / entropy(np.unique(column, return_inverse=True)[1])


def in_two(column):
    """Gini's gain of the best of all sets of categories against the others."""
    values = np.unique(column)
    sets = [np.isin(column, [v for k, v in enumerate(values) if s >> k & 1]) for s in range(1, 2 ** len(values) - 1)]
    return max(gain(gini, one) for one in sets)


@pytest.mark.parametrize(
    ("preset", "worth", "branches"),
    [
        (tn.ID3(max_depth=1), lambda c: 300 * gain(entropy, c), "each"),
        (tn.C45(max_depth=1, prune=None), ratio, "each"),
        (tn.CART(max_depth=1), lambda c: 300 * in_two(c), "two"),
        (tn.SLIQ(max_depth=1), lambda c: 300 * in_two(c), "two"),
    ],
    ids=["ID3", "C4.5", "CART", "SLIQ"],
)
def test_each_is_the_tree_of_its_book(preset, worth, branches):
    found = preset.fit(FRAME, LABEL).tree_
    each = [worth(FRAME[name].to_numpy()) for name in FRAME]
    assert found.feature[0] == np.argmax(each)
    assert found.gain[0] == pytest.approx(max(each), rel=1e-9)
    assert found.children[0] == (2 if branches == "two" else FRAME.iloc[:, found.feature[0]].nunique())
