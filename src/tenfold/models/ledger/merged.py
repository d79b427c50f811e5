"""What one learner knows of some leaves: a schema, a summary, and where the rows came from; these merge."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Certificate, Claim, DataError, MergeError, Provenance, Schema
from tenfold.core.axes import not_finite, recode
from tenfold.core.schema import naming_columns
from tenfold.engine import one_blas_thread
from tenfold.engine.loop import OVERFLOW
from tenfold.estimator.updating.merging import claims_of, different, refusing_arithmetic_errors
from tenfold.sources.expressions.computed_columns import Computed


class Merged(NamedTuple):
    """The merge of some leaves, for one learner."""

    learner: Any
    """unfitted, with what it chose when it saw the rows, such as the kind of each column"""
    schema: Schema
    summary: Any
    provenance: Callable[[], Provenance]
    """made when it is asked for, since marks of rows take longer to merge than summaries"""
    key: str
    """of the first leaf, for errors"""
    computed: Computed = ()
    decided: tuple[tuple[str, bool], ...] = ()

    def scaled(self, by: float) -> Merged:
        """Return the same of rows that weigh `by` times as much."""
        return self._replace(summary=self.summary.scaled(by))

    def merge(self, other: Merged) -> Merged:
        """Return the merge of both: the sum that two fitted models have."""
        where = f"the batches {self.key!r} and {other.key!r} do not merge"
        mine, theirs = self.learner, other.learner
        if mine is not theirs and (said := different(mine.get_params(), theirs.get_params())):
            raise MergeError(f"{where}: {type(mine).__name__} chose by their rows, and {said}")
        if self.computed != other.computed:
            raise MergeError(f"{where}: they have other computed columns. Remedy: the same `with_columns` for both")
        try:
            schema = self.schema if self.schema is other.schema else self.schema + other.schema
            if mine.need.binary and schema.classes is not None and len(schema.classes) > 2:
                raise MergeError(f"{type(mine).__name__} takes two classes, and there are {schema.classes.tolist()}")
            with refusing_arithmetic_errors(), naming_columns(schema), np.errstate(over="ignore", invalid="ignore"):
                summary = recode(self.summary, self.schema, schema) + recode(other.summary, other.schema, schema)
        except (MergeError, DataError) as error:
            said = str(error)
            if "Remedy" not in said:
                said += (
                    f". Remedy: drop the one of them whose rows are wrong, such as drop({other.key!r}), and append its "
                    "rows again in the types of the other batches"
                )
            raise MergeError(f"{where}: {said}") from None
        there = dict(other.decided)
        both = tuple((name, value and there[name]) for name, value in self.decided if name in there)
        provenance = cache(partial(_sum, self.provenance, other.provenance))
        return Merged(self.learner, schema, summary, provenance, self.key, self.computed, both)

    def fitted(self) -> Any:
        """Return the fitted learner."""
        learner, schema = self.learner, self.schema
        with one_blas_thread(), refusing_arithmetic_errors(), naming_columns(schema), np.errstate(all="ignore"):
            state = learner.update(learner.start(schema), self.summary)
            model = learner.model(state)
            asks = learner.ask(state) is not None
        if model is not None and (field := not_finite(model)):
            raise MergeError(OVERFLOW.format(field))
        fitted = learner._blank()
        fitted.n_features_in_ = len(schema.columns)
        if schema.named:
            fitted.feature_names_in_ = np.array(schema.names, dtype=object)
        fitted.__dict__.update(self.decided)
        fitted.computed = self.computed
        claims = partial(_claims, learner, model, self.summary, self.provenance, asks)
        fitted._set(schema, model, self.summary, Certificate.later(claims, self.provenance))
        return fitted


def _sum(a: Callable[[], Provenance], b: Callable[[], Provenance]) -> Provenance:
    return a() + b()


def _claims(
    learner: Any, model: Any, summary: Any, provenance: Callable[[], Provenance], asks: bool
) -> tuple[Claim, ...]:
    """Return the claims of a merged model, which reads no row again."""
    with one_blas_thread(), np.errstate(all="ignore"):
        return claims_of(learner, model, summary, provenance(), asks)
