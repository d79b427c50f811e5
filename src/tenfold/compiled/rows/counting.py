"""Weighted counts of class and value."""

from __future__ import annotations

from tenfold.compiled.decorators import kernel


@kernel
def add_counts(block, first, group, row_weight, weight, counts):
    """Add each row's weight to `weight[g]` and, per column, to `counts[g, first[j] + code]`.

    Missing (NaN) and unseen (-1) codes are left out.
    """
    for i in range(block.shape[0]):
        g = group[i]
        w = row_weight[i]
        weight[g] += w
        for j in range(block.shape[1]):
            code = block[i, j]
            if code >= 0:
                counts[g, first[j] + int(code)] += w


@kernel
def add_lookups(block, first, group, table, out):
    """Add to `out[i, c]` the entries of `table[g, c]` at the codes of row i, where g = group[i]."""
    for i in range(block.shape[0]):
        g = group[i]
        for j in range(block.shape[1]):
            code = block[i, j]
            if code >= 0:
                at = first[j] + int(code)
                for c in range(table.shape[1]):
                    out[i, c] += table[g, c, at]
