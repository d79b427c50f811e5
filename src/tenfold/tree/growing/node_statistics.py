"""What growing trees ask of the rows: histograms of large nodes, the rows of small ones, and where all rows end.

A single tree and the trees of a forest ask alike. Of a single tree the node of each row follows from level to level; of
a forest, where each tree has rows of its own, rows go down from the roots again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import numpy as np

from tenfold.compiled.tree.tree_missing import CLASS
from tenfold.core import Array, Chunk, Codes, Flags
from tenfold.core.statistic import Statistic
from tenfold.stats.rows.draws import ROW_STREAM, Holdout, keys_of, thinned, times_of
from tenfold.stats.rows.gathered_bins import GatheredBins
from tenfold.stats.trees.tree_bins import NO_CODES, InBins, OfBins, RowsInBins, WeightUnit
from tenfold.tree.growing import levelwise as lw
from tenfold.tree.growing import missing
from tenfold.tree.growing.channels import Channels, ClassChannels, Numbers, SumChannels, sums_by
from tenfold.tree.growing.growing import Rules
from tenfold.tree.growing.histograms import add_histograms, no_histograms, slots_of
from tenfold.tree.records import Histograms, LeafTotals, RowsOf
from tenfold.tree.tree import Tree

S = TypeVar("S")
NO_MEANS: Array = np.zeros(0)


class TreeDraws(NamedTuple):
    """Which trees of a forest grow, and how often each draws a row."""

    seed: int
    first: int
    """the number of the first that grows"""
    many: int
    bootstrap: bool
    share: float = 1.0
    """how many rows a tree draws, as a share of all"""

    def times(self, places: Codes, tree: int) -> Codes:
        """How often a tree of the forest, by its number, draws each row; none: every row once."""
        if not self.bootstrap:
            return NO_CODES
        key = keys_of(self.seed, ROW_STREAM, tree, 1)[0]
        found = times_of(places, key)
        return found if self.share >= 1 else thinned(found, places, key, self.share)


class OfNodes(OfBins[S]):
    """Base of statistics of the rows in the nodes of growing trees."""

    frontier: lw.Frontier
    """the nodes so far; those of a forest begin with the roots of its trees"""
    channels: Channels
    rules: Rules
    holdout: Holdout = Holdout()
    draws: TreeDraws | None = None
    """of a forest; None: one tree, of all rows"""

    def follow(self, held: InBins, scratch: Codes | None) -> Codes | None:
        if self.draws is not None:
            return None
        nodes = np.zeros(held.bins.shape[1], np.int64) if scratch is None else scratch.copy()
        if self.rules.missing == CLASS:
            return lw.go_down_by_class(self.frontier, held.bins, self.lens.cut, held.target, nodes)
        return lw.go_down(self.frontier, held.bins, self.lens.cut, nodes)

    def rows(self, chunk: Chunk) -> tuple[RowsInBins, slice | Codes]:
        """The rows that have a weight, and which of the held rows they are."""
        return self.weighted_rows(chunk, self.holdout.share > 0 or (self.draws is not None and self.draws.bootstrap))

    def nodes_by_tree(self, chunk: Chunk, seen: RowsInBins, which: slice | Codes) -> Iterator[tuple[Codes, Numbers]]:
        """Yield, for each growing tree, the node of each row (past the last if it does not count) and its weight."""
        beyond, told = len(self.frontier.node), (seen.target, seen.weight)
        if self.draws is None:
            nodes = chunk.scratch[which]
            if self.holdout.share:
                nodes = np.where(self.holdout.learns(seen.places, len(nodes)), nodes, beyond)
            yield nodes, self.channels.numbers(*told)
            return
        for t in range(self.draws.many):
            times = self.draws.times(seen.places, self.draws.first + t)
            nodes = lw.go_down(self.frontier, seen.bins, self.lens.cut, np.full(len(seen.target), t, np.int64))
            if len(times):
                nodes[times == 0] = beyond
            yield nodes, self.channels.numbers(*told, times)


class NodeHistograms(OfNodes[Histograms]):
    """Histograms of the nodes that want one; and their squares, if rules want those."""

    def summarize(self, chunk: Chunk) -> Histograms:
        cut, slot, (seen, which) = self.lens.cut, slots_of(self.frontier), self.rows(chunk)
        hist = no_histograms(self.frontier, cut)
        squares = np.zeros(len(hist), np.int64) if self.rules.squared else None
        for nodes, numbers in self.nodes_by_tree(chunk, seen, which):
            add_histograms(hist, slot, seen.bins, cut, nodes, numbers)
            square = self.rules.squares(*numbers[1:])
            if squares is not None and square is not None:
                _add_squares(squares, slot[nodes], square)
        return Histograms.of(hist, squares)


class NodeRows(OfNodes[RowsOf]):
    """The rows of the nodes that want them: small ones, which are finished where their rows are."""

    def summarize(self, chunk: Chunk) -> RowsOf:
        slot, (seen, which) = slots_of(self.frontier), self.rows(chunk)
        wanted: list[Codes] = []
        places: list[Codes] = []
        for nodes, _ in self.nodes_by_tree(chunk, seen, which):
            wanted.append(np.flatnonzero(slot[nodes] == lw.ROWS))
            places.append(nodes[wanted[-1]])
        if self.draws is None:  # nobody draws them again
            seen = seen._replace(places=NO_CODES)
        return RowsOf(GatheredBins.of(seen.rows(np.concatenate(wanted))), np.concatenate(places))


class PartHistograms(OfBins[Histograms]):
    """Histograms of the nodes that want one, of rows that go to all branches in parts where a value is missing."""

    frontier: lw.Frontier
    channels: Channels
    rules: Rules

    def follow(self, held: InBins, scratch: missing.FractionalRows | None) -> missing.FractionalRows:
        return lw.go_down_in_parts(self.frontier, held.bins, self.lens.cut, scratch)

    def summarize(self, chunk: Chunk) -> Histograms:
        seen, which = self.weighted_rows(chunk)
        parts = missing.parts_of(chunk.scratch, which, chunk.n)
        numbers = self.channels.numbers(seen.target, seen.weight)
        hist, slot = no_histograms(self.frontier, self.lens.cut), slots_of(self.frontier)[parts.node]
        missing.add_histograms(hist, slot, seen.bins, self.lens.cut, parts, numbers)
        squares = np.zeros(len(hist), np.int64) if self.rules.squared else None
        square = self.rules.squares(*numbers[1:])
        if squares is not None and square is not None:
            _add_squares(squares, slot, square[parts.row] * parts.part)
        return Histograms.of(hist, squares)


def _add_squares(into: Codes, slot: Codes, squares: Codes) -> None:
    """Add squares of rows to the sums of their slots."""
    inside = slot >= 0
    np.add.at(into, slot[inside], squares[inside])


class LeafSums(OfBins[LeafTotals]):
    """Channel sums of the rows that end in each node of a tree, validation rows by themselves."""

    tree: Tree
    channels: Channels
    mean: Array
    """of numbers, the mean of each node"""
    holdout: Holdout = Holdout()

    def summarize(self, chunk: Chunk) -> LeafTotals:
        seen, _ = self.weighted_rows(chunk, self.holdout.share > 0)
        ends = self.tree.apply_bins(seen.bins, self.lens.cut, np.zeros(seen.bins.shape[1], np.int64))
        return _ends(ends, seen, self.tree, self.channels, self.holdout, self.mean)


class LeafSumsOfValues(Statistic[LeafTotals]):
    """Sums of unbinned rows, for a tree whose thresholds are not bin edges."""

    tree: Tree
    channels: Channels
    weights: WeightUnit
    mean: Array
    holdout: Holdout = Holdout()

    def summarize(self, chunk: Chunk) -> LeafTotals:
        places = chunk.places() if self.holdout.share else NO_CODES
        seen = RowsInBins(np.zeros((0, chunk.n), np.uint8), chunk.y, self.weights.in_units(chunk.weight), places)
        return _ends(self.tree.apply(chunk.X), seen, self.tree, self.channels, self.holdout, self.mean)


def _ends(ends: Codes, seen: RowsInBins, tree: Tree, channels: Channels, holdout: Holdout, mean: Array) -> LeafTotals:
    """Channel sums of rows that end in these nodes; of numbers, squares of distances from the means of those."""

    def sums(some: Flags | slice) -> Codes:
        rows = seen.rows(some)
        return sums_by(ends[some], tree.node_count, channels.size, *channels.numbers(rows.target, rows.weight))

    def squares(some: Flags | slice) -> Array:
        if not isinstance(channels, SumChannels):
            return NO_MEANS
        at, weight = ends[some], seen.weight[some] * channels.weight_unit if len(seen.weight) else 1.0
        return np.asarray(np.bincount(at, weight * (seen.target[some] - mean[at]) ** 2, tree.node_count), np.float64)

    if not holdout.share:
        return LeafTotals(sums(slice(None)), 0, 0, np.zeros((0, channels.size), np.int64), squares(slice(None)))
    learns = holdout.learns(seen.places, len(ends))
    return LeafTotals(sums(learns), 0, 0, sums(~learns), squares(learns))


class PartErrors(Statistic[LeafTotals]):
    """The error of a tree on rows that go to all branches in parts where a value is missing; of numbers, nothing."""

    tree: Tree
    value: Array
    """weights of the classes in each node"""
    channels: Channels
    weights: WeightUnit

    def summarize(self, chunk: Chunk) -> LeafTotals:
        nothing = np.zeros((self.tree.node_count, self.channels.size), np.int64)
        if not isinstance(self.channels, ClassChannels):
            return LeafTotals(nothing, 0, 0, nothing[:0], NO_MEANS)
        wrong = missing.blended_shares(self.tree, self.value, chunk.X).argmax(axis=1) != chunk.y
        weight = self.weights.in_units(chunk.weight)
        whole = (int(weight[wrong].sum()), int(weight.sum())) if len(weight) else (int(wrong.sum()), chunk.n)
        return LeafTotals(nothing, *whole, nothing[:0], NO_MEANS)
