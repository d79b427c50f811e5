"""Learners whose fit may begin at a fitted model: `fit(rows, start=model)`, or a second fit with `warm_start=True`."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from tenfold.core import Stop
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.contract import for_users
from tenfold.engine import Snapshot
from tenfold.estimator.shell.callbacks import with_callbacks
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.estimator.shell.keywords import has_no_effect
from tenfold.estimator.updating.merging import different
from tenfold.sources.inputs import check_names


class Continues:
    """Base of learners that continue from a fitted model, listed before the class that learns.

    A subclass writes `again(model, schema)`, the state from which a fit continues from a model. With its parameter
    `warm_start`, a second `fit` begins at the model of the first.
    """

    kept_parameters: ClassVar[tuple[str, ...]] = ()
    """parameters that a model and the fit that continues from it must have in common"""
    remembers: ClassVar[bool] = True
    """whether what a model has learned stays in one that continues from it on other rows, in part at least"""

    @with_callbacks
    @for_users
    def fit(
        self: Any,
        X: MatrixLike,
        y: VectorLike = None,
        sample_weight: VectorLike = None,
        *,
        start: Any = None,
        checkpoint: Any = None,
        stop: Stop | None = None,
    ) -> Any:
        """Fit to arrays, a frame, or a Source.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
            The rows. A Source brings its own target and weights.
        y : array, optional
            The target; of learners with several outputs, also a table with a column for each.
        sample_weight : array, optional
            A weight for each row. A row of weight 2 counts as two rows, one of weight 0 as none.
        start : fitted model of the same class, optional
            A model to continue from. It is not changed. With `warm_start=True` a fitted learner continues from itself.
        checkpoint : str, path or Checkpoint, optional
            Folder for checkpoints; an interrupted fit resumes from the last one.
        stop : Gap, Rounds, Seconds or a rule of your own, optional
            When to stop early, `Gap(1e-3) | Seconds(60)`: looked at after each round that leaves a certified model.
            Limits of the learner itself, such as `max_iter`, hold as well. `certificate_.provenance.stopped` says why a
            fit ended.

        Returns
        -------
        self : object
        """
        return self._fit(X, y, sample_weight, start=start, checkpoint=checkpoint, stop=stop)

    def check_start(self, model: Any) -> None:
        """Refuse a fitted model from which a fit with the parameters of this learner cannot continue."""

    def check_held_back(self, model: Any) -> None:
        """Refuse a fitted model that has learned from rows which a fit of this learner would hold back."""

    def _fit(
        self: Any,
        X: Any,
        y: Any,
        weight: Any,
        classes: Any = None,
        *given: Any,
        at: Any = None,
        start: Any = None,
        **more: Any,
    ) -> Any:
        """Fit as all learners do, or from a fitted model on."""
        base: Any = super()
        if start is None and "model_" in self.__dict__ and getattr(self, "warm_start", False):
            start = None if has_no_effect(type(self), "warm_start") else self
        if at is not None or start is None:
            return base._fit(X, y, weight, classes, *given, at=at, **more)
        known, fresh = self._checked_start(start), self._blank()
        fresh._validate_params()
        fresh.check_start(known)
        if more.get("validation") is None:
            fresh.check_held_back(known)
        check_names(known, X)
        X, y, weight = known._completed(X, y, weight, fresh.need, classes)
        if known.schema_.classes is not None and classes is None:
            classes = known.schema_.classes
        if fresh.seeded and fresh.random_state is None:  # the same rows are drawn, or held back, as before
            more["seed"] = known.certificate_.provenance.seed
        at = Snapshot(known.schema_, fresh.again(known.model_, known.schema_))
        found = base._fit(X, y, weight, classes, *given, at=at, **more)
        found.computed = known.computed
        return found

    def _checked_start(self: Any, start: Any) -> Any:
        """The model to continue from, with the parameters it was fitted with."""
        name = type(self).__name__
        if type(start) is not type(self):
            raise TypeError(
                f"start is of {type(start).__name__}, but {name} continues from a model of its own class. Remedy: "
                f"start=model, with a fitted {name}; of a pipeline its last step, start=pipeline[-1]"
            )
        check_is_fitted(start)
        known = as_fitted(start)
        before, now = ({key: one.get_params()[key] for key in self.kept_parameters} for one in (known, self))
        if said := different(before, now):
            raise ValueError(
                f"{name} cannot continue with another parameter than the model has: {said}. Remedy: the same one, or "
                "a fit from the beginning, without start and with warm_start=False"
            )
        return known
