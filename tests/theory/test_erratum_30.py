"""PAC: polynomial in 1/ε, 1/δ and n, not in ε and δ."""

from tenfold import theory


def rows(eps, delta, n):
    return theory.sample_size(eps, delta, log_size=theory.log_conjunctions(n))


def test_erratum_30_rows_are_polynomial_in_one_over_eps_and_delta():
    """Halving ε doubles them, δ enters by its logarithm, n linearly; a polynomial in ε would stay bounded."""
    for k in range(1, 12):
        assert rows(0.2 / 2**k, 0.05, 10) <= 2 * rows(0.2 / 2 ** (k - 1), 0.05, 10) <= rows(0.2 / 2**k, 0.05, 10) + 2
    assert rows(0.2 / 2**12, 0.05, 10) > 1000 * rows(0.2, 0.05, 10)
    assert rows(0.1, 0.05 / 1000, 10) - rows(0.1, 0.05, 10) <= 70  # ln(1000)/0.1
    assert rows(0.1, 0.05, 20) <= 2 * rows(0.1, 0.05, 10)
