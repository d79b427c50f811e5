"""The shortest tree against an enumeration of all trees, and ID3 against it."""

import itertools

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from tenfold.theory import shortest_tree


def all_trees(X, y, rows, columns):
    """The depths of the leaves, with their rows, of every tree that tests no column twice on a path."""
    if len({y[i] for i in rows}) <= 1:
        yield [(0, len(rows))]
        return
    able = [j for j in columns if len({X[i][j] for i in rows}) > 1]
    if not able:
        yield [(0, len(rows))]
    for j in able:
        parts = [[i for i in rows if X[i][j] == v] for v in sorted({X[i][j] for i in rows})]
        below = [list(all_trees(X, y, part, columns)) for part in parts]
        for some in itertools.product(*below):
            yield [(d + 1, n) for leaves in some for d, n in leaves]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_against_all_trees(seed, weighted):
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 2 + seed % 2, (9, 3)).tolist(), random.integers(0, 2, 9).tolist()
    lengths = [sum(d * (n if weighted else 1) for d, n in leaves) for leaves in all_trees(X, y, range(9), range(3))]
    found = shortest_tree(X, y, weighted=weighted)
    assert found.length == min(lengths)
    ours = pd.DataFrame(X, columns=list("abc")).astype(str)
    stats = tn.ID3().fit(ours, y).tree_stats() if len(set(y)) > 1 else None
    if stats is not None:
        greedy = stats.weighted_external_path_length if weighted else stats.external_path_length
        assert greedy >= found.length


def walk(tree, row):
    depth = 0
    while isinstance(tree, tuple):
        column, branches = tree
        tree, depth = branches[row[column]], depth + 1
    return tree, depth


def test_the_tree_says_what_it_was_shown():
    random = np.random.default_rng(3)
    X = random.integers(0, 3, (20, 4)).tolist()
    y = [(a + b) % 2 for a, b, _, _ in X]
    found = shortest_tree(X, y, weighted=True)
    told = [walk(found.tree, row) for row in X]
    assert [label for label, _ in told] == y
    assert sum(depth for _, depth in told) == found.length
    assert max(depth for _, depth in told) == found.height


def test_of_a_frame():
    X = pd.DataFrame({"sky": ["dry", "wet", "dry", "wet"], "wind": [1, 1, 2, 2]})
    found = shortest_tree(X, pd.Series(["go", "stay", "stay", "go"]))
    assert found.length == 8
    assert [walk(found.tree, row)[0] for row in X.to_numpy()] == ["go", "stay", "stay", "go"]


def test_rows_that_contradict_each_other():
    found = shortest_tree([["a"], ["a"], ["a"]], [1, 1, 0])
    assert found == (0, 1, 0, 1)


def test_errors():
    with pytest.raises(ValueError, match="a class for each row"):
        shortest_tree([1, 2], [0, 1])
    random = np.random.default_rng(0)
    with pytest.raises(ValueError, match="fewer columns"):
        shortest_tree(random.integers(0, 2, (40, 12)), random.integers(0, 2, 40), most=1000)
