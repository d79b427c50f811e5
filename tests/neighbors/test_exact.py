"""Neighbours are those of brute force in float64; lists of them merge."""

import numpy as np
import pytest

import tenfold as tn
from neighbors.exact_sets import KINDS, brute_force, draw_set, exact
from tenfold.compiled.neighbors.neighbors import SQUARES
from tenfold.neighbors.distance import Distance
from tenfold.neighbors.nearest_rows import nearest
from tenfold.stats.rows.training_rows import TrainingRows
from tenfold.testing import bits


@pytest.mark.parametrize("seed", range(4 * len(KINDS)), ids=lambda seed: f"{KINDS[seed % len(KINDS)]}-{seed}")
def test_neighbours_are_those_of_brute_force(seed):
    assert exact(seed)


def test_a_product_alone_would_not_be_exact():
    """At an offset of 1e8, |x|² - 2xz + |z|² in float64 has no digit left; what the library does has all."""
    random = np.random.default_rng(0)
    X, Q = random.normal(size=(300, 5)) + 1e8, random.normal(size=(40, 5)) + 1e8
    _, right = brute_force(X, Q, 3)
    textbook = (X**2).sum(axis=1) - 2 * Q @ X.T + (Q**2).sum(axis=1)[:, None]
    assert (np.argsort(textbook, axis=1, kind="stable")[:, :3] != right).mean() > 0.5
    assert np.array_equal(tn.KNeighborsRegressor(3).fit(X, X[:, 0]).kneighbors(Q)[1], right)


def test_columns_count_by_their_weights():
    X, Q, _ = draw_set(0)
    scale = np.random.default_rng(1).gamma(1.0, size=X.shape[1])
    scale[0] = 0.0
    _, order = brute_force(X, Q, 4, scale)
    for algorithm in ("auto", "brute"):
        model = tn.KNeighborsRegressor(4, attribute_weights=scale, algorithm=algorithm).fit(X, X[:, 0])
        assert np.array_equal(model.kneighbors(Q)[1], order)


def pieces(weighted, seed=3):
    """Lists of one set of queries, of three parts of the rows, and of all."""
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 4, (60, 2)).astype(float), random.integers(0, 3, 60).astype(float)
    weight = random.choice([0.25, 0.5, 1.0, 3.0], 60) if weighted else np.ones(60)
    rows = TrainingRows(X, y, weight, np.arange(len(X)))
    distance = Distance(SQUARES, 2.0, np.ones(2), np.zeros(2, bool))
    query = random.integers(0, 4, (25, 2)).astype(float)

    def of(a, b):
        part = TrainingRows(*(np.ascontiguousarray(v[a:b]) for v in (rows.X, rows.y, rows.weight, rows.place)))
        found = nearest(distance, query, part, 4.0, 3)
        return type(found)(found.entries, np.where(found.number >= 0, found.number + a, -1), found.tied, 4.0, 3)

    return [of(0, 13), of(13, 13), of(13, 40), of(40, 60), of(0, 60)]


@pytest.mark.parametrize("weighted", [False, True])
def test_lists_merge(weighted):
    a, none, b, c, whole = pieces(weighted)
    assert bits((a + b) + c) == bits(a + (b + c)) == bits(whole)
    assert bits(a + none) == bits(a) == bits(none + a)
    assert (whole.tied > 0).any(), "no ties were met"
    assert ((whole.weight.sum(axis=1) >= 4) & (whole.weight[:, 0] < 4)).all()
