"""Random kernel expressions of numbers, strings, sets and trees; what they claim is held against eigenvalues."""

from typing import NamedTuple

import numpy as np

import tenfold as tn

LETTERS = np.array(list("ACGT"))


class Drawn(NamedTuple):
    """What was found of one expression."""

    kernel: tn.kernels.Kernel
    claims: bool
    """whether it claims to be PSD"""
    lowest: float
    """eigenvalue of its Gram matrix, as a share of the largest by size"""
    away: float
    """how far inner products of its features are from the kernel, as a share of the largest value; 0 if it has none"""


def draw(seed: int) -> Drawn:
    """An expression, and its Gram matrix of random rows."""
    random = np.random.default_rng(seed)
    domain = random.choice(["numbers", "numbers", "numbers", "strings", "sets", "trees"])
    kernel = expression(random, domain, int(random.integers(1, 4)))
    rows = points(random, domain, int(random.integers(2, 25)))
    K = kernel(rows)
    assert np.array_equal(K, K.T)
    each = np.linalg.eigvalsh(K)
    scale = max(float(np.abs(each).max()), 1e-300)
    away = 0.0
    if kernel.psd:
        features = tn.kernels.feature_map(kernel, rows).transform(rows)
        away = float(np.abs(features @ features.T - K).max()) / max(float(np.abs(K).max()), 1e-300)
    return Drawn(kernel, kernel.psd, float(each[0]) / scale, away)


def points(random: np.random.Generator, domain: str, n: int):
    """Rows, some of them equal, some far away."""
    if domain == "strings":
        return ["".join(random.choice(LETTERS, random.integers(0, 9))) for _ in range(n)]
    if domain == "sets":
        return [frozenset(random.integers(0, 8, random.integers(0, 7)).tolist()) for _ in range(n)]
    if domain == "trees":
        return [tree(random, 3) for _ in range(n)]
    X = random.normal(size=(n, 3)) * 10.0 ** random.integers(-2, 2)
    X[random.integers(0, n, n // 4)] = X[0]
    if random.random() < 0.25:
        X += 10.0 ** random.integers(0, 5)
    return np.clip(X / max(1.0, np.abs(X).max() / 3), -3, 3) if random.random() < 0.8 else X / max(1.0, np.abs(X).max())


def tree(random: np.random.Generator, depth: int):
    label = str(random.choice(["S", "A", "B"]))
    if depth == 0 or random.random() < 0.3:
        return (label, str(random.choice(["u", "v"])))
    return (label, *(tree(random, depth - 1) for _ in range(random.integers(1, 3))))


def leaf(random: np.random.Generator, domain: str) -> tn.kernels.Kernel:
    if domain == "strings":
        m = int(random.integers(0, 3))
        return tn.kernels.SpectrumKernel(int(random.integers(1, 4))) if m == 0 else tn.kernels.MismatchKernel(3, m)
    if domain == "sets":
        return tn.kernels.SetKernel(str(random.choice(["intersection", "subsets", "jaccard"])))
    if domain == "trees":
        return tn.kernels.TreeKernel(float(random.uniform(0.1, 1)))
    width = float(10.0 ** random.uniform(-2, 1)) * (1 if random.random() < 0.85 else -0.1)
    A = random.normal(size=(3, 2))
    sign = 1 if random.random() < 0.7 else -1
    return [
        tn.kernels.LinearKernel(),
        tn.kernels.PolynomialKernel(int(random.integers(1, 5)), abs(width), float(sign * random.uniform(0, 2))),
        tn.kernels.GaussianKernel(width),
        tn.kernels.LaplacianKernel(width),
        tn.kernels.SigmoidKernel(abs(width), float(random.normal())),
        tn.kernels.MatrixKernel(A @ A.T if sign > 0 else A @ A.T - np.eye(3)),
        tn.kernels.ConstantKernel(float(sign * random.uniform(0, 2))),
        tn.kernels.FunctionKernel(lambda X: np.sin(X).sum(axis=1)),
        tn.kernels.GaussianKernel(abs(width)).on([0, 2]),
        tn.kernels.LinearKernel().normalized(),
    ][int(random.integers(10))]


def expression(random: np.random.Generator, domain: str, depth: int) -> tn.kernels.Kernel:
    if depth == 0:
        return leaf(random, domain)
    a = expression(random, domain, depth - 1)
    b = expression(random, domain, int(random.integers(0, depth)))
    match int(random.integers(8)):
        case 0 | 1:
            return a + b
        case 2:
            return a * b
        case 3:
            return a ** int(random.integers(0, 4))
        case 4:
            return float(random.uniform(-1.5, 2)) * a
        case 5:
            return bounded(a).exp()
        case 6:
            return bounded(a).series(tuple((random.uniform(-0.6, 1, 3)).tolist()))
    return bounded(a, 0.5).series(str(random.choice(["geometric", "log", "cosh", "sinh"])))


def bounded(kernel: tn.kernels.Kernel, most: float = 1.0) -> tn.kernels.Kernel:
    """A kernel whose series converge: a cosine, if it is provably PSD, else a Gaussian kernel or a constant."""
    if kernel.psd:
        return most * kernel.normalized()
    return (
        most * tn.kernels.GaussianKernel(1.0)
        if kernel.domain in ("numbers", "anything")
        else tn.kernels.ConstantKernel(most)
    )
