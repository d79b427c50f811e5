"""A recurrent network unrolled in time: one copy of the network for each row of a sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from tenfold.core import Array, Labels
from tenfold.estimator import check_is_fitted
from tenfold.inspection.traces.step_table import StepTable
from tenfold.neural_network.sequences.rnn import RNN

MAX_STEPS = 500
"""rows of a sequence, at most, since the network answers after each"""


@dataclass(frozen=True, eq=False, repr=False)
class UnrolledNetwork(StepTable):
    """A recurrent network unrolled in time, for one sequence: the state goes from copy to copy of the network.

    Attributes
    ----------
    model : RNNClassifier or RNNRegressor
        Fitted.
    names : tuple of str
        The columns.
    X : array of shape (steps, columns)
        The rows of the sequence.
    states : array of shape (layers, steps, units)
        The state of each layer after each row.
    output_names : tuple of str
        The classes, or "prediction".
    outputs : array of shape (steps, outputs)
        What the network predicts if the sequence ends with each row: probabilities of the classes, or the number.

    Examples
    --------
    >>> from tenfold import RNNRegressor, trace
    >>> model = RNNRegressor(2, cell="simple", max_iter=1).fit([[1.0], [2.0], [3.0], [4.0]], [0.0, 1.0], lengths=[2, 2])
    >>> steps = trace(model, [[1.0], [0.0], [2.0]])
    >>> steps.states.shape, list(steps.table)
    ((1, 3, 2), ['step', 'x0', 'h0', 'h1', 'prediction'])
    """

    model: RNN
    names: tuple[str, ...]
    X: Labels
    states: Array
    output_names: tuple[str, ...]
    outputs: Array

    @property
    def table(self) -> dict[str, list[Any]]:
        """The columns of the table by name."""
        layers, steps, units = self.states.shape
        found: dict[str, list[Any]] = {"step": list(range(1, steps + 1))}
        found |= dict(zip(self.names, self.X.T.tolist(), strict=True))
        for at in range(layers):
            layer = f"layer {at}: " if layers > 1 else ""
            found |= {f"{layer}h{unit}": self.states[at, :, unit].tolist() for unit in range(units)}
        return found | dict(zip(self.output_names, self.outputs.T.tolist(), strict=True))

    def _note(self) -> str:
        layers, steps, units = self.states.shape
        many = f"{layers} layers of {units} units" if layers > 1 else f"{units} units"
        return f"{many}, unrolled over {steps} steps; predictions as if the sequence ended there"


def unroll(model: RNN, X: Any) -> UnrolledNetwork:
    """Unroll a fitted recurrent network over one sequence.

    Parameters
    ----------
    model : RNNClassifier or RNNRegressor
        Fitted.
    X : array or frame
        The rows of one sequence.

    Returns
    -------
    trace : UnrolledNetwork
    """
    check_is_fitted(model)
    network: Any = model
    (states,) = network.hidden_states(X)
    steps = states.shape[1]
    if steps > MAX_STEPS:
        raise ValueError(
            f"the sequence has {steps} rows, and at most {MAX_STEPS} are unrolled. Remedy: X[:{MAX_STEPS}]"
        )
    rows = np.concatenate([np.arange(t + 1) for t in range(steps)])
    prefixes, lengths = (X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]), np.arange(1, steps + 1)
    if is_classifier(model):
        outputs = network.predict_proba(prefixes, lengths=lengths)
        names = tuple(f"P({label})" for label in network.classes_)
    else:
        outputs, names = network.predict(prefixes, lengths=lengths)[:, None], ("prediction",)
    return UnrolledNetwork(model, network.schema_.names, np.asarray(X), states, names, np.asarray(outputs))
