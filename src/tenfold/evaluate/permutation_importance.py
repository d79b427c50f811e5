"""Permutation importance: how much worse a score is if a column holds values of other rows.

All columns and repeats are judged in one scan: each row is told whose value it gets by a hash, and the scores of
each column, repeat and unit of rows are summaries that merge. Whose values there are is found in a light scan
before, a sample of rows that merges; with `within="part"` there is none.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import special
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from tenfold.core import DataError, Need, Schema
from tenfold.engine import current, one_blas_thread, schema_of
from tenfold.engine.progress import progress
from tenfold.evaluate.donors import Donors, Sample, units_for, units_of
from tenfold.evaluate.drops import Drops, Lending, Swapping
from tenfold.evaluate.hearing import Ours, Theirs
from tenfold.evaluate.importances import PermutationImportance
from tenfold.evaluate.judging import stages_of
from tenfold.evaluate.resample import resampler
from tenfold.evaluate.seen import made_from
from tenfold.evaluate.swapping import Where, borrowed, columns_of, in_memory, names_of
from tenfold.evaluate.united import united
from tenfold.sources.inputs import as_source, check_target, is_lazy, target, weights
from tenfold.sources.labels import class_codes, levels
from tenfold.stats.metrics import Scorer, scorers, with_positive
from tenfold.theory.checks import fraction, one_of, whole


def permutation_importance(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    columns: Any = None,
    scoring: str | None = None,
    pos_label: Any = None,
    n_repeats: int = 5,
    sample_weight: Any = None,
    level: float = 0.95,
    within: Literal["source", "part"] = "source",
    random_state: int = 0,
) -> PermutationImportance:
    """How much worse a model's score is for each column, if its values come from other rows.

    Parameters
    ----------
    model : classifier or regressor
        Fitted: a learner of tenfold, a pipeline, or any of scikit-learn.
    X : array, frame or Source
        Rows that the model was not made from tell what helps it elsewhere; rows that it was made from, what it leans
        on. A Source brings its own target and weights, and is read part by part.
    y : array, optional
    columns : list, optional
        Names or numbers of columns, all by default. A tuple of several is one: they are swapped together, as columns
        that say the same should be.
    scoring : str, optional
        Name of a score as scikit-learn has it; accuracy or r2 by default.
    pos_label : optional
        The positive class of precision, recall, f1 and average precision: by default 1 if it is one of the two, as
        scikit-learn has it, else the last. The result names it.
    n_repeats : int, default=5
    sample_weight : array, optional
        How much each row counts in the score. Whose values are lent does not depend on it; but learners of tenfold, and
        a Source, have no rows of weight zero at all.
    level : float, default=0.95
        How sure the intervals are to be, each column's by itself.
    within : {"source", "part"}, default="source"
        Whose values a row may get: of any row, for which up to 65,536 are drawn in a light scan before; or of rows
        of its own part, in one scan. A row that is alone in its part is then left out. In files that are sorted, a
        column may be the same in all of a part: then "part" finds it of no importance.
    random_state : int, default=0

    Returns
    -------
    importances : PermutationImportance

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2_000, 3))
    >>> model = tn.LinearRegression().fit(X[:1_000], 2 * X[:1_000, 0] + X[:1_000, 1])
    >>> found = tn.permutation_importance(model, X[1_000:], 2 * X[1_000:, 0] + X[1_000:, 1])
    >>> found.importances_mean.round(1)
    array([1.6, 0.4, 0. ])
    """
    level, n_repeats = fraction("level", level), whole("n_repeats", n_repeats)
    one_of("within", within, ("source", "part"))
    seed = whole("random_state", random_state, 0, 2**32 - 1)
    scorer = _check(model, X, y, sample_weight, scoring, pos_label)
    stages = stages_of(model)
    with progress("permutation importance"), one_blas_thread:
        if stages or is_lazy(X):
            names, found, classes, scans, seen = _over(
                model, stages, X, y, sample_weight, columns, scorer, n_repeats, within, seed
            )
        else:
            scans, seen = 1, 0.0
            names, found, classes = _at_once(model, X, y, sample_weight, columns, scorer, n_repeats, seed)
    if found.rows < 2:
        raise DataError("there are not two rows to judge: a row needs another one to borrow from")
    scorer = scorer.among(classes)
    score = scorer.value(found.base)
    if math.isnan(score):
        raise DataError(
            f"{scorer.name} is not defined on these rows: the target has one value only. Remedy: rows with others, or "
            "another scoring"
        )
    drops = np.array([[score - scorer.value(one) for one in each] for each in found.repeats])
    half = [_half(scorer, found.units, each, score, level) for each in found.swapped]
    ends = drops.mean(axis=1)[:, None] + np.outer(half, [-1.0, 1.0])
    return PermutationImportance(
        names, drops, ends, level, score, scorer.name, found.rows, len(found.units), found.share, scans, within, seen,
        scorer.pos_label,
    )  # fmt: skip


def _over(
    model: Any, stages: list[Any], X: Any, y: Any, weight: Any, columns: Any, scorer: Scorer, repeats: int,
    within: str, seed: int,
) -> tuple[list[str], Drops, Any, int, float]:  # fmt: skip
    """Part by part."""
    voice: Any = Ours(stages) if stages else Theirs(model)
    source = as_source(X, y, weight, voice.need, model=stages[0] if stages else None, reset=False)
    with current().open(source) as session:
        scans = int(source.known(voice.need) is None)
        found = schema_of(source, voice.need, session)
        classes = None if voice.classes is None else united(voice.classes, found.classes)
        known = getattr(voice, "columns", found.columns)
        schema = Schema(known, voice.need.target, classes, getattr(voice, "named", found.named))
        where = columns_of(columns, schema.names)
        lent = None
        if within == "source":
            at = tuple(sorted({j for _, some in where for j in some}))
            need = voice.need.without_target()
            lent = session.reduce(Lending(need, replace(schema, target=None, classes=None), seed, at))
            scans += 1
        job = _job(voice, schema, scorer, where, repeats, lent, seed)
        done = session.reduce(job)
    seen = 0.0
    if stages:
        seen = made_from(stages[0], source, None if source.lazy else y, weight)
    return [name for name, _ in where], done, classes, scans + 1, seen


def _at_once(
    model: Any, X: Any, y: Any, weight: Any, columns: Any, scorer: Scorer, repeats: int, seed: int
) -> tuple[list[str], Drops, Any]:  # fmt: skip
    """Of an estimator that takes its rows in memory."""
    X, voice = in_memory(X), Theirs(model)
    truth = target(model, y, Need(target=voice.need.target))
    check_consistent_length(X, truth)
    weight = None if weight is None else weights(weight, len(truth))
    classes = None if voice.classes is None else united(voice.classes, levels(truth, "y"))
    truth = truth if classes is None else class_codes(truth, classes)
    where = columns_of(columns, names_of(X))
    job = _job(voice, Schema((), voice.need.target, classes), scorer, where, repeats, None, seed)
    place = np.arange(len(truth))
    unit = units_of(place, seed, units_for(len(truth)))
    donors = Donors(place, unit, seed)
    whose = [donors.draw(place, unit, turn + 1) for turn in range(repeats)]

    def says(rows: Any) -> Any:
        return job._among(voice.of(rows, {scorer.needs}, job.how)[scorer.needs], scorer.needs)

    def said(j: int, r: int) -> Any:
        return says(borrowed(X, where[j][1], whose[r]))

    found = job.drops(truth, weight, unit, says(X), said)
    return [name for name, _ in where], replace(found, inverse=donors.inverse(unit)), classes


def _job(
    voice: Any, schema: Schema, scorer: Scorer, where: list[Where], repeats: int, lent: Sample | None, seed: int
) -> Swapping:
    scorer = scorer.among(schema.classes)
    known = None if voice.classes is None else class_codes(voice.classes, schema.classes)
    wants = ((scorer.needs, scorer.summarize),)
    return Swapping(voice, voice.need, schema, wants, known, "auto", tuple(where), repeats, lent, seed)


def _half(scorer: Scorer, plain: dict[int, Any], swapped: dict[int, Any], score: float, level: float) -> float:
    """Half of an interval, from the drops with one unit left out at a time (the jackknife); NaN if there are none."""
    units = sorted(plain)
    k = len(units)
    if k < 2:
        return math.nan
    both = [resampler([some[u] for u in units]) for some in (plain, swapped)]
    often = 1.0 - np.eye(k)
    left = np.array([scorer.value(both[0](one)) - scorer.value(both[1](one)) for one in often])
    left[np.abs(left) <= 1e-13 * max(1.0, abs(score))] = 0.0  # rounding, where a column has no say
    error = math.sqrt((k - 1) / k * float(((left - left.mean()) ** 2).sum()))
    return float(special.stdtrit(k - 1, (1 + level) / 2)) * error


def _check(model: Any, X: Any, y: Any, weight: Any, scoring: Any, pos_label: Any) -> Scorer:
    """The score, if all fits together."""
    if isinstance(model, type) or not (is_classifier(model) or is_regressor(model)):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise TypeError(f"{name} is neither a fitted classifier nor a fitted regressor: it has no score")
    check_is_fitted(model)
    check_target(X, y, weight)
    kind = "class" if is_classifier(model) else "number"
    name = scoring or ("accuracy" if kind == "class" else "r2")
    scorer = scorers.get(name) if isinstance(name, str) else None
    if scorer is None or scorer.kind != kind:
        fit = [n for n, s in scorers.items() if s.kind == kind]
        raise ValueError(f"scoring={name!r} is no score of {type(model).__name__}; there are {fit}")
    return with_positive([scorer], pos_label)[0]
