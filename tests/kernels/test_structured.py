from itertools import product

import numpy as np
import pytest

import tenfold as tn

random = np.random.default_rng(0)
WORDS = ["".join(random.choice(list("ACGT"), n)) for n in (0, 1, 2, 3, 5, 8, 8, 13)]
SETS = [set(random.integers(0, 9, n).tolist()) for n in (0, 0, 1, 2, 3, 5, 7)]


def test_spectrum_by_listing_all_substrings():
    def substrings(word, p):
        return [word[i : i + p] for i in range(len(word) - p + 1)]

    for p in (1, 2, 3):
        by_hand = [[sum(a == b for a in substrings(x, p) for b in substrings(z, p)) for z in WORDS] for x in WORDS]
        np.testing.assert_array_equal(tn.kernels.SpectrumKernel(p)(WORDS), by_hand)
        np.testing.assert_array_equal(tn.kernels.SpectrumKernel(p).diagonal(WORDS), np.diag(by_hand))


@pytest.mark.parametrize(
    ("length", "mismatches", "alphabet"), [(1, 1, "ACGT"), (3, 1, "ACGT"), (3, 2, "ACGT"), (2, 0, "ACGT"), (3, 3, "AB")]
)
def test_mismatch_by_listing_all_words(length, mismatches, alphabet):
    words = WORDS if alphabet == "ACGT" else ["ABBA", "BABAAB", "A", "AAA"]

    def features(word):
        found = dict.fromkeys(product(alphabet, repeat=length), 0)
        for i in range(len(word) - length + 1):
            for near in found:
                found[near] += sum(a != b for a, b in zip(near, word[i : i + length])) <= mismatches
        return np.array(list(found.values()), float)

    by_hand = np.array([features(word) for word in words])
    kernel = tn.kernels.MismatchKernel(length, mismatches, alphabet)
    np.testing.assert_array_equal(kernel(words), by_hand @ by_hand.T)
    np.testing.assert_array_equal(kernel.diagonal(words), (by_hand**2).sum(axis=1))


def test_sets_by_listing_members_and_subsets():
    both = [[len(a & b) for b in SETS] for a in SETS]
    np.testing.assert_array_equal(tn.kernels.SetKernel()(SETS), both)
    np.testing.assert_array_equal(tn.kernels.SetKernel("subsets")(SETS), np.exp2(both))
    by_hand = [[len(a & b) / len(a | b) if a | b else 1.0 for b in SETS] for a in SETS]
    np.testing.assert_allclose(tn.kernels.SetKernel("jaccard")(SETS), by_hand, rtol=1e-15)
    for kind in ("intersection", "subsets", "jaccard"):
        kernel = tn.kernels.SetKernel(kind)
        np.testing.assert_array_equal(kernel.diagonal(SETS), np.diag(kernel(SETS)))
        assert tn.kernels.is_psd(kernel, SETS)


def fragments(tree):
    """All fragments at the top of a tree, and of the trees below it: (labels, size)."""

    def at_top(node):
        ways = [()]
        for child in node[1:]:
            if isinstance(child, tuple) and len(child) > 1:
                options = [(child[0],), *at_top(child)]
            else:
                options = [child]
            ways = [(*way, option) for way in ways for option in options]
        return [(node[0], *way) for way in ways]

    found = at_top(tree)
    for child in tree[1:]:
        if isinstance(child, tuple) and len(child) > 1:
            found += fragments(child)
    return found


def size(fragment):
    return 1 + sum(size(child) for child in fragment[1:] if isinstance(child, tuple) and len(child) > 1)


def test_trees_by_listing_all_fragments():
    a = ("S", ("NP", ("D", "the"), ("N", "dog")), ("VP", ("V", "ate"), ("NP", ("D", "the"), ("N", "cat"))))
    b = ("S", ("NP", ("D", "a"), ("N", "dog")), ("VP", ("V", "ate")))
    c = ("NP", ("D", "the"), ("N", "cat"))
    for decay in (1.0, 0.4):
        by_hand = [
            [sum(decay ** size(f) for f in fragments(x) for g in fragments(z) if f == g) for z in (a, b, c)]
            for x in (a, b, c)
        ]
        np.testing.assert_allclose(tn.kernels.TreeKernel(decay)([a, b, c]), by_hand, rtol=1e-12)
    deep = ("A", "x")
    for depth in range(5000):  # deeper than Python may recur
        deep = (f"A{depth}", deep)
    assert np.isfinite(tn.kernels.TreeKernel(0.3)([deep])).all()


@pytest.mark.parametrize(
    ("kernel", "rows"),
    [
        (tn.kernels.SpectrumKernel(), "one string"),
        (tn.kernels.SpectrumKernel(), [b"bytes"]),
        (tn.kernels.MismatchKernel(), ["ACX"]),
        (tn.kernels.SetKernel(), ["word"]),
        (tn.kernels.TreeKernel(), ["leaf"]),
        (tn.kernels.TreeKernel(), [()]),
    ],
)
def test_other_things_are_refused(kernel, rows):
    with pytest.raises((TypeError, ValueError)):
        kernel(rows)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tn.kernels.SpectrumKernel(0),
        lambda: tn.kernels.SpectrumKernel(1.5),
        lambda: tn.kernels.MismatchKernel(2, 3),
        lambda: tn.kernels.MismatchKernel(alphabet="AA"),
        lambda: tn.kernels.MismatchKernel(alphabet=""),
        lambda: tn.kernels.SetKernel("union"),
        lambda: tn.kernels.TreeKernel("small"),
    ],
)
def test_parameters_are_checked(make):
    with pytest.raises(ValueError):
        make()


def test_normalised_strings_have_cosines():
    kernel = tn.kernels.SpectrumKernel(2).normalized()
    found = kernel(["ACAC", "ACACACAC", "GG", "A"])
    assert found[0, 0] == found[2, 2] == 1.0
    assert found[3, 3] == 0.0
    assert 0.9 < found[0, 1] <= 1.0
    assert not tn.kernels.TreeKernel(-0.5).psd
