"""scikit-learn's callbacks (experimental there), behind this one file; and the history of a fit.

Each turn of the loop is a task of the fit. A callback may ask to stop; one pass goes to its end.
"""

from __future__ import annotations

import time
from typing import Any

from tenfold.core import ONE, Certificate
from tenfold.core.errors import from_here
from tenfold.engine import Snapshot
from tenfold.engine.executors.held_store import size
from tenfold.stats.combinators import title

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:  # pragma: no cover - a scikit-learn without them

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """A mixin without callbacks, for a scikit-learn that has none."""

    def _with_callbacks(method: Any) -> Any:
        """The method as it is."""
        return method


MAX_DEFERRED_BYTES = 1 << 20
"""bytes that claims of a history may be made of later; if there are more, they are made before the next turn"""
MAX_REPORTED_SINGLY = 100
"""turns that are reported singly; then one in ten, one in a hundred: scikit-learn's bar slows down with their number"""

__all__ = ["CallbackSupportMixin", "History", "Reporting", "with_callbacks"]


def with_callbacks(method: Any) -> Any:
    """A method `fit` that scikit-learn's callbacks watch, and whose errors are shown as those of its call."""
    return from_here(_with_callbacks(method))


class History:
    """Watcher that records each turn of the loop: its statistic, its duration, and its claims."""

    def __init__(self) -> None:
        self._turns: list[dict[str, Any]] = []
        self._certificates: list[tuple[int, Certificate]] = []
        """certificates whose claims have not been computed yet, by the number of the turn"""
        self._bytes = 0
        """of models and summaries that these claims would be made of, from the second turn on"""
        self._began = time.monotonic()

    def __call__(self, at: Snapshot) -> None:
        if self._certificates:
            self._bytes += size(at.model) + size(at.summary)
            if self._bytes > MAX_DEFERRED_BYTES:
                self._turns = self.turns
        if at.certificate is not None:
            self._certificates.append((len(self._turns), at.certificate))
        self._turns.append(
            {
                "step": at.state.step,
                "asked": None if at.asked is None else title(at.asked),
                "passes": at.passes,
                "seconds": time.monotonic() - self._began,
            }
        )

    @property
    def turns(self) -> list[dict[str, Any]]:
        """A record for each turn."""
        for turn, certificate in self._certificates:
            self._turns[turn].update({claim.kind: claim.value for claim in certificate.claims})
        self._certificates, self._bytes = [], 0
        return self._turns


class Reporting:
    """Watcher that reports each turn to scikit-learn's callbacks."""

    def __init__(self, model: Any, X: Any, y: Any) -> None:
        self.model, self.X, self.y = model, X, y
        self.ticks = 0
        # Some turns come before the first round and after the last, so no parameter bounds their number.
        self.context = model._init_callback_context(max_subtasks=None)
        self.context.call_on_fit_task_begin(estimator=model, X=X, y=y)

    @staticmethod
    def wanted(model: Any) -> bool:
        """Whether any callback listens."""
        return "_skl_callbacks" in model.__dict__ or "_parent_callback_ctx" in model.__dict__

    def __call__(self, at: Snapshot) -> str | None:
        self.ticks += 1
        if self.ticks > MAX_REPORTED_SINGLY and self.ticks % 10 ** (len(str(self.ticks - 1)) - 2):
            return None
        task = self.context.subcontext(task_name="" if at.asked is None else title(at.asked))
        task.call_on_fit_task_begin(estimator=self.model, X=self.X, y=self.y)
        known = None if at.model is None else lambda: _attributes(self.model, at)
        stop = task.call_on_fit_task_end(
            estimator=self.model, X=self.X, y=self.y, reconstruction_attributes=known
        )  # fmt: skip
        return "a callback said so" if stop and self.model.passes != ONE else None

    def end(self, at: Snapshot) -> None:
        """Report the end of the fit and its model to the callbacks."""
        self.context.call_on_fit_task_end(
            estimator=self.model, X=self.X, y=self.y, reconstruction_attributes=lambda: _attributes(self.model, at)
        )


def _attributes(learner: Any, at: Snapshot) -> dict[str, Any]:
    """Return the fitted attributes of a model that stopped here, under the current parameters."""
    summary = learner.kept_summary(at.model, at.summary)
    learned = {"schema_": at.schema, "model_": at.model, "summary_": summary, "certificate_": at.certificate}
    return learned | {"_fitted_params": None}
