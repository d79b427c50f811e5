"""The tree of merges is a function of the set of leaves, deep as the logarithm of their number."""

import numpy as np

from tenfold.models.ledger.merge_order import merge_order, nodes_of, priority


def brute(names):
    """The root is the leaf of the highest priority; those before it are below on the left, those after on the right."""
    if not names:
        return None
    root = max(names, key=priority)
    at = names.index(root)
    return root, brute(names[:at]), brute(names[at + 1 :])


def shape(node):
    return None if node is None else (node.name, shape(node.left), shape(node.right))


def test_it_is_the_treap_of_the_names():
    for n in range(1, 60):
        names = [f"{k:04d}" for k in range(n)]
        root = merge_order(names, names)
        assert shape(root) == brute(names)
        assert sorted(node.name for node in nodes_of(root)) == names
        for node in nodes_of(root):
            below = sorted(one.name for one in nodes_of(node))
            assert (node.first, node.last, node.leaves) == (below[0], below[-1], len(below))


def test_it_is_not_deep_and_a_window_shares_most_of_it():
    names = [f"{k:04d}" for k in range(4000)]
    root = merge_order(names, names)

    def depth(node):
        return 0 if node is None else 1 + max(depth(node.left), depth(node.right))

    assert depth(root) < 4 * np.log2(4000)
    stamps = {node.stamp for node in nodes_of(root)}
    for start in (1, 1000, 3970):
        some = merge_order(names[start:], names[start:])
        new = [node for node in nodes_of(some) if node.stamp not in stamps]
        assert len(new) < 40
    gone = [*names[:2000], *names[2001:]]
    assert len([node for node in nodes_of(merge_order(gone, gone)) if node.stamp not in stamps]) < 60


def test_stamps_differ_by_leaves_and_tags():
    names = list("abcdef")
    stamp = merge_order(names, names).stamp
    assert merge_order(names, names).stamp == stamp
    assert merge_order(names[:-1], names[:-1]).stamp != stamp
    assert merge_order(names, [*names[:-1], "other"]).stamp != stamp
    assert merge_order([], []) is None
