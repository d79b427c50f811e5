"""The weights of a perceptron after each mistake.

An epoch is one pass of the loop, so its beginning is seen by a watcher; within it the kernel of the fit is called
again, row by row in the order of the fit, so that the weights have the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.linear_model.perceptrons import perceive, perceive_sparse
from tenfold.compiled.rows.ordering import order_by
from tenfold.core import Array, Chunk, Codes, Design, Labels
from tenfold.engine import Snapshot
from tenfold.inspection.traces.step_table import StepTable, rows_in_memory
from tenfold.linear_model.sgd.perceptron import Perceptron
from tenfold.linear_model.sgd.perceptron_epoch import PerceptronEpoch
from tenfold.stats.rows.row_windows import WINDOW_ROWS, pieces


@dataclass(frozen=True, eq=False, repr=False)
class PerceptronTrace(StepTable):
    """The weights of a perceptron after each mistake: w ← w + η y x.

    Attributes
    ----------
    model : Perceptron
        Fitted.
    names : tuple of str
        The features.
    epoch : array of shape (mistakes,)
        The epoch of each mistake, from 1 on.
    row : array of shape (mistakes,)
        The row of each mistake, from 0 on.
    output : array of shape (mistakes,)
        The plane that changed: of two classes there is one, 0; of more, one for each class against the others.
    weights : array of shape (mistakes + 1, outputs, features + 1)
        The weights before the first mistake, all zero, and after each: the constant, then the coefficients.
    X : array of shape (rows, features)
    y : array of shape (rows,)
        The class of each row.

    Examples
    --------
    >>> from tenfold import Perceptron, trace
    >>> from tenfold.datasets import load_gate
    >>> steps = trace(Perceptron(shuffle=False, tol=None), *load_gate("or", return_X_y=True))
    >>> print(steps)
    mistake  epoch  row  constant  x0  x1
    0                    0         0   0
    1        1      0    -1        0   0
    2        1      1    0         0   1
    3        1      2    1         1   1
    4        2      0    0         1   1
    5        3      0    -1        1   1
    6        3      1    0         1   2
    7        4      0    -1        1   2
    8        4      2    0         2   2
    9        5      0    -1        2   2
    9 mistakes in 6 epochs
    """

    model: Perceptron
    names: tuple[str, ...]
    epoch: Codes
    row: Codes
    output: Codes
    weights: Array
    X: Array
    y: Labels

    @property
    def table(self) -> dict[str, list[Any]]:
        """The columns of the table by name."""
        found: dict[str, list[Any]] = {"mistake": list(range(len(self.weights)))}
        found |= {"epoch": [None, *self.epoch.tolist()], "row": [None, *self.row.tolist()]}
        outputs = self.weights.shape[1]
        if outputs > 1:
            found["class"] = [None, *self.model.classes_[self.output].tolist()]
        for k in range(outputs):
            of = f" of {self.model.classes_[k]}" if outputs > 1 else ""
            for j, name in enumerate(("constant", *self.names)):
                found[name + of] = self.weights[:, k, j].tolist()
        return found

    def _note(self) -> str:
        return f"{len(self.row)} mistakes in {self.model.n_iter_} epochs"


def trace_perceptron(model: Perceptron, X: Any, y: Any, sample_weight: Any) -> PerceptronTrace:
    """Fit a perceptron, and return its weights after each mistake.

    Parameters
    ----------
    model : Perceptron
        Not fitted; it will be.
    X, y, sample_weight
        As for `fit`.

    Returns
    -------
    trace : PerceptronTrace
    """
    if model.mixing or model.class_weight is not None:
        name, value = ("mixing", "False") if model.mixing else ("class_weight", "None, and sample_weight=")
        raise ValueError(f"mistakes are traced one row after another, with weights by row. Remedy: {name}={value}")
    epochs: list[PerceptronEpoch] = []

    def watch(at: Snapshot) -> None:
        if isinstance(at.asked, PerceptronEpoch) and at.asked not in epochs[-1:]:
            epochs.append(at.asked)

    model._fit(X, y, sample_weight, watchers=(watch,))
    chunk, numbers = rows_in_memory(model, X, y, sample_weight)
    found = [(at, *mistake) for at, epoch in enumerate(epochs, start=1) for mistake in _mistakes(epoch, chunk, numbers)]
    epoch, row, output, weights = zip(*found, strict=True) if found else ((), (), (), ())
    return PerceptronTrace(
        model,
        model.schema_.feature_names,
        np.array(epoch, dtype=np.int64),
        np.array(row, dtype=np.int64),
        np.array(output, dtype=np.int64),
        np.array([epochs[0].weights, *weights]),
        np.concatenate([np.array(block) for _, block in Design.of(chunk.X, model.schema_.levels).blocks(WINDOW_ROWS)]),
        model.classes_[chunk.y],
    )


def _mistakes(epoch: PerceptronEpoch, chunk: Chunk, numbers: Codes) -> Iterator[tuple[int, int, Array]]:
    """Yield the row and the output of each mistake of an epoch, and the weights after it."""
    weights = epoch.weights.copy()
    late, clock = np.zeros_like(weights), np.zeros(1)
    pocket, (counted, run, best) = weights.copy(), np.zeros((3, len(weights)))
    for window in pieces(chunk.X, epoch.window(chunk.X)):
        some = chunk.rows(window)
        block, y, weight, order = epoch.in_order(some)
        shuffled = epoch.shuffle and not sp.issparse(block)
        rows = order_by(some.places(), epoch.turn) if shuffled else order
        for at, row in zip(order, numbers[window][rows].tolist(), strict=True):
            before, made = weights.copy(), counted.copy()
            given = (y, weight, np.array([at]), epoch.eta0, epoch.fit_intercept)
            to = (weights, late, counted, run, best, pocket, clock)
            if sp.issparse(block):
                perceive_sparse(block.data, block.indices, block.indptr, *given, *to)
            else:
                perceive(block, *given, *to)
            for output in np.flatnonzero(counted != made).tolist():
                before[output] = weights[output]
                yield row, output, before.copy()
