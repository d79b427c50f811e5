"""Distributions of trees, chains and independent variables: against definitions, brute force and their samples."""

import itertools

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import mutual_info_score

from tenfold import search

SIZES = np.array([2, 3, 2, 4])


def rows(n=400, seed=0):
    """Codes that depend on each other, some values rare."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.7, a, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.8, 1 - a, rng.integers(0, 2, n))
    d = np.where(rng.random(n) < 0.6, b, rng.integers(0, 4, n))
    return np.stack([a, b, c, d], axis=1)


def test_counts_of_pairs_add_up():
    X = rows()
    parts = [search.pair_counts(some, SIZES) for some in np.array_split(X, 7)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    whole = search.pair_counts(X, SIZES)
    assert total.count.tobytes() == whole.count.tobytes()
    one_hot = np.concatenate([np.eye(size)[X[:, j]] for j, size in enumerate(SIZES)], axis=1)
    assert whole.count.tolist() == (one_hot.T @ one_hot).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_the_tree_is_the_best_of_all_trees(seed):
    X = rows(60, seed)
    found = search.fit_dependence(search.pair_counts(X, SIZES), SIZES)
    place = found.order.tolist()
    assert sorted(place) == [0, 1, 2, 3]
    edges = [(int(found.parent[j]), j) for j in place[1:]]
    assert all(place.index(parent) < place.index(j) for parent, j in edges)

    def shared(some):
        return sum(mutual_info_score(X[:, a], X[:, b]) for a, b in some)

    every = itertools.combinations(itertools.combinations(range(4), 2), 3)
    assert shared(edges) == pytest.approx(max(shared(some) for some in every if _is_tree(4, some)), abs=1e-9)


def _is_tree(d, edges):
    """Whether so many edges, one fewer than nodes, reach every node from node 0."""
    reached = {0}
    for _ in range(d):
        reached |= {x for edge in edges if reached & set(edge) for x in edge}
    return len(reached) == d


@pytest.mark.parametrize("model", ["tree", "chain", "independent"])
@pytest.mark.parametrize("smoothing", [0.0, 2.0])
def test_samples_have_the_distribution(model, smoothing):
    found = search.fit_dependence(search.pair_counts(rows(), SIZES), SIZES, model, smoothing)
    points = np.array(list(itertools.product(*map(range, SIZES))))
    wanted = np.exp(found.log_probability(points))
    assert wanted.sum() == pytest.approx(1)
    drawn = found.sample(100_000, np.random.default_rng(0))
    count = np.bincount(drawn @ [24, 8, 4, 1], minlength=48)
    here = count[points @ [24, 8, 4, 1]]
    assert here.sum() == 100_000
    assert (here[wanted == 0] == 0).all()
    some = 100_000 * wanted > 5
    rest = [here[~some].sum()], [100_000 * wanted[~some].sum()]
    observed, expected = np.concatenate([here[some], rest[0]]), np.concatenate([100_000 * wanted[some], rest[1]])
    keep = expected > 5
    _, p = stats.chisquare(observed[keep], expected[keep] * observed[keep].sum() / expected[keep].sum())
    assert p > 1e-4


def test_the_distribution_keeps_the_pairs_of_the_tree():
    """A fitted tree has the rows' own frequencies of each variable with its parent."""
    X = rows()
    found = search.fit_dependence(search.pair_counts(X, SIZES), SIZES)
    points = np.array(list(itertools.product(*map(range, SIZES))))
    p = np.exp(found.log_probability(points))
    for j, parent in enumerate(found.parent):
        for a, b in itertools.product(range(SIZES[parent]), range(SIZES[j])):
            share = ((X[:, parent] == a) & (X[:, j] == b)).mean()
            assert p[(points[:, parent] == a) & (points[:, j] == b)].sum() == pytest.approx(share, abs=1e-12)


def test_trees_fit_better_than_chains_and_those_better_than_nothing():
    X = rows()
    pairs = search.pair_counts(X, SIZES)
    fit = {
        model: search.fit_dependence(pairs, SIZES, model).log_probability(X).sum()
        for model in ("tree", "chain", "independent")
    }
    assert fit["tree"] >= fit["chain"] > fit["independent"]


