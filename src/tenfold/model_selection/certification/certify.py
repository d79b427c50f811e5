"""What a model promises on unseen rows, from unseen rows.

Rows are scored part by part into a few hundred units whose summaries merge: the groups of rows that belong together,
or else rows dealt by chance. The score of all units but one, for each unit, shows how far the score would stray with
other rows (the jackknife). An error rate of independent rows needs none of it: its interval is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tenfold.core import Certificate, Claim, DataError, MatrixLike
from tenfold.core.certificate import number_of
from tenfold.core.errors import from_here, warn_user
from tenfold.engine.progress import progress
from tenfold.metrics.predictors import check_model, feature_names
from tenfold.metrics.scoring import Summary
from tenfold.model_selection.certification.confidence_bounds import GROUP_ASSUMPTIONS, ends_of
from tenfold.model_selection.certification.dependent_rows import group_codes
from tenfold.model_selection.certification.leakage import count_other_models, print_of
from tenfold.model_selection.certification.targets import Asked, UnitScores, asked_of, score_units
from tenfold.model_selection.cross_validation.folds import Grouping
from tenfold.model_selection.cross_validation.tune import Tuned
from tenfold.model_selection.formatting import percent
from tenfold.model_selection.frame_columns import computed_column, split_groups, without_column
from tenfold.sources.expressions.expression import ColumnExpression
from tenfold.sources.inputs import check_target, is_lazy
from tenfold.stats.metrics import Confusion, Regression
from tenfold.theory.bounds.held_out import UNSEEN
from tenfold.theory.checks import fraction, one_of, whole


@from_here
def certify(
    model: BaseEstimator | Tuned,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    groups: Grouping | None = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    scoring: str | Sequence[str] | None = None,
    pos_label: object = None,
    reused: int | None = None,
    method: Literal["jackknife", "bootstrap"] = "jackknife",
    random_state: int = 0,
) -> Certificate:
    """Certify the performance of a model on unseen rows, from test rows.

    Parameters
    ----------
    model : classifier or regressor
        Fitted: a learner of tenfold, a pipeline, or any of scikit-learn, which need their rows in memory. Of what
        `tune` found, the best.
    X : array, frame or Source
        Rows that the model was not made from. A Source brings its own target and weights.
    y : array, optional
        The target of each row; None if a Source names it.
    groups : array, str or expression, optional
        Which rows belong together and are not independent: a patient, a day; an array, a column's name, an expression
        of `tenfold.col`, or "file" of scanned files.
    sample_weight : array, optional
        A weight for each row; by default all count once.
    level : float, default=0.95
        How sure the ends are to be: both at once.
    scoring : str or list of str, optional
        Names of scores as scikit-learn has them, or "error". By default the error rate of classifiers; the mean
        absolute error, mean squared error and R² of regressors. What scikit-learn turns negative is claimed as it
        is: "neg_log_loss" as "log loss".
    pos_label : optional
        The positive class of precision, recall, f1 and average precision: by default 1 if it is one of the two, as
        scikit-learn has it, else the last. The claims name it.
    reused : int, optional
        How many models were scored on these rows, to choose among them: the ends are moved apart so that they hold
        for all of them (Bonferroni). If it is not given, it is 1, and there is a warning where this process has
        scored other models on the same rows by the same score; `reused=1` declares that nothing is selected by them.
    method : {"jackknife", "bootstrap"}, default="jackknife"
        How to find the ends where there is no exact way: leave out one unit at a time, or draw units again.
    random_state : int, default=0
        Seed of the bootstrap, and of dealing rows to units.

    Returns
    -------
    certificate : Certificate
        For each score three claims: "error", "error at least", "error at most". The error rate of independent rows
        is exact (Clopper and Pearson), with groups its effective sample size takes the place of the rows (Korn
        and Graubard). The rest is the score ± t times its standard error. If the model was made from these rows or
        some of them, there is a warning and no promise. Only a learner of tenfold knows: files by their row groups,
        rows in memory by a sample of them, if they are not too much alike.

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> y = X[:, 0] + rng.normal(size=600) > 0
    >>> model = tn.GaussianNB().fit(X[:400], y[:400])
    >>> promise = tn.certify(model, X[400:], y[400:])
    >>> print(promise["error at most"])
    error at most = 0.352943 (with confidence; unseen rows): with 95 % confidence, by the exact \
