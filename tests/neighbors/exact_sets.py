"""Random sets on which neighbours must be those of brute force in float64, to the bit: used by tests and benchmarks."""

import numpy as np

import tenfold as tn
from tenfold.sources import part_rows

KINDS = ("plain", "duplicates", "integers", "constant", "offset", "outlier", "tiny", "huge", "one_point")


def draw_set(seed):
    """Training rows, queries and k: duplicates, ties, constant columns, offsets of 1e8, outliers, extreme sizes."""
    random = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n, m, p = int(random.integers(1, 900)), int(random.integers(1, 60)), int(random.integers(1, 30))
    X, Q = random.normal(size=(n, p)), random.normal(size=(m, p))
    if kind == "duplicates":
        X = X[random.integers(0, max(1, n // 6), n)]
        Q[: m // 2] = X[random.integers(0, n, m // 2)]
    elif kind == "integers":
        X, Q = random.integers(0, 3, (n, p)).astype(float), random.integers(0, 3, (m, p)).astype(float)
    elif kind == "constant":
        some = random.integers(0, p, max(1, p // 2))
        X[:, some] = Q[:, some] = 7.25
    elif kind == "offset":
        X, Q = X + 1e8, Q + 1e8
    elif kind == "outlier":
        X[random.integers(n)] *= 1e6
        Q[random.integers(m)] *= 1e25
    elif kind == "tiny":
        X, Q = X * 1e-120, Q * 1e-120
    elif kind == "huge":
        X, Q = X * 1e120, Q * 1e120
    elif kind == "one_point":
        X[:] = X[0]
    return X, Q, int(random.integers(1, min(n, 40) + 1))


def brute_force(X, Q, k, scale=None):
    """Squared distances, summed column by column of differences, and the k nearest, of equal ones the first."""
    away = np.zeros((len(Q), len(X)))
    for j in range(X.shape[1]):
        away += (1.0 if scale is None else scale[j]) * (Q[:, j, None] - X[None, :, j]) ** 2
    order = np.argsort(away, axis=1, kind="stable")[:, :k]
    return away, order


def exact(seed):
    """Whether both ways find what brute force finds, on one set, alone and cut into parts that merge."""
    X, Q, k = draw_set(seed)
    away, order = brute_force(X, Q, k)
    wanted = np.sqrt(np.take_along_axis(away, order, axis=1))
    y = np.random.default_rng(seed).integers(0, 3, len(X))
    edge = np.take_along_axis(away, order[:, -1:], axis=1)
    before, at = away < edge, away == edge
    share = (k - before.sum(axis=1)) / at.sum(axis=1)
    one_hot = (y[:, None] == np.arange(3)).astype(float)
    proba = (before @ one_hot + share[:, None] * (at @ one_hot))[:, np.unique(y)] / k
    for algorithm in ("auto", "brute"):
        model = tn.KNeighborsClassifier(k, algorithm=algorithm).fit(X, y)
        distances, found = model.kneighbors(Q)
        if not (np.array_equal(found, order) and np.array_equal(distances, wanted)):
            return False
        if not np.allclose(model.predict_proba(Q), proba, rtol=0, atol=1e-12):
            return False
    with part_rows(97):
        over = tn.KNeighborsClassifier(k).predict_proba_over(Q, X, y)
    return np.allclose(over, proba, rtol=0, atol=1e-12)
