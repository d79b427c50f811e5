"""Targets of several columns: a model for each column, fitted over shared scans.

Where what is minimised is a sum over the outputs and no parameter belongs to two of them, the model of all is a model
for each. Its members are then the models that would be fitted to each column alone, to the bit; they merge, are
certified and are written as those are.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from tenfold.core import ONE, Certificate, Claim, Columns, DataError, MergeError, Need, Schema, Stop
from tenfold.core.axes import Bundle
from tenfold.core.contract import for_users
from tenfold.engine import Member, Snapshot, current, opened, run, schema_of
from tenfold.engine.progress import progress
from tenfold.estimator.lazy_output import Mapped
from tenfold.estimator.shell.callbacks import History
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.estimator.updating import merging
from tenfold.sources import as_source
from tenfold.sources.inputs import check_names, has_outputs, is_lazy

OF_EACH = frozenset({"model_", "schema_", "summary_", "inference_"})
"""attributes that exist for each output only"""
OF_ALL = frozenset({"coef_names_", "terms_", "n_samples_fit_", "effective_metric_", "X_fit_"})
"""attributes that all outputs have in common"""
BY_COLUMN = frozenset({"dual_coef_"})
"""attributes that have a row for each row, and a column for each output"""


class MultiOutput(Estimator):
    """A learner of numbers or classes that takes a target of several columns: `estimators_` has a model for each."""

    one_column_is_table: ClassVar[bool] = False
    """whether a table of one column is a target of several, as in scikit-learn's learner of that name; else a column"""

    def each_output(self) -> list[Any]:
        # The fitted models, one for each column of the target; itself, of a target that is one column.
        found: list[Any] = self.__dict__.get("estimators_", [self])
        return found

    @property
    def _several(self) -> bool:
        """Whether it was fitted to a target of several columns."""
        return "estimators_" in self.__dict__

    # ---- fitting -------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, weight: Any, *args: Any, **given: Any) -> Any:
        if outputs := has_outputs(X, y, self.one_column_is_table):
            return self._fit_outputs(outputs, X, y, weight, **given)
        return super()._fit(X, y, weight, *args, **given)

    def _fit_outputs(
        self, outputs: int, X: Any, y: Any, weight: Any, first: int = 0, stop: Stop | None = None, **given: Any
    ) -> Any:
        """Fit a model to each column of the target, all of them over the same scans."""
        if given.get("checkpoint") is not None:
            raise ValueError(
                "a fit of several outputs has no checkpoints. Remedy: leave checkpoint out, or fit the columns "
                "of the target one by one"
            )
        fresh = self._blank()
        fresh._validate_params()
        source = as_source(X, y, weight, fresh.need.for_output(0), model=fresh).numbered_from(first)
        seed = fresh.seed()
        if seed is not None:
            fresh.random_state = seed
        rule = fresh.stop() if stop is None or fresh.passes == ONE else fresh.stop() | stop
        members, histories = [], [History() for _ in range(outputs)]
        with progress(type(self).__name__), opened(current(), source) as session:
            for at, history in enumerate(histories):
                learner, need = fresh._blank(), fresh.need.for_output(at)
                schema = schema_of(source, need, session)
                start = Snapshot(schema, learner.start(schema))
                members.append(Member(learner, start, rule, [history], need=need, schema=schema))
            run(members, source, session)
        models = [self._blank() for _ in members]
        for at, (model, member, history) in enumerate(zip(models, members, histories, strict=True)):
            assert member.done is not None
            model._history = history
            model._learned(member.done, source.output(at), seed)
        return self._become(self._blank().take_outputs(models))

    def take_outputs(self, models: list[Any]) -> Any:
        """Become the learner of which these are the models, one for each column of the target."""
        first = models[0]
        self.estimators_ = models
        for name in ("n_features_in_", "feature_names_in_", "_fitted_params", "_computed"):
            if name in first.__dict__:
                self.__dict__[name] = first.__dict__[name]
        self.certificate_ = Certificate.later(partial(_claims, models), lambda: first.certificate_.provenance)
        return self

    # ---- merging -------------------------------------------------------------------------------

    def _grow(self, X: Any, y: Any, weight: Any, **given: Any) -> Any:
        if not self._several:
            return super()._grow(X, y, weight, **given)
        check_names(as_fitted(self), X)
        X, y, weight = self._completed(X, y, weight, self.need.for_output(0))
        where: Any = self.certificate_.provenance
        more = self._blank()._fit(X, y, weight, first=where.first_part + where.parts, **given)
        for one in more.each_output():
            one.computed = self.computed
        return self._become(_added(as_fitted(self), as_fitted(more), again=True))

    def __add__(self, other: Any) -> Any:
        """The model of both models' rows, without the rows; of several outputs, output by output."""
        if type(other) is not type(self) or not (self._several or other._several):
            return super().__add__(other)
        return _added(as_fitted(self), as_fitted(other))

    @for_users
    def verify(self) -> Certificate:
        """Recompute the certificate from the summary and compare it with the one the model has.

        Returns
        -------
        certificate : Certificate
            The same claims, marked as verified. A difference is an error that lists it.
        """
        if not self._several:
            return super().verify()
        for one in self.estimators_:
            one.verify()
        self.certificate_ = self.certificate_.coming_from("verified")
        return self.certificate_

    # ---- applying ------------------------------------------------------------------------------

    def _apply(self, function: Any, X: Any, names: Any, read: tuple[Need, Schema] | None = None) -> Any:
        """A function of (learner, model, columns) for each output: its columns side by side."""
        if not self._several:
            return super()._apply(function, X, names, read)
        if not is_lazy(X):
            found = [as_fitted(one)._apply(function, X, names, read) for one in self.estimators_]
            return np.column_stack(found) if found[0].ndim == 1 else found
        each = [as_fitted(one)._bare() for one in self.estimators_]
        whole = self._blank()
        whole.schema_, whole.model_ = each[0].schema_, Bundle(tuple(one.model_ for one in each))
        if (name := "_".join(map(str, names()))) != "prediction":
            raise DataError(
                "a model of several outputs only predicts for a Source. Remedy: the same method of estimators_[0], the "
                "model of the first output"
            )
        source = as_source(X, None, None, self.need.without_target(), model=self, reset=False)
        return Mapped(
            source, whole, partial(_side_by_side, function, each), [f"{name}_{at}" for at in range(len(each))]
        )

    def _compare(self, X: Any, y: Any, weight: Any, function: Any) -> tuple[Any, Any, Any]:
        if not self._several:
            return super()._compare(X, y, weight, function)
        source = as_source(X, y, weight, self.need.for_output(0), model=self, reset=False)
        outputs = enumerate(map(as_fitted, self.estimators_))
        each = [one._compare(source.output(at), None, None, function) for at, one in outputs]
        targets, found, weights = zip(*each, strict=True)
        return np.column_stack(targets), np.column_stack(found), weights[0]

    # ---- attributes ----------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        each = self.__dict__.get("estimators_")
        if each is None or not name.endswith("_") or name.startswith("_"):
            return super().__getattr__(name)
        if name in OF_EACH:
            raise AttributeError(
                f"this {type(self).__name__} was fitted to {len(each)} outputs, and {name} is of one. Remedy: "
                f"estimators_[0].{name}, or the same method of estimators_[0], the model of the first output"
            )
        found = [getattr(one, name) for one in each]
        if name in OF_ALL:
            return found[0]
        if name in BY_COLUMN:
            return np.column_stack(found)
        alike = self.need.target == "number" and isinstance(found[0], (int, float, np.number, np.ndarray))
        return np.array(found) if alike else found  # each output has classes of its own

    def _has_learned(self, name: str) -> bool:
        """Whether an attribute is a field of the fitted model, or of that of each output."""
        return any(Estimator._has_learned(one, name) for one in self.each_output())

    def __dir__(self) -> list[str]:
        more = [name for name in dir(self.estimators_[0]) if name.endswith("_")] if self._several else []
        return sorted({*super().__dir__(), *more} - (OF_EACH if self._several else set()))

    def __sklearn_is_fitted__(self) -> bool:
        return self._several or super().__sklearn_is_fitted__()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _claims(models: list[Any]) -> tuple[Claim, ...]:
    """Return the claims of each model, with the name of its output."""
    each = enumerate(model.certificate_.claims for model in models)
    return tuple(claim._replace(kind=f"output {at}: {claim.kind}") for at, claims in each for claim in claims)


def _added(a: Any, b: Any, *, again: bool = False) -> Any:
    """The model of both models' rows, output by output."""
    if a._several != b._several or len(a.each_output()) != len(b.each_output()):
        counts = " and ".join(str(len(one.each_output())) if one._several else "one" for one in (a, b))
        raise MergeError(f"models of targets of {counts} columns do not merge")
    pairs = zip(a.each_output(), b.each_output(), strict=True)
    return a._blank().take_outputs([merging.add(as_fitted(x), as_fitted(y), again=again) for x, y in pairs])


def _side_by_side(function: Any, each: list[Any], X: Columns) -> Any:
    """Return the outputs of all learners side by side. It is a module-level function, to be picklable."""
    return np.column_stack([function(one, one.model_, X) for one in each])
