"""Learning curve and validation curve, drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tenfold.core import Array, Codes, MatrixLike
from tenfold.display.drawing import Look
from tenfold.model_selection.cross_validation.folds import Folds, Grouping
from tenfold.model_selection.curves.curve import Band, draw
from tenfold.model_selection.curves.learning_curve import LearningCurve, learning_curve
from tenfold.model_selection.curves.validation_curve import ValidationCurve, validation_curve
from tenfold.model_selection.formatting import pyplot
from tenfold.theory.checks import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Side = Literal["both", "train", "test"]


class _CurveDisplay:
    """Scores on training rows and on validation rows, along a line."""

    def __init__(self, train_scores: Array, test_scores: Array, score_name: str | None, sizes: Codes | None) -> None:
        self.train_scores, self.test_scores = train_scores, test_scores
        self.score_name, self.sizes = score_name, sizes

    def _values(self) -> tuple[str, Sequence[Any]]:
        raise NotImplementedError

    def plot(
        self,
        ax: Axes | None = None,
        *,
        negate_score: bool = False,
        score_name: str | None = None,
        score_type: Side = "both",
        band: Band | None = "interval",
        line_kw: Look | None = None,
    ) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
        negate_score : bool, default=False
            Draw the scores without their minus, for losses.
        score_name : str, optional
        score_type : {"both", "train", "test"}, default="both"
        band : {"interval", "std"} or None, default="interval"
            Around the scores on validation rows: a 95 % interval of the mean, corrected for folds that share rows, or
            one standard deviation of the folds. Around those on training rows it is always the latter.
        line_kw : dict, optional
            For matplotlib's `plot`.

        Returns
        -------
        display : object
        """
        one_of("score_type", score_type, ("both", "train", "test"))
        pyplot(type(self).__name__)
        sign = -1.0 if negate_score else 1.0
        which = ("train", "test") if score_type == "both" else (score_type,)
        word, values = self._values()
        name = score_name or self.score_name or "score"
        name = name.removeprefix("neg_") if negate_score else name
        train, test = sign * np.asarray(self.train_scores), sign * np.asarray(self.test_scores)
        found = draw(values, train, test, self.sizes, word, name, ax, which=which, band=band, style=line_kw)
        self.ax_, self.lines_, self.fill_between_ = found
        self.figure_ = self.ax_.figure
        return self


class LearningCurveDisplay(_CurveDisplay):
    """Learning curve: scores by the number of training rows.

    Parameters
    ----------
    train_sizes : array of shape (sizes,)
        How many training rows each point has.
    train_scores, test_scores : array of shape (sizes, folds)
        Scores on the training rows and on the test rows, by point and fold.
    score_name : str, optional
        What the score is called on the axis.
    sizes : array of shape (sizes, folds, 2), optional
        Training rows and test rows, for the correction of the interval.

    Attributes
    ----------
    lines_, fill_between_ : lists of matplotlib artists
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> display = tn.display.LearningCurveDisplay.from_estimator(tn.Ridge(), X, X[:, 0] + rng.normal(size=200), folds=5)
    >>> display.train_sizes
    array([ 16,  52,  88, 124, 160])
    """

    def __init__(
        self,
        *,
        train_sizes: Codes,
        train_scores: Array,
        test_scores: Array,
        score_name: str | None = None,
        sizes: Codes | None = None,
    ) -> None:
        super().__init__(train_scores, test_scores, score_name, sizes)
        self.train_sizes = train_sizes

    def _values(self) -> tuple[str, Sequence[int]]:
        return "training rows", np.asarray(self.train_sizes).tolist()

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        y: ArrayLike | None = None,
        *,
        train_sizes: ArrayLike = (0.1, 0.325, 0.55, 0.775, 1.0),
        folds: Folds | None = None,
        shuffle: bool | None = None,
        random_state: int | None = None,
        groups: Grouping | None = None,
        scoring: str | None = None,
        cv: Folds | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> LearningCurveDisplay:
        """Compute the curve with `learning_curve` and draw it.

        Parameters
        ----------
        estimator, X, y, train_sizes, folds, shuffle, random_state, groups, scoring, cv
            As in `learning_curve`.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : LearningCurveDisplay
        """
        pyplot(cls.__name__)
        found = learning_curve(
            estimator, X, y, train_sizes=train_sizes, folds=folds, cv=cv, shuffle=shuffle, random_state=random_state,
            groups=groups, scoring=scoring,
        )  # fmt: skip
        return cls.from_cv_results(found, ax=ax, **kwargs)

    @classmethod
    def from_cv_results(
        cls, cv_results: LearningCurve, *, ax: Axes | None = None, **kwargs: Any
    ) -> LearningCurveDisplay:  # fmt: skip
        """Draw a curve that was computed.

        Parameters
        ----------
        cv_results : LearningCurve
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : LearningCurveDisplay
        """
        found = cls(
            train_sizes=cv_results.train_sizes, train_scores=cv_results.train_scores,
            test_scores=cv_results.test_scores, score_name=cv_results.score_name, sizes=cv_results.sizes,
        )  # fmt: skip
        return found.plot(ax, **kwargs)


