"""Benchmark problems against their definitions, written out for one point at a time, and their known optima."""

import itertools

import numpy as np
import pytest

import tenfold as tn
from tenfold import search


def run_at(bits, value):
    return next((at for at, bit in enumerate(bits) if bit != value), len(bits))


def longest(bits, value):
    return max((len(list(some)) for bit, some in itertools.groupby(bits) if bit == value), default=0)


def four(bits, T):
    head, tail = run_at(bits, 1), run_at(bits[::-1], 0)
    return max(head, tail) + (len(bits) if head > T and tail > T else 0)


def six(bits, T):
    both = run_at(bits, 1) > T and run_at(bits[::-1], 0) > T
    either = both or (run_at(bits, 0) > T and run_at(bits[::-1], 1) > T)
    return max(run_at(bits, 1), run_at(bits[::-1], 0)) + (len(bits) if either else 0)


def continuous(bits, T):
    ones, zeros = longest(bits, 1), longest(bits, 0)
    return max(ones, zeros) + (len(bits) if ones > T and zeros > T else 0)


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 0.45, 1.0])
@pytest.mark.parametrize(
    ("make", "one"),
    [(search.four_peaks, four), (search.six_peaks, six), (search.continuous_peaks, continuous)],
)
def test_peaks(make, one, threshold):
    n = 11
    X = np.array(list(itertools.product((0, 1), repeat=n)))
    problem = make(n, threshold)
    T = int(np.ceil(threshold * n))
    wanted = [one(bits, T) for bits in X.tolist()]
    assert problem.objective(X).tolist() == wanted
    assert problem.optimum == max(wanted)


def test_flip_flop_and_knapsack():
    X = np.array(list(itertools.product((0, 1), repeat=8)))
    assert search.flip_flop(8).objective(X).tolist() == [sum(a != b for a, b in itertools.pairwise(x)) for x in X]
    rng = np.random.default_rng(0)
    weights, values = rng.integers(0, 20, 8), rng.integers(0, 20, 8)
    wanted = [v if w <= 40 else 0 for w, v in zip((X * weights).sum(axis=1), (X * values).sum(axis=1))]
    assert search.knapsack(weights, values, 40).objective(X).tolist() == wanted


def test_coloring():
    edges = [[0, 1], [1, 2], [2, 0], [2, 3]]
    X = np.array(list(itertools.product(range(3), repeat=5)))
    problem = search.k_coloring(edges, 3, n_nodes=5)
    assert problem.objective(X).tolist() == [sum(x[a] == x[b] for a, b in edges) for x in X.tolist()]
    assert problem.objective(X).min() == 0
    two = search.k_coloring(edges, 2)
    assert two.objective(np.array(list(itertools.product(range(2), repeat=4)))).min() == 1


@pytest.mark.parametrize("n", [4, 5, 6])
def test_queens(n):
    X = np.array(list(itertools.permutations(range(n))))
    pairs = list(itertools.combinations(range(n), 2))
    wanted = [sum(abs(x[i] - x[j]) == j - i for i, j in pairs) for x in X.tolist()]
    assert search.queens(n).objective(X).tolist() == wanted
    assert wanted.count(0) == {4: 2, 5: 10, 6: 4}[n]


def test_tours_and_dents():
    cities = np.random.default_rng(0).random((6, 2))
    X = np.array(list(itertools.permutations(range(6))))
    wanted = [sum(np.hypot(*(cities[a] - cities[b])) for a, b in zip(x, x[1:] + x[:1])) for x in X.tolist()]
    np.testing.assert_allclose(search.tsp(cities).objective(X), wanted, rtol=1e-13)
    apart = np.sqrt(((cities[:, None] - cities) ** 2).sum(axis=2))
    assert search.tsp(apart).objective(X).tobytes() == search.tsp(cities).objective(X).tobytes()
    X = np.random.default_rng(1).uniform(-5.12, 5.12, (50, 3))
    wanted = [30 + sum(v * v - 10 * np.cos(2 * np.pi * v) for v in x) for x in X.tolist()]
    np.testing.assert_allclose(search.rastrigin(3).objective(X), wanted, rtol=1e-12)
    assert search.rastrigin(3).objective(np.zeros((1, 3))).tolist() == [0.0]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: search.four_peaks(1), "n must be an integer at least 2"),
        (lambda: search.four_peaks(10, 1.5), "threshold must be from 0 to 1"),
        (lambda: search.knapsack([1, 2], [1], 3), "an entry for each thing"),
        (lambda: search.k_coloring([[0.5, 1]], 2), "two nodes in each row"),
        (lambda: search.k_coloring([[0, 5]], 2, n_nodes=3), "n_nodes must be an integer at least 6"),
        (lambda: search.tsp([[0, 0], [1, np.nan], [1, 1]]), "finite"),
        (lambda: search.rastrigin(0), "n must be"),
    ],
)
def test_wrong_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_objectives_that_cannot_be_used():
    bits, runner = search.Bits(4), tn.Local(1)
    X = np.zeros((3, 4), dtype=np.int64)
    with pytest.raises(TypeError, match="objective must be a function"):
        search.Problem(3, bits)
    with pytest.raises(TypeError, match="space must be Bits"):
        search.Problem(np.sum, 4)
    with pytest.raises(ValueError, match=r"an array of shape \(3,\), but gave the shape \(\)"):
        search.Problem(np.sum, bits).scores(X, runner)
    with pytest.raises(ValueError, match=r"NaN for \[0, 0, 0, 0\]"):
        search.Problem(lambda X: np.full(len(X), np.nan), bits).scores(X, runner)

    def writes(X):
        X[:] = 1
        return X.sum(axis=1)

    with pytest.raises(ValueError, match="read-only"):
        search.Problem(writes, bits).scores(X, runner)
