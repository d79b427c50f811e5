"""Judging a fitted model: rows are dealt to units, and the scores of each unit are summaries that merge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length

from tenfold.core import Chunk, Codes, DataError, Need, Provenance, Schema
from tenfold.engine import current, schema_of
from tenfold.engine.keys import Contiguous, Key, Shuffled
from tenfold.engine.stages import transformed
from tenfold.engine.tally import this_machine
from tenfold.engine.together import Together
from tenfold.estimator.base import Estimator
from tenfold.estimator.fitted_params import as_fitted
from tenfold.estimator.kinds import Classifier, Regressor, Transformer
from tenfold.evaluate.folds import Plan, plan
from tenfold.evaluate.grouping import grouped
from tenfold.evaluate.judged import UNITS, Asked, Judged
from tenfold.evaluate.seen import made_from, print_of
from tenfold.evaluate.trials import Scores, Trial
from tenfold.evaluate.united import united
from tenfold.sources.inputs import as_source, refuse_lazy, target, weights
from tenfold.sources.labels import class_codes, levels


def stages_of(model: Any) -> list[Any]:
    """A learner of tenfold, or the steps of a pipeline of such; empty if there is anything else in it."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    ours = all(isinstance(step, Transformer) for step in steps[:-1])
    return steps if ours and isinstance(steps[-1], (Regressor, Classifier)) else []


@dataclass(frozen=True, eq=False)
class Judge(Trial):
    """One model, to be judged on all rows; the key says which unit a row belongs to."""

    def _outputs(self, chunk: Chunk, codes: Codes, wanted: Any) -> Any:
        state, before = self.models[0]
        apply = self.learner.scores_from if self.n_classes else self.learner.predict_from
        return apply(state, transformed(before, chunk, self.learner.need).X)


class Wider:
    """A classifier, among more classes than it knows: it never says the others."""

    def __init__(self, learner: Any, known: Any, width: int) -> None:
        self.learner, self.known, self.width = learner, known, width
        self.need = learner.need

    def scores_from(self, state: Any, X: Any) -> Any:
        """Minus infinity for classes that it does not know."""
        return self._among(self.learner.scores_from(state, X), -np.inf)

    def probability_from(self, scores: Any) -> Any:
        """Zero for classes that it does not know."""
        return self._among(self.learner.probability_from(scores[:, self.known]), 0.0)

    def _among(self, found: Any, other: float) -> Any:
        out = np.full((len(found), self.width), other)
        out[:, self.known] = found
        return out


def by_parts(
    model: Any, stages: list[Any], X: Any, y: Any, groups: Any, weight: Any, asked: list[Asked], seed: int
) -> Judged:
    """Of a learner of tenfold or a pipeline of such: part by part."""
    first, last = stages[0], stages[-1]
    need = replace(first.need, target=last.need.target, binary=False)
    source = as_source(X, y, weight, need, model=first, reset=False)
    with current().open(source) as session:
        classes, learner = None, as_fitted(last)._bare()  # what travels to workers holds no summary
        if need.target == "class":
            classes = united(last.classes_, schema_of(source, need, session).classes)
            if len(classes) > len(last.classes_):
                learner = Wider(learner, class_codes(last.classes_, classes), len(classes))
        schema = Schema(first.schema_.columns, need.target, classes, first.schema_.named)
        weighted = source.weighted
        alone = groups is None and not weighted and all(one.is_rate for one in asked)
        found = Plan((), None, 0)
        if groups is None:
            count = 0
            if source.counted is None and not alone:  # rows are dealt by their numbers, wherever they come from
                found = plan(2, source, need.without_target(), session, shuffle=True)
            key: Key = Contiguous(1, np.zeros(1, np.int64)) if alone else Shuffled(UNITS, seed, starts=found.starts)
        else:
            found, key, count = grouped(groups, source, need, session)
        before = tuple((as_fitted(step)._bare(), step.state_) for step in stages[:-1])
        n_classes = 0 if classes is None else len(classes)
        asked[:] = [replace(one, scorer=one.scorer.among(classes)) for one in asked]
        named = replace(need, side=found.side)
        trial = Judge(
            learner, named, schema, key, dict.fromkeys(range(key.groups), (last.state_, before)),
            tuple(one.scorer for one in asked), n_classes,
        )  # fmt: skip
        done = session.reduce(Together((trial,))).each[0]
    if not done.each:
        raise DataError("there is no row to judge: all have weight zero")
    each = [done.each[g] for g in sorted(done.each)]
    rows = sum(one.rows for one in each)
    machines = tuple(sorted(frozenset().union(*(one.machines for one in each))))
    where = Provenance(
        source.fingerprint(), rows, done.dropped, len(source), 1.0, "all rows were judged", machines,
        None if alone else seed,
    )  # fmt: skip
    seen = made_from(first, source, None if source.lazy else y, weight)
    return Judged([one.summary for one in each], rows, weighted, count, classes, seen, where)


