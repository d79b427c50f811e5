import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tenfold as tn
from tenfold import CategoricalHMM, DataError
from tenfold.sources import part_rows
from tenfold.testing import bits

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

START = np.array([0.6, 0.4])
STEP = np.array([[0.9, 0.1], [0.2, 0.8]])
EMISSION = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])


def sequences(seed=0, count=30):
    """Symbols of sequences of different lengths, and the states behind them."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 40, count)
    states, seen = [], []
    for length in lengths.tolist():
        state = random.choice(2, p=START)
        for _ in range(length):
            states.append(state)
            seen.append(random.choice(3, p=EMISSION[state]))
            state = random.choice(2, p=STEP[state])
    return np.array(seen)[:, None], lengths, np.array(states)


def given(**more):
    """A model that starts from chances that are nearly right."""
    first = {"startprob_init": [0.5, 0.5], "transmat_init": [[0.7, 0.3], [0.3, 0.7]]}
    return CategoricalHMM(2, **first, emissionprob_init=[[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]], **more)


def by_hand(X, lengths, start, step, emission):
    """A round of Baum and Welch's algorithm, in logarithms, row by row."""
    with np.errstate(divide="ignore"):
        pi, A, B = np.log(start), np.log(step), np.log(emission)
    began, moved, said, score = np.zeros(2), np.zeros((2, 2)), np.zeros((2, 3)), 0.0
    for seen in np.split(X[:, 0], lengths.cumsum()[:-1]):
        forward, backward = [pi + B[:, seen[0]]], [np.zeros(2)]
        for o in seen[1:]:
            forward.append(np.logaddexp.reduce(forward[-1][:, None] + A, axis=0) + B[:, o])
        for o in seen[:0:-1]:
            backward.append(np.logaddexp.reduce(A + B[:, o] + backward[-1], axis=1))
        forward, backward = np.array(forward), np.array(backward[::-1])
        total = np.logaddexp.reduce(forward[-1])
        gamma = np.exp(forward + backward - total)
        began += gamma[0]
        for t, o in enumerate(seen):
            said[:, o] += gamma[t]
            if t:
                moved += np.exp(forward[t - 1][:, None] + A + B[:, o] + backward[t] - total)
        score += total
    return began / began.sum(), moved / moved.sum(1, keepdims=True), said / said.sum(1, keepdims=True), score


