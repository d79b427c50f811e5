"""Attention and layer normalisation: against PyTorch's own, and gradients by hand."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

import tenfold as tn
from tenfold import TransformerClassifier
from tenfold.neural_network.sequences.sequence_network import SequenceNetwork
from tenfold.neural_network.sequences.transformer import EPSILON, TransformerEncoder, attended, normed, positions

random = np.random.default_rng(0)
QKV = random.normal(size=(3, 4, 12))
INSIDE = np.arange(4) < np.array([[4], [2], [1]])


def test_attention_is_that_of_pytorch_without_the_rows_that_are_not_there():
    q, k, v = (torch.tensor(each).reshape(3, 4, 2, 2).swapaxes(1, 2) for each in np.split(QKV, 3, axis=2))
    mask = torch.tensor(INSIDE)[:, None, None, :]
    theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    ours, shares = attended(np, QKV, INSIDE, 2)
    assert_allclose(ours, theirs.swapaxes(1, 2).reshape(3, 4, 4).numpy(), atol=1e-12)
    assert_allclose(shares.sum(-1), 1.0)
    assert not shares[1, :, :, 2:].any()


def test_normed_rows_are_those_of_pytorch():
    x, scale, shift = random.normal(size=(2, 3, 5)), random.normal(size=5), random.normal(size=5)
    given = (torch.tensor(each) for each in (x, scale, shift))
    x_, scale_, shift_ = given
    theirs = torch.nn.functional.layer_norm(x_, (5,), scale_, shift_, EPSILON)
    assert_allclose(normed(np, x, scale, shift), theirs.numpy(), atol=1e-12)


def test_places_have_codes_of_their_own():
    codes = positions(50, 8)
    assert codes.shape == (50, 8)
    assert_allclose(codes[:, :2], np.column_stack([np.sin(np.arange(50)), np.cos(np.arange(50))]))
    apart = np.linalg.norm(codes[:, None] - codes[None], axis=2)
    assert apart[~np.eye(50, dtype=bool)].min() > 0.1


# ---- backpropagation by hand -----------------------------------------------------------------------


def norm_back(x, scale, back):
    """Derivatives in x, scale and shift of a normed row, from those in what comes out."""
    off = x - x.mean(-1, keepdims=True)
    sd = np.sqrt((off**2).mean(-1, keepdims=True) + EPSILON)
    hat, g = off / sd, back * scale
    dx = (g - g.mean(-1, keepdims=True) - hat * (g * hat).mean(-1, keepdims=True)) / sd
    return dx, (back * hat).sum(0), back.sum(0)


def attention_back(qkv, heads, back):
    """Derivatives in queries, keys and values of one whole sequence, from those in what heads say."""
    T, one = len(qkv), qkv.shape[1] // (3 * heads)
    found = np.zeros_like(qkv).reshape(T, 3, heads, one)
    for h in range(heads):
        q, k, v = (qkv.reshape(T, 3, heads, one)[:, j, h] for j in range(3))
        s = q @ k.T / np.sqrt(one)
        p = np.exp(s - s.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        o = back[:, h * one : (h + 1) * one]
        dp = o @ v.T
        ds = p * (dp - (dp * p).sum(1, keepdims=True)) / np.sqrt(one)
        found[:, 0, h], found[:, 1, h], found[:, 2, h] = ds @ k, ds.T @ q, p.T @ o
    return found.reshape(qkv.shape)


def by_hand(network, weights, x, y):
    """The gradient of ½ (f - y)² of one sequence through an encoder of one layer."""
    P, p, s1, t1, W, b, O, o, s2, t2, V, v, D, e, s3, t3, H, g = network.arrays(weights)
    x0 = x @ P + p + positions(len(x), network.encoder.width)
    n1 = normed(np, x0, s1, t1)
    qkv = n1 @ W + b
    a = attended(np, qkv[None], np.ones((1, len(x)), bool), network.encoder.heads)[0][0]
    x1 = x0 + a @ O + o
    n2 = normed(np, x1, s2, t2)
    u = n2 @ V + v
    x2 = x1 + np.maximum(u, 0) @ D + e
    code = normed(np, x2, s3, t3).mean(0)
    off = code @ H + g - y
    dH, dcode = np.outer(code, off), H @ off
    dx2, ds3, dt3 = norm_back(x2, s3, np.tile(dcode / len(x), (len(x), 1)))
    du = dx2 @ D.T * (u > 0)
    dn2, ds2, dt2 = norm_back(x1, s2, du @ V.T)
    dx1 = dx2 + dn2
    dqkv = attention_back(qkv, network.encoder.heads, dx1 @ O.T)
    dn1, ds1, dt1 = norm_back(x0, s1, dqkv @ W.T)
    dx0 = dx1 + dn1
    each = (
        x.T @ dx0, dx0.sum(0), ds1, dt1, n1.T @ dqkv, dqkv.sum(0), a.T @ dx1, dx1.sum(0), ds2, dt2, n2.T @ du,
        du.sum(0), np.maximum(u, 0).T @ dx2, dx2.sum(0), ds3, dt3, dH, off,
    )  # fmt: skip
    return np.concatenate([one.ravel() for one in each])


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_gradients_are_those_of_backpropagation_by_hand(heads):
    network = SequenceNetwork(TransformerEncoder(2, 8, 1, heads, 5), 1, "squared_error")
    weights = network.initial(heads) + 0.1 * np.random.default_rng(1).normal(size=network.length)
    sequences = [random.normal(size=(n, 2)) for n in (4, 1, 6)]
    X = np.zeros((3, 6, 2))
    for at, one in enumerate(sequences):
        X[at, : len(one)] = one
    y = np.array([1.0, -2.0, 0.5])
    slope = network.loss_and_gradient(weights, X, np.array([4, 1, 6]), y, np.ones(3))[1]
    assert_allclose(slope, sum(by_hand(network, weights, x, t) for x, t in zip(sequences, y)), atol=1e-10)


def test_what_stands_after_the_end_of_a_sequence_does_not_matter():
    encoder = TransformerEncoder(2, 4, 2, 2, 3)
    given = SequenceNetwork(encoder, 1, "squared_error").arrays(np.random.default_rng(2).normal(size=1000))[:-2]
    x = random.normal(size=(1, 3, 2))
    longer = np.concatenate([x, random.normal(size=(1, 4, 2))], axis=1)
    lengths = np.array([3])
    assert_allclose(encoder.codes(given, longer, lengths), encoder.codes(given, x, lengths), atol=1e-12)
    (maps,) = encoder.attention(given, longer, lengths)
    assert maps.shape == (2, 2, 3, 3)
    assert_allclose(maps.sum(-1), 1.0)


# ---- encoder and decoder ---------------------------------------------------------------------------

BOTH = TransformerEncoder(2, 8, 1, 2, 5, 2)


def padded(*lengths):
    X = np.zeros((len(lengths), max(lengths), 2))
    for at, n in enumerate(lengths):
        X[at, :n] = random.normal(size=(n, 2))
    return X, np.array(lengths)


def test_encoder_and_decoder_are_those_of_pytorch():
    """PyTorch's own modules, with our weights: an encoder layer, and a query that looks at its rows, layer by layer."""
    network = SequenceNetwork(BOTH, 1, "squared_error")
    weights = network.initial(0) + 0.2 * np.random.default_rng(1).normal(size=network.length)
    given = dict(zip(network.shapes, map(torch.tensor, network.arrays(weights)), strict=True))
    X, lengths = padded(4, 1, 6)
    ours = BOTH.codes(network.arrays(weights)[:-2], X, lengths)

    def of(prefix):
        return {name.removeprefix(prefix): value for name, value in given.items() if name.startswith(prefix)}

    def module(kind, arrays):
        """A module with these arrays for its parameters."""
        one = kind.double().eval()
        one.load_state_dict(arrays)
        return one

    def layers(w):
        return {
            "linear1.weight": w["up_W"].T, "linear1.bias": w["up_b"], "linear2.weight": w["down_W"].T,
            "linear2.bias": w["down_b"], "norm1.weight": w["norm1_scale"], "norm1.bias": w["norm1_shift"],
            "norm2.weight": w["norm2_scale"], "norm2.bias": w["norm2_shift"],
        }  # fmt: skip

    w = of("layer0_")
    encoder = module(
        torch.nn.TransformerEncoderLayer(8, 2, 5, 0.0, norm_first=True, batch_first=True),
        layers(w)
        | {
            "self_attn.in_proj_weight": w["qkv_W"].T, "self_attn.in_proj_bias": w["qkv_b"],
            "self_attn.out_proj.weight": w["out_W"].T, "self_attn.out_proj.bias": w["out_b"],
        },
    )  # fmt: skip
    for at, n in enumerate(lengths):
        rows = torch.tensor(X[at : at + 1, :n])
        x = rows @ given["project_W"] + given["project_b"] + torch.tensor(positions(n, 8))
        memory = torch.nn.functional.layer_norm(encoder(x), (8,), given["norm_scale"], given["norm_shift"], EPSILON)
        z = given["query"].reshape(1, 1, 8)
        for layer in ("decoder0_", "decoder1_"):
            w = of(layer)
            look = module(
                torch.nn.MultiheadAttention(8, 2, batch_first=True),
                {
                    "in_proj_weight": torch.cat([w["q_W"].T, w["kv_W"].T]),
                    "in_proj_bias": torch.cat([w["q_b"], w["kv_b"]]),
                    "out_proj.weight": w["out_W"].T, "out_proj.bias": w["out_b"],
                },
            )  # fmt: skip
            norm = torch.nn.functional.layer_norm
            asked = norm(z, (8,), w["norm1_scale"], w["norm1_shift"], EPSILON)
            z = z + look(asked, memory, memory, need_weights=False)[0]
            inner = norm(z, (8,), w["norm2_scale"], w["norm2_shift"], EPSILON) @ w["up_W"] + w["up_b"]
            z = z + torch.relu(inner) @ w["down_W"] + w["down_b"]
        want = torch.nn.functional.layer_norm(
            z, (8,), given["decoder_norm_scale"], given["decoder_norm_shift"], EPSILON
        )
        assert_allclose(ours[at], want.detach().numpy().ravel(), atol=1e-10)