interval of Clopper and Pearson, \
assuming rows drawn independently from one distribution, none of them used to make the model
    >>> round(promise["baseline error"].value, 3)
    0.445
    """
    level = fraction("level", level)
    one_of("method", method, ("jackknife", "bootstrap"))
    random_state = whole("random_state", random_state, 0)
    times = 1 if reused is None else whole("reused", reused)
    model = model.best_estimator_ if isinstance(model, Tuned) else model
    check_model(model)
    check_target(X, y, sample_weight, "certify(model, X, y)")
    if isinstance(sample_weight, str):
        raise ValueError(f"sample_weight must be one number for each row, not {sample_weight!r}")
    asked = asked_of(model, scoring, pos_label)
    if not is_lazy(X):
        X, groups = _without_groups(X, groups, feature_names(model) or ())
    units = groups if groups is None or isinstance(groups, (str, ColumnExpression)) else group_codes(groups)
    if sample_weight is not None and np.array_equal(sample_weight, np.ones(np.asarray(y).shape)):
        sample_weight = None
    with progress("certify"):
        judged, asked = score_units(model, X, y, units, sample_weight, asked, random_state)
    if judged.training_share:
        these = "these rows, so the scores do not apply to unseen rows"
        some = f"some of these rows (about {judged.training_share:.0%} of those looked at), so they promise too much"
        warn_user(
            f"the model was made from {these if judged.training_share == 1 else some}. "
            "Remedy: keep some rows from fit, or use cross_validate"
        )
        return Certificate((*_of_these_rows(judged, asked), *_baselines(judged, asked)), judged.provenance)
    claims = _promises(judged, asked, level, times, method, random_state)
    rows = judged.provenance.source if is_lazy(X) else print_of(X, y, sample_weight)
    many, kind = max((count_other_models(rows, one.kind, one.of(judged.total(one))), one.kind) for one in asked)
    if many and reused is None:
        warn_user(
            f"these rows have scored {many} other model{'s' * (many > 1)} by {kind}, so the confidence limits hold for "
            f"this one only if it was not chosen by them. Remedy: reused={many + 1} if it was, reused=1 if not"
        )
    return Certificate((*claims, *_baselines(judged, asked), *_reuse(times)), judged.provenance)


def _without_groups(
    X: MatrixLike, groups: Grouping | None, known: Sequence[str]
) -> tuple[MatrixLike, ArrayLike | None]:  # fmt: skip
    """Rows in memory, and their groups as an array; columns of the groups that a model does not know are left out."""
    if isinstance(groups, ColumnExpression):
        values = computed_column(X, groups)
        for name in groups.columns():
            X = X if name in known else without_column(X, name)
        return X, values
    if not isinstance(groups, str):
        return X, groups
    return split_groups(X, groups, known)


def _of_these_rows(judged: UnitScores, asked: Sequence[Asked]) -> list[Claim]:
    """Claims for training rows: their score only."""
    out = []
    for one in asked:
        total = judged.total(one)
        why = f"{_explanation(judged, one, total)}, from which the model was made"
        out.append(Claim(one.kind, one.of(total), "proved", why, "data"))
    return out


def _promises(
    judged: UnitScores, asked: Sequence[Asked], level: float, times: int, method: str, seed: int
) -> list[Claim]:  # fmt: skip
    """Claims with value and confidence bounds of each score, for unseen rows."""
    drawn = GROUP_ASSUMPTIONS if judged.groups else UNSEEN
    sure = f"with {percent(level)} confidence" + (f" for all {times} models together (Bonferroni)" if times > 1 else "")
    claims = []
    for one in asked:
        total = judged.total(one)
        value, why = one.of(total), _explanation(judged, one, total)
        if math.isnan(value):
            raise DataError(
                f"{one.kind} is not defined on these rows: the target has one value only. Remedy: rows with others, or "
                "another scoring"
            )
        ends = ends_of(judged, one, value, (1 - level) / (2 * times), method, seed)
        if ends is None:
            why += "; none differs from the others, so there is no interval"
        claims.append(Claim(one.kind, value, "estimated", why, "unseen rows", drawn))
        if ends is not None:
            for name, end in (("at least", ends.low), ("at most", ends.high)):
                kind, because = f"{one.kind} {name}", f"{sure}, {ends.by}"
                claims.append(Claim(kind, end, ends.status, because, "unseen rows", ends.assumptions))
    return claims


def _reuse(times: int) -> list[Claim]:
    if times == 1:
        return []
    why = "so many models were scored on these rows, this one among them"
    return [Claim("models scored", float(times), "assumed", why, "data")]


def _explanation(judged: UnitScores, asked: Asked, total: Summary) -> str:
    rows = number_of(judged.rows, "row")
    many = f"{rows} in {number_of(judged.groups, 'group')}" if judged.groups else rows
    if isinstance(total, Confusion) and asked.is_rate and not judged.weighted:
        wrong = round(total.wrong)
        return f"{wrong:,} of {many} {'is' if wrong == 1 else 'are'} predicted wrong"
    of = f"of the positive class {asked.scorer.pos_label!r}, " if asked.scorer.one_sided else ""
    return f"{of}over {many}" + (", weighted" if judged.weighted else "")


def _baselines(judged: UnitScores, asked: Sequence[Asked]) -> list[Claim]:
    """Claims about the scores of a constant prediction."""
    for one in asked:
        total = judged.total(one)
        if one.is_rate and isinstance(total, Confusion) and judged.classes is not None:
            common, support = judged.classes.tolist()[int(total.support.argmax())], total.support
            why = f"always predicting {common!r}, the most common class of these rows"
            return [Claim("baseline error", 1 - float(support.max() / support.sum()), "proved", why, "data")]
        if one.scorer.name == "neg_mean_squared_error" and isinstance(total, Regression):
            why = "always predicting the mean of these rows"
            return [Claim("baseline mean squared error", total.square.value / total.weight, "proved", why, "data")]
    return []
