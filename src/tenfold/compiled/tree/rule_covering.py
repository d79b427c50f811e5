"""The rules that a row fulfils, or all but one condition of them; and the first rule that it fulfils."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import inner, kernel

BELOW, ABOVE, AMONG = range(3)
"""what a condition asks of a value"""


@inner
def holds(x, sign, bound, missing, at, width, member):
    """Return whether a value fulfils a condition; an unknown category fulfils none."""
    if np.isnan(x):
        return missing == 1
    if sign == BELOW:
        return x <= bound
    if sign == ABOVE:
        return x > bound
    return 0 <= x < width and member[at + int(x)] == 1


@kernel
def cover(block, label, weight, wanted, start, column, sign, bound, missing, at, width, member, full, without):
    """Add rows by class: full[r], those that fulfil rule r; without[c], those that fail at its condition c alone."""
    for i in range(block.shape[0]):
        w = weight[i] if len(weight) else 1
        for r in range(len(start) - 1):
            if wanted[r] == 0:
                continue
            fails, which = 0, -1
            for c in range(start[r], start[r + 1]):
                if not holds(block[i, column[c]], sign[c], bound[c], missing[c], at[c], width[c], member):
                    fails += 1
                    which = c
                    if fails == 2:
                        break
            if fails == 0:
                full[r, label[i]] += w
            elif fails == 1:
                without[which, label[i]] += w


@kernel
def first_of(block, start, column, sign, bound, missing, at, width, member, out):
    """out[i]: the first rule that row i fulfils, or the number of rules."""
    rules = len(start) - 1
    for i in range(block.shape[0]):
        found = rules
        for r in range(rules):
            fits = True
            for c in range(start[r], start[r + 1]):
                if not holds(block[i, column[c]], sign[c], bound[c], missing[c], at[c], width[c], member):
                    fits = False
                    break
            if fits:
                found = r
                break
        out[i] = found
