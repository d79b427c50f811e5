"""Nearest centres, and what Lloyd's step needs of them."""

from __future__ import annotations

from tenfold.kernels.blas import products
from tenfold.kernels.compiling import kernel


@kernel
def nearest(block, centers, norms, product, best, label):
    """The nearest centre of each row; `product`, `best` are scratch of the block's type.

    Centre by centre over all rows of the block, so that the comparison runs in vectors without
    changing the order of any sum.
    """
    m = block.shape[0]
    products(block, centers, -2.0, product)
    for i in range(m):
        best[i] = product[0, i] + norms[0]
        label[i] = 0
    for k in range(1, centers.shape[0]):
        norm = norms[k]
        row = product[k]
        for i in range(m):
            d = row[i] + norm
            closer = d < best[i]
            best[i] = d if closer else best[i]
            label[i] = k if closer else label[i]


@kernel
def _before(a, b):
    """Whether row a stands before row b in lexicographic order: the tie must not depend on order."""
    for j in range(a.shape[0]):
        if a[j] != b[j]:
            return a[j] < b[j]
    return False


@kernel
def add_lloyd(block, row_weight, centers, exact, norms, product, best, label, weight, sums):
    """Add each row to the sum of its nearest centre; return inertia, and the farthest row.

    `exact` are the centres in float64: the inertia is summed from differences, not from norms.
    """
    nearest(block, centers, norms, product, best, label)
    p = block.shape[1]
    inertia = 0.0
    farthest = -1.0
    at = -1
    for i in range(block.shape[0]):
        k = label[i]
        w = row_weight[i]
        weight[k] += w
        d0 = 0.0
        d1 = 0.0
        d2 = 0.0
        d3 = 0.0
        row = block[i]
        total = sums[k]
        center = exact[k]
        for j in range(p):
            total[j] += w * row[j]
        j = 0
        while j + 3 < p:
            a = row[j] - center[j]
            b = row[j + 1] - center[j + 1]
            c = row[j + 2] - center[j + 2]
            d = row[j + 3] - center[j + 3]
            d0 += a * a
            d1 += b * b
            d2 += c * c
            d3 += d * d
            j += 4
        while j < p:
            a = row[j] - center[j]
            d0 += a * a
            j += 1
        distance = (d0 + d1) + (d2 + d3)
        inertia += w * distance
        if distance > farthest or (distance == farthest and _before(row, block[at])):
            farthest = distance
            at = i
    return inertia, farthest, at
