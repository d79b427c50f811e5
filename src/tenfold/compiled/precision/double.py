"""Matrices in double-double: each number is the sum of two, about 32 digits.

Error-free transformations (Dekker, Knuth), as in `exact`; sums of products keep what rounding cuts off in a second
number (Ogita, Rump and Oishi), which is as good as twice the working precision.
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel
from tenfold.compiled.precision.error_free import two_product, two_sum


@kernel
def add_gram(high, low, row_weight, gram, rest):
    """Add Σ w d dᵀ to the lower triangle of `gram + rest`, where d is a row of `high + low` and then 1.

    `row_weight` is empty if every weight is one.
    """
    n, q = high.shape
    dh, dl = np.empty(q + 1), np.empty(q + 1)
    for i in range(n):
        dh[:q], dl[:q] = high[i], low[i]
        dh[q], dl[q] = 1.0, 0.0
        for j in range(q + 1):
            a, b = dh[j], dl[j]
            if len(row_weight):
                a, e = two_product(dh[j], row_weight[i])
                a, b = two_sum(a, e + dl[j] * row_weight[i])
            up, down = gram[j], rest[j]
            for k in range(j + 1):
                p, e = two_product(a, dh[k])
                e += a * dl[k] + b * dh[k]
                up[k], t = two_sum(up[k], p)
                down[k] += t + e
    for j in range(q + 1):
        for k in range(j + 1):
            gram[j, k], rest[j, k] = two_sum(gram[j, k], rest[j, k])


@kernel
def with_outer(a, a_rest, d, d_rest, factor, factor_rest):
    """A + f d dᵀ, everything in double-double; A is symmetric."""
    n = len(d)
    out, rest = np.empty((n, n)), np.empty((n, n))
    for j in range(n):
        g, e = two_product(d[j], factor)
        g, h = two_sum(g, e + d[j] * factor_rest + d_rest[j] * factor)
        for k in range(j + 1):
            p, e = two_product(g, d[k])
            e += g * d_rest[k] + h * d[k]
            s, t = two_sum(a[j, k], p)
            out[j, k], rest[j, k] = two_sum(s, t + e + a_rest[j, k])
            out[k, j], rest[k, j] = out[j, k], rest[j, k]
    return out, rest


@kernel
def subtract_product(high, low, coef, coef_rest, left, left_rest):
    """Take (high + low) @ (coef + coef_rest) from the vector `left + left_rest`."""
    n, q = high.shape
    for i in range(n):
        s, c = left[i], left_rest[i]
        for j in range(q):
            p, e = two_product(high[i, j], coef[j])
            e += high[i, j] * coef_rest[j] + low[i, j] * coef[j]
            s, t = two_sum(s, -p)
            c += t - e
        left[i], left_rest[i] = two_sum(s, c)


@kernel
def monomials(block, parent, column, high, low):
    """Fill `high + low`: feature j is feature `parent[j]` (-1: one) times a column of the block."""
    for i in range(block.shape[0]):
        for j in range(len(parent)):
            x = block[i, column[j]]
            if parent[j] < 0:
                high[i, j], low[i, j] = x, 0.0
            else:
                p, e = two_product(high[i, parent[j]], x)
                high[i, j], low[i, j] = two_sum(p, e + low[i, parent[j]] * x)


@kernel
def product(a, a_rest, b, b_rest):
    """The matrix product of two double-double matrices."""
    n, m, q = a.shape[0], a.shape[1], b.shape[1]
    out, rest = np.zeros((n, q)), np.zeros((n, q))
    for i in range(n):
        for k in range(m):
            for j in range(q):
                p, e = two_product(a[i, k], b[k, j])
                e += a[i, k] * b_rest[k, j] + a_rest[i, k] * b[k, j]
                out[i, j], t = two_sum(out[i, j], p)
                rest[i, j] += t + e
        for j in range(q):
            out[i, j], rest[i, j] = two_sum(out[i, j], rest[i, j])
    return out, rest


@kernel
def _divided(a, a_rest, b, b_rest):
    """a / b, both double-double."""
    q = a / b
    p, e = two_product(q, b)
    left, t = two_sum(a, -p)
    more = (left + (t - e + a_rest - q * b_rest)) / b
    return two_sum(q, more)


@kernel
def cholesky(a, a_rest, least):
    """Lower triangular factor of a symmetric matrix of ones on the diagonal, in double-double.

    Also the number of the first column whose square, beside the columns before it, is not above `least`; or the
    number of columns.
    """
    n = len(a)
    out, rest = np.zeros((n, n)), np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            s, c = a[i, j], a_rest[i, j]
            for k in range(j):
                p, e = two_product(out[i, k], out[j, k])
                e += out[i, k] * rest[j, k] + rest[i, k] * out[j, k]
                s, t = two_sum(s, -p)
                c += t - e
            s, c = two_sum(s, c)
            if i > j:
                out[i, j], rest[i, j] = _divided(s, c, out[j, j], rest[j, j])
            elif s <= least:
                return out, rest, j
            else:
                r = np.sqrt(s)
                p, e = two_product(r, r)
                out[j, j], rest[j, j] = two_sum(r, ((s - p) - e + c) / (2 * r))
    return out, rest, n


@kernel
def solve(factor, factor_rest, b, b_rest):
    """X with L Lᵀ X = B, in double-double."""
    n, m = b.shape
    x, rest = b.copy(), b_rest.copy()
    for j in range(m):
        for turn in range(2):
            for step in range(n):
                i = step if turn == 0 else n - 1 - step
                s, c = x[i, j], rest[i, j]
                for k in range(step) if turn == 0 else range(i + 1, n):
                    u = factor[i, k] if turn == 0 else factor[k, i]
                    v = factor_rest[i, k] if turn == 0 else factor_rest[k, i]
                    p, e = two_product(u, x[k, j])
                    e += u * rest[k, j] + v * x[k, j]
                    s, t = two_sum(s, -p)
                    c += t - e
                s, c = two_sum(s, c)
                x[i, j], rest[i, j] = _divided(s, c, factor[i, i], factor_rest[i, i])
    return x, rest
