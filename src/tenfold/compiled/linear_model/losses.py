"""Losses of a score f against a target y, by number: value, and slope in f.

0 squared ½(f - y)², 1 logistic log(1 + exp(-y f)), 2 hinge max(0, 1 - y f), 3 exponential exp(-y f), 4 insensitive
max(0, |f - y| - e), 5 zero-one (y f ≤ 0), 7 sigmoid ½(σ(f) - (y + 1)/2)², σ(f) = 1/(1 + exp(-f)). For 1 to 3, 5 and 7 y
is -1 or 1. `e` is a width (4), or what a value is multiplied by (1: bits).
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import inner, kernel

SQUARED, LOGISTIC, HINGE, EXPONENTIAL, INSENSITIVE, ZERO_ONE, SOFTMAX, SIGMOID = range(8)


@inner
def loss_value(code, f, y, e):
    """The loss of a prediction f where the target is y, by the code of the loss."""
    if code == SQUARED:
        return 0.5 * (f - y) * (f - y)
    if code == INSENSITIVE:
        return max(0.0, abs(f - y) - e)
    z = y * f
    if code == HINGE:
        return max(0.0, 1.0 - z)
    if code == EXPONENTIAL:
        return np.exp(-z)
    if code == ZERO_ONE:
        return 1.0 if z <= 0.0 else 0.0
    if code == SIGMOID:
        miss = 1.0 / (1.0 + np.exp(z))
        return 0.5 * miss * miss
    return e * (np.log1p(np.exp(-z)) if z > 0.0 else np.log1p(np.exp(z)) - z)


@inner
def loss_slope(code, f, y, e):
    """The derivative of the loss in f; at a kink, that of the flat side."""
    if code == SQUARED:
        return f - y
    if code == INSENSITIVE:
        return 1.0 if f - y > e else (-1.0 if y - f > e else 0.0)
    z = y * f
    if code == HINGE:
        return -y if z < 1.0 else 0.0
    if code == EXPONENTIAL:
        return -y * np.exp(-z)
    if code == ZERO_ONE:
        return 0.0
    if code == SIGMOID:
        miss = 1.0 / (1.0 + np.exp(z))
        return -y * miss * miss * (1.0 - miss)
    return -e * y / (1.0 + np.exp(z))


@kernel
def losses(code, f, y, e, value, slope):
    """Write the loss and its derivative of each row."""
    for i in range(len(f)):
        value[i] = loss_value(code, f[i], y[i], e)
        slope[i] = loss_slope(code, f[i], y[i], e)


@inner
def soften(f, at, unit):
    """Replace scores by the derivatives of -log softmax of class `at`; return its value, both times `unit`."""
    top = f[0]
    for k in range(1, len(f)):
        top = max(top, f[k])
    total = 0.0
    for k in range(len(f)):
        total += np.exp(f[k] - top)
    value = top + np.log(total) - f[at]
    for k in range(len(f)):
        f[k] = unit * np.exp(f[k] - top) / total
    f[at] -= unit
    return unit * value


@kernel
def softmax_losses(f, label, unit, value):
    """Write the softmax loss of each row; scores are replaced by derivatives."""
    for i in range(len(f)):
        value[i] = soften(f[i], label[i], unit)
