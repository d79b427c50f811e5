"""Permutation importance: how much worse a score is if a column holds values of other rows.

All columns and repeats are scored in one scan: a hash determines the donor of each row, and the scores of
each column, repeat and unit of rows are summaries that merge. Whose values there are is found in a light scan
before, a sample of rows that merges; with `within="part"` there is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length

from tenfold.core import Array, DataError, Labels, MatrixLike
from tenfold.core.value import ByIdentity
from tenfold.engine import one_blas_thread
from tenfold.engine.progress import progress
from tenfold.inspection.importance.donors import Donors, units_for, units_of
from tenfold.inspection.importance.permutation_importance_result import PermutationImportance
from tenfold.inspection.importance.permuted_scores import Drops, Swapped, lending
from tenfold.metrics.predictors import (
    Foreign,
    fitted_learners_of,
    opened_rows,
    placed,
    predictor_of,
    united,
)
from tenfold.metrics.resampling import jackknife, resampler, standard_error
from tenfold.metrics.scoring import scorers_of
from tenfold.model_selection.certification.leakage import made_from
from tenfold.model_selection.frame_columns import borrowed, columns_of, in_memory, names_of
from tenfold.sources.inputs import check_target, is_lazy, target, weights
from tenfold.sources.label_codes import class_codes, levels
from tenfold.stats.combinators import As, View
from tenfold.stats.metrics import Scorer
from tenfold.stats.predictor_scores import Metric, Predictor
from tenfold.theory.checks import fraction, one_of, whole

Columns = str | Sequence[int | str | tuple[int | str, ...]]
"""names or numbers of columns, each by itself or several together"""


def permutation_importance(
    model: BaseEstimator,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    columns: Columns | None = None,
    scoring: str | None = None,
    pos_label: object = None,
    n_repeats: int = 5,
    sample_weight: ArrayLike | None = None,
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
        Unseen rows show which columns help the model to generalize; training rows show on which columns it relies
        on. A Source brings its own target and weights, and is read part by part.
    y : array, optional
        The target of each row; None if a Source names it.
    columns : list, optional
        Names or numbers of columns, all by default. A tuple of several is one: they are swapped together, as columns
        that say the same should be.
    scoring : str, optional
        Name of a score as scikit-learn has it; accuracy or r2 by default.
    pos_label : optional
        The positive class of precision, recall, f1 and average precision: by default 1 if it is one of the two, as
        scikit-learn has it, else the last. The result names it.
    n_repeats : int, default=5
        How often the values of each column are drawn from other rows.
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
        Seed of all that is drawn; the same seed gives the same bits.

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
    predictor = predictor_of(model)
    check_target(X, y, sample_weight)
    (scorer,) = scorers_of(scoring, model, pos_label)
    with progress("permutation importance"), one_blas_thread():
        if isinstance(predictor, Foreign) and not is_lazy(X):
            done = _at_once(predictor, X, y, sample_weight, columns, scorer, n_repeats, seed)
        else:
            done = _over(predictor, model, X, y, sample_weight, columns, scorer, n_repeats, within, seed)
    names, found, classes, scans, training_share = done
    if found.rows < 2:
        raise DataError("there are not two rows to score: a row needs another one to borrow from")
    scorer = scorer.for_classes(classes)
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
        names, drops, ends, level, score, scorer.name, found.rows, len(found.units), found.share, scans, within,
        training_share, scorer.pos_label,
    )  # fmt: skip


class ImportanceSummary(NamedTuple):
    """Merged scores, and the columns that they belong to."""

    names: list[str]
    drops: Drops
    classes: Labels | None
    scans: int
    training_share: float


def _over(
    predictor: Predictor, model: BaseEstimator, X: MatrixLike, y: ArrayLike | None, weight: ArrayLike | None,
    columns: Columns | None, scorer: Scorer, repeats: int, within: str, seed: int,
) -> ImportanceSummary:  # fmt: skip
    """Read the rows part by part, and merge the summaries."""
    with opened_rows(predictor, model, X, y, weight) as rows:
        view, source, scans = rows.view, rows.source, rows.scans
        where = columns_of(columns, view.schema.names)
        lent = None
        if within == "source":
            bare = View(view.need.without_target(), replace(view.schema, target=None, classes=None))
            sample = lending(tuple(sorted({j for _, some in where for j in some})), seed)
            lent = rows.session.answer(As(bare, sample)).summary
            scans += 1
        metric = Metric.of(scorer.for_classes(rows.classes))
        swapped = Swapped(rows.predictor, metric, tuple(where), repeats, ByIdentity(lent), seed)
        done = rows.session.answer(As(view, swapped)).summary
    training_share = 0.0
    if stages := fitted_learners_of(model):
        training_share = made_from(stages[0], source, None if source.lazy else y, weight)
    return ImportanceSummary([name for name, _ in where], done, rows.classes, scans + 1, training_share)


def _at_once(
    one: Foreign, X: MatrixLike, y: ArrayLike | None, weight: ArrayLike | None, columns: Columns | None,
    scorer: Scorer, repeats: int, seed: int,
) -> ImportanceSummary:  # fmt: skip
    """Compute the importances of an estimator that takes its rows in memory."""
    X = in_memory(X)
    truth = target(one.model.it, y, one.need)
    check_consistent_length(X, truth)
    weight = None if weight is None else weights(weight, len(truth))
    classes = None if one.classes is None else united(one.classes, levels(truth, "y"))
    truth, one = truth if classes is None else class_codes(truth, classes), placed(one, classes)
    one.check([scorer.needs])
    where = columns_of(columns, names_of(X))
    swapped = Swapped(one, Metric.of(scorer.for_classes(classes)), tuple(where), repeats, ByIdentity(None), seed)
    place = np.arange(len(truth))
    unit = units_of(place, seed, units_for(len(truth)))
    donors = Donors(place, unit, seed)
    whose = [donors.draw(place, unit, turn + 1) for turn in range(repeats)]

    def predicted(rows: MatrixLike) -> Array:
        found: Array = one.placed(one.of_rows(rows, [scorer.needs]))[scorer.needs]
        return found

    found = swapped.drops(truth, weight, unit, predicted(X), lambda j, r: predicted(borrowed(X, where[j][1], whose[r])))
    return ImportanceSummary([name for name, _ in where], replace(found, inverse=donors.inverse(unit)), classes, 1, 0.0)


def _half(scorer: Scorer, plain: dict[int, Any], swapped: dict[int, Any], score: float, level: float) -> float:
    """Half-width of an interval, from drops with one unit left out at a time (jackknife); NaN without units."""
    units = sorted(plain)
    k = len(units)
    if k < 2:
        return math.nan
    before, after = (resampler([some[u] for u in units]) for some in (plain, swapped))
    left = jackknife(lambda often: scorer.value(before(often)) - scorer.value(after(often)), k)
    left[np.abs(left) <= 1e-13 * max(1.0, abs(score))] = 0.0  # rounding, where a column has no effect
    return float(special.stdtrit(k - 1, (1 + level) / 2)) * standard_error(left)
