"""Random effects of many cells: what is left of their squares and products, and how that depends on the components.

A cell has S = W'W, where W are its columns, the target last; Z, the random terms, are some of them. With effects
u ~ N(0, D), D = LL', in units of the noise, what its rows say of everything else is S - S_z' P S_z, where S_z = Z'W and
P = (D⁻¹ + Z'Z)⁻¹ = L (I + L'Z'ZL)⁻¹ L'. No inverse of D is taken, so components may be zero.
"""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.decorators import dividing, inner_dividing


@dividing
def eliminate_effects(products, terms, factor, parent, spread, left):
    """Take the effects of each cell out of the squares of its parent; return Σ log |I + L'Z'ZL|.

    `products` are S_z, cells x random terms x columns, `terms` which columns those are, `factor` is L. `spread` gets P
    of each cell; from `left`, the sums over the cells of each parent, S_z' P S_z is subtracted, of which the lower
    triangle is right.
    """
    k, w = products.shape[1], products.shape[2]
    A, half, B = np.empty((k, k)), np.empty((k, k)), np.empty((k, w))
    total = 0.0
    for c in range(len(products)):
        S, at = products[c], left[parent[c]]
        total += _triangle(S, terms, factor, A, half)
        for i in range(k):  # half is R⁻¹L', RR' = A, so that P = half'half, and B = half S
            for j in range(w):
                B[i, j] = 0.0
            for h in range(k):
                a = half[i, h]
                for j in range(w):
                    B[i, j] += a * S[h, j]
        for i in range(k):
            for j in range(k):
                inner = 0.0
                for h in range(k):
                    inner += half[h, i] * half[h, j]
                spread[c, i, j] = inner
        for h in range(k):
            for i in range(w):
                a = B[h, i]
                for j in range(i + 1):
                    at[i, j] -= a * B[h, j]
    return total


@inner_dividing
def _triangle(S, terms, factor, A, half):
    """Fill `half` with R⁻¹L', where RR' = A = I + L'Z'ZL; return log |A|."""
    k = len(factor)
    for i in range(k):
        for j in range(k):
            inner = 0.0
            for h in range(j, k):
                inner += S[i, terms[h]] * factor[h, j]
            half[i, j] = inner
    for i in range(k):
        for j in range(i + 1):
            inner = 1.0 if i == j else 0.0
            for h in range(i, k):
                inner += factor[h, i] * half[h, j]
            A[i, j] = inner
    total = 0.0
    for j in range(k):
        for i in range(j, k):
            inner = A[i, j]
            for h in range(j):
                inner -= A[i, h] * A[j, h]
            A[i, j] = math.sqrt(inner) if i == j else inner / A[j, j]
        total += 2 * math.log(A[j, j])
    for j in range(k):
        for i in range(k):
            inner = factor[j, i] if j >= i else 0.0
            for h in range(i):
                inner -= A[i, h] * half[h, j]
            half[i, j] = inner / A[i, i]
    return total


@dividing
def differentiate_effects(products, terms, spread, parent, above, slope, below):
    """Add to `slope` the derivative of the deviance by D, of the cells of one level.

    `above` has, for each parent, its derivative by the squares that are left there; `below` gets, for each cell, that
    by its own squares. It may have no cells, if nobody asks for them.
    """
    k, w = products.shape[1], products.shape[2]
    F, H, Q, PF = np.empty((k, w)), np.empty((k, k)), np.empty((k, k)), np.empty((k, w))
    for c in range(len(products)):
        S, P, G = products[c], spread[c], above[parent[c]]
        for i in range(k):
            for j in range(w):
                F[i, j] = 0.0
            for h in range(w):
                a = S[i, h]
                for j in range(w):
                    F[i, j] += a * G[h, j]
        for i in range(k):
            for j in range(k):
                inner, kept = 0.0, 1.0 if i == j else 0.0
                for h in range(w):
                    inner += F[i, h] * S[j, h]
                for h in range(k):
                    kept -= S[i, terms[h]] * P[h, j]
                H[i, j], Q[i, j] = inner, kept
        for i in range(k):
            for j in range(k):
                inner = 0.0
                for h in range(k):
                    inner += Q[i, h] * S[h, terms[j]]
                    for g in range(k):
                        inner -= Q[i, h] * H[h, g] * Q[j, g]
                slope[i, j] += inner
        if len(below):
            _derivative_below(G, P, F, H, terms, PF, below[c])


@inner_dividing
def _derivative_below(G, P, F, H, terms, PF, out):
    """Fill in K G K' + E P E', where K = I - E P S_z and E places the random terms among the columns."""
    k, w = F.shape
    out[:] = G
    for i in range(k):
        for j in range(w):
            inner = 0.0
            for h in range(k):
                inner += P[i, h] * F[h, j]
            PF[i, j] = inner
            out[terms[i], j] -= inner
            out[j, terms[i]] -= inner
    for i in range(k):
        for j in range(k):
            inner = P[i, j]
            for h in range(k):
                for g in range(k):
                    inner += P[i, h] * H[h, g] * P[g, j]
            out[terms[i], terms[j]] += inner
