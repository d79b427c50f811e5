"""Keys in ascending order: two lists united, and the rows of several sorted pieces dealt to their keys."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel


@kernel
def unite(a, b, first, here, there):
    """Merge two ascending lists of different keys; return how many keys there are.

    Of each, `first` is its place in both lists, one after the other, and `here` and `there` its place in either, or -1.
    """
    i, j, n = 0, 0, 0
    while i < len(a) or j < len(b):
        in_a = i < len(a) and (j == len(b) or a[i] <= b[j])
        in_b = j < len(b) and (i == len(a) or b[j] <= a[i])
        first[n] = i if in_a else len(a) + j
        here[n], there[n] = i if in_a else -1, j if in_b else -1
        i += in_a
        j += in_b
        n += 1
    return n


@kernel
def deal(keys, hashes, edges, cell, order):
    """Deal rows to their keys: `order` has the rows of each key together, in the order of the pieces.

    `keys` are ascending, and so are the `hashes` of each piece, from one of the `edges` up to the next; all are among
    the keys. `cell` has room for the place of the key of each row.
    """
    many = len(keys)
    ends = np.zeros(many + 1, np.int64)
    for piece in range(len(edges) - 1):
        at = 0
        for i in range(edges[piece], edges[piece + 1]):
            step, low = 1, at  # the next key is near, or else it is looked for in steps that double
            while at < many and keys[at] < hashes[i]:
                low = at + 1
                at += step
                step *= 2
            high = min(at, many)
            while low < high:
                middle = (low + high) // 2
                if keys[middle] < hashes[i]:
                    low = middle + 1
                else:
                    high = middle
            at = low
            cell[i] = at
            ends[at + 1] += 1
    for c in range(many):
        ends[c + 1] += ends[c]
    for i in range(len(hashes)):
        order[ends[cell[i]]] = i
        ends[cell[i]] += 1
