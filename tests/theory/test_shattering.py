"""Separability with proofs, Radon, general position, shattering, VC dimensions, Cover, ε-nets, duality, sizes."""

from itertools import combinations, product
from math import comb, exp

import numpy as np
import pytest
from scipy.optimize import minimize, nnls

from tenfold import theory

KINDS = ["half-spaces", "intervals", "rectangles"]


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(30))
def test_separations_prove_themselves(seed):
    """A witness has all points on their sides; else both hulls share a point."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(2, 12)), int(random.integers(1, 4))
    X = np.round(random.normal(size=(n, d)) * 10.0 ** random.integers(-3, 4) + random.normal() * 100, 3)
    y = random.integers(0, 2, n)
    y[:2] = 0, 1
    found = theory.linearly_separable(X, y)
    if found:
        value = X @ found.weights + found.intercept
        assert (value[y == 1] >= 1 - 1e-6).all()
        assert (value[y == 0] <= -1 + 1e-6).all()
        assert found.multipliers is None
    else:
        share = found.multipliers
        assert (share >= 0).all()
        for k in (0, 1):
            assert share[y == k].sum() == pytest.approx(1)
        np.testing.assert_allclose(share[y == 1] @ X[y == 1], share[y == 0] @ X[y == 0], atol=1e-6 * np.abs(X).max())
        assert found.weights is None


def test_text_labels_one_class_and_wrong_input():
    assert theory.linearly_separable([[0.0], [1.0]], ["a", "b"])
    one = theory.linearly_separable([[0.0], [1.0]], [True, True])
    assert one.separable
    assert (np.array([[0.0], [1.0]]) @ one.weights + one.intercept >= 1 - 1e-9).all()
    for points, labels, message in (
        ([[0.0], [np.nan]], [0, 1], "finite"),
        ([[0.0], [1.0]], [0], "one for each point"),
        ([[0.0], [1.0], [2.0]], [0, 1, 2], "two classes"),
    ):
        with pytest.raises(ValueError, match=message):
            theory.linearly_separable(points, labels)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_radon_partitions_cannot_be_separated(d):
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(d + 2, d))
        side, point = theory.radon(X)
        assert 0 < side.sum() < d + 2
        assert not theory.linearly_separable(X, side)
        for part in (X[side], X[~side]):  # the point is in the hull of either: a mean of its points
            assert nnls(np.vstack([part.T, np.ones(len(part))]), np.r_[point, 1.0])[1] < 1e-9
    with pytest.raises(ValueError, match="d \\+ 2 points"):
        theory.radon(np.zeros((d + 1, d)))


@pytest.mark.parametrize(("n", "d"), [(n, d) for d in (1, 2, 3) for n in range(1, 9)])
def test_covers_count_is_that_of_all_labellings(n, d):
    """Every labelling of n points in general position, by linear programming."""
    X = np.random.default_rng(10 * n + d).normal(size=(n, d))
    assert theory.in_general_position(X)
    # a labelling and its opposite are separable together, so half of them tell
    half = [(False, *rest) for rest in product((False, True), repeat=n - 1)]
    assert 2 * sum(bool(theory.linearly_separable(X, one)) for one in half) == theory.cover_count(n, d)


def test_general_position_is_what_the_count_needs():
    line = np.array([[0, 0], [1, 1], [2, 2], [0, 1]])
    assert not theory.in_general_position(line)
    assert len(theory.labellings("half-spaces", line)) < theory.cover_count(4, 2) == 14
    assert theory.in_general_position([[1.0], [2.0], [5.0]])
    assert not theory.in_general_position([[1.0], [2.0], [1.0]])
    flat = np.random.default_rng(0).normal(size=(6, 2)) @ np.random.default_rng(1).normal(size=(2, 3))
    assert not theory.in_general_position(flat)
    assert not theory.in_general_position(1e6 + flat)


@pytest.mark.quick
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_half_spaces_have_dimension_d_plus_one(d):
    X = np.random.default_rng(d).normal(size=(d + 2, d))
    assert theory.vc_dimension("half-spaces", X) == d + 1
    assert theory.shatters("half-spaces", np.vstack([np.zeros(d), np.eye(d)]))


def test_intervals_and_rectangles():
    line = np.arange(6.0)[:, None]
    assert theory.vc_dimension("intervals", line) == 2
    assert [theory.growth_function("intervals", line, m) for m in range(7)] == [theory.growth(m, 2) for m in range(7)]
    assert theory.vc_dimension("rectangles", line) == 2
    X = np.random.default_rng(0).normal(size=(7, 2))
    assert theory.vc_dimension("rectangles", np.vstack([[[0, 9], [9, 0], [0, -9], [-9, 0]], X])[:8]) == 4


@pytest.mark.parametrize("seed", range(20))
def test_finite_classes_by_brute_force(seed):
    random = np.random.default_rng(seed)
    table = random.integers(0, 2, (int(random.integers(1, 20)), 5)).astype(bool)
    points = np.arange(5)[:, None]
    shattered = [
        some
        for size in range(6)
        for some in combinations(range(5), size)
        if {tuple(row[list(some)]) for row in table} == set(product((False, True), repeat=size))
    ]
    dimension = max(map(len, shattered))
    assert theory.vc_dimension(table, points) == dimension
    for m in range(6):
        assert theory.growth_function(table, points, m) <= theory.growth(m, dimension)  # Sauer
    by_function = theory.vc_dimension(lambda X, y: (table[:, X[:, 0]] == y).all(axis=1).any(), points)
    assert by_function == dimension
    assert len(table) >= 2**dimension
    assert theory.vc_dimension(table[:0], points) == -1


def test_conjunctions_have_dimension_n():
    points = np.array(list(product((0, 1), repeat=3)))
    terms = [
        [all(w in (2, v) for w, v in zip(t, p, strict=True)) for p in points] for t in product((0, 1, 2), repeat=3)
    ]
    assert theory.vc_dimension([*terms, [False] * 8], points) == 3


def test_half_planes_on_ten_points():
    """The canon: 92 of 1,024 labellings, under Sauer's 176."""
    assert theory.cover_count(10, 2) == 92 < theory.growth(10, 3) == 176


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(20))
def test_epsilon_nets_by_going_through_the_regions(seed):
    random = np.random.default_rng(seed)
    regions, weight = random.random((9, 6)) < 0.4, random.random(6)
    sample, eps = random.integers(0, 6, 2), 0.3
    missed = [r for r in regions if weight[r].sum() / weight.sum() >= eps and not r[sample].any()]
    assert theory.is_epsilon_net(sample, regions, eps, weight) == (not missed)


