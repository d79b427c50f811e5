import numpy as np
import pytest

import tenfold as tn
from tenfold import DataError, MarkovChain
from tenfold.sequence.long_run import long_run_shares
from tenfold.sources import part_rows


@pytest.mark.quick
def test_counts_by_hand():
    chain = MarkovChain().fit([["a"], ["b"], ["b"], ["a"], ["a"], ["c"]], lengths=[4, 2])
    assert chain.symbols_.tolist() == ["a", "b", "c"]
    assert chain.startprob_.tolist() == [1.0, 0.0, 0.0]
    np.testing.assert_allclose(chain.transmat_, [[0, 0.5, 0.5], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]])
    assert chain.certificate_["dead ends"].value == 1
    assert chain.score([["a"], ["b"], ["a"]]) == pytest.approx(np.log(0.5 * 0.5))
    assert chain.score_samples([["a"], ["b"], ["a"], ["c"]], [2, 2]).tolist() == pytest.approx([np.log(0.5)] * 2)
    assert chain.score([["b"]]) == -np.inf
    smooth = MarkovChain(alpha=1.0).fit([["a"], ["b"], ["b"], ["a"], ["a"], ["c"]], lengths=[4, 2])
    np.testing.assert_allclose(smooth.transmat_[0], [1 / 5, 2 / 5, 2 / 5])
    assert smooth.startprob_.tolist() == pytest.approx([3 / 5, 1 / 5, 1 / 5])
    assert chain.predict([["b"]]).tolist() == ["a"]
    assert chain.predict_proba([["a"]]).tolist() == [[0.0, 0.5, 0.5]]


def test_chains_add_up_and_cuts_do_not_matter():
    random = np.random.default_rng(0)
    X, lengths = random.integers(0, 5, (900, 1)), np.full(30, 30)
    whole = MarkovChain().fit(X, lengths=lengths)
    with part_rows(7):
        parts = MarkovChain().fit(X, lengths=lengths)
    both = MarkovChain().fit(X[:300], lengths=lengths[:10]) + MarkovChain().fit(X[300:], lengths=lengths[10:])
    grown = MarkovChain().fit(X[:300], lengths=lengths[:10]).partial_fit(X[300:], lengths=lengths[10:])
    for other in (parts, both, grown):
        assert other.transmat_.tobytes() == whole.transmat_.tobytes()
        assert other.startprob_.tobytes() == whole.startprob_.tobytes()
    ids = np.repeat(np.arange(30), 30)
    assert MarkovChain().fit(tn.scan(X.astype(float), sequence=ids)).transmat_.shape == (5, 5)


@pytest.mark.quick
def test_the_long_run():
    chain = MarkovChain().fit(np.random.default_rng(1).integers(0, 4, (5000, 1)))
    lasting = chain.stationary_distribution()
    np.testing.assert_allclose(lasting @ chain.transmat_, lasting, atol=1e-12)
    turns = MarkovChain().fit([["a"], ["b"], ["a"], ["b"], ["a"]])
    np.testing.assert_allclose(turns.stationary_distribution(), [0.5, 0.5])
    drawn = chain.sample(100_000)
    again = MarkovChain().fit(drawn)
    np.testing.assert_allclose(again.transmat_, chain.transmat_, atol=0.02)


def of_sequences(*sequences):
    return MarkovChain().fit([[s] for q in sequences for s in q], lengths=[len(q) for q in sequences])


@pytest.mark.parametrize(
    ("sequences", "shares"),
    [
        ([["home", "paid", "paid"], ["home", "cart", "left", "left"], ["cart", "paid", "paid"]], [0, 0, 1 / 3, 2 / 3]),
        (
            [["home", "cart", "pay", "done", "done"], ["home", "left", "left"], ["home", "cart", "left", "left"]],
            [0, 1 / 3, 0, 2 / 3, 0],
        ),
        ([["in", "a", "b", "a", "b", "a"], ["in", "out", "out"], ["in", "out"]], [1 / 6, 1 / 6, 0, 2 / 3]),
    ],
)
def test_the_long_run_of_a_funnel(sequences, shares):
    np.testing.assert_allclose(of_sequences(*sequences).stationary_distribution(), shares, atol=1e-15)


def mean_over_time(startprob, transmat):
    """By powers: the mean of 840 of them, which any period up to 8 divides, after very many steps."""
    power = transmat
    for _ in range(30):
        power = power @ power
        power /= power.sum(axis=1, keepdims=True)
    total = np.zeros_like(startprob)
    at = startprob @ power
    for _ in range(840):
        total, at = total + at, at @ transmat
    return total / 840


@pytest.mark.parametrize("seed", range(40))
def test_the_long_run_is_the_limit_of_powers(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 9))
    transmat = random.random((n, n)) * (random.random((n, n)) < random.uniform(0.05, 0.7))
    transmat[np.arange(n), random.integers(0, n, n)] += 0.1
    transmat /= transmat.sum(axis=1, keepdims=True)
    startprob = random.dirichlet(np.ones(n))
    found = long_run_shares(startprob, transmat)
    np.testing.assert_allclose(found, mean_over_time(startprob, transmat), atol=1e-12)
    np.testing.assert_allclose(found @ transmat, found, atol=1e-15)


@pytest.mark.parametrize("rare", [1e-3, 1e-12, 1e-200])
def test_the_long_run_of_symbols_that_are_hardly_ever_left(rare):
    transmat = np.array([[1 - rare, rare, 0, 0], [2 * rare, 1 - 2 * rare, 0, 0], [0, rare, 1, 3 * rare], [0, 0, 0, 1]])
    found = long_run_shares(np.array([0.1, 0.1, 0.8, 0.0]), transmat)
    np.testing.assert_allclose(found, [0.4 * 2 / 3, 0.4 / 3, 0, 0.6], rtol=1e-14)


def test_wrong_input_is_refused():
    with pytest.raises(DataError, match="takes one column of symbols, not 2"):
        MarkovChain().fit([["a", "b"]])
    with pytest.raises(ValueError, match="at least 1, not 0"):
        MarkovChain().fit([["a"], ["b"]]).sample(0)
    with pytest.raises(DataError, match="row 1 holds a symbol unknown from fitting"):
        MarkovChain().fit([["a"], ["b"]]).predict([["a"], ["c"]])
    with pytest.raises(DataError, match="row 0 holds a symbol"):
        MarkovChain().fit([["a"], ["b"]]).score([["c"]])