def test_rounds_equal_baum_welch_by_hand():
    X, lengths, _ = sequences()
    chances = [np.array([0.5, 0.5]), np.array([[0.7, 0.3], [0.3, 0.7]]), np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])]
    for rounds in (1, 2, 3):
        *chances, _ = by_hand(X, lengths, *chances)
        model = given(max_iter=rounds, tol=0.0).fit(X, lengths=lengths)
        for name, want in zip(("startprob_", "transmat_", "emissionprob_"), chances, strict=True):
            np.testing.assert_allclose(getattr(model, name), want, rtol=1e-10)
        score = by_hand(X, lengths, *chances)[3]
        assert model.score(X, lengths=lengths) == pytest.approx(score, rel=1e-12)
        assert model.certificate_["log-likelihood"].value == pytest.approx(score / len(X), rel=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_likelihood_never_falls_and_the_next_round_gains_what_is_said(seed):
    X, lengths, _ = sequences(seed, 8)
    found = [CategoricalHMM(3, max_iter=r, tol=0.0, random_state=seed).fit(X, lengths=lengths) for r in range(1, 9)]
    scores = np.array([model.certificate_["log-likelihood"].value for model in found])
    gains = np.array([model.certificate_["next round gains"].value for model in found])
    assert (np.diff(scores) >= gains[:-1] - 1e-12).all()
    assert (gains >= -1e-13).all()


def test_states_are_found_again():
    X, lengths, states = sequences(1, 300)
    model = given().fit(X, lengths=lengths)
    assert model.converged_
    np.testing.assert_allclose(model.transmat_, STEP, atol=0.05)
    np.testing.assert_allclose(model.emissionprob_, EMISSION, atol=0.05)
    assert (model.predict(X, lengths) == states).mean() > 0.8
    assert (model.predict_proba(X, lengths).argmax(axis=1) == states).mean() > 0.8


@pytest.mark.parametrize("form", ["parquet", "pandas", "array"])
def test_files_frames_and_arrays_with_ids_are_as_lengths(form, tmp_path):
    X, lengths, _ = sequences()
    ids = np.repeat(np.arange(len(lengths)) * 7, lengths)
    frame = pd.DataFrame({"who": ids, "symbol": X[:, 0], "day": np.arange(len(X))})
    here = given(max_iter=4).fit(pd.DataFrame({"symbol": X[:, 0]}), lengths=lengths)
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.Table.from_pandas(frame), path, row_group_size=17)  # most sequences are cut
    source = {
        "parquet": lambda: tn.scan(path, sequence="who", columns=["symbol"]),
        "pandas": lambda: tn.scan(frame, sequence="who", columns=["symbol"], categorical=["symbol"]),
        "array": lambda: tn.scan(X, sequence=ids),
    }[form]()
    model = given(max_iter=4).fit(source)
    np.testing.assert_allclose(model.transmat_, here.transmat_, rtol=1e-10)
    np.testing.assert_allclose(model.score(source), here.score(frame[["symbol"]], lengths=lengths), rtol=1e-10)
    said = model.predict(source).collect()
    assert said.tolist() == here.predict(frame[["symbol"]], lengths).tolist()
    np.testing.assert_allclose(
        model.predict_proba(source).collect(), here.predict_proba(frame[["symbol"]], lengths), atol=1e-10
    )
    if form == "parquet":
        model.predict(source).to_parquet(tmp_path / "out", keep=["who", "day"])
        out = pd.read_parquet(tmp_path / "out")
        assert out["day"].tolist() == frame["day"].tolist()
        assert out["who"].tolist() == frame["who"].tolist()
        assert out["state"].tolist() == said.tolist()


def test_bits_do_not_depend_on_threads(tmp_path):
    X, lengths, _ = sequences(2, 60)
    with part_rows(50):
        found = set()
        for threads in (1, 3):
            with tn.on(tn.Local(threads=threads)):
                found.add(bits(given(max_iter=5).fit(X, lengths=lengths).model_))
    assert len(found) == 1


def test_ids_that_come_back_are_refused_by_name(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"who": [1, 1, 2, 1], "symbol": ["a", "b", "a", "b"]}), path)
    with pytest.raises(DataError, match=r"sequence 1 of column 'who' are not next to each other"):
        CategoricalHMM().fit(tn.scan(path, sequence="who"))
    with pytest.raises(DataError, match="the sequence of each row is unknown"):
        CategoricalHMM().fit(tn.scan(path, columns=["symbol"]))


def test_missing_symbols_say_nothing_about_their_rows():
    X, lengths, _ = sequences()
    model = given(max_iter=3).fit(X, lengths=lengths)
    gone = pd.DataFrame({"s": X[:5, 0].astype(object)})
    whole = model.predict_proba(X[:5])
    gone.loc[2, "s"] = None
    some = given(max_iter=3).fit(pd.DataFrame({"s": X[:, 0].astype(object)}), lengths=lengths).predict_proba(gone)
    assert not np.allclose(some[2], whole[2])
    prior = model.filter(X[:2])[-1] @ model.transmat_
    ahead = model.emissionprob_.T[X[3:5, 0]]
    later = model.transmat_ @ (ahead[0] * (model.transmat_ @ ahead[1]))
    want = prior * later
    np.testing.assert_allclose(some[2], want / want.sum(), rtol=1e-9)


def test_a_sequence_of_weight_two_is_two_sequences():
    X, lengths, _ = sequences(3, 12)
    times = np.arange(12) % 3
    twice = given(max_iter=3).fit(X, sample_weight=np.repeat(times, lengths).astype(float), lengths=lengths)
    pieces = np.split(X, lengths.cumsum()[:-1])
    rows = np.concatenate([piece for piece, t in zip(pieces, times, strict=True) for _ in range(t)])
    again = given(max_iter=3).fit(rows, lengths=np.repeat(lengths, times))
    np.testing.assert_allclose(twice.emissionprob_, again.emissionprob_, rtol=1e-10)
    with pytest.raises(DataError, match=r"row 1 has a different weight from the first row of its sequence"):
        given().fit(X, sample_weight=1.0 + (np.arange(len(X)) == 1))


