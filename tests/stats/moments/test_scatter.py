"""Scatter within classes: the same as from the rows, whole, merged and by group; fourth moments; triangles."""

import numpy as np
import pytest

from tenfold.core import Chunk, Columns
from tenfold.core.mergeable import cell_of
from tenfold.stats.moments.centered_factor import Triangle
from tenfold.stats.moments.centered_square import Centre, TargetCentre
from tenfold.stats.moments.fourth_moments import ClassFourth
from tenfold.stats.moments.scatter import (
    FEW_ROWS,
    ClassMoments,
    ComomentsByClass,
    Scatter,
    ScatterWithinClasses,
)
from tenfold.testing import bits


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


@pytest.mark.parametrize("statistic", [ScatterWithinClasses(4), ComomentsByClass(4)])
@pytest.mark.parametrize("weighted", [False, True])
def test_cells_of_few_and_of_many_rows_have_the_bits_of_their_rows(statistic, weighted):
    sizes = np.array([1, 2, 300, FEW_ROWS, FEW_ROWS + 1, 7, 1])
    X, y, weight = drawn(int(sizes.sum()), apart=100.0)
    weight[5::7] = 0.0
    weight[np.cumsum(sizes) - 1] = 1.0  # each cell has a row with a weight
    chunk, starts = chunk_of(X, y, weight if weighted else None), np.cumsum(sizes) - sizes
    stack = statistic.summarize_cells(chunk, starts)
    for cell, (start, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
        assert bits(cell_of(stack, cell)) == bits(statistic.summarize(chunk.rows(slice(start, start + size))))


@pytest.mark.parametrize("rows", [FEW_ROWS, FEW_ROWS + 1])
@pytest.mark.parametrize("kind", [Scatter, ClassMoments])
def test_few_rows_and_more_say_the_same(kind, rows):
    X, y, weight = drawn(rows, apart=1e3)
    found = kind.of(chunk_of(X, y, weight), 4)
    _same(found, kind.by_group(chunk_of(X, y, weight), np.zeros(rows, np.int64), 1, 4)[0])


def test_centres_of_cells_are_those_of_their_rows():
    random = np.random.default_rng(3)
    sizes = np.array([1, 5, 200, 3, 4000])
    y, weight = 1e8 + random.normal(size=sizes.sum()), random.integers(0, 3, sizes.sum()).astype(float)
    weight[6 + 200 : 6 + 203] = 0.0  # a cell without weight
    starts = np.cumsum(sizes) - sizes
    stack = TargetCentre().summarize_cells(chunk_of(y[:, None], y, weight), starts)
    each = [Centre.of(y[a : a + n], weight[a : a + n]) for a, n in zip(starts, sizes, strict=True)]
    for cell, (one, a, n) in enumerate(zip(each, starts, sizes, strict=True)):
        assert bits(cell_of(stack, cell)) == bits(one)
        if one.weight:
            some, w = y[a : a + n].astype(np.longdouble), weight[a : a + n]
            mean = (w * some).sum() / w.sum()
            assert one.mean + np.longdouble(one.rest) == pytest.approx(float(mean), rel=1e-16)
            np.testing.assert_allclose(one.square, float((w * (some - mean) ** 2).sum()), rtol=1e-13)
    pairs = np.array([[0, 1], [2, 3], [3, 2], [3, 3], [4, 2]]).T
    both = TargetCentre().merge_cells(stack, stack, *pairs)
    for k, (i, j) in enumerate(pairs.T):
        assert bits(cell_of(both, k)) == bits(each[i] + each[j])
