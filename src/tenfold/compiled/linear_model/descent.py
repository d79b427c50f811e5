"""Stochastic gradient descent over the rows of a block.

Weights are outputs x (a constant, then the features). A row of weight c is c rows: it is seen ⌈c⌉ times, at most 64,
for an equal share each. `how` holds: loss, way (0 numbers, 1 two classes, 2 one class against the rest, 3 softmax),
batch, schedule, constant (whether it is fitted), averaging, nesterov. `by` holds: e of the loss, eta0, power, decay,
l2, l1, momentum, alpha, epoch. `clock` holds: updates so far, loss, weight of the rows, steps in the average.
"""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.decorators import inner, kernel
from tenfold.compiled.linear_model.losses import loss_slope, loss_value, soften

MAX_REPEATS = 64
"""that one row is seen in a row at the most"""


@kernel
def rate(schedule, by, t):
    """The step length after t updates: 0 constant, 1 optimal, 2 inverse scaling, 3 exponential."""
    eta = by[1]
    if schedule == 1:
        return eta / (1.0 + by[7] * eta * t)
    if schedule == 2:
        return eta / (t + 1.0) ** by[2]
    if schedule == 3:
        return eta * math.exp(-by[3] * by[8])
    return eta


@inner
def dot(w, k, block, i, p):
    """Return the product of row i and the weights of output k without their constant, in four sums of a fixed order."""
    a = b = c = d = 0.0
    j = 0
    while j + 4 <= p:
        a += w[k, j + 1] * block[i, j]
        b += w[k, j + 2] * block[i, j + 1]
        c += w[k, j + 3] * block[i, j + 2]
        d += w[k, j + 4] * block[i, j + 3]
        j += 4
    while j < p:
        a += w[k, j + 1] * block[i, j]
        j += 1
    return (a + b) + (c + d)


@inner
def judge(how, e, f, y, slope):
    """Return the loss of the scores f and its derivative in each score."""
    if how[1] == 3:
        for k in range(len(f)):
            slope[k] = f[k]
        return soften(slope, int(y), e)
    value = 0.0
    for k in range(len(f)):
        target = y
        if how[1] == 1:
            target = 1.0 if y == 1.0 else -1.0
        elif how[1] == 2:
            target = 1.0 if y == k else -1.0
        value += loss_value(how[0], f[k], target, e)
        slope[k] = loss_slope(how[0], f[k], target, e)
    return value


@inner
def shrunk(value, by_how_much):
    """Return a value moved towards zero, and not beyond it (soft threshold)."""
    if value > by_how_much:
        return value - by_how_much
    if value < -by_how_much:
        return value + by_how_much
    return 0.0


@inner
def times_of(c):
    """Return how many updates a row of weight c makes."""
    return max(1, math.ceil(min(c, MAX_REPEATS)))


@kernel
def descend(block, y, weight, order, how, by, w, clock, average):
    """Update the weights by one row at a time, without momentum."""
    p, outputs = block.shape[1], len(w)
    f, slope = np.empty(outputs), np.empty(outputs)
    e, l2, l1 = by[0], by[4], by[5]
    constant = how[4] == 1
    t, loss, mass, seen = clock[0], clock[1], clock[2], clock[3]
    for i in order:
        times = times_of(weight[i])
        share = weight[i] / times
        for _ in range(times):
            eta = rate(how[3], by, t) * share
            for k in range(outputs):
                f[k] = w[k, 0] + dot(w, k, block, i, p)
            loss += share * judge(how, e, f, y[i], slope)
            keep = max(0.0, 1.0 - eta * l2)
            for k in range(outputs):
                step = eta * slope[k]
                if constant:
                    w[k, 0] -= step
                if l1 > 0.0:
                    for j in range(p):
                        w[k, j + 1] = shrunk(keep * w[k, j + 1] - step * block[i, j], eta * l1)
                elif step != 0.0:
                    for j in range(p):
                        w[k, j + 1] = keep * w[k, j + 1] - step * block[i, j]
                elif keep != 1.0:
                    for j in range(p):
                        w[k, j + 1] *= keep
            t += share
            if how[5] == 1:
                seen += share
                for k in range(outputs):
                    for j in range(p + 1):
                        average[k, j] += share / seen * (w[k, j] - average[k, j])
        mass += weight[i]
    clock[0], clock[1], clock[2], clock[3] = t, loss, mass, seen


@kernel
def descend_batches(block, y, weight, order, how, by, w, velocity, clock, average):
    """Update the weights by batches of rows, with momentum: v = m v - eta g, w = w + v, g at w + m v for Nesterov's."""
    n, p, outputs = len(order), block.shape[1], len(w)
    f, slope = np.empty(outputs), np.empty(outputs)
    e, l2, l1, momentum = by[0], by[4], by[5], by[6]
    ahead = momentum if how[6] == 1 else 0.0
    at, total = np.empty_like(w), np.empty_like(w)
    for start in range(0, n, how[2]):
        stop = min(start + how[2], n)
        for k in range(outputs):
            for j in range(p + 1):
                total[k, j], at[k, j] = 0.0, w[k, j] + ahead * velocity[k, j]
        mass = 0.0
        for r in range(start, stop):
            i = order[r]
            for k in range(outputs):
                f[k] = at[k, 0] + dot(at, k, block, i, p)
            clock[1] += weight[i] * judge(how, e, f, y[i], slope)
            mass += weight[i]
            for k in range(outputs):
                g = weight[i] * slope[k]
                total[k, 0] += g
                for j in range(p):
                    total[k, j + 1] += g * block[i, j]
        share = min(1.0, mass / (stop - start))
        eta = rate(how[3], by, clock[0]) * share
        for k in range(outputs):
            for j in range(p + 1):
                g = total[k, j] / mass
                if j == 0:
                    if how[4] == 0:
                        continue
                else:
                    g += l2 * at[k, j]
                velocity[k, j] = momentum * velocity[k, j] - eta * g
                w[k, j] += velocity[k, j]
                if j > 0 and l1 > 0.0:
                    w[k, j] = shrunk(w[k, j], eta * l1)
        clock[0] += share
        clock[2] += mass
        if how[5] == 1:
            clock[3] += share
            for k in range(outputs):
                for j in range(p + 1):
                    average[k, j] += share / clock[3] * (w[k, j] - average[k, j])