def test_zeros_stay_zeros_and_left_to_right_goes_on():
    X, lengths, _ = sequences(4)
    model = CategoricalHMM(3, transmat_init="left-right", max_iter=5).fit(X, lengths=lengths)
    assert model.startprob_.tolist() == [1.0, 0.0, 0.0]
    assert (model.transmat_[np.tril_indices(3, -1)] == 0).all()
    assert model.transmat_[0, 2] == 0
    assert all((np.diff(path) >= 0).all() for path in np.split(model.predict(X, lengths), lengths.cumsum()[:-1]))


def test_the_likeliest_state_of_each_row_may_make_an_impossible_path():
    """From the first state to the second with .4, or by two others to the last, with .3 each."""
    step = np.zeros((6, 6))
    step[0, [1, 2, 3]] = 0.4, 0.3, 0.3
    step[[1, 2, 3, 4, 5], [4, 5, 5, 4, 5]] = 1.0
    model = CategoricalHMM(6, startprob_init=np.eye(6)[0], transmat_init=step, emissionprob_init=np.ones((6, 1)))
    X = [["x"]] * 3
    model.set_params(max_iter=1).fit(X)
    log, states = model.decode(X, algorithm="map")
    assert states.tolist() == [0, 1, 5]
    assert log == -np.inf
    assert model.impossible_transitions(states).tolist() == [2]
    best, path = model.decode(X)
    assert path.tolist() == [0, 1, 4]
    assert best == pytest.approx(np.log(0.4))
    assert len(model.impossible_transitions(path)) == 0
    assert len(model.impossible_transitions([1, 5, 1, 4], lengths=[1, 1, 2])) == 0


def test_several_starts_are_not_worse_than_the_first():
    X, lengths, _ = sequences(5)
    one = CategoricalHMM(3, random_state=1, max_iter=300, tol=1e-8).fit(X, lengths=lengths)
    more = CategoricalHMM(3, random_state=1, max_iter=300, tol=1e-8, n_init=8).fit(X, lengths=lengths)
    assert more.score(X, lengths=lengths) >= one.score(X, lengths=lengths) - 1e-3


def test_draws_are_as_the_model_says():
    X, lengths, _ = sequences(6, 100)
    model = given().fit(X, lengths=lengths)
    seen, states = model.sample(200_000)
    pairs = np.zeros((2, 2))
    np.add.at(pairs, (states[:-1], states[1:]), 1)
    np.testing.assert_allclose(pairs / pairs.sum(1, keepdims=True), model.transmat_, atol=0.01)
    said = np.zeros((2, 3))
    np.add.at(said, (states, seen[:, 0]), 1)
    np.testing.assert_allclose(said / said.sum(1, keepdims=True), model.emissionprob_, atol=0.01)
    assert model.sample(lengths=[2, 3])[0].shape == (5, 1)


def test_wrong_input_is_refused():
    X, *_ = sequences()
    with pytest.raises(ValueError, match="lengths add up to 3"):
        CategoricalHMM().fit(X, lengths=[3])
    with pytest.raises(ValueError, match="integers from 1 on"):
        CategoricalHMM().fit(X, lengths=[0, len(X)])
    with pytest.raises(DataError, match="takes one column of symbols, not 2"):
        CategoricalHMM().fit(np.column_stack([X, X]))
    with pytest.raises(ValueError, match=r"transmat_init must have shape \(2, 2\)"):
        CategoricalHMM(2, transmat_init=np.eye(3)).fit(X)
    with pytest.raises(ValueError, match="probabilities that add up to 1"):
        CategoricalHMM(2, startprob_init=[0.5, 0.1]).fit(X)
    with pytest.raises(ValueError, match="pass X without lengths"):
        CategoricalHMM().fit(tn.scan(X, sequence=np.zeros(len(X))), lengths=[len(X)])
    model = CategoricalHMM(2, startprob_init=[1.0, 0.0], transmat_init=np.eye(2), emissionprob_init=[[1, 0], [0, 1]])
    with pytest.raises(DataError, match="begins in row 0 is impossible"):
        model.fit([["a"], ["b"]])