def test_nets_fail_no_more_often_than_said_and_sizes_invert():
    assert theory.epsilon_net_size(0.1, 0.05, 3) == 729
    assert float(theory.epsilon_net_failure(729, 0.1, 3)) <= 0.05 < float(theory.epsilon_net_failure(728, 0.1, 3))
    assert theory.epsilon_net_failure(80, 0.1, 3).vacuous  # m > 8/eps
    points, eps, random = 60, 0.2, np.random.default_rng(0)
    arcs = np.array([[a <= k < a + w for k in range(points)] for a in range(points) for w in range(1, points - a + 1)])
    m = theory.epsilon_net_size(eps, 0.2, 2)
    fails = sum(not theory.is_epsilon_net(random.integers(0, points, m), arcs, eps) for _ in range(100))
    assert fails <= 20
    few = sum(not theory.is_epsilon_net(random.integers(0, points, 8), arcs, eps) for _ in range(100))
    assert few > 20


def test_a_second_sample_shows_what_the_first_has_missed():
    """P(m rows miss a region of weight ε) ≤ 2 P(they do, and m more have mε/2 of it), for m > 8/ε.

    What is left is to choose halves of 2m rows, in which the regions are no more than the growth function says.
    """
    points, eps, m, runs = 100, 0.05, 161, 4000
    regions = np.array([[a <= k < a + 5 for k in range(points)] for a in range(points - 4)])
    random, missed, shown = np.random.default_rng(0), 0, 0
    for run in range(runs):
        first, second = random.integers(0, points, (2, m))
        without = regions[regions @ np.bincount(first, minlength=points) == 0]
        assert run >= 100 or theory.is_epsilon_net(first, regions, eps) == (len(without) == 0)
        missed += len(without) > 0
        shown += bool((without @ np.bincount(second, minlength=points) >= m * eps / 2).any())
    assert 20 < shown <= missed <= 2 * shown
    rows = np.concatenate([first, second])
    assert len(np.unique(regions[:, rows], axis=0)) <= theory.growth(2 * m, 2)


