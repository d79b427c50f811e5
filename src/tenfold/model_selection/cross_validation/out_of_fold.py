"""Outputs for rows by models that have not learned from them: each row by that of the split that tests it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from tenfold.core import Certificate, Chunk, Codes, DataError, Labels, Need, Schema
from tenfold.core.axes import bits
from tenfold.core.rows.chunk import places_by_group
from tenfold.engine.count_jobs import Counts
from tenfold.engine.group_keys import Key, Listed, Stratified
from tenfold.engine.job import Job
from tenfold.engine.stages import stages_of
from tenfold.estimator.lazy_output import Mapped
from tenfold.model_selection.cross_validation.candidates import Candidate
from tenfold.model_selection.cross_validation.fit_and_score import Divided, FitAndScore
from tenfold.model_selection.cross_validation.folds import FoldSplit, numbering
from tenfold.sources import Source
from tenfold.stats.combinators import Stage, joined

Method = Literal["predict", "predict_proba", "predict_log_proba", "decision_function"]
"""the method whose outputs are wanted"""
METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")
NO_PARTITION = (
    "cross_val_predict only works for partitions: each row is in one test set. Remedy: a number of folds, or a column "
    "or the files that rows belong to; cross_validate scores models of folds in time, and of other splits"
)


class RowModel(NamedTuple):
    """What a model makes of rows as they are read."""

    stages: tuple[Stage, ...]
    """the transformers before it"""
    how: Callable[[Any], Any]
    """from the columns that these make to outputs"""
    digest: str
    """of what was learned"""

    def outputs(self, chunk: Chunk) -> Any:
        """The outputs for the rows of a chunk."""
        for stage in self.stages:
            chunk = stage.stage(chunk)
        return self.how(chunk.X)


def outputs_by(models: Sequence[RowModel], chunk: Chunk, codes: Codes) -> Any:
    """The outputs for the rows of a chunk, each by the model of its code."""
    if not chunk.n:
        return models[0].outputs(chunk)
    each = list(places_by_group(codes))
    found = np.concatenate([models[at].outputs(chunk.rows(rows)) for at, rows in each])
    places = np.concatenate([np.arange(chunk.n)[rows] for _, rows in each])
    return found[np.argsort(places)]


class OutOfFold(Mapped):
    """Outputs for the rows of a source, each by the model of its group.

    Parameters
    ----------
    base : Source
    learner : learner
        The one that was fitted last, to the rows of one of the models.
    names : sequence of str
        Of the output's columns.
    models : sequence of RowModel
        By group.
    key : Key
        The group of each row.
    need : Need
        How rows are read: with their class, if the key goes by it.
    schema : Schema
        Under this need.
    """

    def __init__(
        self, base: Source, learner: Any, names: Sequence[str], models: Sequence[RowModel], key: Key, need: Need,
        schema: Schema,
    ) -> None:  # fmt: skip
        super().__init__(base, learner, models[0].how, names, need, schema)
        self.models, self.key = tuple(models), key
        self._maker = f"{self._maker}, out of fold"
        self._model = f"{self._model} {[model.digest for model in models]} {key.digest.hex()}"

    def of_part(self, part: int) -> Callable[[Chunk], Any]:
        coder = self.key.coder(part)
        return lambda chunk: outputs_by(self.models, chunk, coder(chunk))

    def _outputs(self, chunks: Any, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        if self._need.target is None or need.target == "class":
            yield from super()._outputs(chunks, part, need, schema)
            return
        classes = self._schema.classes  # the folds go by the class
        coded = replace(need, target="class", binary=False), replace(schema, target="class", classes=classes)
        for chunk in super()._outputs(chunks, part, *coded):
            yield chunk._replace(y=None if need.target is None else _numbers(classes, chunk.y))


def _numbers(classes: Labels, codes: Codes) -> Any:
    """The classes of rows as numbers."""
    if classes.dtype.kind not in "iufb":
        raise DataError("the target is text, which is no number. Remedy: a classifier")
    return classes.astype(np.float64)[codes]


def fit_folds(run: FitAndScore) -> tuple[Candidate, Divided, Key]:
    """Fit the only candidate of a run to all splits; the key gives the split that each row is tested in."""
    (candidate,) = run.candidates
    with run.divided([candidate]) as rows:
        key = tested_in(rows.splits.each)
        run.fit([candidate], rows)
        return candidate, rows, _of_all_rows(key, candidate, rows)


def outputs(candidate: Candidate, rows: Divided, key: Key, method: Method) -> OutOfFold:
    """What a method of the models says of the rows that they have not learned from."""
    last, names, models = fold_models(candidate, rows.source, method)
    by_class = isinstance(key, Stratified)
    need = candidate.need if by_class else replace(candidate.need, target=None, binary=False)
    schema = candidate.schema if by_class else candidate.schema.without_target
    return OutOfFold(rows.source, last, names, models, key, need, schema)


def fold_models(candidate: Candidate, source: Source, method: str) -> tuple[Any, Sequence[str], list[RowModel]]:
    """The last learner of one of the models, the names of its outputs, and the models of all splits."""
    lazy = copy(source)
    lazy.lazy = True
    models = []
    for member in candidate.members[-1]:
        last = member.learner._blank()
        last._set(member.at.schema, member.at.model, None, Certificate())
        said = getattr(last, method)(lazy)
        digest = " ".join(bits(model) for model in (*(model for _, model in member.before), member.at.model))
        models.append(RowModel(stages_of(member.before, member.learner.need), said.how, digest))
    return last, said.names, models


def tested_in(splits: Sequence[FoldSplit]) -> Key:
    """The number of the split that each row is tested in."""
    key = splits[0].key
    if all(split.key is key for split in splits):
        if sorted(group for split in splits for group in split.test) != list(range(key.groups)):
            raise ValueError(NO_PARTITION)
        return joined(key, [split.test for split in splits])
    listed = [split.key for split in splits if isinstance(split.key, Listed)]
    if len(listed) < len(splits):
        raise ValueError(NO_PARTITION)
    tested = np.array([np.isin(one.codes, split.test) for one, split in zip(listed, splits, strict=True)])
    if (tested.sum(axis=0) != 1).any():
        raise ValueError(NO_PARTITION)
    return Listed(len(splits), tested.argmax(axis=0), starts=listed[0].starts)


@dataclass(frozen=True)
class _Groups(Job):
    """Job that finds the group of each row of each part that has a weight."""

    need: Need
    schema: Schema
    key: Key
    starts: Codes | None

    def __call__(self, source: Source, part: int) -> Counts:
        """Find the groups of one part."""
        coder, numbers = self.key.coder(part), Listed(0, np.empty(0, np.int64), starts=self.starts).numbers(part)
        found = [(numbers(chunk), coder(chunk)) for chunk in source.chunks(part, self.need, self.schema)]
        return Counts({part: tuple(map(np.concatenate, zip(*found, strict=True))) if found else None})


def _of_all_rows(key: Key, candidate: Candidate, rows: Divided) -> Key:
    """A key of rows of weight zero too: no model learns from them, and that of the first split predicts them."""
    if not (isinstance(key, Stratified) and rows.source.weighted):
        return key
    need, schema = candidate.need, candidate.schema
    n, starts = numbering(rows.source, need, rows.session)
    codes = np.zeros(n, np.int64)
    bare = Schema((), "class", schema.classes, schema.named)
    for found in rows.session.reduce(_Groups(need, bare, key, starts)).each.values():
        if found is not None:
            codes[found[0]] = found[1]
    return Listed(key.groups, codes, starts=starts)
