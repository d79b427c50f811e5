"""Sums that are rounded once: the terms are kept as parts that do not overlap (Shewchuk), as in `math.fsum`."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import dividing, inner_dividing


@inner_dividing
def exact_sum(terms, parts):
    """Σ terms, rounded once; `parts` has room for as many numbers. Not a finite number if a term is none."""
    many = 0
    for i in range(len(terms)):
        x = terms[i]
        kept = 0
        for k in range(many):
            y = parts[k]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                parts[kept] = low
                kept += 1
            x = high
        parts[kept] = x
        many = kept + 1
    if not many:
        return 0.0
    many -= 1
    total, low = parts[many], 0.0
    while many and low == 0.0:
        many -= 1
        before, part = total, parts[many]
        total = before + part
        low = part - (total - before)
    # halfway between two numbers the parts below decide
    if many and ((low < 0.0 and parts[many - 1] < 0.0) or (low > 0.0 and parts[many - 1] > 0.0)):
        twice = low * 2.0
        further = total + twice
        if twice == further - total:
            total = further
    return total


@inner_dividing
def constant_of(mean, coef, terms, parts):
    """ȳ - x̄ᵀβ, rounded once but for its products; the target's mean is the last."""
    p = len(mean) - 1
    terms[0] = mean[p]
    for j in range(p):
        terms[j + 1] = -mean[j] * coef[j]
    return exact_sum(terms[: p + 1], parts)


@dividing
def constants_of(mean, coef, out):
    """out[k, a] = ȳ - x̄ᵀβ of the means k and the coefficients coef[k, a]."""
    terms, parts = np.empty(mean.shape[1]), np.empty(mean.shape[1])
    for k in range(coef.shape[0]):
        for a in range(coef.shape[1]):
            out[k, a] = constant_of(mean[k], coef[k, a], terms, parts)