@pytest.mark.quick
def test_sizes_are_those_of_the_logarithms():
    for n in range(1, 6):
        assert theory.class_size("conjunctions", n) == round(exp(theory.log_conjunctions(n)))
        assert theory.class_size("concepts", min(n, 4)) == round(exp(theory.log_all_concepts(min(n, 4))))
        for k in range(1, min(n, 3) + 1):
            assert np.log(float(theory.class_size("k-CNF", n, k=k))) == pytest.approx(theory.log_k_cnf(n, k))
            assert theory.class_size(f"{k}-DNF", n) == theory.class_size("k-CNF", n, k=k)
            assert np.log(theory.class_size("k-term DNF", n, k=k)) == pytest.approx(theory.log_k_term_dnf(n, k))
            assert theory.class_size(f"{k}-clause CNF", n) == theory.class_size(f"{k}-term DNF", n)
        for leaves in range(1, 6):
            assert np.log(theory.class_size("trees", n, leaves=leaves)) == pytest.approx(theory.log_trees(n, leaves))
    assert theory.class_size("attributes", values=[3, 2, 2, 2, 2, 2]) == 973
    assert theory.sample_size(0.1, 0.05, size=theory.class_size("conjunctions", 10)) == 140
    assert theory.class_size("2-CNF", 3) == 2 ** (6 + 4 * comb(3, 2))
    for given, message in (
        ({"kind": "lines", "n": 3}, "kind must be one of"),
        ({"kind": "k-CNF", "n": 3}, "needs k"),
        ({"kind": "trees", "n": 3}, "needs leaves"),
        ({"kind": "attributes"}, "needs values"),
        ({"kind": "conjunctions"}, "needs n"),
        ({"kind": "concepts", "n": 40}, "Remedy: the logarithm"),
    ):
        with pytest.raises(ValueError, match=message):
            theory.class_size(**given)


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(10))
def test_weak_and_strong_duality(seed):
    """The dual is never above the objective; at the optimum of a small problem they meet, by scipy."""
    random = np.random.default_rng(seed)
    n, k = 3, 4
    root = random.normal(size=(n, n))
    P, q, G = root @ root.T + np.eye(n), random.normal(size=n), random.normal(size=(k, n))
    h = G @ random.normal(size=n) + random.random(k)
    assert theory.strictly_feasible(G, h)
    best = minimize(
        lambda x: 0.5 * x @ P @ x + q @ x, np.zeros(n), jac=lambda x: P @ x + q,
        constraints={"type": "ineq", "fun": lambda x: h - G @ x, "jac": lambda x: -G}, tol=1e-12,
    )  # fmt: skip
    for z in random.random((20, k)) * 3:
        low = theory.dual_value(P, q, G, h, z)
        assert low <= best.fun + 1e-8
        least = minimize(lambda x, z=z: theory.lagrangian(P, q, G, h, x, z), np.zeros(n))
        assert low == pytest.approx(least.fun, abs=1e-6)
    top = minimize(lambda z: -theory.dual_value(P, q, G, h, z), np.ones(k), bounds=[(0, None)] * k, tol=1e-12)
    assert -top.fun == pytest.approx(best.fun, abs=1e-4)


def test_slater_asks_for_one_point_inside_all_constraints():
    """x ≥ 0 and x ≤ 0 have a point inside each, and none inside both."""
    one, other = ([[1.0]], [0.0]), ([[-1.0]], [0.0])
    assert theory.strictly_feasible(*one)
    assert theory.strictly_feasible(*other)
    assert not theory.strictly_feasible([[1.0], [-1.0]], [0.0, 0.0])
    assert not theory.strictly_feasible([[1.0], [-1.0]], [0.0, -1.0])
    assert not theory.strictly_feasible([[0.0]], [0.0])
    assert theory.strictly_feasible([[0.0], [1.0]], [1.0, 5.0])
    assert theory.dual_value([[0.0]], [1.0], [[1.0]], [0.0], [0.0]) == -np.inf
    with pytest.raises(ValueError, match="must not be below 0"):
        theory.dual_value([[1.0]], [1.0], [[1.0]], [0.0], [-1.0])