class ValidationCurveDisplay(_CurveDisplay):
    """Validation curve: scores by the value of a parameter.

    Parameters
    ----------
    param_name : str
        The name of the parameter that is varied.
    param_range : list
    train_scores, test_scores : array of shape (values, folds)
        Scores on the training rows and on the test rows, by point and fold.
    score_name : str, optional
        What the score is called on the axis.
    sizes : array of shape (values, folds, 2), optional
        Training rows and test rows, for the correction of the interval.

    Attributes
    ----------
    lines_, fill_between_ : lists of matplotlib artists
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 30))
    >>> y = X[:, 0] + rng.normal(size=60)
    >>> display = tn.display.ValidationCurveDisplay.from_estimator(
    ...     tn.Ridge(), X, y, param_name="alpha", param_range=[0.1, 1.0, 10.0, 100.0]
    ... )
    >>> display.ax_.get_xscale()
    'log'
    """

    def __init__(
        self,
        *,
        param_name: str,
        param_range: Sequence[Any],
        train_scores: Array,
        test_scores: Array,
        score_name: str | None = None,
        sizes: Codes | None = None,
    ) -> None:
        super().__init__(train_scores, test_scores, score_name, sizes)
        self.param_name, self.param_range = param_name, param_range

    def _values(self) -> tuple[str, Sequence[Any]]:
        return self.param_name, self.param_range

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        y: ArrayLike | None = None,
        *,
        param_name: str,
        param_range: Iterable[Any],
        folds: Folds | None = None,
        shuffle: bool | None = None,
        random_state: int | None = None,
        groups: Grouping | None = None,
        scoring: str | None = None,
        cv: Folds | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> ValidationCurveDisplay:
        """Compute the curve with `validation_curve` and draw it.

        Parameters
        ----------
        estimator, X, y, param_name, param_range, folds, shuffle, random_state, groups, scoring, cv
            As in `validation_curve`.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : ValidationCurveDisplay
        """
        pyplot(cls.__name__)
        found = validation_curve(
            estimator, X, y, param_name=param_name, param_range=param_range, folds=folds, cv=cv, shuffle=shuffle,
            random_state=random_state, groups=groups, scoring=scoring,
        )  # fmt: skip
        return cls.from_cv_results(found, ax=ax, **kwargs)

    @classmethod
    def from_cv_results(
        cls, cv_results: ValidationCurve, *, ax: Axes | None = None, **kwargs: Any
    ) -> ValidationCurveDisplay:  # fmt: skip
        """Draw a curve that was computed.

        Parameters
        ----------
        cv_results : ValidationCurve
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : ValidationCurveDisplay
        """
        found = cls(
            param_name=cv_results.param_name, param_range=cv_results.param_range,
            train_scores=cv_results.train_scores, test_scores=cv_results.test_scores,
            score_name=cv_results.score_name, sizes=cv_results.sizes,
        )  # fmt: skip
        return found.plot(ax, **kwargs)
