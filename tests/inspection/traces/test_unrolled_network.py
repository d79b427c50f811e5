"""A recurrent network unrolled: states by hand and by PyTorch's own networks, predictions of the sequences so far."""

import numpy as np
import pytest

import tenfold as tn
from tenfold.datasets import make_marked_sequences

torch = pytest.importorskip("torch")
X, Y, LENGTHS = make_marked_sequences(40, random_state=0)


@pytest.mark.parametrize("cell", ["simple", "gru", "lstm"])
@pytest.mark.parametrize("layers", [1, 2])
def test_states_are_those_of_pytorch(cell, layers):
    model = tn.RNNClassifier(3, cell=cell, num_layers=layers, max_iter=2).fit(X, Y, lengths=LENGTHS)
    theirs = {"simple": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[cell](2, 3, layers).double()
    with torch.no_grad():
        for name, value in model.parameters_.items():
            if not name.startswith("head"):
                getattr(theirs, name).copy_(torch.tensor(np.array(value)))
        rows = X[: LENGTHS[0]]
        steps = tn.trace(model, rows)
        np.testing.assert_allclose(steps.states[-1], theirs(torch.tensor(rows))[0].numpy(), atol=1e-12)
        if layers == 2 and cell == "simple":
            first = torch.nn.RNN(2, 3, 1).double()
            for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
                getattr(first, name).copy_(torch.tensor(np.array(model.parameters_[name])))
            np.testing.assert_allclose(steps.states[0], first(torch.tensor(rows))[0].numpy(), atol=1e-12)


def test_a_simple_network_by_hand():
    model = tn.RNNRegressor(2, cell="simple", max_iter=2).fit(X, Y.astype(float), lengths=LENGTHS)
    p = {name: np.array(value) for name, value in model.parameters_.items()}
    rows, h = X[: LENGTHS[0]], np.zeros(2)
    steps = tn.trace(model, rows)
    for t, row in enumerate(rows):
        h = np.tanh(p["weight_ih_l0"] @ row + p["bias_ih_l0"] + p["weight_hh_l0"] @ h + p["bias_hh_l0"])
        np.testing.assert_allclose(steps.states[0, t], h, atol=1e-12)
        assert steps.outputs[t, 0] == pytest.approx((h @ p["head_W"] + p["head_b"]).item())
    assert steps.outputs[-1, 0] == pytest.approx(model.predict(rows)[0])


def test_predictions_are_those_of_the_rows_so_far():
    model = tn.RNNClassifier(4, max_iter=3).fit(X, Y, lengths=LENGTHS)
    rows = X[: LENGTHS[0]]
    steps = tn.trace(model, rows)
    for t in range(len(rows)):
        np.testing.assert_allclose(steps.outputs[t], model.predict_proba(rows[: t + 1])[0], atol=1e-12)
    assert steps.output_names == ("P(False)", "P(True)")
    assert list(steps.table) == ["step", "x0", "x1", "h0", "h1", "h2", "h3", "P(False)", "P(True)"]
    both = model.hidden_states(X[: LENGTHS[:2].sum()], lengths=LENGTHS[:2])
    np.testing.assert_allclose(both[0], steps.states, atol=1e-12)
    assert both[1].shape == (1, LENGTHS[1], 4)
    np.testing.assert_allclose(both[1], tn.trace(model, X[LENGTHS[0] : LENGTHS[:2].sum()]).states, atol=1e-12)


def test_letters_of_a_word():
    letters, lengths = [[letter] for letter in "abbacabc"], [2, 3, 3]
    model = tn.RNNClassifier(2, max_iter=2).fit(letters, ["x", "y", "x"], lengths=lengths)
    steps = tn.trace(model, [["a"], ["c"], ["b"]])
    assert steps.table["x0"] == ["a", "c", "b"]
    assert steps.states.shape == (1, 3, 2)
    assert "2 units, unrolled over 3 steps" in str(steps)
    with pytest.raises(ValueError, match="at most 500 are unrolled"):
        tn.trace(model, [["a"]] * 501)
