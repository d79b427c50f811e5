"""Backpropagation written out, for networks of plain layers: fewer operations than automatic differentiation takes.

The error of the outputs is p - y in each of the losses; below a layer it is a'(z) times the errors above through W; and
the gradient of W is what goes into the layer times the error that comes out of it.
"""

from __future__ import annotations

from typing import Any

from tenfold.core import Array
from tenfold.neural_network.mlp.backpropagation import activated
from tenfold.neural_network.mlp.network_weights import SLOPE, Network


class PlainGradient:
    """Loss and gradient of batches at weights that a caller changes in place; the gradient is put into `slope`."""

    def __init__(self, torch: Any, network: Network, weights: Any) -> None:
        self.torch, self.network = torch, network
        self.slope = torch.empty_like(weights)
        pieces, slopes = ([piece for _, piece in network.cut(vector)] for vector in (weights, self.slope))
        self.layers = list(zip(pieces[::2], pieces[1::2], slopes[::2], slopes[1::2], strict=True))

    def targets(self, y: Array) -> Any:
        """Targets as a column; of several classes one column for each, with ones."""
        t = self.torch.tensor(y, dtype=self.torch.float64)
        if self.network.loss == "cross_entropy":
            return self.torch.nn.functional.one_hot(t.long(), self.network.sizes[-1]).double()
        return t[:, None]

    def of(self, X: Any, t: Any, weight: Any | None) -> float:
        """The mean loss of some rows, or the sum of their weights times their losses."""
        torch, (*hidden, last) = self.torch, self.layers
        states = [X]
        for W, b, _, _ in hidden:
            states.append(activated(torch, self.network.activation, torch.addmm(b, states[-1], W)))
        loss, error = self._error(torch.addmm(last[1], states[-1], last[0]), t)
        error = error.div_(len(t)) if weight is None else error.mul_(weight[:, None])
        for at in range(len(hidden), -1, -1):
            W, _, dW, db = self.layers[at]
            torch.mm(states[at].t(), error, out=dW)
            torch.sum(error, 0, out=db)
            if at:
                error = self._through(torch.mm(error, W.t()), states[at])
        return float(loss.mean() if weight is None else loss @ weight)

    def _error(self, f: Any, t: Any) -> tuple[Any, Any]:
        """The loss of each row, and its derivative in the outputs."""
        torch, of = self.torch, self.torch.nn.functional
        if self.network.loss == "squared_error":
            error = f - t
            return (error * error).sum(1).mul_(0.5), error
        if self.network.loss == "log_loss":
            each = of.binary_cross_entropy_with_logits(f, t, reduction="none")
            return each[:, 0], torch.sigmoid(f).sub_(t)
        logs = torch.log_softmax(f, 1)
        return (logs * t).sum(1).neg_(), logs.exp_().sub_(t)

    def _through(self, error: Any, h: Any) -> Any:
        """Multiply an error by the derivative of the activation, in place; h are the activations."""
        match self.network.activation:
            case "relu":
                return error.mul_(h.sign())
            case "leaky_relu":
                return self.torch.where(h > 0, error, SLOPE * error)
            case "tanh":
                return error.mul_((h * h).neg_().add_(1.0))
            case "logistic":
                return error.mul_(h - h * h)
        return error
