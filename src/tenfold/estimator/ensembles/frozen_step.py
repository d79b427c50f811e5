"""A transformer that is fitted already, as a step of a pipeline whose later steps are fitted to folds of the rows."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Certificate, Claim, Codes, Column, Columns, Matrix, Need, Schema, Values
from tenfold.core.axes import bits
from tenfold.core.value import ByParams, Value, digest_of
from tenfold.estimator.ensembles.passthrough import PassedWeight, WeightOfRows
from tenfold.estimator.ensembles.pipeline import learned_steps
from tenfold.estimator.shell.constraints import anything
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.estimator.shell.kinds import Transformer
from tenfold.estimator.shell.one_pass import OnePass


class FittedTransformer(Value):
    """A fitted transformer, compared by its parameters and by what it has learned."""

    it: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FittedTransformer) and self.digest == other.digest

    __hash__ = Value.__hash__

    @property
    def digest(self) -> bytes:
        return digest_of(ByParams(self.it), bits(self.it.model_), self.it.schema_.names)


class FrozenWidth(NamedTuple):
    """The model: how many columns the transformer takes."""

    width: int


class FrozenStep(OnePass, Transformer):
    """Transformer that stays as it was fitted, whatever rows a fit is given.

    Parameters
    ----------
    fitted : FittedTransformer
    """

    fitted: Annotated[Any, anything]

    @property
    def inner(self) -> Any:
        """The transformer itself."""
        return self.fitted.it

    @property
    def need(self) -> Need:
        # What the transformer needs, without the target that it has learned from.
        found: Need = self.inner.need.without_target()
        return found

    def with_listed_categories(self, schema: Schema) -> Schema:
        # Rows are coded as they were when the transformer was fitted.
        return Schema(self.inner.schema_.columns, schema.target, schema.classes, schema.named)

    def statistic(self, schema: Schema) -> WeightOfRows:
        # Nothing but the weight of the rows.
        return WeightOfRows()

    def solve(self, schema: Schema, summary: PassedWeight) -> FrozenWidth:
        return FrozenWidth(len(schema.columns))

    def certify(self, model: FrozenWidth, summary: PassedWeight) -> tuple[Claim, ...]:
        """Return no claims: nothing was learned."""
        return ()

    def is_valid(self, model: FrozenWidth, summary: PassedWeight | None, schema: Schema) -> bool:
        return model.width == len(schema.columns)

    def transform_from(self, model: FrozenWidth, X: Columns) -> Matrix:
        """The outputs of the transformer."""
        made: Matrix = self.inner.transform_from(self.inner.model_, X)
        return made

    def output_from(self, model: FrozenWidth, X: Columns) -> Matrix | Values:
        made: Matrix | Values = self.inner.output_from(self.inner.model_, X)
        return made

    # ---- what it makes of which columns --------------------------------------------------------------

    @property
    def may_pass_categories(self) -> bool:
        return bool(self.inner.may_pass_categories)

    def passes_categories(self, schema: Schema) -> bool:
        return bool(self.inner.passes_categories(schema))

    def columns_out(self, schema: Schema, model: FrozenWidth) -> tuple[Column, ...] | None:
        found: tuple[Column, ...] | None = self.inner.columns_out(schema, self.inner.model_)
        return found

    def code_counts(self) -> Codes | None:
        counts: Codes | None = self.inner.code_counts()
        return counts

    def origins(self, model: FrozenWidth, width: int) -> Codes | None:
        found: Codes | None = self.inner.origins(self.inner.model_, width)
        return found

    def names_out(self, names: list[str]) -> list[str]:
        found: list[str] = self.inner.names_out(names)
        return found


def with_frozen_steps(steps: list[Any]) -> list[Any]:
    """Steps of a pipeline to be fitted: those at its beginning that are frozen stay as they are."""
    found: list[Any] = []
    for at, step in enumerate(steps):
        inner = learned_steps(step.estimator) if isinstance(step, FrozenEstimator) else []
        if not inner or not all(isinstance(one, Transformer) for one in inner):
            return [*found, *steps[at:]]
        found += [FrozenStep(FittedTransformer(_without_summary(one))) for one in inner]
    return found


def _without_summary(transformer: Any) -> Any:
    """A fitted transformer with what it takes to apply it, which may be sent to workers."""
    check_is_fitted(transformer)
    fitted = as_fitted(transformer)
    found = fitted._blank()
    found._set(fitted.schema_, fitted.model_, None, Certificate())
    return found


def thawed_steps(steps: list[Any]) -> list[Any]:
    """Steps of a fitted pipeline, of which some may be frozen."""
    return [
        one
        for step in steps
        for one in (learned_steps(step.estimator) if isinstance(step, FrozenEstimator) else [step])
    ]
