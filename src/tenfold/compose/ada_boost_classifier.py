"""AdaBoost with stumps: rules of thumb, each made where those before it were wrong, vote.

Round t picks the stump h_t of least weighted error ε_t, gives it α_t = log((1 - ε_t) / ε_t) + log(K - 1) votes
(SAMME; K classes) and multiplies by exp(α_t) the weight of the rows it is wrong about. The weights by column, bin
and class merge, so a round is one reduce; the bins are held and the weights follow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import MANY, Array, Ask, Chunk, Claim, Codes, Columns, Need, Schema
from tenfold.core.arrays import ones
from tenfold.estimator import Classifier
from tenfold.estimator.constraints import integer, real, seed
from tenfold.kernels.binning import add_class_bins
from tenfold.kernels.boosting import add_votes, follow_stumps, look_back
from tenfold.stats.binned import BINS, BinLens, Binned, edges_of, sample_of
from tenfold.stats.race import Race

TIE = 1e-10
"""stumps whose errors differ by less are as good as each other"""


class Stumps(NamedTuple):
    """The stumps so far, and how to go on."""

    step: int
    phase: str
    bin_edges: Annotated[Array, "column", "edge"]
    feature: Annotated[Codes, "round"]
    cut: Annotated[Codes, "round"]
    """the last bin on the left"""
    threshold: Annotated[Array, "round"]
    """values up to this one go left"""
    left: Annotated[Codes, "round"]
    right: Annotated[Codes, "round"]
    """the class that is said of rows on that side, by its number"""
    estimator_weights: Annotated[Array, "round"]
    estimator_errors: Annotated[Array, "round"]
    classes: int


@dataclass(frozen=True, eq=False)
class Boosted:
    """Weights of the rows by column, bin and class, and a look back at the last stump."""

    weight: Annotated[Array, "column", "bin"]
    """the bins of one class, then those of the next"""
    wrong: float
    """weight of the rows that the last stump is wrong about"""
    total: float
    doubtful: float
    """original weight of the rows whose class has at most half of the votes"""
    mass: float
    """original weight of all rows"""
    rounds: int

    def __add__(self, other: Boosted) -> Boosted:
        return Boosted(
            self.weight + other.weight,
            self.wrong + other.wrong,
            self.total + other.total,
            self.doubtful + other.doubtful,
            self.mass + other.mass,
            self.rounds,
        )


class AdaBoostClassifier(Classifier):
    """AdaBoost (SAMME) with decision stumps on binned columns, exact in each pass.

    Each stump has the least weighted error of all that split between bins. Columns with at most `max_bins`
    distinct values lose nothing by binning.

    Parameters
    ----------
    n_estimators : int, default=50
        Stumps at the most; fewer if one makes no error, or none is better than chance.
    learning_rate : float, default=1.0
        Every stump's vote is multiplied by it.
    max_bins : int, default=256
    random_state : int, default=0
        Seed of the sample that the edges of the bins come from. None draws one, and the certificate records it.

    Attributes
    ----------
    classes_ : array
    feature_, threshold_ : array of shape (rounds,)
        Each stump's column, and the value up to which rows are on its left.
    left_, right_ : array of shape (rounds,)
        The number of the class it says on either side.
    estimator_weights_, estimator_errors_ : array of shape (rounds,)
        Its votes, and its weighted error when it was made.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import AdaBoostClassifier
    >>> model = AdaBoostClassifier(n_estimators=3).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "a"])
    >>> model.predict([[0.2], [1.4]]).tolist()
    ['a', 'b']
    """

    passes = MANY
    need = Need("numeric", target="class")
    state_type = Stumps
    summary_types = (Race, Boosted)
    steering = frozenset({"step", "phase", "bin_edges", "cut", "classes"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_estimators": [integer(1)],
        "learning_rate": [real(0, open=True)],
        "max_bins": [integer(2)],
        "random_state": [seed],
    }

    def __init__(
        self,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        max_bins: int = BINS,
        random_state: int | None = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_bins = max_bins
        self.random_state = random_state

    def start(self, schema: Schema) -> Stumps:
        """No stump yet."""
        if self.max_bins > BINS:
            raise ValueError(f"max_bins is {self.max_bins}, but a bin is a byte. Remedy: at most {BINS}")
        none, no = np.zeros(0, np.int64), np.zeros(0)
        edges = np.zeros((len(schema.columns), 0))
        return Stumps(0, "edges", edges, none, none, no, none, none, no, no, len(schema.classes))

    def ask(self, state: Stumps) -> Ask | None:
        """Where to cut the columns; then one round after another."""
        return None if state.phase == "done" else Ask(state.phase, state.step)

    def lens(self, state: Stumps) -> BinLens | None:
        """Rows become bins as soon as the edges are known."""
        return None if state.phase == "edges" else BinLens(state.bin_edges)

    def follow(self, state: Stumps, held: Binned, scratch: Any) -> Any:
        """The weights of the rows, from those after earlier rounds."""
        rounds, weight = (0, _original(held)) if scratch is None else scratch
        weight = weight.copy()
        down = 1 / _growth(state)
        up = _raise(state) * down
        stumps = (state.feature, state.cut, state.left, state.right)
        follow_stumps(held.bins, held.label, *stumps, up, down, rounds, weight)
        return state.step, weight

    def summarize(self, state: Stumps, chunk: Chunk) -> Any:
        """A sample of rows, or their weights by column, bin and class."""
        if state.phase == "edges":
            return sample_of(chunk, self.random_state)
        held, weight = chunk.held, chunk.scratch[1]
        histogram = np.zeros((len(held.bins), self.max_bins * state.classes))
        add_class_bins(held.bins, held.label, weight, self.max_bins, histogram)
        last = [int(a[-1]) if len(a) else -1 for a in (state.feature, state.cut, state.left, state.right)]
        bar = (1 - 1e-9) / max(_bound(state), 1e-300)
        wrong, total, doubtful, mass = look_back(held.bins, held.label, *last, weight, _original(held), bar)
        return Boosted(histogram, wrong, total, doubtful, mass, state.step)

    def update(self, state: Stumps, s: Any) -> Stumps:
        """Edges from the sample; then the stump of least error, unless the last one was the last."""
        if state.phase == "edges":
            return state._replace(phase="round", bin_edges=edges_of(s, self.max_bins))
        chance = (1 - 1e-12) * (1 - 1 / state.classes)
        if state.step and (state.step >= self.n_estimators or not 0 < state.estimator_errors[-1] < chance):
            return state._replace(phase="done")
        feature, cut, left, right, error = _best(s, state.classes)
        if 0 < error < chance:
            alpha = self.learning_rate * (math.log((1 - error) / error) + math.log(state.classes - 1))
        elif error and state.step:
            return state._replace(phase="done")  # no stump is better than chance
        else:
            alpha = 1 + float(state.estimator_weights.sum())  # without error: it decides alone
        edge = state.bin_edges[feature, cut] if cut < state.bin_edges.shape[1] else np.inf
        return state._replace(
            step=state.step + 1,
            feature=np.append(state.feature, feature),
            cut=np.append(state.cut, cut),
            threshold=np.append(state.threshold, edge),
            left=np.append(state.left, left),
            right=np.append(state.right, right),
            estimator_weights=np.append(state.estimator_weights, alpha),
            estimator_errors=np.append(state.estimator_errors, error),
        )

    def certify(self, state: Stumps, s: Any) -> tuple[Claim, ...] | None:
        """What the rounds prove about the training error, and that the weights are right."""
        if not isinstance(s, Boosted) or not state.step or s.rounds != state.step:
            return None
        k, e, alpha = state.classes, state.estimator_errors, state.estimator_weights
        bound = _bound(state)
        why = "the product over the rounds of Σ w exp(α (wrong - 1/2)), which is 2 √(ε (1 - ε)) for two classes"
        if bound >= 1:
            why = f"vacuous: {why}, and it says nothing here"
        doubt = "weight of the rows whose class has at most half of the votes: no other row can be wrong"
        edges = 1 - 1 / k - e
        least = int(edges.argmin())
        theory = e[-1] * math.exp(alpha[-1]) / _growth(state)[-1] if e[-1] else 0.0
        last = f"of the last stump under the new weights, where theory says {theory:.6g}: it has no more to say"
        return (
            Claim("training error bound", min(bound, 1.0), "proved", why, "objective"),
            Claim("training error", s.doubtful / s.mass, "proved", doubt, "data"),
            Claim("least edge", float(edges[least]), "proved", f"over chance, in round {least + 1}", "objective"),
            Claim("last edge", float(edges[-1]), "proved", f"over chance, in round {state.step}", "objective"),
            Claim("last error", s.wrong / s.total, "proved", last, "arithmetic"),
        )

    def scores_from(self, state: Stumps, X: Columns) -> Array:
        """Votes for the class, less the mean of the votes for others, as a share of all."""
        votes = np.zeros((len(X), state.classes))
        stumps = (state.feature, state.threshold, state.left, state.right, state.estimator_weights)
        for rows, block in X.blocks():
            add_votes(block, *stumps, votes[rows])
        share = votes / state.estimator_weights.sum()
        return share - (1 - share) / max(state.classes - 1, 1)

    def probability_from(self, scores: Any) -> Any:
        """As scikit-learn has it: scores as if they were (K - 1) log-odds."""
        return super().probability_from(scores / max(scores.shape[1] - 1, 1))

    def log_probability_from(self, scores: Any) -> Any:
        """The logarithm of the above."""
        return super().log_probability_from(scores / max(scores.shape[1] - 1, 1))

    def sound(self, state: Stumps, summary: Any, schema: Schema) -> bool:
        """Whether stumps speak of columns and classes that there are."""
        k, p, bins = len(schema.classes), len(schema.columns), state.bin_edges.shape[1]
        codes = ((state.feature, p), (state.left, k), (state.right, k), (state.cut, bins + 1))
        fits = state.classes == k and state.step == len(state.feature) > 0
        fits &= all(((a >= 0) & (a < most)).all() for a, most in codes)
        numbers = np.concatenate([state.estimator_weights, state.estimator_errors])
        return bool(fits and np.isfinite(numbers).all() and not np.isnan(state.threshold).any())


def _original(held: Binned) -> Array:
    """The weights that the rows came with."""
    return ones(len(held.label)) if held.weight is None else held.weight


def _growth(state: Stumps) -> Array:
    """By how much each round raises the sum of the weights."""
    e = state.estimator_errors
    return (1 - e) + e * _raise(state)


def _raise(state: Stumps) -> Array:
    """By how much each round raises the weight of the rows it is wrong about."""
    return np.exp(np.minimum(state.estimator_weights, 600.0))  # more only where no row is


def _bound(state: Stumps) -> float:
    """No more than this share of the rows has a class with at most half of the votes (Markov)."""
    each = np.log(_growth(state)) - state.estimator_weights / 2
    return float(np.exp(each.sum())) if not (state.estimator_errors == 0).any() else 0.0


def _best(s: Boosted, classes: int) -> tuple[int, int, int, int, float]:
    """Column, last bin on the left, class on either side and error of the stump that is least wrong.

    Of stumps as good as each other the first is taken, whatever rounding says: so the order of the rows does not
    matter.
    """
    each = s.weight.reshape(len(s.weight), classes, -1)
    left = np.cumsum(each, axis=2)
    right = left[:, :, -1:] - left
    agreed = left.max(axis=1) + right.max(axis=1)
    little = TIE * s.total
    feature, cut = (int(i) for i in np.unravel_index((agreed >= agreed.max() - little).argmax(), agreed.shape))
    low = each[feature, :, : cut + 1].sum(axis=1)
    high = each[feature, :, cut + 1 :].sum(axis=1)
    says = int((low >= low.max() - little).argmax()), int((high >= high.max() - little).argmax())
    wrong = np.delete(low, says[0]).sum() + np.delete(high, says[1]).sum()
    return feature, cut, *says, float(wrong / (low.sum() + high.sum()))
