"""What a model promises on rows it has not seen, from rows it has not seen.

Rows are judged part by part into a few hundred units whose summaries merge: the groups of rows that belong together,
or else rows dealt by chance. The score of all units but one, for each unit, shows how far the score would stray with
other rows (the jackknife). An error rate of independent rows needs none of it: its interval is exact.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy import special
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Certificate, Chunk, Claim, Codes, DataError, Provenance, Schema
from tenfold.engine import current, one_blas_thread, schema_of
from tenfold.engine.keys import Contiguous, Key, Labelled, Shuffled
from tenfold.engine.progress import progress
from tenfold.engine.tally import this_machine
from tenfold.engine.together import Together, transformed
from tenfold.engine.tree import merge
from tenfold.estimator.base import Estimator
from tenfold.estimator.inputs import source_from, weights, with_target
from tenfold.estimator.kinds import Classifier, Regressor, Transformer
from tenfold.evaluate.folds import Plan, plan
from tenfold.evaluate.intervals import error_interval, percent
from tenfold.evaluate.trials import Scores, Trial
from tenfold.sources import Source
from tenfold.sources.dask import is_dask
from tenfold.sources.frames import is_frame
from tenfold.sources.labels import class_codes, code, levels
from tenfold.stats.metrics import Confusion, LogLoss, Ranking, Regression, Scorer, Sum, scorers
from tenfold.theory.checks import fraction, one_of, whole
from tenfold.theory.held_out import UNSEEN

UNITS = 512
"""at most: more groups than these are joined, more rows than these are dealt to so many units"""
FEW = 10
"""groups: with fewer, an interval over them is rough"""
LOSSES = ("neg_mean_absolute_error", "neg_mean_squared_error")
GROUPED = "groups drawn independently from one distribution, none of their rows used to make the model"


def certify(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    scoring: Any = None,
    reused: int = 1,
    method: Literal["jackknife", "bootstrap"] = "jackknife",
    random_state: int = 0,
) -> Certificate:
    """What a model promises on unseen rows, from rows that were kept from it.

    Parameters
    ----------
    model : classifier or regressor
        Fitted: a learner of tenfold, a pipeline, or any of scikit-learn. The latter need their rows in memory.
    X : array, frame or Source
        Rows that the model was not made from. A Source brings its own target and weights.
    y : array, optional
    groups : array or str, optional
        Which rows belong together and are not independent: a patient, a day; an array or a column's name.
    sample_weight : array, optional
    level : float, default=0.95
        How sure the ends are to be: both at once.
    scoring : str or list of str, optional
        Names of scores as scikit-learn has them, or "error". By default the error rate of classifiers; the mean
        absolute error, mean squared error and R² of regressors. What scikit-learn turns negative is claimed as it
        is: "neg_log_loss" as "log loss".
    reused : int, default=1
        How many models were judged on these rows, to choose among them: the ends are moved apart so that they hold
        for all of them (Bonferroni).
    method : {"jackknife", "bootstrap"}, default="jackknife"
        How to find the ends where there is no exact way: leave out one unit at a time, or draw units anew.
    random_state : int, default=0
        Seed of the bootstrap, and of dealing rows to units.

    Returns
    -------
    certificate : Certificate
        For each score three claims: "error", "error at least", "error at most". The error rate of independent rows
        is exact (Clopper and Pearson), with groups its effective sample size takes the place of the rows (Korn
        and Graubard). The rest is the score ± t times its standard error. If the rows are those that the model was
        made from, there is a warning and no promise.

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> y = X[:, 0] + rng.normal(size=600) > 0
    >>> model = tn.GaussianNB().fit(X[:400], y[:400])
    >>> promise = tn.certify(model, X[400:], y[400:])
    >>> print(promise["error at most"])
    error at most = 0.352943 (proved; unseen rows): 95 % sure, by the exact interval of Clopper and Pearson, assuming \
