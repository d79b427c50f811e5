import numpy as np
import pytest

import tenfold as tn
from tenfold import HMMClassifier
from tenfold.sources import part_rows

STEP = np.array([[0.9, 0.1, 0.0], [0.1, 0.8, 0.1], [0.0, 0.2, 0.8]])
EMISSION = np.array([[0.5, 0.3, 0.1, 0.1], [0.3, 0.3, 0.3, 0.1], [0.1, 0.1, 0.3, 0.5]])
NAMES = np.array(["calm", "rising", "storm"], dtype=object)


def labelled(seed=0, count=60, length=40):
    """Symbols with the states behind them, by name."""
    random = np.random.default_rng(seed)
    lengths = np.full(count, length)
    states = np.empty(count * length, np.int64)
    for t in range(len(states)):
        chances = [1 / 3] * 3 if t % length == 0 else STEP[states[t - 1]]
        states[t] = random.choice(3, p=chances)
    seen = np.array([random.choice(4, p=EMISSION[state]) for state in states])
    return np.array(["a", "b", "c", "d"], dtype=object)[seen][:, None], NAMES[states], lengths


def test_counts_by_hand():
    X, y = [["x"], ["y"], ["x"], ["x"]], ["u", "v", "v", "u"]
    model = HMMClassifier(alpha=0.0).fit(X, y, lengths=[3, 1])
    assert model.classes_.tolist() == ["u", "v"]
    assert model.startprob_.tolist() == [1.0, 0.0]
    assert model.transmat_.tolist() == [[0.0, 1.0], [0.0, 1.0]]
    assert model.emissionprob_.tolist() == [[1.0, 0.0], [0.5, 0.5]]
    smooth = HMMClassifier(alpha=1.0).fit(X, y, lengths=[3, 1])
    np.testing.assert_allclose(smooth.startprob_, [3 / 4, 1 / 4])
    np.testing.assert_allclose(smooth.emissionprob_, [[3 / 4, 1 / 4], [1 / 2, 1 / 2]])


def test_rows_around_tell_more_than_a_row_alone():
    X, y, lengths = labelled()
    model = HMMClassifier().fit(X, y, lengths=lengths)
    np.testing.assert_allclose(model.transmat_, STEP, atol=0.05)
    fresh, truth, lengths = labelled(1)
    alone = tn.CategoricalNB().fit(X, y).score(fresh, truth)
    assert model.score(fresh, truth, lengths) > alone + 0.05
    single = model.classes_[model.predict_proba(fresh, lengths).argmax(axis=1)]
    assert (single == truth).mean() >= model.score(fresh, truth, lengths) - 0.01  # each row by itself: errs least


def test_parts_and_sums_have_the_same_bits(tmp_path):
    X, y, lengths = labelled()
    whole = HMMClassifier().fit(X, y, lengths=lengths)
    with part_rows(31):
        cut = HMMClassifier().fit(X, y, lengths=lengths)
    both = HMMClassifier().fit(X[:800], y[:800], lengths=lengths[:20])
    both = both + HMMClassifier().fit(X[800:], y[800:], lengths=lengths[20:])
    ids = np.repeat(np.arange(60), 40)
    source = HMMClassifier().fit(tn.scan(X, target=y, sequence=ids))
    for other in (cut, both, source):
        assert other.transmat_.tobytes() == whole.transmat_.tobytes()
        assert other.emissionprob_.tobytes() == whole.emissionprob_.tobytes()
    assert source.predict(tn.scan(X, sequence=ids)).collect().tolist() == whole.predict(X, lengths).tolist()
    whole.save(tmp_path / "model")
    assert tn.load(tmp_path / "model").predict(X, lengths).tolist() == whole.predict(X, lengths).tolist()


def test_labels_in_what_it_says():
    X, y, lengths = labelled(2)
    model = HMMClassifier(alpha=0.0).fit(X, y, lengths=lengths)
    log, states = model.decode(X[:40])
    assert set(states) <= set(NAMES)
    assert np.isfinite(log)
    paths, _ = model.likeliest_paths(X[:40], 2)
    assert paths[0].tolist() == states.tolist()
    assert model.impossible_transitions(["calm", "storm", "calm"]).tolist() == [1, 2]
    drawn, behind = model.sample(50)
    assert set(drawn[:, 0]) <= {"a", "b", "c", "d"}
    assert set(behind) <= set(NAMES)
    with pytest.raises(ValueError, match="score needs y"):
        model.score(X)
