"""Gradients of recurrent networks: against differences, and against backpropagation through time by hand."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from scipy.special import expit

from tenfold.neural_network.mlp.objective import losses
from tenfold.neural_network.sequences.recurrent import Recurrent
from tenfold.neural_network.sequences.sequence_network import SequenceNetwork
from tenfold.neural_network.sequences.transformer import TransformerEncoder

LENGTHS = np.array([3, 1, 5, 2])


def example(network, seed=0):
    """Weights, ragged sequences, targets and weights of sequences."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(4, 5, network.encoder.features))
    X[np.arange(5) >= LENGTHS[:, None]] = 0.0
    y = {"squared_error": random.normal(size=4), "log_loss": np.array([0.0, 1.0, 1.0, 0.0])}
    weights = network.initial(seed) + 0.1 * random.normal(size=network.length)
    return weights, X, LENGTHS, y.get(network.loss, np.array([2.0, 0.0, 1.0, 2.0])), np.array([1.0, 2.0, 0.5, 1.0])


def by_differences(network, weights, X, lengths, y, weight, step=1e-5):
    def value(w):
        return weight @ losses(network.loss, network.outputs_of(w, X, lengths), y)

    found = np.empty_like(weights)
    for at in range(len(weights)):
        there = np.zeros_like(weights)
        there[at] = step
        found[at] = (value(weights + there) - value(weights - there)) / (2 * step)
    return found


CELLS = [Recurrent(2, 3, layers, cell) for cell in ("simple", "gru", "lstm") for layers in (1, 2)]
KINDS = [*CELLS, TransformerEncoder(2, 4, 1, 2, 3), TransformerEncoder(3, 6, 2, 3, 4)]


@pytest.mark.parametrize("loss", ["squared_error", "log_loss", "cross_entropy"])
@pytest.mark.parametrize("encoder", KINDS, ids=str)
def test_gradients_are_those_of_differences(encoder, loss):
    network = SequenceNetwork(encoder, 3 if loss == "cross_entropy" else 1, loss)
    weights, X, lengths, y, weight = example(network)
    value, slope = network.loss_and_gradient(weights, X, lengths, y, weight)
    assert value == pytest.approx(weight @ losses(loss, network.outputs_of(weights, X, lengths), y), rel=1e-12)
    assert_allclose(slope, by_differences(network, weights, X, lengths, y, weight), atol=1e-6)


