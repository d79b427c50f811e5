"""What boosting asks of the rows: slopes by node and bin, quantiles of leaves digit by digit, and the loss.

The margin of each row, the sum of all trees so far, follows from round to round.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np

from tenfold.compiled.tree import gradients as gr
from tenfold.core import Array, Chunk, Codes, Flags
from tenfold.core.statistic import Statistic
from tenfold.ensemble.boosting import leaf_quantiles as lq
from tenfold.ensemble.boosting.boosted import BoostedModel, Level, RoundLoss
from tenfold.ensemble.boosting.gradients import Gradients
from tenfold.stats.rows.draws import Holdout, share_of
from tenfold.stats.trees.tree_bins import NO_CODES, Bins, Cut, InBins, OfBins, WeightUnit, numbers_of
from tenfold.tree.growing import levelwise as lw
from tenfold.tree.growing.histograms import add_gradients, no_histograms, slots_of
from tenfold.tree.growing.thresholds import SplitSides
from tenfold.tree.records import Histograms

S = TypeVar("S")
NO_LOSS = RoundLoss(np.zeros(2, np.int64), np.zeros(2))


class RowSampling(NamedTuple):
    """Which rows a round learns from."""

    holdout: Holdout
    subsample: float

    @property
    def drawn(self) -> bool:
        """Whether rows are drawn by their places."""
        return self.holdout.by_place or self.subsample < 1

    def keeps(self, learns: Flags, places: Codes, number: int) -> Flags:
        """Which of the rows that are learned from at all a round learns from, by its number."""
        if self.subsample >= 1:
            return learns
        return learns & share_of(places, self.holdout.seed, number + 1, self.subsample)


class HeldBoostingRows(NamedTuple):
    """Scratch values of held rows: their margins and the nodes that they are in."""

    trees: int
    """that are in the margins"""
    margin: Array
    growing: tuple[str, int] | None = None
    """the tree that nodes are of, and what for; None: there are none"""
    nodes: Codes = NO_CODES


def base_margins(boosted: BoostedModel, rows: int) -> Array:
    """The margins of rows before any tree."""
    return np.repeat(boosted.base[None], rows, axis=0)


def add_trees(boosted: BoostedModel, cut: Cut, bins: Bins, start: int, stop: int, margin: Array) -> None:
    """Add what some trees say of binned rows to their margins, tree after tree."""
    e, walk = boosted, boosted.walk
    swing = np.where(walk.strays, -1, cut.gap[walk.column]).astype(np.int32)
    gr.add_trees_of_bins(
        bins, walk.column, walk.place, swing, walk.first, e.trees.route_at, e.trees.route, walk.deep, e.value,
        e.roots[:stop], start, e.outputs, margin,
    )  # fmt: skip


class NumberedRows(NamedTuple):
    """Rows in bins, targets as numbers."""

    bins: Bins
    target: Array
    weight: Codes
    places: Codes


class OfMargins(OfBins[S]):
    """Base of statistics of rows with the margins that the trees so far give them."""

    boosted: BoostedModel
    sampling: RowSampling
    gradients: Gradients

    def margins(self, held: InBins, before: HeldBoostingRows | None, trees: int) -> Array:
        """The margins after more trees, computed from those after fewer."""
        if before is None:
            before = HeldBoostingRows(0, base_margins(self.boosted, held.bins.shape[1]))
        if before.trees >= trees:
            return before.margin
        margin = before.margin.copy()
        add_trees(self.boosted, self.lens.cut, held.bins, before.trees, trees, margin)
        return margin

    def rows(self, chunk: Chunk) -> tuple[NumberedRows, Flags, slice | Codes]:
        """The rows that have a weight, whether each is learned from, and which of the held rows they are."""
        seen, which = self.weighted_rows(chunk, self.sampling.drawn)
        rows = NumberedRows(seen.bins, numbers_of(seen.target), seen.weight, seen.places)
        return rows, self.sampling.holdout.learns(seen.places, len(seen.target)), which


class GradientHistograms(OfMargins[Level]):
    """Slopes and curvatures of the loss by node and bin, for a level of the next tree; the loss, if a round begins."""

    frontier: lw.Frontier

    def follow(self, held: InBins, scratch: HeldBoostingRows | None) -> HeldBoostingRows:
        grown = len(self.boosted.roots)
        trees, now = grown - grown % self.boosted.outputs, (self.title, grown)
        goes_on = scratch is not None and scratch.growing == now
        nodes = scratch.nodes.copy() if scratch is not None and goes_on else np.zeros(held.bins.shape[1], np.int64)
        nodes = lw.go_down(self.frontier, held.bins, self.lens.cut, nodes)
        return HeldBoostingRows(trees, self.margins(held, scratch, trees), now, nodes)

    def summarize(self, chunk: Chunk) -> Level:
        (seen, learns, which), e, cut = self.rows(chunk), self.boosted, self.lens.cut
        margin, nodes = chunk.scratch.margin[which], chunk.scratch.nodes[which]
        if self.sampling.drawn:
            keeps = self.sampling.keeps(learns, seen.places, len(e.roots) // e.outputs)
            nodes = np.where(keeps, nodes, len(self.frontier.node))
        g, h = self.gradients.gradients(margin, len(e.roots) % e.outputs, seen.target, seen.weight)
        hist, loss = no_histograms(self.frontier, cut), NO_LOSS
        add_gradients(hist, slots_of(self.frontier), seen.bins, cut, nodes, g, h, self.gradients.short)
        if e.begins_round(self.frontier):
            loss = self.gradients.sum(margin, seen.target, seen.weight, learns)
        return Level(Histograms.of(hist, None), loss)


class ResidualDigits(OfMargins[lq.Digits]):
    """Weights of residuals by leaf of the last tree and next digit, from which leaf quantiles are found."""

    sought: lq.Sought
    scale: float
    """a power of two beyond which no target lies"""

    def follow(self, held: InBins, scratch: HeldBoostingRows | None) -> HeldBoostingRows:
        e, grown = self.boosted, len(self.boosted.roots)
        now = (self.title, grown)
        if scratch is not None and scratch.growing == now:
            return scratch
        nodes = np.zeros(held.bins.shape[1], np.int64)
        nodes = e.trees.apply_bins(held.bins, self.lens.cut, nodes, int(e.roots[-1]))
        return HeldBoostingRows(grown - 1, self.margins(held, scratch, grown - 1), now, nodes)

    def summarize(self, chunk: Chunk) -> lq.Digits:
        (seen, learns, which), e = self.rows(chunk), self.boosted
        margin, nodes, root = chunk.scratch.margin[which], chunk.scratch.nodes[which], int(e.roots[-1])
        keeps = self.sampling.keeps(learns, seen.places, len(e.roots) // e.outputs - 1)
        slot = np.cumsum(e.trees.feature[root:] < 0) - 1
        place = np.where(keeps & (e.trees.feature[nodes] < 0), slot[nodes - root], -1)
        key = lq.residual_keys(seen.target, margin, self.scale)
        return lq.count(self.sought, place, key, seen.weight, lq.RESIDUAL_DTYPE)


class TargetDigits(OfBins[lq.Digits]):
    """Weights of targets by the next digit of their quantile: the constant to start from."""

    sought: lq.Sought
    holdout: Holdout

    def summarize(self, chunk: Chunk) -> lq.Digits:
        seen, _ = self.weighted_rows(chunk, self.holdout.by_place)
        place = np.where(self.holdout.learns(seen.places, len(seen.target)), 0, -1)
        return lq.count(self.sought, place, lq.keys(numbers_of(seen.target), np.float64), seen.weight, np.float64)


class BoostedSides(SplitSides):
    """The values next to the thresholds of the trees of boosting."""

    sampling: RowSampling
    outputs: int
    earlier: int = 0
    """rounds before the first of these trees"""

    def in_training_sample(self, places: Codes, tree: int) -> Flags:
        number = self.earlier + tree // self.outputs
        return self.sampling.keeps(self.sampling.holdout.learns(places, len(places)), places, number)


class MarginLossOfValues(Statistic[RoundLoss]):
    """The loss of unbinned rows at the margins of all trees: for trees whose thresholds are not bin edges."""

    weights: WeightUnit
    boosted: BoostedModel
    sampling: RowSampling
    gradients: Gradients

    def summarize(self, chunk: Chunk) -> RoundLoss:
        chunk = chunk.of_weight()
        learns = self.sampling.holdout.learns(chunk.places() if self.sampling.drawn else NO_CODES, chunk.n)
        margin, weight = self.boosted.margins(chunk.X), self.weights.in_units(chunk.weight)
        return self.gradients.sum(margin, numbers_of(chunk.y), weight, learns)


class MarginLoss(OfMargins[RoundLoss]):
    """The loss at the margins of all trees, of training rows and of validation rows."""

    def follow(self, held: InBins, scratch: HeldBoostingRows | None) -> HeldBoostingRows:
        trees = len(self.boosted.roots)
        return HeldBoostingRows(trees, self.margins(held, scratch, trees))

    def summarize(self, chunk: Chunk) -> RoundLoss:
        seen, learns, which = self.rows(chunk)
        return self.gradients.sum(chunk.scratch.margin[which], seen.target, seen.weight, learns)
