"""Loss, gradient and curvature of generalized linear models, a cache-full of rows at a time.

For each row a margin m = xᵀβ + β₀; its loss ℓ(m), slope ℓ'(m) and curvature ℓ''(m). All of these losses have
|ℓ'''| ≤ ℓ'': what `linear_model/glm/newton.py` proves rests on that.
"""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.blas import add_cross, add_gram, multiply, products
from tenfold.compiled.decorators import inner, kernel

LOGISTIC, POISSON, GAMMA = 0, 1, 2
LOSS, LEAST, PEARSON, SIZE, WORST, REACH = 0, 1, 2, 3, 4, 5
"""places of the sums: the loss; the least loss that any margin gives; Pearson's; absolute slopes; the largest margin on
the wrong side; the largest squared length of a row"""


@kernel
def add_rows(kind, margin, y, weight, slope, bend, sums):
    """Slope and curvature of each row's loss, times its weight; losses are added to `sums`.

    `weight` is empty where all are one. A class is 0 or 1, and `sums[WORST]` the largest margin on the wrong side.
    """
    loss, least, pearson, size, worst = 0.0, 0.0, 0.0, 0.0, sums[WORST]
    many = 1.0  # a product of which one logarithm is taken, where no weight forbids it
    for i in range(margin.shape[0]):
        w = weight[i] if weight.shape[0] else 1.0
        m = margin[i]
        if kind == LOGISTIC:
            sign = 1.0 - 2.0 * y[i]
            s = sign * m
            e = math.exp(-abs(s))
            share = 1.0 / (1.0 + e)
            if weight.shape[0]:
                loss += w * (max(s, 0.0) + math.log1p(e))
            else:
                loss += max(s, 0.0)
                many *= 1.0 + e
                if many > 1e200:
                    loss += math.log(many)
                    many = 1.0
            slope[i] = w * sign * (share if s >= 0.0 else e * share)
            bend[i] = w * (e * share * share)
            worst = max(worst, s)
        elif kind == POISSON:
            mean = math.exp(m)
            loss += w * (mean - y[i] * m)
            if y[i] > 0.0:
                least += w * (y[i] - y[i] * math.log(y[i]))
            slope[i] = w * (mean - y[i])
            bend[i] = w * mean
            if mean > 0.0:
                pearson += w * ((y[i] - mean) ** 2 / mean)
        else:
            ratio = y[i] * math.exp(-m)
            loss += w * (m + ratio)
            least += w * (math.log(y[i]) + 1.0)
            slope[i] = w * (1.0 - ratio)
            bend[i] = w * ratio
            pearson += w * (ratio - 1.0) ** 2
        size += abs(slope[i])
    sums[LOSS] += loss + math.log(many)
    sums[LEAST] += least
    sums[PEARSON] += pearson
    sums[SIZE] += size
    sums[WORST] = worst


@inner
def longest(block, inverse, most):
    """Return the largest Σ (x inverse)² of a row, at least `most`; `most` itself if `inverse` is empty."""
    m, p = block.shape
    if not inverse.shape[0]:
        return most
    whole = p - p % 4
    for i in range(m):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for j in range(0, whole, 4):
            a, b = block[i, j] * inverse[j], block[i, j + 1] * inverse[j + 1]
            c, d = block[i, j + 2] * inverse[j + 2], block[i, j + 3] * inverse[j + 3]
            s0 += a * a
            s1 += b * b
            s2 += c * c
            s3 += d * d
        for j in range(whole, p):
            a = block[i, j] * inverse[j]
            s0 += a * a
        most = max(most, (s0 + s1) + (s2 + s3))
    return most


@kernel
def add_curvature(kind, rows, y, weight, coef, constant, inverse, block, each, sums, gradient, gram):
    """Add loss, gradient and Σ ℓ'' x xᵀ (lower triangle) of the rows, a constant before their columns.

    `block` (a row for each that is processed at a time) and `each` (3 rows) are scratch, since allocating them costs
    more than using them.
    """
    n, p = rows.shape
    height = block.shape[0]
    margin, slope, bend = each[0], each[1], each[2]
    for start in range(0, n, height):
        m = min(height, n - start)
        some = rows[start : start + m]
        multiply(False, some, coef, margin)
        for i in range(m):
            margin[i] += constant
        part = weight[start : start + m] if weight.shape[0] else weight
        add_rows(kind, margin[:m], y[start : start + m], part, slope, bend, sums)
        sums[REACH] = longest(some, inverse, sums[REACH])
        multiply(True, some, slope, gradient[1:])
        total = 0.0
        for i in range(m):
            total += slope[i]
            root = math.sqrt(bend[i])
            block[i, 0] = root
            for j in range(p):
                block[i, j + 1] = root * some[i, j]
        gradient[0] += total
        add_gram(block[:m], gram)


@kernel
def add_softmax_rows(margin, code, weight, share, slope, sums):
    """Probabilities and slopes of each row for each class; losses are added. `margin` is classes x rows."""
    k, n = margin.shape
    for i in range(n):
        w = weight[i] if weight.shape[0] else 1.0
        top, other = margin[0, i], -np.inf
        for c in range(k):
            top = max(top, margin[c, i])
            if c != code[i]:
                other = max(other, margin[c, i])
        total = 0.0
        for c in range(k):
            share[i, c] = math.exp(margin[c, i] - top)
            total += share[i, c]
        rest = 0.0
        for c in range(k):
            share[i, c] /= total
            slope[i, c] = w * share[i, c]
            if c != code[i]:
                rest += slope[i, c]
        slope[i, code[i]] = -rest
        sums[SIZE] += 2.0 * rest
        sums[LOSS] += w * (top - margin[code[i], i] + math.log(total))
        sums[WORST] = max(sums[WORST], other - margin[code[i], i])


@kernel
def add_softmax(rows, code, weight, coef, constant, inverse, block, sums, gradient, gram):
    """Add loss, gradient and, for each two classes, Σ w p_k p_l x xᵀ, from which the Hessian is made."""
    n, p = rows.shape
    k = coef.shape[0]
    height = block.shape[0]
    margin = np.empty((k, height))
    share, slope = np.empty((height, k)), np.empty((height, k))
    for start in range(0, n, height):
        m = min(height, n - start)
        some = rows[start : start + m]
        products(some, coef, 1.0, margin)
        for c in range(k):
            for i in range(m):
                margin[c, i] += constant[c]
        part = weight[start : start + m] if weight.shape[0] else weight
        add_softmax_rows(margin[:, :m], code[start : start + m], part, share, slope, sums)
        sums[REACH] = longest(some, inverse, sums[REACH])
        for i in range(m):
            block[i, 0] = 1.0
            for j in range(p):
                block[i, j + 1] = some[i, j]
        add_cross(slope[:m], block[:m], gradient)
        pair = 0
        for a in range(k):
            for b in range(a):
                for i in range(m):
                    root = share[i, a] * share[i, b]
                    if weight.shape[0]:
                        root *= part[i]
                    root = math.sqrt(root)
                    block[i, 0] = root
                    for j in range(p):
                        block[i, j + 1] = root * some[i, j]
                add_gram(block[:m], gram[pair])
                pair += 1
