import numpy as np
import pytest

import tenfold as tn
from tenfold import DataError, MarkovChain
from tenfold.sources import part_rows


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


def test_the_long_run():
    chain = MarkovChain().fit(np.random.default_rng(1).integers(0, 4, (5000, 1)))
    lasting = chain.stationary_distribution()
    np.testing.assert_allclose(lasting @ chain.transmat_, lasting, atol=1e-12)
    turns = MarkovChain().fit([["a"], ["b"], ["a"], ["b"], ["a"]])
    np.testing.assert_allclose(turns.stationary_distribution(), [0.5, 0.5])
    drawn = chain.sample(100_000)
    again = MarkovChain().fit(drawn)
    np.testing.assert_allclose(again.transmat_, chain.transmat_, atol=0.02)


def test_wrong_input_is_refused():
    with pytest.raises(DataError, match="takes one column of symbols, not 2"):
        MarkovChain().fit([["a", "b"]])
    with pytest.raises(ValueError, match="at least 1, not 0"):
        MarkovChain().fit([["a"], ["b"]]).sample(0)
    with pytest.raises(DataError, match="row 1 holds a symbol that was not there in fitting"):
        MarkovChain().fit([["a"], ["b"]]).predict([["a"], ["c"]])
    with pytest.raises(DataError, match="row 0 holds a symbol"):
        MarkovChain().fit([["a"], ["b"]]).score([["c"]])
