"""Stochastic gradient descent over the rows of a CSR matrix: a step costs what its row holds, not all columns.

Weights are w = s v. The squared penalty changes s alone. What the absolute penalty takes from v is owed: `owed` is
the sum so far, `paid` what each weight has had taken. The average of w is S v + a, where S is the sum of s: a is
corrected wherever v changes.
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel
from tenfold.compiled.linear_model.descent import judge, rate, shrunk, times_of

MIN_SCALE = 1e-3
"""to which s may fall before v takes it over"""


@kernel
def descend_sparse(data, indices, ends, y, weight, order, how, by, w, clock, average):
    """Update the weights by one row at a time, without momentum; averages only without an absolute penalty."""
    outputs, p = len(w), w.shape[1] - 1
    f, slope = np.empty(outputs), np.empty(outputs)
    e, l2, l1 = by[0], by[4], by[5]
    averaging = how[5] == 1
    s, owed, summed = 1.0, 0.0, 0.0
    paid = np.zeros((outputs if l1 > 0.0 else 0, p + 1))
    rest = np.zeros((outputs if averaging else 0, p + 1))
    before, constants = clock[3], np.zeros(outputs)
    for i in order:
        first, last = ends[i], ends[i + 1]
        times = times_of(weight[i])
        share = weight[i] / times
        for _ in range(times):
            eta = rate(how[3], by, clock[0]) * share
            for k in range(outputs):
                sum_ = 0.0
                for a in range(first, last):
                    j = indices[a] + 1
                    if l1 > 0.0:
                        w[k, j] = shrunk(w[k, j], owed - paid[k, j])
                        paid[k, j] = owed
                    sum_ += w[k, j] * data[a]
                f[k] = w[k, 0] + s * sum_
            clock[1] += share * judge(how, e, f, y[i], slope)
            s *= max(0.0, 1.0 - eta * l2)
            if s < MIN_SCALE:
                for k in range(outputs):
                    for j in range(1, p + 1):
                        if l1 > 0.0:
                            w[k, j] = shrunk(w[k, j], owed - paid[k, j])
                            paid[k, j] = 0.0
                        if averaging:
                            rest[k, j] += summed * w[k, j]
                        w[k, j] *= s
                s, owed, summed = 1.0, 0.0, 0.0
            for k in range(outputs):
                if how[4] == 1:
                    w[k, 0] -= eta * slope[k]
                step = eta * slope[k] / s
                if step != 0.0:
                    for a in range(first, last):
                        j = indices[a] + 1
                        w[k, j] -= step * data[a]
                        if averaging:
                            rest[k, j] += summed * step * data[a]
            if l1 > 0.0:
                owed += eta * l1 / s
            clock[0] += share
            if averaging:
                clock[3] += share
                summed += share * s
                for k in range(outputs):
                    constants[k] += share * w[k, 0]
        clock[2] += weight[i]
    for k in range(outputs):
        for j in range(1, p + 1):
            if l1 > 0.0:
                w[k, j] = shrunk(w[k, j], owed - paid[k, j])
            if averaging:
                all_ = before * average[k, j] + summed * w[k, j] + rest[k, j]
                average[k, j] = all_ / clock[3]
            w[k, j] *= s
        if averaging:
            average[k, 0] = (before * average[k, 0] + constants[k]) / clock[3]
