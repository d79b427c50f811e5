"""The perceptron over a window of rows: w ← w + η y x whenever y wᵀx ≤ 0.

Weights are outputs x (a constant, then the features). A row of weight c is c rows: it is seen ⌈c⌉ times, at most
65,536, for an equal share each; once it is right, it stays so. For each output `mistakes` sums the shares at which it
changed, `run` those since, `best` the longest run, `pocket` the weights that had it. `late` is Σ (time) x (change),
from which the mean of all weights on the way follows.
"""

from __future__ import annotations

import math

from tenfold.compiled.decorators import inner, kernel
from tenfold.compiled.linear_model.descent import dot

MAX_REPEATS = 1 << 16
"""that one row is seen in a row at the most"""


@inner
def side(y, k, outputs):
    """Whether a row is of the class that output k is for."""
    return 1.0 if (y == 1.0 if outputs == 1 else y == k) else -1.0


@kernel
def perceive(block, y, weight, order, eta, constant, w, late, mistakes, run, best, pocket, clock):
    """Walk over dense rows in an order: weights change with each row on the wrong side of their plane."""
    outputs, p = len(w), block.shape[1]
    for i in order:
        times = max(1, math.ceil(min(weight[i], MAX_REPEATS)))
        share = weight[i] / times
        for turn in range(times):
            changed = False
            for k in range(outputs):
                sign = side(y[i], k, outputs)
                if sign * (w[k, 0] + dot(w, k, block, i, p)) <= 0.0:
                    if run[k] > best[k]:
                        best[k] = run[k]
                        pocket[k] = w[k]
                    changed = True
                    run[k] = 0.0
                    mistakes[k] += share
                    step = eta * share * sign
                    if constant:
                        w[k, 0] += step
                        late[k, 0] += clock[0] * step
                    for j in range(p):
                        w[k, j + 1] += step * block[i, j]
                        late[k, j + 1] += clock[0] * step * block[i, j]
                else:
                    run[k] += share
            clock[0] += share
            if not changed:
                rest = (times - 1 - turn) * share
                clock[0] += rest
                for k in range(outputs):
                    run[k] += rest
                break


@kernel
def perceive_sparse(data, indices, ends, y, weight, order, eta, constant, w, late, mistakes, run, best, pocket, clock):
    """Walk over the rows of a CSR matrix in an order, as `perceive` does over dense rows."""
    outputs = len(w)
    for i in order:
        times = max(1, math.ceil(min(weight[i], MAX_REPEATS)))
        share = weight[i] / times
        for turn in range(times):
            changed = False
            for k in range(outputs):
                sign = side(y[i], k, outputs)
                f = w[k, 0]
                for a in range(ends[i], ends[i + 1]):
                    f += w[k, indices[a] + 1] * data[a]
                if sign * f <= 0.0:
                    if run[k] > best[k]:
                        best[k] = run[k]
                        pocket[k] = w[k]
                    changed = True
                    run[k] = 0.0
                    mistakes[k] += share
                    step = eta * share * sign
                    if constant:
                        w[k, 0] += step
                        late[k, 0] += clock[0] * step
                    for a in range(ends[i], ends[i + 1]):
                        j = indices[a] + 1
                        w[k, j] += step * data[a]
                        late[k, j] += clock[0] * step * data[a]
                else:
                    run[k] += share
            clock[0] += share
            if not changed:
                rest = (times - 1 - turn) * share
                clock[0] += rest
                for k in range(outputs):
                    run[k] += rest
                break


@kernel
def dual_perceptron_epoch(gram, sign, step, score, dual):
    """Walk over all rows; where sign * score ≤ 0, add a row's step to its coefficient and its kernel row to the scores.

    Returns the number of rows on the wrong side.
    """
    mistakes = 0
    for i in range(len(sign)):
        if sign[i] * score[i] <= 0:
            change = sign[i] * step[i]
            dual[i] += change
            row = gram[i]
            for j in range(len(score)):
                score[j] += change * row[j]
            mistakes += 1
    return mistakes
