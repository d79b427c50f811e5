"""The margins of a vote, after some of its rounds, from merged rankings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Array, Chunk, Codes, MatrixLike
from tenfold.display.drawing import Look, finish, styles
from tenfold.ensemble.ada_boost.ada_boost_classifier import AdaBoostClassifier
from tenfold.estimator.ensembles.predictor import Model
from tenfold.metrics.predictors import fitted_learners_of, scores_of
from tenfold.model_selection.formatting import axes, pyplot
from tenfold.stats.metrics import Ranking
from tenfold.stats.predictor_scores import Outputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Votes(Model):
    """A learner that votes, after some of its rounds."""

    def check(self, wanted: Iterable[str]) -> None:
        """Whether the model has at least these numbers of rounds."""

    def own_outputs(self, chunk: Chunk, wanted: frozenset[str]) -> Outputs:
        rounds = sorted(map(int, wanted))
        votes = self.learner.it.votes_from(self.model.it, self.staged(chunk).X, rounds)
        return {str(t): share for t, share in zip(rounds, votes, strict=True)}


class MarginsDisplay:
    """How clear the votes of AdaBoost are: the share of the rows whose margin is at most so much, after some rounds.

    The margin of a row is the share of the votes that its class has, less the largest share of another: for two classes
    yΣαh/Σα. It is above 0 if the row is right, and 1 if all agree.

    Parameters
    ----------
    rounds : list of int
        The numbers of rounds whose margins are drawn.
    margin : list of arrays
        For each number of rounds the margins of the rows, rising: each once or, if there are very many, the largest of
        a narrow bin.
    share : list of arrays
        The share of the rows that have at most this margin.
    name : str, optional
        What the curve is called in the legend.

    Attributes
    ----------
    lines_ : list of matplotlib lines
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> model = tn.AdaBoostClassifier(n_estimators=100).fit(X, y)
    >>> display = tn.display.MarginsDisplay.from_estimator(model, X, y, rounds=(5, 100))
    >>> display.share_below(0.0)
    array([0.13, 0.  ])
    """

    def __init__(
        self, *, rounds: list[int], margin: list[Array], share: list[Array], name: str | None = None
    ) -> None:  # fmt: skip
        self.rounds, self.margin, self.share, self.name = rounds, margin, share, name

    def share_below(self, margin: float) -> Array:
        """The share of the rows with at most this margin, by the number of rounds; below 0, of wrong ones."""
        at = [np.searchsorted(m, margin, side="right") for m in self.margin]
        return np.array([s[i - 1] if i else 0.0 for s, i in zip(self.share, at, strict=True)])

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Look | list[Look] | None = None,
        despine: bool = True,
    ) -> MarginsDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
        name : str, optional
            Above the curves.
        curve_kwargs : dict or list of dict, optional
            For matplotlib's `step`, of all curves or of each.
        despine : bool, default=True

        Returns
        -------
        display : MarginsDisplay
        """
        self.ax_ = axes(type(self).__name__, ax)
        self.figure_ = self.ax_.figure
        shades = pyplot(type(self).__name__).get_cmap("viridis_r")(np.linspace(0.15, 0.95, len(self.rounds)))
        self.lines_ = []
        for t, m, s, shade, look in zip(
            self.rounds, self.margin, self.share, shades, styles(curve_kwargs, len(self.rounds), {}), strict=True
        ):
            x, y = np.concatenate([[-1.05], m, [1.05]]), np.concatenate([[0.0], s, [1.0]])
            looks = {"color": shade, "linewidth": 1.8, "label": f"{t} round{'s' if t > 1 else ''}", **look}
            self.lines_ += self.ax_.step(x, y, where="post", **looks)
        self.ax_.axvline(0.0, color="#777777", linestyle=(0, (4, 3)), linewidth=1, zorder=0)
        self.ax_.set(xlabel="margin", ylabel="share of rows with at most this margin", xlim=(-1.05, 1.05))
        self.ax_.set(ylim=(-0.01, 1.01), title=name or self.name or "")
        finish(self.ax_, despine, "upper left")
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        y: ArrayLike | None = None,
        *,
        rounds: Sequence[int] = (5, 100, 1000),
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> MarginsDisplay:
        """Draw the margins of a fitted model, of its training rows or of new ones.

        Parameters
        ----------
        estimator : AdaBoostClassifier
            Fitted, or a pipeline of tenfold that ends with one.
        X : array, frame or Source
            A Source brings its own target and weights, and is read once, part by part.
        y, sample_weight : array, optional
        rounds : sequence of int, default=(5, 100, 1000)
            After how many; more than the model has are all of them.
        name : str, optional
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : MarginsDisplay
        """
        pyplot(cls.__name__)
        stages = fitted_learners_of(estimator)
        if not stages or not isinstance(stages[-1], AdaBoostClassifier):
            raise TypeError(
                f"{type(estimator).__name__} has no rounds that vote. Remedy: an AdaBoostClassifier of tenfold"
            )
        check_is_fitted(stages[-1])
        if not np.size(rounds) or np.ndim(rounds) != 1 or any(int(t) != t or t < 1 for t in rounds):
            raise ValueError(f"rounds={rounds!r}: a list of whole numbers from 1 on is needed")
        every = len(stages[-1].model_.estimator_weights)
        some = sorted({min(int(t), every) for t in rounds})

        scores, _ = scores_of(estimator, X, y, sample_weight, lambda _: [(str(t), _margins) for t in some], kind=Votes)
        found = scores.each
        share = [np.cumsum(one.positive) for one in found]
        return cls(
            rounds=some, margin=[one.high for one in found], share=[s / s[-1] for s in share], name=name
        ).plot(ax, **kwargs)  # fmt: skip


def _margins(truth: Codes, said: Array, weight: Array | None, classes: int) -> Ranking:
    """The weight of the rows by margin; a class that the model does not know has no votes."""
    said = np.maximum(said, 0.0)
    rows = np.arange(len(truth))
    own = said[rows, truth].copy()
    said[rows, truth] = -1.0
    other = np.maximum(said.max(axis=1, initial=-1.0), 0.0)  # of a single class there is no other
    return Ranking.of(np.ones(len(truth), np.int64), own - other, weight)
