"""What sequential learners add: `partial_fit` walks once over the rows, from where the model is."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from tenfold.core import SEQUENTIAL, Array, Chunk, Codes, Columns, Design, Never, Stop
from tenfold.engine import Snapshot
from tenfold.kernels.ordering import order_by
from tenfold.kernels.shuffling import mix
from tenfold.sources.inputs import check_names

WINDOW = 4096
"""rows that are put in an order together"""
WINDOW_BYTES = 1 << 25


class Sequential:
    """Brings `step(state, summary, chunk)` and `onward(state)`; has `max_iter`, `shuffle` and `random_state`."""

    passes: ClassVar[str] = SEQUENTIAL
    expected_failed_checks: ClassVar[dict[str, str]] = dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        "a row with a weight is met once, not several times among others",
    )
    max_iter: int
    shuffle: bool
    random_state: int | None
    mixing: bool

    @property
    def draws_rows(self) -> bool:
        """Whether the order of the rows in a window is drawn."""
        return self.shuffle

    def stop(self) -> Stop:
        """The learner counts its epochs itself, and then looks back at the rows once more."""
        return Never()

    def window(self, state: Any, X: Columns) -> int:
        """So many rows as are shuffled together; fewer if they are dense and very wide."""
        most = WINDOW if sp.issparse(X.data) else WINDOW_BYTES // (8 * state.weights.shape[1])
        return max(64, min(WINDOW, most))

    def order(self, state: Any) -> int | None:
        """Of the parts in the next epoch: None if each is walked by itself and the ends are mixed."""
        if self.mixing:
            return None
        return 1 + int(mix(np.uint64(self._turn(state)))) % (1 << 60) if self.shuffle else 0

    def block(self, state: Any, chunk: Chunk, sparse: bool = True) -> Any:
        """The features of a window: one block, or CSR if it is and may be."""
        if sparse and sp.issparse(chunk.X.data):
            return chunk.X.sparse()
        if state.levels.any():
            return next(Design.of(chunk.X, state.levels).blocks(chunk.n))[1]
        return next(chunk.X.blocks(chunk.n, dtype=None, checked=not state.step))[1]  # later epochs need not look again

    def window_in_order(self, state: Any, chunk: Chunk, sparse: bool = True) -> tuple[Any, Array, Array, Codes]:
        """Features, targets, weights of a window, and the order of its rows in this epoch, by their places.

        Dense rows are laid in that order: read one after another they are met in cache.
        """
        block, y, weight = self.block(state, chunk, sparse), np.asarray(chunk.y, dtype=np.float64), chunk.weight
        if not self.shuffle:
            return block, y, weight, np.arange(chunk.n)
        order = order_by(chunk.places(), self._turn(state))
        if sp.issparse(block):
            return block, y, weight, order
        return block.take(order, axis=0), y[order], weight[order], np.arange(chunk.n)

    def _turn(self, state: Any) -> int:
        return (int(self.random_state or 0) << 24) + int(state.step)

    def onward(self, state: Any) -> Any:
        """The state from which `partial_fit` walks."""
        raise NotImplementedError

    def _partial_fit(self: Any, X: Any, y: Any, weight: Any, classes: Any = None) -> Any:
        if "state_" not in self.__dict__:
            fresh = self._blank()
            fresh._validate_params()
            fresh.max_iter = 1
            return self._become(fresh._fit(X, y, weight, classes))
        check_names(self, X)
        return self._fit(X, y, weight, classes, at=Snapshot(self.schema_, self.onward(self.state_)))


def pieces(X: Columns, rows: int) -> Any:
    """Slices of so many rows."""
    return (slice(at, min(at + rows, len(X))) for at in range(0, len(X), rows))
