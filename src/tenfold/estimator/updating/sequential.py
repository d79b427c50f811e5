"""Sequential learners: `partial_fit` runs one epoch over the rows, from the current model."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tenfold.compiled.rows.shuffling import mix
from tenfold.core import SEQUENTIAL, Array, Claim, Never, Stop
from tenfold.core.learner import State
from tenfold.engine import Snapshot
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.sources.inputs import check_names


class Sequential:
    """A learner of epochs. A subclass writes `onward(model)`, and has `max_iter`, `shuffle` and `random_state`."""

    passes: ClassVar[str] = SEQUENTIAL
    expected_failed_checks: ClassVar[dict[str, str]] = dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        "a row with a weight is met once, not several times among others",
    )
    max_iter: int
    shuffle: bool
    tol: float | None
    n_iter_no_change: int
    random_state: int | None
    mixing: bool

    @property
    def draws_rows(self) -> bool:
        """Whether the order of the rows in a window is drawn."""
        return self.shuffle

    def stop(self) -> Stop:
        """The learner counts its epochs itself, and then looks back at the rows once more."""
        return Never()

    def order(self, state: State) -> int | None:
        """Return the order of the parts in the next epoch, or None if they run independently and are averaged."""
        if self.mixing:
            return None
        return 1 + int(mix(np.uint64(self.turn(state)))) % (1 << 60) if self.shuffle else 0

    def turn(self, state: State) -> int:
        """The number of the next epoch, with the seed: by it orders are drawn."""
        return (int(self.random_state or 0) << 24) + int(state.step)

    def onward(self, model: Any) -> State:
        """The state from which `partial_fit` walks."""
        raise NotImplementedError

    def idle(self, curve: Array) -> bool:
        """Whether a value by epoch has not fallen by `tol` for `n_iter_no_change` of them."""
        last = self.n_iter_no_change
        if self.tol is None or len(curve) <= last:
            return False
        return bool(curve[-last:].min() > curve[:-last].min() - self.tol)

    def mixed(self) -> Claim:
        """Whether parts were walked each by itself and the ends averaged."""
        how = "one part after another, each from where the last one led"
        if self.mixing:
            how = "each part from the same weights, then their mean (iterative parameter mixing)"
        return Claim("mixed", float(self.mixing), "proved", how, "objective")

    def _partial_fit(self: Any, X: Any, y: Any, weight: Any, classes: Any = None) -> Any:
        return self._walk_on(X, y, weight, classes)

    def _walk_on(self: Any, X: Any, y: Any, weight: Any, classes: Any, **given: Any) -> Any:
        """Run one epoch over more rows, with further arguments of `_fit`."""
        if "model_" not in self.__dict__:
            fresh = self._blank()
            fresh._validate_params()
            fresh.max_iter = 1
            return self._become(fresh._fit(X, y, weight, classes, **given))
        known = as_fitted(self)
        check_names(known, X)
        return self._fit(X, y, weight, classes, at=Snapshot(self.schema_, known.onward(self.model_)), **given)
