"""Matrices under which covariances become the identity, by Cholesky factors: of many covariances at once."""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.decorators import dividing


@dividing
def whiten_by_factors(covariance, worst, rows, log_det, least, done):
    """W of each covariance S with WSWᵀ = I, log |S|, and the smallest eigenvalue of the correlations, from below.

    That is 1 / ‖R⁻¹‖₁ of the correlations R = LLᵀ, whose inverse is VᵀV with V = L⁻¹. Where it is not above `worst`, or
    a column does not vary, a covariance is not `done`.
    """
    p = covariance.shape[1]
    own, factor, inverse = np.empty(p), np.zeros((p, p)), np.zeros((p, p))
    for k in range(len(covariance)):
        done[k] = _factor(covariance[k], own, factor)
        if not done[k]:
            continue
        for j in range(p):  # column by column of V
            inverse[j, j] = 1.0 / factor[j, j]
            for i in range(j + 1, p):
                total = 0.0
                for m in range(j, i):
                    total += factor[i, m] * inverse[m, j]
                inverse[i, j] = -total / factor[i, i]
        norm = 0.0
        for j in range(p):
            column = 0.0
            for i in range(p):
                total = 0.0
                for m in range(max(i, j), p):
                    total += inverse[m, i] * inverse[m, j]
                column += abs(total)
            norm = max(norm, column)
        least[k] = 1.0 / norm
        done[k] = least[k] > worst
        log_det[k] = 0.0
        for i in range(p):
            log_det[k] += 2.0 * math.log(factor[i, i] * own[i])
            for j in range(p):
                rows[k, i, j] = inverse[i, j] / own[j] if j <= i else 0.0


@dividing
def _factor(covariance, own, factor):
    """The Cholesky factor of the correlations, in the lower triangle; return whether there is one."""
    p = len(own)
    for i in range(p):
        if not covariance[i, i] > 0.0:
            return False
        own[i] = math.sqrt(covariance[i, i])
    for i in range(p):
        for j in range(i + 1):
            total = covariance[i, j] / (own[i] * own[j])
            for m in range(j):
                total -= factor[i, m] * factor[j, m]
            if i > j:
                factor[i, j] = total / factor[j, j]
            elif total > 0.0:
                factor[i, i] = math.sqrt(total)
            else:
                return False
    return True
