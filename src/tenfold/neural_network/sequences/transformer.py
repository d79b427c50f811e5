"""Encoder and decoder of a transformer (Vaswani et al. 2017): rows of a sequence look at each other, by attention.

A row is projected and gets a code of its place; then, in each layer, x ← x + A(norm x) and x ← x + F(norm x), where A
is softmax(QKᵀ/√d) V of several heads side by side and F two layers with a ReLU between. A sequence is told by the mean
of its rows in the end; or by a decoder: a query, which is learned, looks at the rows in each layer, z ← z + A(norm z,
rows) and z ← z + F(norm z), and what it becomes tells the sequence. What is written here runs on arrays of numpy and
of PyTorch alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Array, Codes

EPSILON = 1e-5
"""added to the variance of a row before it is divided by its root"""


class TransformerEncoder(NamedTuple):
    """The shape of an encoder."""

    features: int
    width: int
    """dimension of the representation of a row between layers"""
    layers: int
    heads: int
    feed_forward: int
    """units between the two layers of F"""
    decoder_layers: int = 0
    """0: the mean of the rows tells a sequence"""

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights, by name."""
        d, f = self.width, self.feed_forward
        found: dict[str, tuple[int, ...]] = {"project_W": (self.features, d), "project_b": (d,)}
        for at in range(self.layers):
            layer: dict[str, tuple[int, ...]] = {
                "norm1_scale": (d,), "norm1_shift": (d,), "qkv_W": (d, 3 * d), "qkv_b": (3 * d,), "out_W": (d, d),
                "out_b": (d,), "norm2_scale": (d,), "norm2_shift": (d,), "up_W": (d, f), "up_b": (f,),
                "down_W": (f, d), "down_b": (d,),
            }  # fmt: skip
            found |= {f"layer{at}_{name}": shape for name, shape in layer.items()}
        found |= {"norm_scale": (d,), "norm_shift": (d,)}
        if not self.decoder_layers:
            return found
        for at in range(self.decoder_layers):
            below: dict[str, tuple[int, ...]] = {
                "norm1_scale": (d,), "norm1_shift": (d,), "q_W": (d, d), "q_b": (d,), "kv_W": (d, 2 * d),
                "kv_b": (2 * d,), "out_W": (d, d), "out_b": (d,), "norm2_scale": (d,), "norm2_shift": (d,),
                "up_W": (d, f), "up_b": (f,), "down_W": (f, d), "down_b": (d,),
            }  # fmt: skip
            found |= {f"decoder{at}_{name}": shape for name, shape in below.items()}
        return found | {"decoder_norm_scale": (d,), "decoder_norm_shift": (d,), "query": (d,)}

    @property
    def penalised(self) -> frozenset[str]:
        """Names of the arrays that a penalty is put on: neither constants nor scales."""
        return frozenset(name for name in self.shapes if name.endswith("_W"))

    def initial(self, name: str, draw: Array) -> Array:
        """First weights, from draws between -1 and 1 (Glorot, Bengio 2010); scales are 1, constants 0."""
        if name == "query":
            return draw
        if name.endswith("_W"):
            return draw * np.sqrt(6.0 / sum(draw.shape))
        return np.full(draw.shape, float(name.endswith("scale")))

    def numbers(self, steps: Codes) -> Codes:
        """Memory of a sequence of `steps` rows, in numbers."""
        decoder = self.decoder_layers * (2 * self.width + 2 * self.heads)
        encoder = self.layers * (8 * self.width + self.feed_forward + 2 * self.heads * steps)
        return steps * (self.features + encoder + decoder)

    def codes(self, given: Sequence[Array], X: Array, lengths: Codes) -> Array:
        """What tells each sequence: the mean of its rows after the last layer, or the decoder's; by numpy."""
        return np.asarray(self._encoded(np, given, X, lengths, [])[0])

    def torch_codes(self, torch: Any, given: Sequence[Any], X: Any, lengths: Codes, truncated: bool) -> Any:
        """The same by PyTorch, for gradients."""
        return self._encoded(torch, given, X, lengths, [])[0]

    def attention(self, given: Sequence[Array], X: Array, lengths: Codes) -> list[Array]:
        """How much each row looks at each other, of each sequence: layers x heads x rows x rows."""
        maps = np.stack(self._encoded(np, given, X, lengths, [])[1][: self.layers], axis=1)
        return [np.ascontiguousarray(one[:, :, :n, :n]) for one, n in zip(maps, lengths.tolist())]

    def decoder_attention(self, given: Sequence[Array], X: Array, lengths: Codes) -> list[Array]:
        """How much the query looks at each row, of each sequence: layers of the decoder x heads x rows."""
        maps = np.stack(self._encoded(np, given, X, lengths, [])[1][self.layers :], axis=1)
        return [np.ascontiguousarray(one[:, :, 0, :n]) for one, n in zip(maps, lengths.tolist())]

    def _encoded(self, xp: Any, given: Sequence[Any], X: Any, lengths: Codes, maps: list[Any]) -> tuple[Any, list[Any]]:
        """What tells each sequence, and the attention of each layer; `xp` is numpy or torch."""
        there = np.arange(X.shape[1]) < lengths[:, None]
        inside, places = xp.asarray(there), xp.asarray(positions(X.shape[1], self.width))
        x = X @ given[0] + given[1] + places
        for at in range(self.layers):
            s1, t1, W, b, O, o, s2, t2, V, v, D, e = given[2 + 12 * at : 14 + 12 * at]
            y, shares = attended(xp, normed(xp, x, s1, t1) @ W + b, inside, self.heads)
            x = x + y @ O + o
            z = normed(xp, x, s2, t2) @ V + v
            x = x + (z * (z > 0)) @ D + e
            maps.append(shares)
        end = 2 + 12 * self.layers
        x = normed(xp, x, given[end], given[end + 1])
        if self.decoder_layers:
            return self._decoded(xp, given[end + 2 :], x, inside, maps), maps
        return (x * xp.asarray(there / lengths[:, None])[..., None]).sum(axis=1), maps

    def _decoded(self, xp: Any, given: Sequence[Any], x: Any, inside: Any, maps: list[Any]) -> Any:
        """What the query has become after the last layer of the decoder: sequences x width."""
        n, d = len(x), self.width
        z = given[-1] + xp.zeros_like(x[:, :1])
        for at in range(self.decoder_layers):
            s1, t1, Q, q, K, k, O, o, s2, t2, V, v, D, e = given[14 * at : 14 + 14 * at]
            asked, rows = normed(xp, z, s1, t1) @ Q + q, x @ K + k
            looked, shares = looked_up(xp, asked, rows[:, :, :d], rows[:, :, d:], inside, self.heads)
            z = z + looked @ O + o
            u = normed(xp, z, s2, t2) @ V + v
            z = z + (u * (u > 0)) @ D + e
            maps.append(shares)
        return normed(xp, z, given[-3], given[-2]).reshape(n, d)