def test_the_chain_goes_on_to_the_least_entropy():
    X = rows()
    found = search.fit_dependence(search.pair_counts(X, SIZES), SIZES, "chain")

    def entropy(j, given=None):
        if given is None:
            return stats.entropy(np.bincount(X[:, j]))
        return mutual_info_score(X[:, j], X[:, j]) - mutual_info_score(X[:, j], X[:, given])

    left, last = [0, 1, 2, 3], None
    for j in found.order:
        assert j == min(left, key=lambda k: entropy(k, last))
        assert found.parent[j] == (j if last is None else last)
        left.remove(j)
        last = j


@pytest.mark.parametrize("X", [[[0, 3, 0, 0]], [[0, -1, 0, 0]], [[0, 0, 0]], np.empty((0, 4))])
def test_codes_that_cannot_be_counted(X):
    with pytest.raises(ValueError, match="rows of 4 whole numbers"):
        search.pair_counts(np.asarray(X), SIZES)


def test_values_that_nobody_has():
    """Variables that never vary, and values of a parent that are not there."""
    X = np.array([[0, 2, 1, 0]] * 5)
    found = search.fit_dependence(search.pair_counts(X, SIZES), SIZES)
    assert (found.sample(50, np.random.default_rng(0)) == X[0]).all()
    smooth = search.fit_dependence(search.pair_counts(X, SIZES), SIZES, smoothing=3.0)
    drawn = smooth.sample(3_000, np.random.default_rng(0))
    assert [len(np.unique(drawn[:, j])) for j in range(4)] == SIZES.tolist()


# ---- permutations ---------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["tree", "chain", "independent"])
def test_permutations_are_drawn_value_after_value(model):
    """The frequency of each of the 24 orders is the product of the weights over those of the values that are left."""
    rng = np.random.default_rng(3)
    X = np.argsort(rng.random((40, 4)) + 0.3 * np.arange(4), axis=1)
    sizes = np.full(4, 4)
    found = search.fit_dependence(search.pair_counts(X, sizes), sizes, model, 0.5)
    chance = {}
    for order in itertools.permutations(range(4)):
        p, left = 1.0, {*range(4)}
        for j in found.order.tolist():
            weights = found.weights[j, order[found.parent[j]] if found.parent[j] != j else 0]
            p *= weights[order[j]] / sum(weights[v] for v in left)
            left.remove(order[j])
        chance[order] = p
    assert sum(chance.values()) == pytest.approx(1.0)
    drawn = found.sample_permutations(60_000, np.random.default_rng(0))
    assert (np.sort(drawn, axis=1) == np.arange(4)).all()
    seen = [int((drawn == order).all(axis=1).sum()) for order in chance]
    assert stats.chisquare(seen, 60_000 * np.array([*chance.values()])).pvalue > 1e-4


def test_values_without_weight_are_drawn_only_if_no_other_is_left():
    X = np.array([[0, 1, 2], [1, 0, 2]])
    sizes = np.full(3, 3)
    found = search.fit_dependence(search.pair_counts(X, sizes), sizes, "independent")
    drawn = found.sample_permutations(2_000, np.random.default_rng(0))
    assert {tuple(row) for row in drawn.tolist()} == {(0, 1, 2), (1, 0, 2)}
    with pytest.raises(ValueError, match="permutations of 2 variables need 2 values each"):
        search.fit_dependence(search.pair_counts(X[:, :2], sizes[:2]), sizes[:2]).sample_permutations(1, None)


@pytest.mark.parametrize("model", ["tree", "chain", "independent"])
def test_mimic_over_permutations_finds_what_brute_force_and_the_hungarian_method_find(model):
    method = search.MIMIC(population=300, model=model)
    cost = np.random.default_rng(5).random((7, 7))
    places, values = linear_sum_assignment(cost)
    assign = search.Problem(
        lambda X: cost[np.arange(7), X].sum(axis=1), search.Permutations(7, move="swap"), maximize=False
    )
    each = [search.optimize(assign, method, evaluations=6_000, random_state=seed) for seed in range(3)]
    best = min(each, key=lambda found: found.fitness)
    assert best.best.tolist() == values.tolist()
    assert best.fitness == pytest.approx(cost[places, values].sum())
    uniform = assign.objective(assign.space.sample(6_000, np.random.default_rng(0)))
    assert max(found.fitness for found in each) <= uniform.min()  # none is worse than as many draws
    cities = np.random.default_rng(2).random((6, 2))
    tour = search.tsp(cities)
    shortest = min(tour.objective(np.array([[0, *rest] for rest in itertools.permutations(range(1, 6))])))
    assert search.optimize(tour, method, evaluations=6_000).fitness == pytest.approx(shortest)
    assert search.optimize(search.queens(6), method, evaluations=6_000).fitness == 0
