"""Scatter within classes: the same as from the rows, whole, merged and by group; fourth moments; triangles."""

import numpy as np
import pytest

from tenfold.core import Chunk, Columns
from tenfold.stats.moments.centered_factor import Triangle
from tenfold.stats.moments.fourth_moments import ClassFourth
from tenfold.stats.moments.scatter import ClassMoments, Scatter


def chunk_of(X, y, weight=None):
    uniform = weight is None
    return Chunk(Columns(X), y, np.ones(len(X)) if uniform else weight, uniform, 0, 0)


def drawn(rows=700, columns=3, classes=4, seed=0, apart=1.0):
    random = np.random.default_rng(seed)
    y = random.integers(0, classes - 1, rows)  # the last class has no rows
    return random.normal(size=(rows, columns)) + apart * y[:, None], y, random.random(rows) + 0.1


def plain(X, y, weight, c):
    some = y == c
    mean = np.average(X[some], axis=0, weights=weight[some])
    d = (X[some] - mean) * np.sqrt(weight[some])[:, None]
    return weight[some].sum(), mean, d.T @ d


@pytest.mark.quick
@pytest.mark.parametrize("apart", [1.0, 1e6])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_what_the_rows_say(weighted, apart):
    X, y, weight = drawn(apart=apart)
    chunk = chunk_of(X, y, weight if weighted else None)
    weight = weight if weighted else np.ones(len(X))
    pooled, each = Scatter.of(chunk, 4), ClassMoments.of(chunk, 4)
    within = np.zeros((3, 3))
    for c in range(3):
        total, mean, square = plain(X, y, weight, c)
        for s in (pooled, each):
            np.testing.assert_allclose(s.weight[c], total)
            np.testing.assert_allclose(s.mean[c], mean, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(each.comoment[c], square, rtol=1e-8, atol=1e-8)
        within += square
    np.testing.assert_allclose(pooled.within, within, rtol=1e-8, atol=1e-7)
    assert pooled.weight[3] == 0
    assert not pooled.mean[3].any()
    overall = pooled.overall()
    np.testing.assert_allclose(overall.mean, np.average(X, axis=0, weights=weight), rtol=1e-12)
    np.testing.assert_allclose(overall.comoment, np.cov(X.T, aweights=weight, bias=True) * weight.sum(), rtol=1e-7)


@pytest.mark.parametrize("kind", [Scatter, ClassMoments, ClassFourth])
@pytest.mark.parametrize("apart", [1.0, 1e6])
def test_groups_and_merges_are_the_whole(kind, apart):
    X, y, weight = drawn(apart=apart, seed=1)
    random = np.random.default_rng(2)
    codes = random.integers(-1, 3, len(X))
    groups = kind.by_group(chunk_of(X, y, weight), codes, 3, 4)
    for g, found in enumerate(groups):
        some = codes == g
        _same(found, kind.of(chunk_of(X[some], y[some], weight[some]), 4))
    kept = codes >= 0
    _same(groups[0] + groups[1] + groups[2], kind.of(chunk_of(X[kept], y[kept], weight[kept]), 4))


def _same(a, b):
    if isinstance(a, ClassFourth):
        _same(a.moments, b.moments)
        for name in ("third", "fourth"):
            x, y = getattr(a, name), getattr(b, name)
            np.testing.assert_allclose(x, y, atol=1e-7 * np.abs(b.fourth).max())
        return
    np.testing.assert_allclose(a.weight, b.weight)
    np.testing.assert_allclose(a.mean, b.mean, rtol=1e-12, atol=1e-12)
    name = "within" if isinstance(a, Scatter) else "comoment"
    np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-7, atol=1e-6)


def test_fourth_moments():
    X, y, weight = drawn(seed=3)
    found = ClassFourth.of(chunk_of(X, y, weight), 4)
    for c in range(3):
        some = y == c
        d = X[some] - np.average(X[some], axis=0, weights=weight[some])
        np.testing.assert_allclose(found.third[c], (d * weight[some, None]).T @ d**2, atol=1e-9)
        np.testing.assert_allclose(found.fourth[c], (d**2 * weight[some, None]).T @ d**2, rtol=1e-10)
    d = X - np.average(X, axis=0, weights=weight)
    whole = found.overall()
    np.testing.assert_allclose(whole.fourth[0], (d**2 * weight[:, None]).T @ d**2, rtol=1e-9)
    np.testing.assert_allclose(whole.third[0], (d * weight[:, None]).T @ d**2, atol=1e-8)


@pytest.mark.parametrize("shape", [(50, 4), (60, 1)])
def test_shrinkage_is_that_of_ledoit_and_wolf(shape):
    from sklearn.covariance import ledoit_wolf_shrinkage

    X = np.random.default_rng(4).standard_t(4, size=shape)
    found = ClassFourth.of(chunk_of(X, np.zeros(len(X), np.int64)), 1)
    assert found.shrinkage(0, np.ones(shape[1])) == pytest.approx(ledoit_wolf_shrinkage(X), abs=1e-12)


@pytest.mark.quick
def test_a_triangle_has_the_moments_of_its_rows():
    X, _, weight = drawn(seed=5)
    a = Triangle.of(chunk_of(X[:300], None, weight[:300]), X[0])
    b = Triangle.of(chunk_of(X[300:], None, weight[300:]), X[1])
    m = (a + b).moments()
    np.testing.assert_allclose(m.mean, np.average(X, axis=0, weights=weight), rtol=1e-12)
    np.testing.assert_allclose(m.comoment, np.cov(X.T, aweights=weight, bias=True) * weight.sum(), rtol=1e-10)
    mixed = a + b.moments()
    np.testing.assert_allclose(mixed.comoment, m.comoment, rtol=1e-10)
    np.testing.assert_allclose((b.moments() + a).comoment, m.comoment, rtol=1e-10)


def test_infinity_names_its_column():
    X, y, _ = drawn(seed=6)
    X[600, 1] = np.inf
    for kind in (Scatter, ClassMoments, ClassFourth):
        with pytest.raises(ValueError, match="infinity .* in column 'x1', row 600"):
            kind.of(chunk_of(X, y), 4)
