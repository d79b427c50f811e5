"""AdaBoost with stumps: the weights by column, bin and class merge, so a round is one reduce.

The bins are held and the weights follow. Each stump has the least weighted error of all that split between bins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from tenfold.compiled.tree.stump_votes import add_votes, add_weights, follow_stumps
from tenfold.core import Array, Chunk, Claim, Codes, Columns, Mergeable, Schema
from tenfold.core.field_values import CLASS_COUNT, COUNTS, EDGES, NOT_NAN, Index
from tenfold.core.learner import Done, Initial
from tenfold.core.statistic import Held
from tenfold.ensemble.ada_boost import ada_boost_votes as av
from tenfold.stats.trees.binned import MAX_BYTE_BINS, BinLens, Binned, edges_of
from tenfold.stats.trees.rare_rows import Gaps, Neighbors
from tenfold.stats.trees.tree_bins import Cut, Look, SampleAndRanges, strata_of
from tenfold.tree.claims import bin_claims
from tenfold.tree.decision_stump import DecisionStump
from tenfold.tree.records import Ranges, TreeModel
from tenfold.tree.tree import Tree

ERROR_TIE = 1e-10
"""stumps whose errors differ by less are as good as each other"""


class Stumps(NamedTuple):
    """Splits, classes, weights and errors of the stumps of all rounds."""

    bin_edges: Annotated[Array, "column", "edge", EDGES]
    feature: Annotated[Codes, "round", Index("column")]
    cut: Annotated[Codes, "round", COUNTS]
    """the last bin on the left"""
    threshold: Annotated[Array, "round", NOT_NAN]
    """values up to this one go left"""
    left: Annotated[Codes, "round", Index("class")]
    right: Annotated[Codes, "round", Index("class")]
    """the code of the class predicted on that side"""
    estimator_weights: Annotated[Array, "round"]
    estimator_errors: Annotated[Array, "round"]
    n_classes: Annotated[int, CLASS_COUNT]
    bin_share: float = 0.0
    """share of the rows in the largest bin of unequal numbers"""


class RefiningCuts(NamedTuple):
    """The values next to those of rare classes are wanted: columns are cut halfway between them."""

    step: int
    so_far: Stumps
    """none, but edges by quantiles"""
    beside: Annotated[Array, "column", "rare", EDGES]
    """values of rare classes"""


class AddingStumps(NamedTuple):
    """The state of boosting between rounds: the stumps so far."""

    step: int
    so_far: Stumps


class Boosted(Mergeable):
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

    same_in_all = ("rounds",)


class WeightedStumps(NamedTuple):
    """The stumps so far, as rows are weighted by them."""

    feature: Codes
    cut: Codes
    left: Codes
    right: Codes
    estimator_weights: Array
    estimator_errors: Array
    n_classes: int


class StumpWeights(Held[Boosted]):
    """Weights of the rows by column, bin and class, each raised where stumps were wrong about it."""

    rounds: WeightedStumps
    max_bins: int
    lens: BinLens = field(kw_only=True)

    @cached_property
    def factors(self) -> tuple[Array, Array]:
        """Factors by which each stump raises the weights of misclassified rows, and lowers the others."""
        down = 1 / av.growth(self.rounds)
        return av.raised(self.rounds) * down, down

    @cached_property
    def last(self) -> tuple[Any, ...]:
        """The last stump (-1: there is none), and the bar of doubtful rows."""
        stump = (int(a[-1]) if len(a) else -1 for a in self.rounds[:4])
        return (*stump, av.bar_of(self.rounds))

    def follow(self, held: Binned, scratch: Any) -> tuple[int, Array]:
        first, raised = (0, np.ones(len(held.label))) if scratch is None else (scratch[0], scratch[1].copy())
        follow_stumps(held.bins, held.label, *self.rounds[:4], *self.factors, first, raised)
        return len(self.rounds.feature), raised

    def summarize(self, chunk: Chunk) -> Boosted:
        held, raised = chunk.held, chunk.scratch[1]
        weight = raised if chunk.uniform else chunk.weight * raised
        histogram = np.zeros((len(held.bins), self.max_bins * self.rounds.n_classes))
        *stump, bar = self.last
        wrong, total, doubtful, mass = add_weights(
            held.bins, held.label, *stump, weight, chunk.weight, bar, self.max_bins, histogram
        )
        return Boosted(histogram, wrong, total, doubtful, mass, len(self.rounds.feature))


State: TypeAlias = Initial | RefiningCuts | AddingStumps | Done[Stumps]
Summary: TypeAlias = Look | Gaps | Boosted


class StumpRounds(NamedTuple):
    """The rounds, by the parameters of `AdaBoostClassifier`."""

    most: int
    rate: float
    max_bins: int
    seed: Any

    def start(self, schema: Schema) -> Initial:
        """The state before the columns are binned."""
        if self.max_bins > MAX_BYTE_BINS:
            raise ValueError(f"max_bins is {self.max_bins}, but a bin is a byte. Remedy: at most {MAX_BYTE_BINS}")
        return Initial(0, schema)

    def model(self, state: State) -> Stumps | None:
        """The stumps so far, once there is one."""
        if isinstance(state, Done):
            return state.model
        return state.so_far if isinstance(state, AddingStumps) and state.step else None

    def ask(self, state: State) -> SampleAndRanges | Neighbors | StumpWeights | None:
        """Ask for the bin edges of the columns, then for one boosting round after another."""
        match state:
            case Initial():
                return SampleAndRanges(int(self.seed), strata_of(state.schema))
            case RefiningCuts(beside=values):
                return Neighbors(values)
            case AddingStumps(so_far=s):
                votes = (s.estimator_weights, s.estimator_errors, s.n_classes)
                rounds = WeightedStumps(s.feature, s.cut, s.left, s.right, *votes)
                return StumpWeights(rounds, self.max_bins, lens=BinLens(s.bin_edges))
        return None

    def update(self, state: State, s: Summary) -> State:
        """Edges from the sample; then the stump of least error, unless the last one was the last."""
        match state, s:
            case Initial(), Look():
                return self._cut(state.schema, s)
            case RefiningCuts(), Gaps():
                edges = s.edges(state.beside, state.so_far.bin_edges)
                return AddingStumps(0, state.so_far._replace(bin_edges=edges))
            case AddingStumps(), Boosted():
                return self._boosted(state, s)
        raise TypeError(f"{type(s).__name__} is not what {type(state).__name__} asks for")

    def _boosted(self, state: AddingStumps, s: Boosted) -> AddingStumps | Done[Stumps]:
        """The next stump, unless the last one was the last."""
        so_far, over = state.so_far, Done.of(state.so_far, state.step)
        if state.step and av.finished(so_far, self.most):
            return over
        feature, cut, left, right, error = _best(s, so_far.n_classes)
        alpha = av.votes_of(error, so_far, self.rate)
        if alpha is None:
            return over
        edge = so_far.bin_edges[feature, cut] if cut < so_far.bin_edges.shape[1] else np.inf
        return AddingStumps(
            state.step + 1,
            so_far._replace(
                feature=np.append(so_far.feature, feature),
                cut=np.append(so_far.cut, cut),
                threshold=np.append(so_far.threshold, edge),
                left=np.append(so_far.left, left),
                right=np.append(so_far.right, right),
                estimator_weights=np.append(so_far.estimator_weights, alpha),
                estimator_errors=np.append(so_far.estimator_errors, error),
            ),
        )

    def _cut(self, schema: Schema, look: Look) -> RefiningCuts | AddingStumps:
        """Edges by quantiles of all rows; and values beside which there are to be more."""
        none, no, levels = np.zeros(0, np.int64), np.zeros(0), np.zeros(len(schema.columns), np.int64)
        beside = look.cut_candidates(levels, False, self.max_bins)
        edges = edges_of(look.sample, self.max_bins)
        share = Cut(edges, levels).heaviest(look.sample)
        refines = beside.size and not (look.sample.complete and share == 0)
        if refines:
            edges = edges_of(look.sample, self.max_bins - 2 * beside.shape[1])
            share = Cut(edges, levels).heaviest(look.sample)
        stumps = Stumps(edges, none, none, no, none, none, no, no, len(schema.classes), share)
        return RefiningCuts(0, stumps, beside) if refines else AddingStumps(0, stumps)

    def certify(self, model: Stumps, s: Summary) -> tuple[Claim, ...] | None:
        """Claims that follow from the rounds, after the weights of the last one."""
        known = isinstance(s, Boosted) and s.rounds == len(model.feature)
        return (*av.claims_of(model, s, "stump"), *bin_claims(model.bin_share)) if known else None

    def votes(self, model: Stumps, X: Columns, rounds: Iterable[int]) -> Iterator[Array]:
        """Yield the votes of each class after each of these numbers of rounds; the array is updated in place."""
        votes, first = np.zeros((len(X), model.n_classes)), 0
        fields = (model.feature, model.threshold, model.left, model.right, model.estimator_weights)
        for last in rounds:
            stumps = [field[first:last] for field in fields]
            for rows, block in X.blocks():
                add_votes(block, *stumps, votes[rows])
            yield votes
            first = last

    def learner(self, number: int) -> DecisionStump:
        """A stump that is not fitted."""
        return DecisionStump(max_bins=self.max_bins)

    def models(self, model: Stumps) -> Iterator[TreeModel]:
        """The stump of each round as a tree of one split, whose leaves hold their class alone."""
        columns, classes = len(model.bin_edges), np.eye(model.n_classes)
        ranges = Ranges(np.zeros(columns, np.int64), 0, 1.0, True, 1.0, 0.0, 0.0)
        zero, none = np.zeros(3, np.int64), np.full(3, -1)
        for feature, cut, threshold, left, right in zip(*model[1:6], strict=True):
            tree = Tree(
                np.array([feature, -1, -1]), np.array([threshold, 0.0, 0.0]), np.array([cut, 0, 0]), zero,
                np.array([1, 0, 0]), np.array([2, 0, 0]), none, zero, zero[:0], np.array([0, 1, 1]),
                np.array([1.0, 0.0, 0.0]),
            )  # fmt: skip
            value = np.array([classes[left] + classes[right], classes[left], classes[right]])
            yield TreeModel(tree, value, np.zeros(columns, bool), ranges)

    def is_valid(self, model: Stumps, schema: Schema) -> bool:
        """Whether stumps speak of columns and classes that there are."""
        return bool((model.cut <= model.bin_edges.shape[1]).all())

    def resumable(self, state: Initial | RefiningCuts | AddingStumps, summary: object, schema: Schema) -> bool:
        """Whether it is as sound as when it is done."""
        if isinstance(state, Initial):
            return True
        if isinstance(state, RefiningCuts):
            return state.beside.size > 0 and self.is_valid(state.so_far, schema)
        return state.step == len(state.so_far.feature) and self.is_valid(state.so_far, schema)


def _best(s: Boosted, classes: int) -> tuple[int, int, int, int, float]:
    """Column, last bin on the left, class on either side and error of the stump that is least wrong.

    Among stumps whose errors tie up to rounding, the first is taken: so the order of the rows does not
    matter.
    """
    each = s.weight.reshape(len(s.weight), classes, -1)
    left = np.cumsum(each, axis=2)
    right = left[:, :, -1:] - left
    agreed = left.max(axis=1) + right.max(axis=1)
    little = ERROR_TIE * s.total
    feature, cut = (int(i) for i in np.unravel_index((agreed >= agreed.max() - little).argmax(), agreed.shape))
    low = each[feature, :, : cut + 1].sum(axis=1)
    high = each[feature, :, cut + 1 :].sum(axis=1)
    says = int((low >= low.max() - little).argmax()), int((high >= high.max() - little).argmax())
    wrong = np.delete(low, says[0]).sum() + np.delete(high, says[1]).sum()
    return feature, cut, *says, float(wrong / (low.sum() + high.sum()))