def test_tied_transitions_have_the_same_chance_and_the_likelihood_never_falls():
    X, lengths, _ = sequences(7)
    tied = [[1, 2, 3], [3, 1, 2], [2, 3, 1]]  # to stay, to go on, to go back: the same from every state
    found = [
        CategoricalHMM(3, transmat_tied=tied, max_iter=r, tol=0.0, random_state=2).fit(X, lengths=lengths)
        for r in range(1, 8)
    ]
    scores = np.array([model.certificate_["log-likelihood"].value for model in found])
    gains = np.array([model.certificate_["next round gains"].value for model in found])
    assert (np.diff(scores) >= gains[:-1] - 1e-12).all()
    assert (gains >= -1e-13).all()
    for row in range(3):
        np.testing.assert_allclose(np.roll(found[-1].transmat_[row], -row), found[-1].transmat_[0], rtol=1e-12)
    assert found[-1].certificate_["aic"].because.startswith("10 free parameters")  # to start 2, to go 2, symbols 6
    with pytest.raises(ValueError, match="share number 1, but not all"):
        CategoricalHMM(2, transmat_tied=[[1, 2], [1, 3]]).fit(X, lengths=lengths)
    with pytest.raises(ValueError, match="integers of shape"):
        CategoricalHMM(2, transmat_tied=[[1, 2]]).fit(X, lengths=lengths)


@pytest.mark.parametrize("ask", ["predict", "predict_proba", "filter", "score_samples"])
def test_an_unknown_symbol_says_as_little_as_a_missing_one(ask):
    X, lengths, _ = sequences()
    model = given(max_iter=3).fit(pd.DataFrame({"s": X[:, 0].astype(str)}), lengths=lengths)
    frame = pd.DataFrame({"s": X[:9, 0].astype(str).astype(object)})
    gone, strange = frame.copy(), frame.copy()
    gone.loc[[2, 8], "s"] = None
    strange.loc[[2, 8], "s"] = "never seen"
    assert np.array_equal(getattr(model, ask)(gone), getattr(model, ask)(strange))
    assert not np.array_equal(model.predict_proba(gone), model.predict_proba(frame))


def test_errors_in_later_parts_name_the_row():
    X, weight = np.tile([[0], [1]], (10, 1)), np.ones(20)
    weight[:3], weight[13] = 0.0, 5.0  # rows before it are left out
    with part_rows(4), pytest.raises(DataError, match="row 13 has a different weight"):
        CategoricalHMM().fit(X, sample_weight=weight, lengths=[4] * 5)
    model = CategoricalHMM(1, emissionprob_init=[[1.0, 0.0]])
    with part_rows(4), pytest.raises(DataError, match="begins in row 16 is impossible"):
        model.fit(np.array([[0]] * 16 + [[1]] * 4), lengths=[4] * 5)


def test_nothing_is_decoded_of_an_impossible_sequence():
    known = CategoricalHMM(2, startprob_init=[0.5, 0.5], transmat_init=np.eye(2), emissionprob_init=[[1, 0], [0, 1]])
    known.fit([["a"], ["a"], ["b"], ["b"]], lengths=[2, 2])
    assert known.decode([["a"], ["a"]])[1].tolist() == known.predict([["a"], ["a"]]).tolist()
    for asked in (known.predict, known.predict_proba, known.decode, known.likeliest_paths):
        with pytest.raises(DataError, match="begins in row 0 is impossible.*Remedy"):
            asked([["a"], ["b"]])
    with pytest.raises(DataError, match="begins in row 1 is impossible"):
        known.decode([["a"], ["a"], ["b"]], lengths=[1, 2], algorithm="viterbi")