def test_gradients_through_both_are_finite_differences():
    network = SequenceNetwork(BOTH, 1, "squared_error")
    weights = network.initial(0) + 0.2 * np.random.default_rng(1).normal(size=network.length)
    X, lengths = padded(3, 5)
    y, weight = np.array([1.0, -2.0]), np.array([1.0, 0.5])
    slope = network.loss_and_gradient(weights, X, lengths, y, weight)[1]

    def loss(at):
        f = network.outputs_of(at, X, lengths)[:, 0]
        return 0.5 * weight @ (f - y) ** 2

    for j in np.random.default_rng(2).choice(network.length, 120, replace=False):
        step = np.zeros(network.length)
        step[j] = 1e-5
        assert_allclose(slope[j], (loss(weights + step) - loss(weights - step)) / 2e-5, atol=1e-7)


def test_the_query_looks_at_the_rows_of_a_sequence_alone_and_shares_add_up():
    given = SequenceNetwork(BOTH, 1, "squared_error").arrays(np.random.default_rng(2).normal(size=3000))[:-2]
    X, lengths = padded(3)
    longer = np.concatenate([X, random.normal(size=(1, 4, 2))], axis=1)
    assert_allclose(BOTH.codes(given, longer, lengths), BOTH.codes(given, X, lengths), atol=1e-12)
    (maps,) = BOTH.decoder_attention(given, longer, lengths)
    assert maps.shape == (2, 2, 3)
    assert_allclose(maps.sum(-1), 1.0)
    assert BOTH.attention(given, longer, lengths)[0].shape == (1, 2, 3, 3)