rows drawn independently from one distribution, none of them used to make the model
    >>> round(promise["baseline error"].value, 3)
    0.445
    """
    level, reused = fraction("level", level), whole("reused", reused)
    one_of("method", method, ("jackknife", "bootstrap"))
    random_state = whole("random_state", random_state, 0)
    if not (is_classifier(model) or is_regressor(model)):
        raise TypeError(f"model must be a classifier or a regressor, and {type(model).__name__} is neither")
    check_is_fitted(model)
    asked = _asked(model, scoring)
    if isinstance(X, Source) and (y is not None or sample_weight is not None):
        raise ValueError("a Source names its own target and weights: pass X alone")
    if not isinstance(X, Source) and y is None:
        raise ValueError("y is needed: the true target of each row. Remedy: certify(model, X, y)")
    if isinstance(groups, str) and is_frame(X):
        X, groups = _apart(model, X, groups)
    if groups is not None and not isinstance(groups, str):
        groups = _group_codes(groups)
    if sample_weight is not None and (np.asarray(sample_weight) == 1).all():
        sample_weight = None
    stages = _stages(model)
    with progress("certify"), one_blas_thread:
        judge = _by_parts if stages else _in_memory
        judged = judge(model, stages, X, y, groups, sample_weight, asked, random_state)
    claims = _claims(judged, asked, level, reused, method, random_state)
    return Certificate(tuple(claims), judged.provenance)


@dataclass(frozen=True)
class Asked:
    """A score, as it is claimed."""

    kind: str
    scorer: Scorer
    offset: float
    sign: float
    low: float
    """the least that it can be"""
    high: float

    def of(self, summary: Any) -> float:
        """The score of a summary."""
        return self.offset + self.sign * self.scorer.value(summary)


@dataclass(frozen=True, eq=False)
class Judged:
    """What was found: the scores of each unit."""

    units: list[Scores]
    rows: int
    weighted: bool
    groups: int
    """how many there are; 0 if rows are independent"""
    classes: Any
    seen: bool
    """whether the model was made from these rows"""
    provenance: Provenance

    def total(self, asked: Asked) -> Any:
        """The summary of all rows."""
        return merge(self.each(asked))

    def each(self, asked: Asked) -> list[Any]:
        """The summaries of the units."""
        return [unit.each[asked.scorer.summarize] for unit in self.units]


def _asked(model: Any, scoring: Any) -> list[Asked]:
    classifies = is_classifier(model)
    if scoring is None:
        scoring = ["error"] if classifies else [*LOSSES, "r2"]
    out = []
    for name in [scoring] if isinstance(scoring, str) else list(scoring):
        scorer = scorers.get("accuracy" if name == "error" else name)
        if scorer is None or (scorer.kind == "class") != classifies:
            fit = [n for n, s in scorers.items() if (s.kind == "class") == classifies]
            raise ValueError(f"scoring={name!r} is no score of {type(model).__name__}; there are {['error', *fit]}")
        loss = name.startswith("neg_")
        kind = name.removeprefix("neg_").replace("_", " ")
        low = -math.inf if name == "r2" else 0.0
        sign = -1.0 if loss or name == "error" else 1.0
        out.append(Asked(kind, scorer, float(name == "error"), sign, low, math.inf if loss else 1.0))
    if not out:
        raise ValueError("scoring is empty. Remedy: name a score, or leave it out")
    return out


# ---- judging the rows --------------------------------------------------------------------------


def _stages(model: Any) -> list[Any]:
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
        return apply(state, transformed(before, chunk).X)


class Wider:
    """A classifier, among more classes than it knows: it never says the others."""

    def __init__(self, learner: Any, known: Any, width: int) -> None:
        self.learner, self.known, self.width = learner, known, width

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


def _by_parts(
    model: Any, stages: list[Any], X: Any, y: Any, groups: Any, weight: Any, asked: list[Asked], seed: int
) -> Judged:
    """Of a learner of tenfold or a pipeline of such: part by part."""
    first, last = stages[0], stages[-1]
    need = replace(first.need, target=last.need.target, binary=False)
    if is_dask(X):
        source: Any = with_target(X, y, weight)
    else:
        source = X if isinstance(X, Source) else source_from(first, X, y, weight, need, reset=False)
    with current().open(source) as session:
        classes, learner = None, last
        if need.target == "class":
            classes = _united(last.classes_, schema_of(source, need, session).classes)
            if len(classes) > len(last.classes_):
                learner = Wider(last, class_codes(last.classes_, classes), len(classes))
        schema = Schema(first.schema_.columns, need.target, classes, first.schema_.named)
        weighted = _weighted(source)
        alone = groups is None and not weighted and all(_is_rate(one) for one in asked)
        found = Plan((), None, 0, None)
        if groups is None:
            key: Key = Contiguous(1, np.zeros(1, np.int64)) if alone else Shuffled(UNITS, seed)
            count = 0
            unknown = getattr(source, "n_rows", None) is None or getattr(source, "only", None) is not None
            if unknown and not alone:  # rows are dealt by their numbers, wherever they come from
                found = plan(2, source, need.without_target(), session, shuffle=True)
        else:
            found, key, count = _grouped(groups, source, need, session)
        before = tuple((step, step.state_) for step in stages[:-1])
        n_classes = 0 if classes is None else len(classes)
        for one in asked:
            one.scorer.check(n_classes)
        named = replace(need, beside=found.beside)
        trial = Judge(
            learner, named, schema, key, dict.fromkeys(range(key.groups), (last.state_, before)),
            tuple(one.scorer for one in asked), n_classes,
        )  # fmt: skip
        done = session.reduce(Together((trial,), found.starts)).each[0]  # type: ignore[arg-type]
    if not done.groups:
        raise DataError("there is no row to judge: all have weight zero")
    each = [done.groups[g] for g in sorted(done.groups)]
    rows = sum(one.rows for one in each)
    machines = tuple(sorted(frozenset().union(*(one.machines for one in each))))
    where = Provenance(
        source.fingerprint(), rows, done.dropped, len(source), 1.0, "all rows were judged", machines,
        None if alone else seed,
    )  # fmt: skip
    seen = _seen(first, source, None if isinstance(X, Source) or is_dask(X) else y, weight)
    return Judged([one.summary for one in each], rows, weighted, count, classes, seen, where)


def _in_memory(
    model: Any, stages: list[Any], X: Any, y: Any, groups: Any, weight: Any, asked: list[Asked], seed: int
) -> Judged:
    """Of any other estimator: all rows at once."""
    if isinstance(X, Source) or is_dask(X):
        raise DataError(
            f"{type(model).__name__} is not a learner of tenfold: it needs its rows in memory. Remedy: give arrays or "
            "a frame instead of a Source"
        )
    truth = np.asarray(y)
    n = len(truth)
    if truth.ndim != 1 or not n:
        raise ValueError(f"y must be one value for each row, but has the shape {truth.shape}")
    if groups is not None and len(groups) != n:
        raise ValueError(f"groups has {len(groups)} entries, but there are {n} rows")
    weight = None if weight is None else weights(weight, n)
    classes, n_classes = None, 0
    if is_classifier(model):
        classes = _united(model.classes_, levels(truth, "y"))
        n_classes, truth = len(classes), class_codes(truth, classes)
    outputs: dict[str, Any] = {}
    for one in asked:
        one.scorer.check(n_classes)
        if one.scorer.needs not in outputs:
            outputs[one.scorer.needs] = _outputs(model, X, one.scorer.needs, classes)
    alone = groups is None and weight is None and all(_is_rate(one) for one in asked)
    if groups is not None:
        unit = groups % UNITS
    else:
        unit = np.zeros(n, np.int64) if alone else Shuffled(UNITS, seed).coder(0)(None, np.arange(n))  # type: ignore[arg-type]
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
        f"rows in memory, {n}", kept, n - kept, 1, 1.0, "all rows were judged", (this_machine(),),
        None if alone else seed,
    )  # fmt: skip
    first = model.steps[0][1] if isinstance(model, Pipeline) else model
    seen = False
    if isinstance(first, Estimator):
        bare = source_from(first, X, None, None, first.need.without_target(), reset=False)
        seen = _seen(first, bare, y, weight)
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


def _is_rate(asked: Asked) -> bool:
    return asked.scorer.name == "accuracy"


def _united(known: Any, found: Any) -> Any:
    """The classes of a model and of the rows: a class that the model does not know is one that it gets wrong."""
    more = {*found.tolist()} - {*known.tolist()}
    if not more:
        return known
    try:
        return np.array(sorted({*known.tolist(), *more}), dtype=object if known.dtype.kind == "O" else None)
    except TypeError:
        raise DataError(
            f"y has classes {sorted(more)[:5]}, and the model's are {known.tolist()[:5]}: text in one, numbers in "
            "the other. Remedy: give y as it was when the model was fitted"
        ) from None


def _weighted(source: Any) -> bool:
    """Whether rows may count differently."""
    while hasattr(source, "base"):
        source = source.base
    named = getattr(getattr(source, "roles", None), "weight", None)
    return named is not None or getattr(source, "weight", None) is not None


def _apart(model: Any, X: Any, column: str) -> tuple[Any, Any]:
    """A frame and one of its columns, which is left out of it if the model does not know it."""
    names = list(getattr(X, "column_names", None) or X.columns)
    if column not in names:
        raise DataError(f"groups={column!r} is no column of X; there are {names[:20]}")
    values = np.asarray(X[column])
    if column in list(getattr(model, "feature_names_in_", ())):
        return X, values
    return (X.drop(columns=[column]) if type(X).__module__.startswith("pandas") else X.drop(column)), values


def _group_codes(groups: Any) -> Codes:
    """Groups as numbers from 0."""
    values = np.asarray(groups)
    if values.ndim != 1:
        raise ValueError(f"groups must be one value for each row, but has the shape {values.shape}")
    known = levels(values, "groups")
    codes = code(values, known, "groups")
    if np.isnan(codes).any():
        row = int(np.flatnonzero(np.isnan(codes))[0])
        raise DataError(f"groups misses a value in row {row}. Remedy: say to which group the row belongs")
    return codes.astype(np.int64)


def _grouped(groups: Any, source: Any, need: Any, session: Any) -> tuple[Plan, Key, int]:
    """Which unit each row belongs to: its group, or several groups joined; and how many groups there are."""
    if isinstance(groups, str):
        found = plan(groups, source, need, session)
        key: Any = found.splits[0].key
        assert isinstance(key, Labelled)
        count = key.groups
        return found, replace(key, groups=min(count, UNITS), codes=np.arange(count) % UNITS), count
    count = int(groups.max(initial=-1)) + 1
    if count < 2:
        raise DataError("groups has one group only, which says nothing about others. Remedy: rows of more groups")
    found = plan(min(count, UNITS), source, need, session, groups=groups)
    return found, found.splits[0].key, count


def _seen(first: Any, source: Any, y: Any, weight: Any) -> bool:
    """Whether these are the rows that a model was made from, as far as fingerprints tell."""
    made = getattr(first.__dict__.get("certificate_"), "provenance", None)
    if made is None:
        return False
    prints = {source.fingerprint()}
    if y is not None:  # the first of a pipeline was fitted without them
        target = np.asarray(y, dtype=float if first.need.target == "number" else None)
        for values, heft in ((target, weight), (target, None), (None, weight), (None, None)):
            some = copy.copy(source)
            some.y, some.weight = values, heft
            prints.add(some.fingerprint())
    return bool({*made.source.split(" + ")} & prints)


# ---- what they say -----------------------------------------------------------------------------


def _claims(
    judged: Judged, asked: Sequence[Asked], level: float, reused: int, method: str, seed: int
) -> list[Claim]:  # fmt: skip
    if judged.seen:
        warnings.warn(
            "the model was made from these rows, so they say nothing about unseen ones. Remedy: keep some rows from "
            "fit, or use cross_validate",
            UserWarning,
            stacklevel=3,
        )
    claims: list[Claim] = []
    for one in asked:
        total = judged.total(one)
        value = one.of(total)
        why = _why(judged, one, total)
        if judged.seen:
            claims.append(Claim(one.kind, value, "proved", f"{why}, from which the model was made", "data"))
            continue
        ends = None if math.isnan(value) else _ends(judged, one, value, (1 - level) / (2 * reused), method, seed)
        if ends is None:
            why += "; none differs from the others, so there are no ends to tell"
        claims.append(Claim(one.kind, value, "estimated", why, "unseen rows", GROUPED if judged.groups else UNSEEN))
        if ends is not None:
            for name, end in (("at least", ends.low), ("at most", ends.high)):
                because = f"{percent(level)} sure{_for_all(reused)}, {ends.by}"
                claims.append(
                    Claim(f"{one.kind} {name}", end, ends.status, because, "unseen rows", ends.assumptions)
                )  # fmt: skip
    claims += _baselines(judged, asked)
    if reused > 1 and not judged.seen:
        why = "so many models were judged on these rows, this one among them"
        claims.append(Claim("models judged", float(reused), "assumed", why, "data"))
    return claims


def _for_all(reused: int) -> str:
    return f" of all {reused} models together (Bonferroni)" if reused > 1 else ""


def _why(judged: Judged, asked: Asked, total: Any) -> str:
    rows = f"{judged.rows:,} rows" if judged.rows > 1 else "1 row"
    many = f"{rows} in {judged.groups:,} groups" if judged.groups else rows
    if _is_rate(asked) and not judged.weighted:
        wrong = round(float(total.count.sum() - total.hits.sum()))
        return f"{wrong:,} of {many} {'is' if wrong == 1 else 'are'} predicted wrong"
    return f"over {many}" + (", weighted" if judged.weighted else "")


def _baselines(judged: Judged, asked: Sequence[Asked]) -> list[Claim]:
    """What could be had without a model."""
    rate = next((one for one in asked if _is_rate(one)), None)
    if rate is not None:
        support = judged.total(rate).support
        why = f"always saying {judged.classes.tolist()[int(support.argmax())]!r}, the most common class of these rows"
        return [Claim("baseline error", 1 - float(support.max() / support.sum()), "proved", why, "data")]
    number = next((one for one in asked if one.scorer.name == "neg_mean_squared_error"), None)
    if number is not None:
        total = judged.total(number)
        why = "always saying the mean of these rows"
        return [Claim("baseline mean squared error", total.square.value / total.weight, "proved", why, "data")]
    return []


@dataclass(frozen=True)
class Ends:
    """Of an interval, and how they were found."""

    low: float
    high: float
    status: Literal["proved", "estimated"]
    by: str
    assumptions: str


def _ends(judged: Judged, asked: Asked, value: float, tail: float, method: str, seed: int) -> Ends | None:
    if _is_rate(asked) and not judged.groups and not judged.weighted:
        total = judged.total(asked)
        wrong = round(float(total.count.sum() - total.hits.sum()))
        found = error_interval(wrong, judged.rows, 1 - 2 * tail)
        low, high = (found.low, found.high) if asked.kind == "error" else (1 - found.high, 1 - found.low)
        return Ends(low, high, "proved", "by the exact interval of Clopper and Pearson", UNSEEN)
    units = judged.each(asked)
    k = len(units)
    if k < 2:
        what = "groups" if judged.groups else "rows"
        raise DataError(f"there are not two {what} to judge: one says nothing about the spread. Remedy: more {what}")
    again = resampler(units)
    few = f" of {judged.groups} groups only, so they are rough" if 0 < judged.groups < FEW else ""
    drawn = GROUPED if judged.groups else UNSEEN
    enough = f"{drawn}, and enough of them that the score is nearly normal"
    if _is_rate(asked):
        left = np.array([asked.of(again(_without(u, k))) for u in range(k)])
        low, high = _rate(value, left, np.array([float(u.count.sum()) for u in units]), judged.rows, tail)
        by = f"by an exact interval at the effective number of rows (Korn and Graubard){few}"
        return Ends(low, high, "estimated", by, enough)
    if method == "bootstrap":
        low, high = _bootstrap(asked, again, k, tail, seed)
        by, enough = f"by drawing {'groups' if judged.groups else 'rows'} anew (bootstrap){few}", drawn
    else:
        left = np.array([asked.of(again(_without(u, k))) for u in range(k)])
        half = -float(special.stdtrit(k - 1, tail)) * _error(left)
        low, high = value - half, value + half
        what = "groups" if judged.groups == k else "groups, joined" if judged.groups else "units of rows"
        by = f"by t times the standard error over {k} {what}{few}"
    if not low < high:  # NaN too
        return None  # no unit differs from the others: there is nothing to tell a spread from
    return Ends(max(asked.low, low), min(asked.high, high), "estimated", by, enough)


def _without(u: int, k: int) -> Any:
    counts = np.ones(k)
    counts[u] = 0.0
    return counts


def _error(left: Any) -> float:
    """The standard error, from the scores with one unit left out (the jackknife)."""
    k = len(left)
    return math.sqrt((k - 1) / k * float(((left - left.mean()) ** 2).sum()))


def _rate(p: float, left: Any, weight: Any, rows: int, tail: float) -> tuple[float, float]:
    """Ends for an error rate of rows that are not independent: exact ones for as many rows as they are worth."""
    k, error = len(left), _error(left)
    if 0 < p < 1:
        worth = p * (1 - p) / error**2 if error else float(rows)
        worth *= float(special.stdtrit(max(rows - 1, 1), tail) / special.stdtrit(k - 1, tail)) ** 2
    else:  # nothing tells how alike the rows of a unit are: count units
        worth = float(weight.sum() ** 2 / (weight**2).sum())
    n = min(worth, float(rows))
    x = p * n
    low = float(special.betaincinv(x, n - x + 1, tail)) if p > 0 else 0.0
    high = float(special.betainccinv(x + 1, n - x, tail)) if p < 1 else 1.0
    return low, high


def _bootstrap(asked: Asked, again: Callable[[Any], Any], k: int, tail: float, seed: int) -> tuple[float, float]:
    """Quantiles of the score of units drawn anew, moved out as t is beyond the normal curve."""
    tail = float(special.ndtr(math.sqrt(k / (k - 1)) * special.stdtrit(k - 1, tail)))
    draws = min(max(2000, math.ceil(50 / tail)), 50_000)
    random = np.random.default_rng(seed)
    found = np.array([asked.of(again(np.bincount(random.integers(k, size=k), minlength=k))) for _ in range(draws)])
    if np.isnan(found).all():
        return math.nan, math.nan
    low, high = np.nanquantile(found, [tail, 1 - tail])
    return float(low), float(high)


def resampler(units: Sequence[Any]) -> Callable[[Any], Any]:
    """From how often each unit counts to the summary of them all."""
    return RESAMPLERS[type(units[0])](units)


def _confusions(units: Sequence[Confusion]) -> Callable[[Any], Confusion]:
    rows, count = np.array([u.rows for u in units]), np.array([u.count for u in units])
    return lambda often: Confusion(int(often @ rows), np.tensordot(often, count, 1))


def _losses(units: Sequence[LogLoss]) -> Callable[[Any], LogLoss]:
    table = np.array([[u.rows, u.surprise.value, u.distance.value, *u.weight] for u in units])

    def again(often: Any) -> LogLoss:
        rows, surprise, distance, *weight = (often @ table).tolist()
        return LogLoss(int(rows), np.array(weight), Sum(surprise), Sum(distance))

    return again


def _regressions(units: Sequence[Regression]) -> Callable[[Any], Regression]:
    total = merge(units)
    table = np.empty((len(units), 6))
    for row, u in zip(table, units, strict=True):
        away = (u.mean - total.mean) + (u.rest - total.rest)
        square = u.square.value + u.weight * away**2
        row[:] = u.rows, u.weight, u.weight * away, square, u.absolute.value, u.squared.value

    def again(often: Any) -> Regression:
        rows, weight, away, square, absolute, squared = (often @ table).tolist()
        around = Sum(max(0.0, square - away**2 / weight))
        return Regression(int(rows), weight, total.mean + away / weight, 0.0, around, Sum(absolute), Sum(squared))

    return again


def _rankings(units: Sequence[Ranking]) -> Callable[[Any], Ranking]:
    total = merge(units)
    rows = np.array([u.rows for u in units])
    starts = np.concatenate([[0], np.cumsum([len(u.low) for u in units])])
    bins = np.searchsorted(total.low, np.concatenate([u.low for u in units]), side="right") - 1
    shape = (len(units), len(total.low))
    positive, negative = (
        sp.csr_matrix((np.concatenate([getattr(u, name) for u in units]), bins, starts), shape)
        for name in ("positive", "negative")
    )

    def again(often: Any) -> Ranking:
        up, down = often @ positive, often @ negative
        kept = (up > 0) | (down > 0)
        return Ranking(
            int(often @ rows), total.most, total.level, total.low[kept], total.high[kept], up[kept], down[kept]
        )  # fmt: skip

    return again


RESAMPLERS: dict[type, Callable[[Any], Any]] = {
    Confusion: _confusions,
    LogLoss: _losses,
    Ranking: _rankings,
    Regression: _regressions,
}
