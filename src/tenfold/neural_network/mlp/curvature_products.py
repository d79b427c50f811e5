"""How a network's loss bends along a direction: the product of its second derivatives with a vector, which merges."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.core import Array, Chunk, Codes, Design, Mergeable
from tenfold.core.field_values import NOT_NAN, NOT_NEGATIVE
from tenfold.core.statistic import Statistic
from tenfold.neural_network.mlp.backpropagation import RUNNING, parameters, summed_loss, target
from tenfold.neural_network.mlp.network_weights import Network
from tenfold.neural_network.mlp.objective import BYTES
from tenfold.neural_network.torch_thread import one_torch_thread


class Bend(Mergeable):
    """Hv, H the second derivatives of the summed loss of some rows; and their weight."""

    product: Annotated[Array, "parameter", NOT_NAN]
    mass: Annotated[float, NOT_NEGATIVE]


class NetworkBend(Statistic[Bend]):
    """The product of the second derivatives of the loss over all rows with a vector."""

    network: Network
    weights: Array
    direction: Array
    levels: Codes
    """how many categories each column has, 0 if it is numeric"""
    factors: Array
    """of the weights of rows of each class; empty if there are none"""

    def summarize(self, chunk: Chunk) -> Bend:
        design, y = Design.of(chunk.X, self.levels), np.asarray(chunk.y, dtype=np.float64)
        weight = chunk.weight * self.factors[y.astype(np.int64)] if len(self.factors) else chunk.weight
        product = np.zeros(len(self.weights))
        for rows, block in design.blocks(max(64, min(4096, BYTES // (8 * max(self.network.sizes))))):
            product += hessian_product(self.network, self.weights, self.direction, block, y[rows], weight[rows])
        return Bend(product, float(weight.sum()))


def hessian_product(network: Network, weights: Array, v: Array, X: Array, y: Array, weight: Array) -> Array:
    """Hv by differentiating twice: the gradient of the gradient along v (Pearlmutter 1994)."""
    with one_torch_thread() as torch:
        given = parameters(network, torch.tensor(weights))
        learnt = [piece for name, piece in given if name not in RUNNING]
        along = [piece for name, piece in network.cut(torch.tensor(v)) if name not in RUNNING]
        rows = (torch.tensor(X, dtype=torch.float64), target(torch, network, y), torch.tensor(weight))
        slopes = torch.autograd.grad(summed_loss(torch, network, given, *rows), learnt, create_graph=True)
        slope = sum((g * d).sum() for g, d in zip(slopes, along, strict=True))
        bends = iter(torch.autograd.grad(slope, learnt, allow_unused=True))  # None of what it does not depend on
        product = []
        for name, piece in given:
            bend = None if name in RUNNING else next(bends)
            product.append((torch.zeros_like(piece) if bend is None else bend).detach().reshape(-1))
        return np.asarray(torch.cat(product).numpy())
