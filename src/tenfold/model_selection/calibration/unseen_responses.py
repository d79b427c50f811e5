"""What the models of a cross-validation say of their test rows, beside their classes; fitted models of folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from tenfold.core import Array, Certificate, Chunk, Codes, Labels, MatrixLike, Need, Schema, Values
from tenfold.engine import current, opened, schema_of
from tenfold.engine.group_keys import Contiguous, Key
from tenfold.engine.progress import progress
from tenfold.estimator.ensembles.pipeline import learned_steps
from tenfold.model_selection.calibration.combined_outputs import row_model
from tenfold.model_selection.cross_validation.candidates import Candidate, candidates_of
from tenfold.model_selection.cross_validation.fit_and_score import FitAndScore, codes_of, disjoint_sets
from tenfold.model_selection.cross_validation.folds import Folds, Grouping, is_known_to_scikit_learn
from tenfold.model_selection.cross_validation.out_of_fold import RowModel, fold_models, outputs_by, tested_in
from tenfold.model_selection.frame_columns import without_column
from tenfold.sources import Source
from tenfold.stats.combinators import joined


class Responses(NamedTuple):
    """Responses of a model to some rows, in their order, with the class and the weight of each row."""

    outputs: Array
    codes: Codes
    """of the classes"""
    weight: Array


class FittedFolds(NamedTuple):
    """The models of all splits, and what they say of their test rows."""

    models: list[BaseEstimator]
    tests: list[Responses]
    classes: Labels
    whole: Candidate
    """whose model of all rows may be made already"""

    def all_tests(self) -> Responses:
        """The responses of all models, one after the other."""
        return Responses(*map(np.concatenate, zip(*self.tests, strict=True)))


@dataclass(frozen=True)
class _Reading:
    """Function of a part: the group of each row, what the model of the group says, the class, and the weight."""

    base: Source
    models: Sequence[RowModel]
    key: Key
    need: Need
    schema: Schema

    def __call__(self, part: int) -> list[tuple[Codes, Values, Codes, Array]]:
        coder, found = self.key.coder(part), []
        for chunk in self.base.chunks(part, self.need, self.schema):
            codes = coder(chunk)
            rows: Chunk = chunk.rows(np.flatnonzero(codes >= 0))
            if rows.n:
                codes = codes[codes >= 0]
                found.append((codes, outputs_by(self.models, rows, codes), rows.y, rows.weight))
        return found

    def groups(self, many: int) -> list[Responses]:
        """Read all parts: the rows of each group."""
        each = [one for part in current().map(self, range(len(self.base)), self.base) for one in part]
        codes, said, y, weight = map(np.concatenate, zip(*each, strict=True))
        return [Responses(said[codes == j], y[codes == j], weight[codes == j]) for j in range(many)]


def unseen_responses(
    estimator: BaseEstimator, X: MatrixLike, method: str, folds: Folds, groups: Grouping | None, once: bool = False
) -> FittedFolds:
    """Fit a model for each split over shared scans, and ask it about its test rows; `once`: each row is tested once."""
    run = FitAndScore(
        candidates_of(estimator), X, None, folds=folds, shuffle=None, seed=0, groups=groups, scoring=None, whole=True
    )  # fmt: skip
    (candidate,) = run.candidates
    tests: dict[int, Responses] = {}
    with progress("cross-validation"), run.divided([candidate]) as rows:
        splits = rows.splits.each
        if once:
            tested_in(splits)
        run.fit([candidate], rows)
    _, _, models = fold_models(candidate, rows.source, method)
    with progress("cross-validation"):
        for some in disjoint_sets(splits):
            key = joined(splits[some[0]].key, [splits[j].test for j in some])
            reading = _Reading(rows.source, [models[j] for j in some], key, candidate.need, candidate.schema)
            tests.update(zip(some, reading.groups(len(some)), strict=True))
    each = [_fitted(candidate, j) for j in range(len(splits))]
    return FittedFolds(each, [tests[j] for j in range(len(splits))], candidate.schema.classes, candidate)


def responses_of(model: BaseEstimator, X: MatrixLike, method: str) -> tuple[Responses, Labels]:
    """Responses of a fitted model to all rows that have a weight, and their classes."""
    base, one, need, _, schema = row_model(model, X, method)
    need = replace(need, target="class", binary=False)
    with opened(current(), base) as session:
        classes = schema_of(base, need, session).classes
        schema = Schema(schema.columns, "class", classes, schema.named)
    key = Contiguous(1, np.zeros(1, np.int64))
    (found,) = _Reading(base, [one], key, need, schema).groups(1)
    return found, classes


def _fitted(candidate: Candidate, split: int) -> BaseEstimator:
    """The model of a split, as an estimator that is fitted."""
    model = clone(candidate.given)
    steps = learned_steps(model)
    for step, members in zip(steps, candidate.members, strict=True):
        member, fresh = members[split], members[split].learner._blank()
        schema = member.at.schema
        fresh.__dict__["n_features_in_"] = len(schema.columns)
        if schema.named:
            fresh.__dict__["feature_names_in_"] = np.array(schema.names, dtype=object)
        fresh._set(schema, member.at.model, None, Certificate())
        step._become(fresh)
    steps[0].computed = candidate.source.computed
    return model


def given_folds(folds: Folds | None, groups: Grouping | None) -> Folds | None:
    """Folds that scikit-learn does not know; None, if it does."""
    return None if folds is None or is_known_to_scikit_learn(folds, groups) else folds


def splits_in_memory(
    estimator: BaseEstimator, X: MatrixLike, y: Any, folds: Folds, groups: Grouping | None
) -> tuple[MatrixLike, list[tuple[Codes, Codes]]]:  # fmt: skip
    """Rows in memory without the column of the folds, and the numbers of training rows and test rows of each split."""
    run = FitAndScore(
        candidates_of(estimator), X, y, folds=folds, shuffle=None, seed=0, groups=groups, scoring=None
    )  # fmt: skip
    (candidate,) = run.candidates
    with run.divided([candidate]) as rows:
        codes = {id(split.key): codes_of(split.key, candidate) for split in rows.splits.each}
    pairs = [
        (np.flatnonzero(np.isin(codes[id(s.key)], s.train)), np.flatnonzero(np.isin(codes[id(s.key)], s.test)))
        for s in rows.splits.each
    ]
    return without_column(run.X, run.column), pairs
