"""What all displays do: find axes, know the positive class, take the summaries of folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing

from tenfold.core import Array, Codes, DataError, Labels, MatrixLike
from tenfold.metrics.predictors import Response, Want, scores_of
from tenfold.model_selection.cross_validation.cross_validation_result import CrossValidation
from tenfold.model_selection.formatting import percent
from tenfold.sources import Source
from tenfold.sources.inputs import is_lazy
from tenfold.sources.label_codes import class_codes, levels
from tenfold.stats.metrics import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

S = TypeVar("S")
Look = Mapping[str, Any]
"""keywords of matplotlib"""
Results = CrossValidation | Mapping[str, Any]
"""of `cross_validate`: ours, or what scikit-learn's returns"""
Predicted: TypeAlias = ArrayLike | Source
"""predictions: an array, or the output of a model for a Source"""
Summarize = Callable[[Codes, Array, Array | None], S]
"""a summary of whether rows are of the positive class, of its score, and of weights"""
FOLD_LINE_STYLE = {"color": "#3b82c4", "alpha": 0.35, "linewidth": 1.0}
"""default style of the curves of folds"""
REFERENCE_LINE_STYLE = {"color": "#777777", "linestyle": (0, (4, 3)), "linewidth": 1}
"""how a line of reference looks"""
REFERENCE = ("chance", "perfectly")
"""how labels of lines begin that are no curve of a model"""


def draw_curves(
    ax: Axes, x: Array | Sequence[Array], y: Array | Sequence[Array], label: str | None,
    given: Look | list[Look] | None, usual: Look,
) -> Line2D | list[Line2D]:  # fmt: skip
    """Draw one curve, or those of several folds, of which the first has a label."""
    xs, ys = (list(one) if isinstance(one, (list, tuple)) else [one] for one in (x, y))
    usual = {**usual, **(FOLD_LINE_STYLE if len(xs) > 1 else {"linewidth": 2.0})}
    lines = []
    for at, (a, b, look) in enumerate(zip(xs, ys, styles(given, len(xs), usual), strict=True)):
        lines += ax.plot(a, b, **{"label": label if at == 0 else None, **look})
    return lines[0] if len(lines) == 1 else lines


def chance_line(ax: Axes, ends: tuple[float, float], label: str, look: Look | None = None) -> Line2D | None:
    """Draw a line of reference from left to right, once."""
    if label in ax.get_legend_handles_labels()[1]:
        return None
    return ax.plot([0, 1], ends, **{**REFERENCE_LINE_STYLE, "label": label, **(look or {})})[0]


def of_class(pos_label: object) -> str:
    """Which class is the positive one, for the labels of axes."""
    return "" if pos_label is None else f" (positive: {pos_label})"


def finish(ax: Axes, despine: bool, place: Literal["upper left", "lower left", "lower right"]) -> None:
    """Leave out the frame above and on the right; a legend in which lines of reference come last."""
    if despine:
        ax.spines[["top", "right"]].set_visible(False)
    known = sorted(zip(*ax.get_legend_handles_labels(), strict=True), key=lambda one: one[1].startswith(REFERENCE))
    handles, labels = zip(*known, strict=True)
    box = ax.legend(handles, labels, loc=place, edgecolor="none", framealpha=0.85, fontsize="small")
    for line in box.get_lines():
        line.set_alpha(1.0)


def positive(classes: Labels, pos_label: object) -> int:
    """The number of the positive class, of two."""
    known = classes.tolist()
    if len(known) != 2:
        raise ValueError(f"this display is of two classes, and there are {len(known)}: {known[:5]}")
    if pos_label is None:
        return 1
    if pos_label not in known:
        raise ValueError(f"pos_label={pos_label!r} is not one of the classes {known}")
    at: int = known.index(pos_label)
    return at


def of_positive(summarize: Summarize[S], at: int, truth: Codes, said: Array, weight: Array | None, k: int) -> S:
    """A summary of the positive class alone: whether a row is of it, and its score."""
    return summarize((truth == at).astype(np.int64), said[:, at], weight)


class Summarized(NamedTuple, Generic[S]):
    """A summary of the positive class, of all rows."""

    summary: S
    label: object
    """the positive class"""
    weighted: bool


def summarized(
    estimator: BaseEstimator | None, X: MatrixLike, y: ArrayLike | None, weight: ArrayLike | None, pos_label: object,
    needs: str, summarize: Summarize[S], how: Response = "auto",
) -> Summarized[S]:  # fmt: skip
    """Summaries of the scores of a classifier for the positive class; without a classifier, of the rows as
    predictions."""

    def wants(classes: Labels | None) -> list[Want]:
        if classes is None:
            raise TypeError(f"{type(estimator).__name__} is not a classifier")
        return [(needs, partial(of_positive, summarize, positive(classes, pos_label)))]

    scores, classes = scores_of(estimator, X, y, weight, wants, how)
    assert classes is not None
    return Summarized(scores.each[0], classes.tolist()[positive(classes, pos_label)], scores.weighted)


