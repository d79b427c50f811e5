"""Backpropagation, by PyTorch's automatic differentiation: the loss of some rows, and its gradient in the weights."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tenfold.core import Array
from tenfold.neural.network import SLOPE, Network
from tenfold.neural.torch_thread import one_torch_thread


def loss_and_gradient(network: Network, weights: Array, X: Array, y: Array, weight: Array) -> tuple[float, Array]:
    """The summed loss of some rows, each times its weight, and its gradient."""
    with one_torch_thread() as torch:
        given = parameters(network, torch.tensor(weights))
        rows = (torch.tensor(X, dtype=torch.float64), target(torch, network, y), torch.tensor(weight))
        loss = summed_loss(torch, network, given, *rows)
        slopes = torch.autograd.grad(loss, given)
        return loss.item(), flat(torch, slopes).numpy()


def parameters(network: Network, weights: Any) -> list[Any]:
    """W and b of each layer: views of a vector, whose gradients are wanted."""
    found, at = [], 0
    for m, n in pairwise(network.sizes):
        for shape in ((m, n), (n,)):
            many = int(np.prod(shape))
            found.append(weights[at : at + many].view(shape).requires_grad_())
            at += many
    return found


def flat(torch: Any, slopes: Sequence[Any]) -> Any:
    """Gradients of all layers as one vector, in the order of the weights."""
    return torch.cat([slope.reshape(-1) for slope in slopes])


def target(torch: Any, network: Network, y: Array) -> Any:
    """Targets as the loss takes them: numbers, or of several classes the number of each row's."""
    return torch.tensor(y, dtype=torch.int64 if network.loss == "cross_entropy" else torch.float64)


def summed_loss(
    torch: Any, network: Network, given: Sequence[Any], X: Any, y: Any, weight: Any | None, dropped: Any = None
) -> Any:
    """Σ cᵢ ℓ(f(xᵢ), yᵢ), or without weights the mean; `dropped`: what hidden units are multiplied by, if any."""
    f = outputs(torch, network, given, X, dropped)
    of, how = torch.nn.functional, "mean" if weight is None else "none"
    if network.loss == "cross_entropy":
        each = of.cross_entropy(f, y, reduction=how)
    elif network.loss == "log_loss":
        each = of.binary_cross_entropy_with_logits(f[:, 0], y, reduction=how)
    else:
        each = of.mse_loss(f[:, 0], y, reduction=how) * 0.5
    return each if weight is None else each @ weight


def outputs(torch: Any, network: Network, given: Sequence[Any], X: Any, dropped: Any = None) -> Any:
    """What the last layer says of each row, without an activation."""
    h = X
    for at in range(0, len(given) - 2, 2):
        h = activated(torch, network.activation, torch.addmm(given[at + 1], h, given[at]))
        h = h if dropped is None else h * dropped(h.shape)
    return torch.addmm(given[-1], h, given[-2])


def activated(torch: Any, name: str, z: Any) -> Any:
    """What hidden units make of their inputs."""
    if name == "leaky_relu":
        return torch.nn.functional.leaky_relu(z, SLOPE)
    return z if name == "identity" else {"logistic": torch.sigmoid, "tanh": torch.tanh, "relu": torch.relu}[name](z)
