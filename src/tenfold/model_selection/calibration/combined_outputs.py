"""Outputs for a source that are made of what several fitted models say of each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from tenfold.core import Chunk, DataError, MatrixLike, Need, Schema
from tenfold.core.axes import bits
from tenfold.engine import current, opened, schema_of
from tenfold.estimator.lazy_output import Mapped
from tenfold.metrics.predictors import fitted_learners_of, predictor_of
from tenfold.model_selection.cross_validation.out_of_fold import RowModel
from tenfold.sources import Source, as_source


class CombinedOutputs(Mapped):
    """Outputs for the rows of a source, made of those of several models.

    Parameters
    ----------
    X : Source
    models : sequence of classifiers
        Fitted, of tenfold.
    method : str
        Which outputs of theirs are combined.
    combine : callable
        From the outputs of all models to an array with as many rows. It travels to the workers.
    names : sequence of str
        Of the output's columns.
    maker : str
        Name of what combines them.
    digest : str
        Of how they are combined.
    """

    def __init__(
        self, X: MatrixLike, models: Sequence[BaseEstimator], method: str, combine: Callable[[list[Any]], Any],
        names: Sequence[str], maker: str, digest: str,
    ) -> None:  # fmt: skip
        base, first, need, last, schema = row_model(models[0], X, method)
        super().__init__(base, last, first.how, names, need, schema)
        self.models = (first, *(row_model(model, X, method)[1] for model in models[1:]))
        self.combine = combine
        self._maker = maker
        self._model = f"{maker} {digest} {[model.digest for model in self.models]}"

    def of_part(self, part: int) -> Callable[[Chunk], Any]:
        return lambda chunk: self.combine([model.outputs(chunk) for model in self.models])

    def accuracy(self) -> float:
        """Share of rows whose class the outputs are."""
        need = replace(self._need, target="class")
        with opened(current(), self.base) as session:
            classes = schema_of(self.base, need, session).classes
        schema = Schema(self._schema.columns, "class", classes, self._schema.named)
        right = total = 0.0
        for one, all_of_them in current().map(partial(self._right, need, schema), range(len(self)), self.base):
            right, total = right + one, total + all_of_them
        if not total:
            raise DataError("there is no row to score: all have weight zero")
        return right / total

    def _right(self, need: Need, schema: Schema, part: int) -> tuple[float, float]:
        """The weight of the rows of a part that are right, and of all."""
        output_of, right, total = self.of_part(part), 0.0, 0.0
        for chunk in self.base.chunks(part, need, schema):
            right += float(chunk.weight[output_of(chunk) == schema.classes[chunk.y]].sum())
            total += chunk.total
        return right, total


def row_model(model: BaseEstimator, X: MatrixLike, method: str) -> tuple[Source, RowModel, Need, Any, Schema]:
    """The rows of a source as a fitted model reads them, the model, its need, its last learner and its schema."""
    predictor: Any = predictor_of(thawed(model))
    learners = fitted_learners_of(thawed(model))
    need = replace(predictor.need, target=None, binary=False)
    base = as_source(X, None, None, need, model=learners[0], reset=False)
    said = getattr(learners[-1], method)(base)
    digest = " ".join(bits(learner.model_) for learner in learners)
    return base, RowModel(predictor.stages, said.how, digest), need, learners[-1]._bare(), predictor.schema


def thawed(estimator: BaseEstimator) -> BaseEstimator:
    """The estimator within a frozen one."""
    return thawed(estimator.estimator) if isinstance(estimator, FrozenEstimator) else estimator
