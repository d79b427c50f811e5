"""The matrix of confusion: counts, or shares by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tenfold.core import Array, Labels, MatrixLike
from tenfold.display.drawing import Look, Predicted, kept_of
from tenfold.engine import merge
from tenfold.metrics.predictors import Want, scores_of
from tenfold.model_selection.cross_validation.cross_validation_result import CrossValidation
from tenfold.model_selection.formatting import axes, pyplot
from tenfold.sources.inputs import is_lazy
from tenfold.sources.label_codes import class_codes, levels
from tenfold.stats.metrics import Confusion
from tenfold.stats.metrics.scorers import confusion
from tenfold.theory.checks import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

Normalize = Literal["true", "pred", "all"]
Rotation = Literal["horizontal", "vertical"] | float
NORMALIZATION_LABELS = {"true": "of the true class", "pred": "of the predicted class", "all": "of all rows"}


class ConfusionMatrixDisplay:
    """Which class was taken for which.

    Parameters
    ----------
    confusion_matrix : array of shape (classes, classes)
        The true class by row, the predicted one by column: counts, or shares.
    display_labels : list, optional
        Names of the classes.
    counts : array of shape (classes, classes), optional
        Beside shares: what they are shares of, shown below them.
    normalize : {"true", "pred", "all"} or None
        What shares are of.

    Attributes
    ----------
    im_ : matplotlib image
    text_ : array of matplotlib texts, or None
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import tenfold as tn
    >>> display = tn.display.ConfusionMatrixDisplay.from_predictions(["a", "a", "b"], ["a", "b", "b"], normalize="true")
    >>> display.confusion_matrix
    array([[0.5, 0.5],
           [0. , 1. ]])
    """

    def __init__(
        self,
        confusion_matrix: ArrayLike,
        *,
        display_labels: Sequence[object] | None = None,
        counts: Array | None = None,
        normalize: Normalize | None = None,
    ) -> None:
        self.confusion_matrix, self.display_labels = np.asarray(confusion_matrix), display_labels
        self.counts, self.normalize = counts, normalize

    def plot(
        self,
        *,
        include_values: bool = True,
        cmap: str | Colormap = "Blues",
        xticks_rotation: Rotation = "horizontal",
        values_format: str | None = None,
        ax: Axes | None = None,
        colorbar: bool = True,
        im_kw: Look | None = None,
        text_kw: Look | None = None,
    ) -> ConfusionMatrixDisplay:
        """Draw it.

        Parameters
        ----------
        include_values : bool, default=True
            Whether to write the numbers.
        cmap : str or colormap, default="Blues"
        xticks_rotation : {"horizontal", "vertical"} or float
        values_format : str, optional
            Format of the numbers; by default whole counts, or per cent with the count below.
        ax : matplotlib axes, optional
        colorbar : bool, default=True
        im_kw, text_kw : dict, optional
            For matplotlib's `imshow` and `text`.

        Returns
        -------
        display : ConfusionMatrixDisplay
        """
        shown = self.confusion_matrix
        k = len(shown)
        self.ax_ = axes(type(self).__name__, ax, (1.9 + 0.75 * max(k, 3), 1.1 + 0.75 * max(k, 3)))
        self.figure_ = self.ax_.figure
        usual = {"cmap": cmap, "vmin": 0.0, **({} if self.normalize is None else {"vmax": 1.0})}
        self.im_ = self.ax_.imshow(shown, **{**usual, **(im_kw or {})})
        self.text_ = None
        if include_values:
            self.text_ = np.empty((k, k), dtype=object)
            for i, j in np.ndindex(k, k):
                dark = float(np.dot(self.im_.cmap(self.im_.norm(shown[i, j]))[:3], (0.299, 0.587, 0.114))) < 0.55
                look = {"ha": "center", "va": "center", "color": "white" if dark else "black", **(text_kw or {})}
                self.text_[i, j] = self.ax_.text(j, i, self._text(i, j, values_format), **look)
        if colorbar:
            bar = self.figure_.colorbar(self.im_, ax=self.ax_, shrink=0.85)
            bar.set_label("rows" if self.normalize is None else f"share {NORMALIZATION_LABELS[self.normalize]}")
            bar.outline.set_visible(False)
        names = list(range(k)) if self.display_labels is None else list(self.display_labels)
        self.ax_.set(
            xticks=range(k), yticks=range(k), xticklabels=names, yticklabels=names, xlabel="predicted class",
            ylabel="true class",
        )  # fmt: skip
        self.ax_.tick_params(axis="x", labelrotation=_degrees(xticks_rotation))
        self.ax_.tick_params(length=0)
        self.ax_.spines[:].set_visible(False)
        return self

    def _text(self, i: int, j: int, form: str | None) -> str:
        value = self.confusion_matrix[i, j]
        if form is not None:
            return format(value, form)
        if self.normalize is None:
            return _count(value)
        if np.isnan(value):
            return "–"
        text = f"{100 * value:.3g} %"
        return text if self.counts is None else f"{text}\n({_count(self.counts[i, j])})"

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        y: ArrayLike | None = None,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        normalize: Normalize | None = None,
        display_labels: Sequence[object] | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> ConfusionMatrixDisplay:
        """Draw the matrix of a fitted classifier on unseen rows.

        Parameters
        ----------
        estimator : classifier
            Fitted: of tenfold, a pipeline, or of scikit-learn.
        X : array, frame or Source
            A Source brings its own target and weights, and is read part by part.
        y : array, optional
        labels : list, optional
            Classes to show, in this order.
        sample_weight : array, optional
        normalize : {"true", "pred", "all"} or None
            "true": each row as shares of its true class.
        display_labels : list, optional
            Names to show instead of the classes.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : ConfusionMatrixDisplay
        """
        pyplot(cls.__name__)

        def wants(classes: Labels | None) -> list[Want]:
            if classes is None:
                raise TypeError(f"{type(estimator).__name__} is not a classifier")
            return [("prediction", confusion)]

        found, classes = scores_of(estimator, X, y, sample_weight, wants)
        return cls._of(found.each[0], classes, labels, normalize, display_labels).plot(ax=ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | None,
        y_pred: Predicted,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        normalize: Normalize | None = None,
        display_labels: Sequence[object] | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> ConfusionMatrixDisplay:
        """Draw the matrix of predictions.

        Parameters
        ----------
        y_true : array, or None if y_pred is a Source
        y_pred : array, or Source
            Or `model.predict(source)`, which keeps the target of its rows.
        labels, sample_weight, normalize, display_labels, ax
            As in `from_estimator`.
        **kwargs
            For `plot`.

        Returns
        -------
        display : ConfusionMatrixDisplay
        """
        pyplot(cls.__name__)
        if is_lazy(y_pred):
            if y_true is not None:
                raise ValueError("predictions for a Source keep the target of its rows: pass y_true=None")
            scores, classes = scores_of(None, y_pred, None, sample_weight, lambda _: [("prediction", confusion)])
            found = scores.each[0]
        else:
            truth, said = np.asarray(y_true), np.asarray(y_pred)
            classes = levels(np.concatenate([truth, said]), "y_true and y_pred")
            codes = class_codes(truth, classes), class_codes(said, classes)
            found = Confusion.of(*codes, sample_weight, n_classes=len(classes))
        return cls._of(found, classes, labels, normalize, display_labels).plot(ax=ax, **kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: CrossValidation,
        *,
        learner: int | str = 0,
        labels: ArrayLike | None = None,
        normalize: Normalize | None = None,
        display_labels: Sequence[object] | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> ConfusionMatrixDisplay:
        """Draw the matrix of all folds: each row is predicted by the model fitted without it.

        Parameters
        ----------
        cv_results : CrossValidation
            By `scoring="accuracy"` or another score of classes; it keeps the matrices, and no rows are needed.
        learner : int or str, default=0
            Which one.
        labels, normalize, display_labels, ax
            As in `from_estimator`.
        **kwargs
            For `plot`.

        Returns
        -------
        display : ConfusionMatrixDisplay
        """
        pyplot(cls.__name__)
        if not isinstance(cv_results, CrossValidation):
            raise ValueError(f"cv_results must be a CrossValidation, not {type(cv_results).__name__}")
        folds = kept_of(cv_results, Confusion, "accuracy", learner)
        return cls._of(merge(folds.each), cv_results.classes, labels, normalize, display_labels).plot(ax=ax, **kwargs)

    @classmethod
    def _of(
        cls, found: Confusion, classes: Labels | None, labels: ArrayLike | None, normalize: Normalize | None,
        names: Sequence[object] | None,
    ) -> ConfusionMatrixDisplay:  # fmt: skip
        assert classes is not None
        counts = found.count
        if labels is not None:
            at = class_codes(np.asarray(labels), classes)
            counts, classes = counts[np.ix_(at, at)], np.asarray(labels)
        if (counts == np.rint(counts)).all():
            counts = counts.astype(np.int64)
        names = classes.tolist() if names is None else names
        if normalize is None:
            return cls(counts, display_labels=names)
        one_of("normalize", normalize, tuple(NORMALIZATION_LABELS))
        total = {"true": counts.sum(axis=1, keepdims=True), "pred": counts.sum(axis=0, keepdims=True)}
        share = np.divide(counts, total.get(normalize, counts.sum()), out=np.zeros(counts.shape), where=counts > 0)
        return cls(share, display_labels=names, counts=counts, normalize=normalize)


def _count(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:.4g}"


def _degrees(rotation: Rotation) -> float:
    if isinstance(rotation, str):
        return 90.0 if rotation == "vertical" else 0.0
    return rotation
