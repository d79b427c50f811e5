"""Sums in twice the working precision, by error-free transformations (Dekker, Knuth)."""

from __future__ import annotations

from tenfold.compiled.decorators import kernel


@kernel
def two_sum(a, b):
    """a + b and its rounding error, exactly."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


@kernel
def two_product(a, b):
    """a * b and its rounding error, exactly (barring overflow)."""
    p = a * b
    t = 134217729.0 * a
    ah = t - (t - a)
    al = a - ah
    t = 134217729.0 * b
    bh = t - (t - b)
    bl = b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@kernel
def add_gradient(block, y, row_weight, coef, intercept, center, scale, residual, high, low):
    """Add Σ w d r to `high + low`, with d = (1, (x - center) / scale) and r = y - x·coef - intercept.

    Everything in double-double; `scale` must be powers of two. `residual[i]` becomes r rounded.
    """
    p = block.shape[1]
    for i in range(block.shape[0]):
        r, e = two_sum(y[i], -intercept)
        for j in range(p):
            h, l = two_product(block[i, j], coef[j])
            r, more = two_sum(r, -h)
            e += more - l
        r, e = two_sum(r, e)
        residual[i] = r
        h, l = two_product(r, row_weight[i])
        r, e = two_sum(h, l + e * row_weight[i])
        s, more = two_sum(high[0], r)
        high[0], low[0] = two_sum(s, low[0] + more + e)
        for j in range(p):
            d, rest = two_sum(block[i, j], -center[j])
            h, l = two_product(d, r)
            l += d * e + rest * r
            s, more = two_sum(high[j + 1], h / scale[j])
            high[j + 1], low[j + 1] = two_sum(s, low[j + 1] + more + l / scale[j])
