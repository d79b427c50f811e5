"""Sums over one-hot columns, computed from the codes without forming them.

`addresses[c]` is where the codes of column c begin, floats of the type of `like`; its categories stand from
`first[c]` on. A code below zero (unseen) stands for zeros alone.
"""

from __future__ import annotations

from tenfold.compiled.decorators import kernel
from tenfold.compiled.rows.copying import pointer


@kernel
def add_looked_up(addresses, like, first, table, start, out):
    """out[i] += the row of `table` at each code of row start + i."""
    for i in range(out.shape[0]):
        for c in range(addresses.shape[0]):
            code = pointer(addresses[c], like)[start + i]
            if code >= 0:
                at = first[c] + int(code)
                for k in range(out.shape[1]):
                    out[i, k] += table[at, k]


@kernel
def add_by_code(addresses, like, first, values, start, sums):
    """sums[code] += values[i], for each code of row start + i."""
    for i in range(values.shape[0]):
        for c in range(addresses.shape[0]):
            code = pointer(addresses[c], like)[start + i]
            if code >= 0:
                at = first[c] + int(code)
                for k in range(values.shape[1]):
                    sums[at, k] += values[i, k]


@kernel
def add_pairs(addresses, like, first, weight, start, counts):
    """counts[a, b] += weight[i], for the codes a and b of two columns of row start + i; the lower triangle."""
    at = first.copy()
    for i in range(weight.shape[0]):
        for c in range(addresses.shape[0]):
            code = pointer(addresses[c], like)[start + i]
            at[c] = first[c] + int(code) if code >= 0 else -1
            if at[c] >= 0:
                for b in range(c + 1):
                    if at[b] >= 0:
                        counts[at[c], at[b]] += weight[i]


@kernel
def add_products(codes, unseen, first, vector, weight, out):
    """out += CᵀWC vector, for the features C that codes (rows x columns) stand for.

    `weight` is empty where every weight is one.
    """
    for i in range(codes.shape[0]):
        total = 0.0
        for c in range(codes.shape[1]):
            if codes[i, c] != unseen:
                total += vector[first[c] + codes[i, c]]
        if weight.shape[0]:
            total *= weight[i]
        for c in range(codes.shape[1]):
            if codes[i, c] != unseen:
                out[first[c] + codes[i, c]] += total