def test_a_decoder_learns_which_row_tells_the_class(tmp_path):
    """The class is the only capital letter, wherever that is: the query looks there more often than by chance."""
    draw = np.random.default_rng(0)
    words, classes = [], []
    for _ in range(160):
        word = list(draw.choice(list("xyz"), int(draw.integers(2, 6))))
        at = int(draw.integers(len(word)))
        classes.append(word[at])
        word[at] = word[at].upper()
        words.append(word)
    letters, lengths = [[letter] for word in words for letter in word], [len(word) for word in words]
    model = TransformerClassifier(
        8, n_heads=2, n_layers=1, n_decoder_layers=1, max_iter=60, learning_rate_init=0.02, dim_feedforward=16
    ).fit(letters, classes, lengths=lengths)
    assert np.mean(model.predict(letters, lengths=lengths) == classes) > 0.97
    looks = [maps.mean(axis=(0, 1)).argmax() for maps in model.decoder_attention(letters, lengths=lengths)]
    marked = [next(j for j, letter in enumerate(word) if letter.isupper()) for word in words]
    assert np.mean(np.array(looks) == marked) > 1.5 * np.mean(1 / np.array(lengths))
    model.save(tmp_path / "decoder.tenfold")
    again = tn.load(tmp_path / "decoder.tenfold")
    assert np.array_equal(again.predict(letters, lengths=lengths), model.predict(letters, lengths=lengths))
    with pytest.raises(ValueError, match="n_decoder_layers is 0"):
        TransformerClassifier(4, n_layers=1, max_iter=1).fit(letters, classes, lengths=lengths).decoder_attention(
            letters
        )
