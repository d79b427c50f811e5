"""What all displays do: find axes, know the positive class, take the summaries of folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import DataError
from tenfold.evaluate.cross_validation.result import CrossValidation
from tenfold.evaluate.formatting import percent
from tenfold.evaluate.scoring.predictors import Want, scores_of
from tenfold.sources.inputs import is_lazy
from tenfold.sources.labels import class_codes, levels

FOLDS = {"color": "#3b82c4", "alpha": 0.35, "linewidth": 1.0}
"""how the curves of folds look, unless said otherwise"""
REFERENCE = ("chance", "perfectly")
"""how labels of lines begin that are no curve of a model"""


def pyplot(who: str) -> Any:
    """Of matplotlib, which is loaded when the first picture is drawn."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(f"{who} needs matplotlib. Remedy: pip install 'tenfold[plot]'") from None
    return plt


def axes(who: str, ax: Any = None, size: tuple[float, float] = (5.0, 4.6)) -> Any:
    """The axes to draw on: those given, or of a new figure."""
    plt = pyplot(who)
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax


def finish(ax: Any, despine: bool, place: str) -> None:
    """Leave out the frame above and on the right; a legend in which lines of reference come last."""
    if despine:
        ax.spines[["top", "right"]].set_visible(False)
    known = sorted(zip(*ax.get_legend_handles_labels(), strict=True), key=lambda one: one[1].startswith(REFERENCE))
    box = ax.legend(*zip(*known, strict=True), loc=place, edgecolor="none", framealpha=0.85, fontsize="small")
    for line in box.get_lines():
        line.set_alpha(1.0)


def positive(classes: Any, pos_label: Any) -> int:
    """The number of the positive class, of two."""
    known = classes.tolist()
    if len(known) != 2:
        raise ValueError(f"this display is of two classes, and there are {len(known)}: {known[:5]}")
    if pos_label is None:
        return 1
    if pos_label not in known:
        raise ValueError(f"pos_label={pos_label!r} is none of the classes {known}")
    return known.index(pos_label)


def label_of(classes: Any, at: int) -> Any:
    """A class, for axis labels."""
    return classes.tolist()[at]


def of_positive(summarize: Callable[[Any, Any, Any], Any], at: int, truth: Any, said: Any, weight: Any, k: int) -> Any:
    """A summary of the positive class alone: whether a row is of it, and its score."""
    return summarize((truth == at).astype(np.int64), said[:, at], weight)


class Summarized(NamedTuple):
    """A summary of the positive class, of all rows."""

    summary: Any
    label: Any
    """the positive class"""
    weighted: bool


def summarized(
    estimator: Any,
    X: Any,
    y: Any,
    weight: Any,
    pos_label: Any,
    needs: str,
    summarize: Callable[[Any, Any, Any], Any],
    how: str = "auto",
) -> Summarized:
    """What a classifier says of the positive class, summarized; without one, what rows that are predictions say."""

    def wants(classes: Any) -> list[Want]:
        if classes is None:
            raise TypeError(f"{type(estimator).__name__} is no classifier")
        return [(needs, partial(of_positive, summarize, positive(classes, pos_label)))]

    scores, classes = scores_of(estimator, X, y, weight, wants, how)
    return Summarized(scores.each[0], label_of(classes, positive(classes, pos_label)), scores.weighted)


def predicted(
    y_true: Any, y_score: Any, weight: Any, pos_label: Any, summarize: Callable[[Any, Any, Any], Any]
) -> Summarized:
    """The same of scores that are given: as an array, or as a source that keeps the target of its rows."""
    if is_lazy(y_score):
        if y_true is not None:
            raise ValueError("what a model says of a source keeps the target of its rows: pass y_true=None")
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
    return Summarized(summarize(codes, score, weight), label_of(classes, at), weight is not None)


def folds_of(
    cv_results: Any, kind: str, needs: str, learner: Any, X: Any, y: Any, weight: Any, pos_label: Any, summarize: Any
) -> tuple[list[Any], Any, Any, str]:
    """The summaries of all folds, the positive class, an interval of the mean score if there is one, and a name.

    From a `CrossValidation`, which keeps what its scores were read off; or from what `cross_validate` of scikit-learn
    returns with `return_estimator=True` and `return_indices=True`, and the rows.
    """
    if isinstance(cv_results, CrossValidation):
        at = cv_results.names.index(learner) if isinstance(learner, str) else int(learner)
        kept = (cv_results.summaries or [{}] * (at + 1))[at]
        if not kept or kind not in kept[0]:
            score = {"Ranking": "roc_auc", "Confusion": "accuracy"}[kind]
            raise ValueError(f"this cross-validation kept no {kind}. Remedy: cross_validate(..., scoring={score!r})")
        found = [kept[j][kind] for j in sorted(kept)]
        label = None
        if kind == "Ranking":
            label = cv_results.pos_label
            if pos_label is not None and pos_label != label:
                raise ValueError(
                    f"this cross-validation ranks by the class {label!r}. Remedy: cross_validate(..., "
                    f"pos_label={pos_label!r})"
                )
        return found, label, cv_results, cv_results.names[at]
    if not (isinstance(cv_results, Mapping) and {"estimator", "indices"} <= {*cv_results}):
        raise ValueError(
            "cv_results must be a CrossValidation, or what scikit-learn's cross_validate returns with "
            "return_estimator=True and return_indices=True"
        )
    from sklearn.utils import _safe_indexing

    each = []
    for model, rows in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
        some = None if weight is None else np.asarray(weight)[rows]
        each.append(summarized(model, _safe_indexing(X, rows), np.asarray(y)[rows], some, pos_label, needs, summarize))
    return [one.summary for one in each], each[-1].label, None, type(cv_results["estimator"][0]).__name__


def curves(value: Any) -> list[Any]:
    """One curve or several, as a list."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def styles(given: Any, n: int, usual: Mapping[str, Any]) -> list[dict[str, Any]]:
    """How each curve looks."""
    if isinstance(given, list):
        if len(given) != n:
            raise ValueError(f"curve_kwargs must be a dict or a list of {n} dicts")
        return [{**usual, **one} for one in given]
    return [{**usual, **(given or {})} for _ in range(n)]


def legend_of(name: str | None, word: str, values: Any, interval: Any, level: float) -> str | None:
    """What the legend says of a curve, or of several: its area, and how sure that is."""
    if values is None:
        return name
    several = isinstance(values, (list, tuple))
    text = f"{'mean ' if several else ''}{word} = {np.mean(values):.2f}"
    if interval is not None:
        text += f", {percent(level)}: {interval[0]:.2f} to {interval[1]:.2f}"
    elif several:
        text += f" ± {np.std(values):.2f}"
    if not name:
        return text
    return f"{name}, {len(values)} folds:\n{text}" if several else f"{name} ({text})"
