"""Small systems of normal equations, many in one call: Cholesky, with one step of refinement."""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.blas import _external, multiply
from tenfold.compiled.decorators import dividing, inner_dividing

_dpotrf = _external("dpotrf", "lapack")
_dpotrs = _external("dpotrs", "lapack")
_dpocon = _external("dpocon", "lapack")

EPS = 2.0**-52
ROUNDING_DEVIATIONS = 4.0
"""standard deviations of rounding errors that an estimate covers"""
MAX_CONDITION = 50.0
"""of a system, at most, in which no digit is in doubt"""
MAX_ERROR_OF_NOISE = 1e-10
"""errors that are a larger share of the noise may be seen"""


@dividing
def solve_well(second, mean, weight, gamma, least, alphas, coef, sure):
    """Solve each system with each penalty; `sure` becomes True where every digit of the coefficients is accurate.

    `second[k]` has squares and products of the features, the target last, of which the upper triangle is read;
    `mean[k]` and `weight[k]` are those of its rows, `gamma[k]` is the relative rounding of its entries; a column of a
    length up to `least` makes a system not sure.
    """
    p = second.shape[1] - 1
    S, factor = np.empty((p, p)), np.empty((p, p))
    scale, c, u, off = np.empty(p), np.empty(p), np.empty(p), np.empty(p)
    for k in range(len(second)):
        for a in range(len(alphas)):
            sure[k, a] = _varies(second[k], mean[k], weight[k], least) and _solve(
                second[k], weight[k], gamma[k], alphas[a], S, factor, scale, c, u, off
            )
            for j in range(p):
                coef[k, a, j] = u[j] / scale[j] if sure[k, a] else 0.0


@inner_dividing
def _varies(second, mean, weight, least):
    """Whether the target, and every column, is more than a constant and its rounding, and can be squared."""
    p = second.shape[0] - 1
    if not (p and second[p, p] > 0.0):
        return False
    unit = math.sqrt(weight) * 4 * EPS
    for j in range(p):
        length = math.sqrt(max(second[j, j], 0.0))
        if not (length > unit * abs(mean[j]) and least < length < math.inf):
            return False
    return True


@inner_dividing
def _solve(second, weight, gamma, alpha, S, factor, scale, c, u, off):
    """Solve one system, scaled to a diagonal of ones; return whether no digit is in doubt."""
    p = len(scale)
    sizes = np.empty(2, np.int32)
    sizes[0], sizes[1] = p, 1
    info, letters = np.empty(1, np.int32), np.empty(1, np.uint8)
    letters[0] = 76  # L: lower to Fortran, upper to us
    numbers = np.empty(2)
    for j in range(p):
        scale[j] = math.sqrt(second[j, j] + alpha)
    norm = 0.0
    for i in range(p):
        for j in range(i + 1, p):
            S[i, j] = S[j, i] = factor[i, j] = second[i, j] / scale[j] / scale[i]
        S[i, i] = factor[i, i] = 1.0
        c[i] = u[i] = second[i, p] / scale[i]
    for j in range(p):
        total = 0.0
        for i in range(p):
            total += abs(S[i, j])
        norm = max(norm, total)
    _dpotrf((letters, sizes, factor, sizes, info))
    if info[0] != 0:
        return False
    _dpotrs((letters, sizes, sizes[1:], factor, sizes, u, sizes, info))
    multiply(False, S, u, off)
    for j in range(p):
        off[j] = c[j] - off[j]
    _dpotrs((letters, sizes, sizes[1:], factor, sizes, off, sizes, info))
    explained, length = 0.0, 0.0
    for j in range(p):
        u[j] += off[j]
        explained += c[j] * u[j]
        length += u[j] * u[j]
    yy = second[p, p]
    noise = math.sqrt(max(yy - explained, 0.0) / (max(weight - p - 1, 1.0) * norm))
    size = math.sqrt(length + yy)
    if norm < 2.0 and _is_sure(2.0 / (2.0 - norm), gamma, size, noise):  # the diagonal outweighs all else: a bound
        return True
    numbers[0] = norm
    work, places = np.empty(3 * p), np.empty(p, np.int32)
    _dpocon((letters, sizes, factor, sizes, numbers, numbers[1:], work, places, info))
    return _is_sure(2.0 / max(numbers[1] * norm, EPS), gamma, size, noise)


@inner_dividing
def _is_sure(inverse, gamma, size, noise):
    """Whether no digit is in doubt, if the inverse of the system is about so large."""
    # of numbers that are none, nothing is sure
    return inverse <= MAX_CONDITION and ROUNDING_DEVIATIONS * gamma * inverse * size <= MAX_ERROR_OF_NOISE * noise