def predicted(
    y_true: ArrayLike | None, y_score: Predicted, weight: ArrayLike | None, pos_label: object, summarize: Summarize[S]
) -> Summarized[S]:  # fmt: skip
    """Summaries of given scores: an array, or a Source that keeps the target of its rows."""
    if is_lazy(y_score):
        if y_true is not None:
            raise ValueError("predictions for a Source keep the target of its rows: pass y_true=None")
        return summarized(None, y_score, None, weight, pos_label, "score", summarize)
    truth, score = np.asarray(y_true), np.asarray(y_score)
    classes = levels(truth, "y_true")
    if pos_label is None and classes.tolist() not in ([0, 1], [-1, 1], [0], [1], [-1]):
        raise ValueError(
            f"y_true holds the classes {classes.tolist()[:5]}: which of them is the positive one is not plain. "
            "Remedy: pos_label="
        )
    if len(classes) < 2:
        raise DataError(f"y_true holds one class only, {classes.tolist()}: there is no curve")
    at = positive(classes, pos_label)
    if score.ndim == 2 and score.shape[1] == 2:
        score = score[:, at]
    codes = (class_codes(truth, classes) == at).astype(np.int64)
    heft = None if weight is None else np.asarray(weight)
    return Summarized(summarize(codes, score, heft), classes.tolist()[at], weight is not None)


class FoldSummaries(NamedTuple, Generic[S]):
    """Summaries of all folds of a cross-validation."""

    each: list[S]
    label: object
    """the positive class"""
    cv: CrossValidation | None
    """that kept them"""
    name: str
    """of the learner"""

    def interval(self, score: str) -> tuple[list[float], tuple[float, float]] | None:
        """The scores of the folds and the ends of an interval of their mean, if the cross-validation has them."""
        known = [] if self.cv is None else self.cv.metrics or self.cv.scoring
        if self.cv is None or score not in known:
            return None
        at = self.cv.names.index(self.name), known.index(score)
        low, high = self.cv.interval()[at].tolist()
        return self.cv.scores[at].tolist(), (low, high)


def folds_of(
    cv_results: Results, learner: int | str, X: MatrixLike, y: ArrayLike | None, weight: ArrayLike | None,
    pos_label: object,
) -> FoldSummaries[Ranking]:  # fmt: skip
    """The rankings of all folds: those that a `CrossValidation` keeps, or made of the rows by scikit-learn's models."""
    if not isinstance(cv_results, CrossValidation):
        return summarized_folds(cv_results, "score", Ranking.of, X, y, weight, pos_label)
    found = kept_of(cv_results, Ranking, "roc_auc", learner)
    if pos_label is not None and pos_label != found.label:
        raise ValueError(
            f"this cross-validation ranks by the class {found.label!r}. Remedy: cross_validate(..., "
            f"pos_label={pos_label!r})"
        )
    return found


def kept_of(cv: CrossValidation, kind: type[S], score: str, learner: int | str) -> FoldSummaries[S]:
    """The summaries of all folds of a learner that a cross-validation has kept; a score that needs them leaves them."""
    at = cv.names.index(learner) if isinstance(learner, str) else int(learner)
    kept = cv.summaries[at] if cv.summaries else {}
    found = [one for j in sorted(kept) if isinstance(one := kept[j].get(kind.__name__), kind)]
    if not found:
        raise ValueError(
            f"this cross-validation kept no {kind.__name__}. Remedy: cross_validate(..., scoring={score!r})"
        )  # fmt: skip
    return FoldSummaries(found, cv.pos_label, cv, cv.names[at])


def summarized_folds(
    cv_results: object, needs: str, summarize: Summarize[S], X: MatrixLike, y: ArrayLike | None,
    weight: ArrayLike | None, pos_label: object,
) -> FoldSummaries[S]:  # fmt: skip
    """The summaries of all folds, of what scikit-learn's `cross_validate` returns with its estimators and indices."""
    if not (isinstance(cv_results, Mapping) and {"estimator", "indices"} <= {*cv_results}):
        raise ValueError(
            "cv_results must be a CrossValidation, or what scikit-learn's cross_validate returns with "
            "return_estimator=True and return_indices=True"
        )
    each = []
    for model, rows in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
        some = None if weight is None else np.asarray(weight)[rows]
        each.append(summarized(model, _safe_indexing(X, rows), np.asarray(y)[rows], some, pos_label, needs, summarize))
    return FoldSummaries([e.summary for e in each], each[-1].label, None, type(cv_results["estimator"][0]).__name__)


def styles(given: Look | list[Look] | None, n: int, usual: Look) -> list[dict[str, Any]]:
    """The keywords of matplotlib with which each curve is drawn."""
    if isinstance(given, list):
        if len(given) != n:
            raise ValueError(f"curve_kwargs must be a dict or a list of {n} dicts")
        return [{**usual, **one} for one in given]
    return [{**usual, **(given or {})} for _ in range(n)]


def legend_of(
    name: str | None, word: str, values: float | list[float] | None, ends: tuple[float, float] | None, level: float
) -> str | None:  # fmt: skip
    """Legend text of one or several curves: the area, and its interval or standard deviation.

    Two decimals, or as many as keep the area apart from the ends of its interval, four at most.
    """
    if values is None:
        return name
    several = isinstance(values, (list, tuple))
    area = float(np.mean(values))
    shown = (area, *(ends or ()))
    digits = next((d for d in (2, 3) if len({f"{value:.{d}f}" for value in shown}) == len({*shown})), 4)
    text = f"{'mean ' if several else ''}{word} = {area:.{digits}f}"
    if ends is not None:
        text += f", {percent(level)}: {ends[0]:.{digits}f} to {ends[1]:.{digits}f}"
    elif several:
        text += f" ± {np.std(values):.2f}"
    if not name:
        return text
    return f"{name}, {len(values)} folds:\n{text}" if isinstance(values, (list, tuple)) else f"{name} ({text})"
