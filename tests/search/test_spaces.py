"""Spaces: what is drawn lies in them, moves are fair, children are made of their parents."""

import itertools

import numpy as np
import pytest

from tenfold import search

SPACES = [
    search.Bits(7),
    search.Discrete([2, 3, 5]),
    search.Permutations(6),
    search.Permutations(6, move="swap"),
    search.Box([0.0, -5.0, 1e6], [1e-3, 5.0, 1e6 + 1], step=0.4),
]


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_operations_stay_in_the_space(space):
    rng = np.random.default_rng(0)
    X = space.sample(300, rng)
    mask = rng.random(X.shape) < 0.5
    other = space.sample(300, rng)
    for made in (X, space.neighbors(X, rng), space.mutate(X, 0.5, rng), space.combine(X, other, mask)):
        assert space.check(made).tobytes() == made.tobytes()
        assert made.shape == (300, space.n_variables)


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_neighbors_differ_by_one_move(space):
    rng = np.random.default_rng(1)
    X = space.sample(500, rng)
    changed = (space.neighbors(X, rng) != X).sum(axis=1)
    assert changed.min() >= 1
    if isinstance(space, search.Permutations):
        assert changed.max() == (2 if space.move == "swap" else 6)
    else:
        assert changed.max() == 1
    assert space.mutate(X, 0.0, rng).tobytes() == X.tobytes()


@pytest.mark.parametrize(
    "space", [search.Discrete([2, 3]), search.Permutations(4), search.Permutations(4, move="swap")], ids=repr
)
def test_moves_are_symmetric(space):
    """As likely there as back: what the theory of annealing rests on."""
    if isinstance(space, search.Permutations):
        points = np.array(list(itertools.permutations(range(4))))
    else:
        points = np.array(list(itertools.product(range(2), range(3))))
    rng, n = np.random.default_rng(2), 4_000
    place = {tuple(point): at for at, point in enumerate(points.tolist())}
    count = np.zeros((len(points), len(points)))
    for at, point in enumerate(points):
        there = space.neighbors(np.tile(point, (n, 1)), rng)
        np.add.at(count[at], [place[tuple(row)] for row in there.tolist()], 1)
    assert ((count > 0) == (count.T > 0)).all()
    assert np.abs(count - count.T).max() < 6 * np.sqrt(n)


def test_samples_are_uniform():
    rng = np.random.default_rng(3)
    orders = search.Permutations(4).sample(24_000, rng)
    _, count = np.unique(orders @ [64, 16, 4, 1], return_counts=True)
    assert len(count) == 24
    assert np.abs(count - 1_000).max() < 5 * np.sqrt(1_000)
    codes = search.Discrete([2, 5]).sample(10_000, rng) @ [5, 1]
    assert np.abs(np.bincount(codes) - 1_000).max() < 5 * np.sqrt(1_000)


def test_order_crossover():
    first, second = np.array([[0, 1, 2, 3, 4, 5]]), np.array([[5, 3, 1, 4, 2, 0]])
    mask = np.array([[False, False, True, True, False, False]])
    assert search.Permutations(6).combine(first, second, mask).tolist() == [[5, 1, 2, 3, 4, 0]]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: search.Bits(0), "n must be an integer at least 1"),
        (lambda: search.Discrete([2, 1]), "sizes must be an integer at least 2"),
        (lambda: search.Discrete([]), "has none"),
        (lambda: search.Permutations(3, move="turn"), "move must be one of"),
        (lambda: search.Box([0.0, 1.0], [1.0, 1.0]), "low below high"),
        (lambda: search.Bits(3).check([[0, 1, 2]]), "whole numbers from 0"),
        (lambda: search.Bits(3).check([[0, 1]]), "3 columns"),
        (lambda: search.Permutations(3).check([[0, 1, 1]]), "once"),
        (lambda: search.Box([0.0], [1.0]).check([[2.0]]), "within the bounds"),
    ],
)
def test_wrong_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()
