"""Rounds of expectation and maximisation over a cache-full of rows: log-densities, responsibilities, their sums."""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.blas import add_gram, multiply_triangular
from tenfold.compiled.decorators import kernel
from tenfold.compiled.precision.exponential import exp

LOG_NEGLIGIBLE = -72.0
"""logarithm of a responsibility below the square of what rounding sees: it counts as zero"""


@kernel
def joint_full(rows, means, upper, level, buffer, product, out):
    """out[k, i] = level[k] - ½ |(x_i - means[k]) upper[k]|²; one triangular `upper` may serve all components.

    `buffer` and `product` (as many rows each) are scratch. The terms of a row are added in pairs, eight at a time: no
    sum waits for the one before.
    """
    m, p = rows.shape
    terms = np.zeros((p + 7) // 8 * 8)
    for k in range(means.shape[0]):
        for i in range(m):
            for j in range(p):
                buffer[i, j] = rows[i, j] - means[k, j]
        multiply_triangular(buffer[:m], upper[k % upper.shape[0]], product)
        for i in range(m):
            for j in range(p):
                terms[j] = product[i, j] * product[i, j]
            n = len(terms)
            while n > 8:
                half = (n + 8) // 16 * 8
                for j in range(n - half):
                    terms[j] += terms[half + j]
                n = half
            a = (terms[0] + terms[4]) + (terms[1] + terms[5])
            out[k, i] = level[k] - 0.5 * (a + ((terms[2] + terms[6]) + (terms[3] + terms[7])))


@kernel
def joint_diagonal(rows, means, narrow, level, buffer, out):
    """out[k, i] = level[k] - ½ Σ_j ((x_ij - means[k, j]) narrow[k, j])²; `buffer` (columns x as many rows) is scratch.

    Column by column over the rows, so that sums run in vectors without changing the order of any.
    """
    m, p = rows.shape
    for i in range(m):
        for j in range(p):
            buffer[j, i] = rows[i, j]
    for k in range(means.shape[0]):
        for i in range(m):
            out[k, i] = 0.0
        for j in range(p):
            middle, factor = means[k, j], narrow[k, j]
            for i in range(m):
                z = (buffer[j, i] - middle) * factor
                out[k, i] += z * z
        for i in range(m):
            out[k, i] = level[k] - 0.5 * out[k, i]


@kernel
def log_sums(joint, largest, out):
    """out[i] = log Σ_k exp(joint[k, i]); `largest` (as many rows) is scratch."""
    m = out.shape[0]
    for i in range(m):
        largest[i] = joint[0, i]
        out[i] = 0.0
    for k in range(1, joint.shape[0]):
        for i in range(m):
            largest[i] = max(largest[i], joint[k, i])
    for k in range(joint.shape[0]):
        for i in range(m):
            out[i] += exp(joint[k, i] - largest[i])
    for i in range(m):
        out[i] = largest[i] + math.log(out[i])


@kernel
def share_out(joint, level, row_weight, largest, log_density, fourth):
    """Replace log-densities by the weights of the rows in each component; return Σ w log p(x).

    joint[k, i] becomes w_i times the responsibility of k for row i, and fourth[k] grows by that times the fourth power
    of the row's distance. `largest` and `log_density` (as many rows) are scratch.
    """
    m = row_weight.shape[0]
    log_sums(joint, largest, log_density[:m])
    total = 0.0
    for i in range(m):
        total += row_weight[i] * log_density[i]
    for k in range(joint.shape[0]):
        sum_ = 0.0
        for i in range(m):
            square = level[k] - joint[k, i]
            share = joint[k, i] - log_density[i]
            w = row_weight[i] * exp(share) if share > LOG_NEGLIGIBLE else 0.0
            joint[k, i] = w
            largest[i] = 4.0 * w * square * square if w > 0.0 else 0.0
        for i in range(m):
            sum_ += largest[i]
        fourth[k] += sum_
    return total


@kernel
def add_full(rows, shares, means, buffer, weight, total, gram):
    """Add rows, by their shares, to the weight, sum and Gram matrix of each component, around its mean.

    Gram matrices go to the lower triangles of `gram`; if there is one, all components share it. `buffer` (as many rows)
    is scratch.
    """
    m, p = rows.shape
    for k in range(means.shape[0]):
        count = 0
        for i in range(m):
            w = shares[k, i]
            if w > 0.0:
                root = math.sqrt(w)
                weight[k] += w
                for j in range(p):
                    d = rows[i, j] - means[k, j]
                    total[k, j] += w * d
                    buffer[count, j] = root * d
                count += 1
        if count:
            add_gram(buffer[:count], gram[k % gram.shape[0]])


@kernel
def add_diagonal(rows, shares, means, weight, total, square):
    """Add rows, by their shares, to the weight, sum and squares of each component, around its mean."""
    m, p = rows.shape
    for k in range(means.shape[0]):
        for i in range(m):
            w = shares[k, i]
            if w > 0.0:
                weight[k] += w
                for j in range(p):
                    d = rows[i, j] - means[k, j]
                    total[k, j] += w * d
                    square[k, j] += w * d * d
