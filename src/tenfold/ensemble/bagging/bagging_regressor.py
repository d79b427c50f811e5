"""Bagging: regressors of rows drawn again for each, whose predictions are averaged."""

from __future__ import annotations

from typing import Any, ClassVar

from tenfold.core import Array, Chunk, Claim, Codes, Columns, Mergeable
from tenfold.ensemble.bagging.bagging import Bagging
from tenfold.estimator import Regressor, fitted
from tenfold.estimator.ensembles.ensemble import EnsembleModel
from tenfold.stats.moments.moments import two_sum
from tenfold.tree.decision_tree_regressor import DecisionTreeRegressor


class BaggingSquares(Mergeable):
    """Squared out-of-bag errors, and the spread of the target of the same rows."""

    squares: float
    predicted: float
    """their weight"""
    mean: float
    rest: float
    """the mean of the target, and what it lacks to twice the precision"""
    spread: float
    """squares of the target around its mean"""
    drawn: float
    """weight of the rows that every member has drawn"""

    def __add__(self, other: BaggingSquares) -> BaggingSquares:
        drawn = self.drawn + other.drawn
        if not (self.predicted and other.predicted):
            some = self if self.predicted else other
            return BaggingSquares(some.squares, some.predicted, some.mean, some.rest, some.spread, drawn)
        predicted = self.predicted + other.predicted
        apart = (other.mean - self.mean) + (other.rest - self.rest)
        share = other.predicted / predicted
        mean, rest = two_sum(self.mean, self.rest + apart * share)
        spread = self.spread + other.spread + apart * apart * self.predicted * share
        return BaggingSquares(self.squares + other.squares, predicted, mean, rest, spread, drawn)


class BaggingRegressor(Bagging, Regressor):
    """Bagged regressors, fitted over shared scans to the same draws on any runner.

    Each member draws every row a Poisson number of times of mean one, from a hash of its place and the member. Their
    predictions are averaged. If the member learns in one pass and no score is asked for, bags merge.

    Parameters
    ----------
    estimator : learner, optional
        A regressor of tenfold; DecisionTreeRegressor by default.
    n_estimators : int, default=10
        How many members are fitted, each to rows of its own draw.
    oob_score : bool, default=False
        Whether to read the rows once more, and score each by the members that have not drawn it.
    random_state : int, default=0
        Seed of the draws, and of the members' own seeds. None draws one, and the certificate records it.
    max_samples, max_features, bootstrap, bootstrap_features, warm_start : optional
        As in scikit-learn; other values raise an error that names an alternative.
    n_jobs, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    estimators_ : list
        The members, fitted, without those that have drawn no row; also `len(model)`, `model[i]` and `for m in model`.
    oob_score_ : float
        With `oob_score`: Out-of-bag R²; NaN without rows that some member has not drawn.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import BaggingRegressor, LinearRegression
    >>> X = [[float(i)] for i in range(20)]
    >>> model = BaggingRegressor(LinearRegression(), oob_score=True).fit(X, [2.0 * i for i in range(20)])
    >>> model.predict([[30.0]]).round(6), round(model.oob_score_, 6)
    (array([60.]), 1.0)
    """

    predicts = "number"
    out_of_bag_type = BaggingSquares
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n_estimators": 3},
        {"n_estimators": 3, "oob_score": True},
    )

    def default_estimator(self) -> Any:
        # The member if none is given: a decision tree.
        return DecisionTreeRegressor()

    def summarize_out_of_bag(self, chunk: Chunk, sums: Array, count: Codes) -> BaggingSquares:
        predicted = count > 0
        w, y, drawn = chunk.weight[predicted], chunk.y[predicted], float(chunk.weight[~predicted].sum())
        if not len(y):
            return BaggingSquares(0.0, 0.0, 0.0, 0.0, 0.0, drawn)
        total, error = float(w.sum()), sums[predicted, 0] / count[predicted] - y
        mean, rest = two_sum(float(y[0]), float(w @ (y - y[0])) / total)
        away = (y - mean) - rest
        return BaggingSquares(float(w @ error**2), total, mean, rest, float(w @ away**2), drawn)

    def out_of_bag_claims(self, s: BaggingSquares) -> tuple[Claim, ...]:
        why = "share of the weight of the rows that every member was fitted to: no prediction is out of bag"
        claims = [Claim("rows never out of bag", s.drawn / (s.drawn + s.predicted), "proved", why, "data")]
        if s.predicted:
            why = "each row predicted by the members not fitted to it, about a third: rather too high than too low"
            claims.append(
                Claim("out-of-bag mean squared error", s.squares / s.predicted, "estimated", why, "unseen rows")
            )
        return tuple(claims)

    @property
    @fitted
    def oob_score_(self) -> float:
        """Out-of-bag R²."""
        s = self.__dict__.get("summary_")
        if not isinstance(s, BaggingSquares):
            raise AttributeError("oob_score_")
        return 1 - s.squares / s.spread if s.spread > 0 else float("nan")

    def predict_from(self, model: EnsembleModel, X: Columns) -> Array:
        """The mean of the members' predictions."""
        return self.means(model, X)[:, 0]