def attended(xp: Any, qkv: Any, inside: Any, heads: int) -> tuple[Any, Any]:
    """Attention of rows to each other, whose queries, keys and values stand side by side, and its softmax."""
    wide = qkv.shape[2] // 3
    queries, keys, values = (qkv[:, :, which * wide : (which + 1) * wide] for which in range(3))
    return looked_up(xp, queries, keys, values, inside, heads)


def looked_up(xp: Any, queries: Any, keys: Any, values: Any, inside: Any, heads: int) -> tuple[Any, Any]:
    """softmax(QKᵀ/√d) V of heads side by side, and the softmax; rows that are not `inside` are not looked at."""
    n, steps, wide = queries.shape
    one = wide // heads
    q, k, v = (each.reshape(n, each.shape[1], heads, one).swapaxes(1, 2) for each in (queries, keys, values))
    scores = xp.where(inside[:, None, None, :], q @ k.swapaxes(2, 3) / one**0.5, -np.inf)
    e = xp.exp(scores - xp.amax(scores, -1)[..., None])
    shares = e / e.sum(-1)[..., None]
    return (shares @ v).swapaxes(1, 2).reshape(n, steps, heads * one), shares


def normed(xp: Any, x: Any, scale: Any, shift: Any) -> Any:
    """Rows of mean 0 and variance 1, then scaled and shifted (layer normalisation, Ba et al. 2016)."""
    off = x - x.mean(-1)[..., None]
    return off / xp.sqrt((off * off).mean(-1) + EPSILON)[..., None] * scale + shift


def positions(steps: int, width: int) -> Array:
    """A code of each place: sines and cosines of waves that grow longer from 2π to 20,000π."""
    at = np.arange(width)
    angle = np.arange(steps)[:, None] / 10_000.0 ** (at // 2 * 2 / width)
    return np.where(at % 2, np.cos(angle), np.sin(angle))
