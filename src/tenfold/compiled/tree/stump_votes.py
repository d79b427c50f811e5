"""Rounds of boosting over binned rows: the weights of rows, and the votes of stumps."""

from __future__ import annotations

from tenfold.compiled.decorators import kernel
from tenfold.compiled.tree.binning import add_class_bins

MIN_WEIGHT = 1e-200
"""weights stop shrinking here: they no longer matter, and smaller ones are slow"""


@kernel
def follow_stumps(bins, label, feature, cut, left, right, up, down, first, weight):
    """Multiply each row's weight by `up` of each stump from `first` on that is wrong about it, or by `down`."""
    n = bins.shape[1]
    for t in range(first, len(feature)):
        j, b, low, high, more, less = feature[t], cut[t], left[t], right[t], up[t], down[t]
        for i in range(n):
            said = low if bins[j, i] <= b else high
            w = weight[i] * (less if said == label[i] else more)
            weight[i] = w if w > MIN_WEIGHT else MIN_WEIGHT


@kernel
def add_weights(bins, label, feature, cut, left, right, weight, before, bar, stride, histogram):
    """Add each row's weight by column, class and bin, and evaluate a stump (feature -1: none).

    Return the weight of the rows that it is wrong about, and of all; then the same of rows whose weight rose to the
    bar, in the weights that the rows had before.
    """
    add_class_bins(bins, label, weight, stride, histogram)
    wrong = 0.0
    total = 0.0
    doubtful = 0.0
    mass = 0.0
    for i in range(bins.shape[1]):
        w = weight[i]
        total += w
        mass += before[i]
        if w >= before[i] * bar:
            doubtful += before[i]
        if feature >= 0 and (left if bins[feature, i] <= cut else right) != label[i]:
            wrong += w
    return wrong, total, doubtful, mass


@kernel
def add_votes(block, feature, threshold, left, right, alpha, votes):
    """votes[i, c] += the weights of the stumps that predict class c for row i."""
    for t in range(len(feature)):
        j, bar, low, high, a = feature[t], threshold[t], left[t], right[t], alpha[t]
        for i in range(block.shape[0]):
            votes[i, low if block[i, j] <= bar else high] += a
