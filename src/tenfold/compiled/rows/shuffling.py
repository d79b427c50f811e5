"""Random folds without memory: each run of k consecutive numbers has every fold once, in a random order."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel


@kernel
def mix(x):
    """64 well-mixed bits (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def _draw(start, run, order):
    """A permutation of 0, 1, ..., for a run of numbers."""
    k = len(order)
    for a in range(k):
        order[a] = a
    bits = mix(start ^ (np.uint64(run) * np.uint64(0xD1B54A32D192ED03)))
    for a in range(k - 1, 0, -1):
        bits = mix(bits + np.uint64(0x9E3779B97F4A7C15))
        b = np.int64(((bits >> np.uint64(32)) * np.uint64(a + 1)) >> np.uint64(32))
        order[a], order[b] = order[b], order[a]


@kernel
def deal(numbers, seed, k, out):
    """out[i]: the fold of number i, by the permutation drawn for its run of k numbers."""
    order = np.empty(k, np.int64)
    current = np.int64(-1)
    start = mix(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15))
    for i in range(len(numbers)):
        run = numbers[i] // k
        if run != current:
            current = run
            _draw(start, run, order)
        out[i] = order[numbers[i] - run * k]


@kernel
def deal_classes(label, before, seed, k, out):
    """out[i]: the fold of row i, dealt within its class; `before` counts the rows of each class so far."""
    classes = len(before)
    order = np.empty((classes, k), np.int64)
    current = np.full(classes, -1)
    for i in range(len(label)):
        c = label[i]
        run = before[c] // k
        if run != current[c]:
            current[c] = run
            _draw(mix(np.uint64(seed + c) + np.uint64(0x9E3779B97F4A7C15)), run, order[c])
        out[i] = order[c, before[c] - run * k]
        before[c] += 1


@kernel
def stratify(label, before, cuts, out):
    """out[i]: the fold of row i, where fold f of class c begins at row cuts[c, f] of the class."""
    classes, k = cuts.shape
    fold = np.zeros(classes, np.int64)
    for i in range(len(label)):
        c = label[i]
        while fold[c] + 1 < k and before[c] >= cuts[c, fold[c] + 1]:
            fold[c] += 1
        out[i] = fold[c]
        before[c] += 1


@kernel
def count_labels(label, start, count, first):
    """Add to count[c] the rows of class c; first[c] becomes the least number of one, the first row's being `start`."""
    for i in range(len(label)):
        c = label[i]
        if count[c] == 0:
            first[c] = start + i
        count[c] += 1
