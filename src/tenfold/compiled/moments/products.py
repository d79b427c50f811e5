"""Products of columns, each made from one that comes before it."""

from __future__ import annotations

from tenfold.compiled.decorators import kernel


@kernel
def fill_products(block, parent, column, out):
    """Fill `out`: product j is product `parent[j]` (-1: one) times a column of the block."""
    for i in range(block.shape[0]):
        for j in range(len(parent)):
            x = block[i, column[j]]
            out[i, j] = x if parent[j] < 0 else x * out[i, parent[j]]


@kernel
def fill_slopes(block, products, parent, column, by, out):
    """Fill `out` with the derivative of each product by one of the columns."""
    for i in range(block.shape[0]):
        for j in range(len(parent)):
            above = parent[j]
            slope = 0.0 if above < 0 else out[i, above] * block[i, column[j]]
            if column[j] == by:
                slope += 1.0 if above < 0 else products[i, above]
            out[i, j] = slope