def in_memory(
    model: Any, stages: list[Any], X: Any, y: Any, groups: Any, weight: Any, asked: list[Asked], seed: int
) -> Judged:
    """Of any other estimator: all rows at once."""
    refuse_lazy(X, type(model).__name__)
    truth = target(model, y, Need(target="class" if is_classifier(model) else "number"))
    n = len(truth)
    check_consistent_length(X, truth)
    if not n:
        raise DataError("there is no row to judge")
    if groups is not None and len(groups) != n:
        raise ValueError(f"groups has {len(groups)} entries, but there are {n} rows")
    weight = None if weight is None else weights(weight, n)
    classes, n_classes = None, 0
    if is_classifier(model):
        classes = united(model.classes_, levels(truth, "y"))
        n_classes, truth = len(classes), class_codes(truth, classes)
    outputs: dict[str, Any] = {}
    asked[:] = [replace(one, scorer=one.scorer.among(classes)) for one in asked]
    for one in asked:
        if one.scorer.needs not in outputs:
            outputs[one.scorer.needs] = _outputs(model, X, one.scorer.needs, classes)
    alone = groups is None and weight is None and all(one.is_rate for one in asked)
    if groups is not None:
        unit = groups % UNITS
    else:
        unit = np.zeros(n, np.int64) if alone else Shuffled(UNITS, seed).of(np.arange(n))
    order = np.argsort(unit, kind="stable")
    units = []
    for some in np.split(order, np.flatnonzero(np.diff(unit[order])) + 1):
        heft = None if weight is None else weight[some]
        if heft is not None and not heft.any():
            continue
        each = {}
        for one in asked:
            said = outputs[one.scorer.needs][some]
            each[one.scorer.summarize] = one.scorer.summarize(truth[some], said, heft, n_classes)
        units.append(Scores(each))
    kept = n if weight is None else int((weight > 0).sum())
    where = Provenance(
        print_of(X, y, weight), kept, n - kept, 1, 1.0, "all rows were judged", (this_machine(),),
        None if alone else seed,
    )  # fmt: skip
    first = model.steps[0][1] if isinstance(model, Pipeline) else model
    seen = 0.0
    if isinstance(first, Estimator):
        bare = as_source(X, None, None, first.need.without_target(), model=first, reset=False)
        seen = made_from(first, bare, y, weight)
    count = 0 if groups is None else int(groups.max()) + 1
    return Judged(units, kept, weight is not None, count, classes, seen, where)


def _outputs(model: Any, X: Any, needs: str, classes: Any) -> Any:
    """Codes or numbers, or probabilities of all classes."""
    if needs == "prediction":
        said = np.asarray(model.predict(X))
        return said if classes is None else class_codes(said, classes)
    if needs == "score" and not hasattr(model, "predict_proba") and hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"scoring needs probabilities, and {type(model).__name__} has no predict_proba")
    found = np.asarray(model.predict_proba(X))
    out = np.zeros((len(found), len(classes)))
    out[:, class_codes(np.asarray(model.classes_), classes)] = found
    return out
