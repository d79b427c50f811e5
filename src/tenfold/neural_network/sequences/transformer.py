"""The encoder of a transformer (Vaswani et al. 2017): every row of a sequence looks at all others, by attention.

A row is projected and gets a code of its place; then, in each layer, x ← x + A(norm x) and x ← x + F(norm x), where A
is softmax(QKᵀ/√d) V of several heads side by side and F two layers with a ReLU between. A sequence is told by the mean
of its rows in the end. What is written here runs on arrays of numpy and of PyTorch alike.
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
        return found | {"norm_scale": (d,), "norm_shift": (d,)}

    @property
    def penalised(self) -> frozenset[str]:
        """Names of the arrays that a penalty is put on: neither constants nor scales."""
        return frozenset(name for name in self.shapes if name.endswith("_W"))

    def initial(self, name: str, draw: Array) -> Array:
        """First weights, from draws between -1 and 1 (Glorot, Bengio 2010); scales are 1, constants 0."""
        if name.endswith("_W"):
            return draw * np.sqrt(6.0 / sum(draw.shape))
        return np.full(draw.shape, float(name.endswith("scale")))

    def numbers(self, steps: Codes) -> Codes:
        """Memory of a sequence of `steps` rows, in numbers."""
        return steps * (self.features + self.layers * (8 * self.width + self.feed_forward + 2 * self.heads * steps))

    def codes(self, given: Sequence[Array], X: Array, lengths: Codes) -> Array:
        """The mean of the rows of each sequence after the last layer: sequences x width, by numpy."""
        return np.asarray(self._encoded(np, given, X, lengths, [])[0])

    def torch_codes(self, torch: Any, given: Sequence[Any], X: Any, lengths: Codes, truncated: bool) -> Any:
        """The same by PyTorch, for gradients."""
        return self._encoded(torch, given, X, lengths, [])[0]

    def attention(self, given: Sequence[Array], X: Array, lengths: Codes) -> list[Array]:
        """How much each row looks at each other, of each sequence: layers x heads x rows x rows."""
        maps = np.stack(self._encoded(np, given, X, lengths, [])[1], axis=1)
        return [np.ascontiguousarray(one[:, :, :n, :n]) for one, n in zip(maps, lengths.tolist())]

    def _encoded(self, xp: Any, given: Sequence[Any], X: Any, lengths: Codes, maps: list[Any]) -> tuple[Any, list[Any]]:
        """The mean row of each sequence, and the attention of each layer; `xp` is numpy or torch."""
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
        x = normed(xp, x, given[-2], given[-1])
        return (x * xp.asarray(there / lengths[:, None])[..., None]).sum(axis=1), maps


def attended(xp: Any, qkv: Any, inside: Any, heads: int) -> tuple[Any, Any]:
    """softmax(QKᵀ/√d) V of heads side by side, and the softmax; rows that are not `inside` are not looked at."""
    n, steps, wide = qkv.shape
    one = wide // (3 * heads)
    q, k, v = (qkv.reshape(n, steps, 3, heads, one)[:, :, which].swapaxes(1, 2) for which in range(3))
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
