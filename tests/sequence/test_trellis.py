"""Trellis of a hidden Markov model: against sums and maxima over all paths."""

from itertools import product

import numpy as np
import pytest

from tenfold import CategoricalHMM, DataError, GaussianHMM, HMMClassifier


def recursions_by_paths(start, step, likely):
    """α, β, δ, ψ, γ and ξ from all paths of states, up to and from each row."""
    rows, k = likely.shape
    alpha, delta, beta = np.zeros((rows, k)), np.zeros((rows, k)), np.zeros((rows, k))
    psi = np.full((rows, k), -1)
    gamma, xi = np.zeros((rows, k)), np.zeros((rows - 1, k, k))
    for t in range(rows):
        for path in product(range(k), repeat=t + 1):
            p = start[path[0]] * np.prod([likely[i, s] for i, s in enumerate(path)])
            p *= np.prod([step[a, b] for a, b in zip(path, path[1:], strict=False)])
            alpha[t, path[-1]] += p
            if p > delta[t, path[-1]]:
                delta[t, path[-1]] = p
                psi[t, path[-1]] = path[-2] if t else -1
        for state in range(k):
            for path in product(range(k), repeat=rows - 1 - t):
                p = np.prod([step[a, b] for a, b in zip((state, *path), path, strict=False)])
                beta[t, state] += p * np.prod([likely[t + 1 + i, s] for i, s in enumerate(path)])
    for path in product(range(k), repeat=rows):
        p = start[path[0]] * np.prod([likely[i, s] for i, s in enumerate(path)])
        p *= np.prod([step[a, b] for a, b in zip(path, path[1:], strict=False)])
        for t, state in enumerate(path):
            gamma[t, state] += p
            if t:
                xi[t - 1, path[t - 1], state] += p
    return alpha, beta, delta, psi, gamma / alpha[-1].sum(), xi / alpha[-1].sum()


@pytest.mark.parametrize("seed", range(8))
def test_all_of_it_is_as_by_all_paths(seed):
    random = np.random.default_rng(seed)
    k, m, rows = int(random.integers(2, 4)), 3, int(random.integers(2, 6))
    start, step, emission = (
        random.dirichlet(np.ones(k)),
        random.dirichlet(np.ones(k), k),
        random.dirichlet(np.ones(m), k),
    )
    X = random.integers(0, m, (rows, 1))
    model = CategoricalHMM.from_parameters(start, step, emission)
    found = model.trellis(X)
    alpha, beta, delta, psi, gamma, xi = recursions_by_paths(start, step, emission[:, X[:, 0]].T)
    np.testing.assert_allclose(found.alpha, alpha, rtol=1e-12)
    np.testing.assert_allclose(found.beta, beta, rtol=1e-12)
    np.testing.assert_allclose(found.delta, delta, rtol=1e-12)
    np.testing.assert_allclose(found.gamma, gamma, rtol=1e-12)
    np.testing.assert_allclose(found.xi, xi, rtol=1e-12)
    assert found.psi.tolist() == psi.tolist()
    assert found.likelihood == pytest.approx(alpha[-1].sum(), rel=1e-12)
    assert found.probability == pytest.approx(delta[-1].max(), rel=1e-12)
    np.testing.assert_allclose(found.alpha * found.beta / found.likelihood, found.gamma, rtol=1e-12)
    assert found.scale.prod() == pytest.approx(found.likelihood, rel=1e-12)
    # and what the methods of the model say
    assert found.path.tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(found.gamma, model.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(found.filtered, model.filter(X), atol=1e-12)
    assert found.log_likelihood == pytest.approx(model.score(X), rel=1e-12)
    assert found.log_probability == pytest.approx(model.decode(X)[0], rel=1e-12)


def test_long_sequences_do_not_underflow():
    model = CategoricalHMM.from_parameters([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.2, 0.8]])
    X = np.random.default_rng(0).integers(0, 2, (4_000, 1))
    found = model.trellis(X)
    assert found.alpha[-1].sum() == 0  # below the range of numbers
    assert found.log_likelihood == pytest.approx(model.score(X), rel=1e-12)
    np.testing.assert_allclose(found.gamma, model.predict_proba(X), atol=1e-9)
    assert found.path.tolist() == model.predict(X).tolist()
    assert "7940 more lines" in str(found)


@pytest.mark.quick
def test_the_table_reads_as_a_lecture_would_write_it():
    model = HMMClassifier.from_parameters(
        [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]], ["A healthy", "B fever"], [1, 2, 3]
    )
    found = model.trellis([[1], [2], [3]])
    np.testing.assert_allclose(found.delta, [[0.3, 0.04], [0.084, 0.027], [0.00588, 0.01512]], rtol=1e-12)
    assert found.psi.tolist() == [[-1, -1], [0, 0], [0, 0]]
    lines = str(found).splitlines()
    assert lines[:3] == [
        "Trellis",
        "likelihood 0.03628, log-likelihood -3.31649",
        "likeliest path: A healthy, A healthy, B fever, with probability 0.01512",
    ]
    assert lines[4].split() == ["row", "state", "α", "β", "γ", "δ", "ψ", "path"]
    assert lines[5].split() == ["0:", "1", "A", "healthy", "0.3", "0.106", "0.8765", "0.3", "*"]
    assert lines[10].split() == ["B", "fever", "0.02858", "1", "0.7879", "0.01512", "A", "healthy", "*"]
    assert "<table>" in found._repr_html_()


def test_missing_values_and_impossible_sequences():
    normal = GaussianHMM.from_parameters(
        [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.0, 0.0], [4.0, 1.0]], np.ones((2, 2))
    )
    X = np.array([[0.1, np.nan], [np.nan, np.nan], [4.2, 1.0]])
    found = normal.trellis(X)
    np.testing.assert_allclose(found.gamma, normal.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(found.log_emission[1], 0.0)
    assert found.observations[0] == "0.1, nan"
    never = CategoricalHMM.from_parameters([1.0, 0.0], np.eye(2), np.eye(2))
    with pytest.raises(DataError, match="impossible"):
        never.trellis([[0], [1]])