@pytest.mark.parametrize("encoder", CELLS, ids=str)
def test_states_are_those_of_pytorch(encoder):
    """Each sequence by itself, with PyTorch's own layers."""
    network = SequenceNetwork(encoder, 1, "squared_error")
    weights, X, lengths, _, _ = example(network)
    kind = {"simple": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[encoder.cell]
    theirs = kind(encoder.features, encoder.width, encoder.layers, dtype=torch.float64)
    *given, _, _ = network.arrays(weights)
    for name, array in zip(encoder.shapes, given):
        getattr(theirs, name).data = torch.tensor(array)
    for row, n, code in zip(X, lengths, encoder.codes(given, X, lengths)):
        assert_allclose(theirs(torch.tensor(row[:n]))[0][-1].detach().numpy(), code, atol=1e-12)


# ---- backpropagation through time, by hand -------------------------------------------------------


def steps_of(cell, W, U, b, d, x):
    """States h₀ ... h_T of one sequence; of each step what its derivatives need."""
    n = U.shape[1]
    h, c, states, kept = np.zeros(n), np.zeros(n), [np.zeros(n)], []
    for row in x:
        p, q = W @ row + b, U @ h + d
        if cell == "simple":
            h = np.tanh(p + q)
            kept.append(())
        elif cell == "gru":
            r, z = expit(p[:n] + q[:n]), expit(p[n : 2 * n] + q[n : 2 * n])
            new = np.tanh(p[2 * n :] + r * q[2 * n :])
            kept.append((r, z, new, q[2 * n :]))
            h = (1 - z) * new + z * h
        else:
            i, f, g, o = (a(s) for a, s in zip((expit, expit, np.tanh, expit), np.split(p + q, 4)))
            kept.append((i, f, g, o, c))
            c = f * c + i * g
            h = o * np.tanh(c)
        states.append(h)
    return states, kept


def slopes_by_step(cell, U, states, kept, back):
    """For each step, from the last on: the derivatives of the loss in what comes from the row, and from the state."""
    n, found, dc = U.shape[1], [], np.zeros(U.shape[1])
    for (before, h), stored in reversed(list(zip(pairwise(states), kept))):
        if cell == "simple":
            dp = dq = back * (1 - h**2)
            direct = 0.0
        elif cell == "gru":
            r, z, new, q = stored
            dnew = back * (1 - z) * (1 - new**2)
            dz, dr = back * (before - new) * z * (1 - z), dnew * q * r * (1 - r)
            dp, dq = np.concatenate([dr, dz, dnew]), np.concatenate([dr, dz, dnew * r])
            direct = back * z
        else:
            i, f, g, o, c = stored
            now = np.tanh(f * c + i * g)
            dc = dc + back * o * (1 - now**2)
            dp = dq = np.concatenate(
                [dc * g * i * (1 - i), dc * c * f * (1 - f), dc * i * (1 - g**2), back * now * o * (1 - o)]
            )
            dc, direct = dc * f, 0.0
        found.append((dp, dq, before))
        back = U.T @ dq + direct
    assert len(back) == n
    return found


def by_hand(network, weights, X, lengths, y, weight, most=None):
    """The gradient of ½ (f - y)²: over the steps of each sequence terms are summed, those of the last `most` alone."""
    W, U, b, d, V, e = network.arrays(weights)
    total = [np.zeros_like(each) for each in (W, U, b, d, V, e)]
    for row, n, target, c in zip(X, lengths, y, weight):
        states, kept = steps_of(network.encoder.cell, W, U, b, d, row[:n])
        off = c * (states[-1] @ V + e - target)
        total[4] += np.outer(states[-1], off)
        total[5] += off
        for t, (dp, dq, before) in enumerate(slopes_by_step(network.encoder.cell, U, states, kept, V @ off)):
            if most is None or t < most:
                for at, term in enumerate((np.outer(dp, row[n - 1 - t]), np.outer(dq, before), dp, dq)):
                    total[at] += term
    return np.concatenate([each.ravel() for each in total])


@pytest.mark.parametrize("cell", ["simple", "gru", "lstm"])
def test_gradients_are_those_of_backpropagation_through_time_by_hand(cell):
    network = SequenceNetwork(Recurrent(2, 3, 1, cell), 1, "squared_error")
    given = example(network, seed=1)
    assert_allclose(network.loss_and_gradient(*given)[1], by_hand(network, *given), atol=1e-10)


@pytest.mark.parametrize("cell", ["simple", "gru", "lstm"])
@pytest.mark.parametrize("truncate", [1, 2, 4, 5])
def test_truncated_gradients_have_the_last_terms_of_the_sum(cell, truncate):
    network = SequenceNetwork(Recurrent(2, 3, 1, cell, truncate), 1, "squared_error")
    given = example(network, seed=2)
    value, slope = network.loss_and_gradient(*given, truncated=True)
    assert_allclose(slope, by_hand(network, *given, most=truncate), atol=1e-10)
    whole, full = network.loss_and_gradient(*given)
    assert value == pytest.approx(whole, rel=1e-12)
    assert np.allclose(slope, full, atol=1e-9) == (truncate == 5)


def test_erratum_31_backpropagation_through_time_sums_gradients_over_steps():
    """U is one array at all steps: its gradient is the sum of those that a copy of it for each step would have."""
    network = SequenceNetwork(Recurrent(2, 3, 1, "simple"), 1, "squared_error")
    weights, X, lengths, y, weight = example(network, seed=3)
    W, U, b, d, V, e = network.arrays(weights)
    slope = network.arrays(network.loss_and_gradient(weights, X, lengths, y, weight)[1])[1]

    def loss(copies):
        total = 0.0
        for row, n, target, c in zip(X, lengths, y, weight):
            h = np.zeros(3)
            for t in range(n):
                h = np.tanh(W @ row[t] + b + copies[t] @ h + d)
            total += 0.5 * c * ((h @ V + e).item() - target) ** 2
        return total

    each = np.zeros((5, 3, 3))
    for at in np.ndindex(each.shape):
        there = np.zeros(each.shape)
        there[at] = 1e-5
        each[at] = (loss(U + there) - loss(U - there)) / 2e-5
    assert_allclose(slope, each.sum(axis=0), atol=1e-8)
    assert np.abs(each[1:]).max(axis=(1, 2)).min() > 1e-6  # every step but the first, from a state of zeros, has a part
    assert not np.allclose(slope, each[-1], atol=1e-3)
