"""Backpropagation, by PyTorch's automatic differentiation: the loss of some rows, and its gradient in the weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tenfold.core import Array
from tenfold.neural_network.mlp.network_weights import SLOPE, VARIANCE_FLOOR, Network
from tenfold.neural_network.torch_thread import device_of, one_torch_thread

RUNNING = ("mean", "variance")
"""pieces of the weights that no gradient is made of: they follow the batches"""
Moments = tuple[Any, Any]
"""the mean and the variance of the sums of a layer's units over a batch"""


def loss_and_gradient(
    network: Network, weights: Array, X: Array, y: Array, weight: Array, device: str = "cpu"
) -> tuple[float, Array]:
    """The weighted sum of the losses of some rows, and its gradient."""
    with one_torch_thread() as torch:
        there = device_of(torch, device)
        given = parameters(network, torch.tensor(weights, device=there))
        rows = (torch.tensor(X, dtype=torch.float64), target(torch, network, y), torch.tensor(weight))
        loss = summed_loss(torch, network, given, *(each.to(there) for each in rows))
        return loss.item(), gradient(torch, loss, given).cpu().numpy()


def parameters(network: Network, weights: Any) -> list[tuple[str, Any]]:
    """The pieces of a vector of weights: views of it, with gradients of those that are learnt."""
    return [(name, piece if name in RUNNING else piece.requires_grad_()) for name, piece in network.cut(weights)]


def gradient(torch: Any, loss: Any, given: Sequence[tuple[str, Any]], one: Any = None) -> Any:
    """The gradient of a loss as one vector, in the order of the weights; 0 of what follows the batches."""
    slopes = iter(torch.autograd.grad(loss, [piece for name, piece in given if name not in RUNNING], one))
    return torch.cat([(torch.zeros_like(v) if name in RUNNING else next(slopes)).reshape(-1) for name, v in given])


def target(torch: Any, network: Network, y: Array) -> Any:
    """Targets as the loss takes them: numbers, or of several classes the number of each row's."""
    return torch.tensor(y, dtype=torch.int64 if network.loss == "cross_entropy" else torch.float64)


def summed_loss(
    torch: Any,
    network: Network,
    given: Sequence[tuple[str, Any]],
    X: Any,
    y: Any,
    weight: Any | None,
    dropped: Callable[[Any], Any] | None = None,
    moments: list[Moments] | None = None,
) -> Any:
    """Σ cᵢ ℓ(f(xᵢ), yᵢ), or without weights the mean; `dropped` and `moments` as in `outputs`."""
    f = outputs(torch, network, given, X, dropped, moments, weight)
    of, how = torch.nn.functional, "mean" if weight is None else "none"
    if network.loss == "cross_entropy":
        each = of.cross_entropy(f, y, reduction=how)
    elif network.loss == "log_loss":
        each = of.binary_cross_entropy_with_logits(f[:, 0], y, reduction=how)
    else:
        each = of.mse_loss(f[:, 0], y, reduction=how) * 0.5
    return each if weight is None else each @ weight


def outputs(
    torch: Any,
    network: Network,
    given: Sequence[tuple[str, Any]],
    X: Any,
    dropped: Callable[[Any], Any] | None = None,
    moments: list[Moments] | None = None,
    shares: Any | None = None,
) -> Any:
    """Outputs of the last layer for each row, without an activation.

    `dropped` draws what hidden units are multiplied by. If `moments` is a list, rows are a batch to learn from: sums of
    hidden units are normalised by their own mean and variance, each row with its share, and these are put on the list.
    """
    h, pieces = X, iter(given)
    tables = [next(pieces)[1] for _ in network.embeddings]
    hidden = len(network.sizes) - 2
    for at in range(hidden + 1):
        W, b = next(pieces)[1], next(pieces)[1]
        h = torch.addmm(b, h, W if at else network.by_feature(torch.cat, tables, W))
        if at == hidden:
            break
        if network.batch_norm:
            scale, shift, mean, variance = (next(pieces)[1] for _ in range(4))
            if moments is not None:
                mean, variance = batch_moments(h, shares)
                moments.append((mean.detach(), variance.detach()))
            h = (h - mean) * (scale / (variance + VARIANCE_FLOOR).sqrt()) + shift
        h = activated(torch, network.activation, h)
        h = h if dropped is None else h * dropped(h.shape)
    return h


def batch_moments(z: Any, shares: Any | None) -> Moments:
    """The mean and the variance of each column; rows have these shares, or all the same."""
    if shares is None:
        mean = z.mean(0)
        return mean, ((z - mean) ** 2).mean(0)
    mean = shares @ z
    return mean, shares @ (z - mean) ** 2


def activated(torch: Any, name: str, z: Any) -> Any:
    """What hidden units make of their inputs."""
    if name == "leaky_relu":
        return torch.nn.functional.leaky_relu(z, SLOPE)
    return z if name == "identity" else {"logistic": torch.sigmoid, "tanh": torch.tanh, "relu": torch.relu}[name](z)
