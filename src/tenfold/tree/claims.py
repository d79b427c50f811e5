"""What a tree promises on unseen rows: from its length in bits, and from the validation rows it was pruned by."""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.tree.tree_search import UNPENALIZED_CATEGORIES
from tenfold.core import Array, Claim, Codes
from tenfold.theory.bounds.occam import occam_bound
from tenfold.tree.growing.far_targets import NearRange
from tenfold.tree.tree import Tree

DELTA = 0.05
"""the chance that a bound fails"""
WITH_CONFIDENCE = "with 95 % confidence"
"""the same in words"""
SPLIT_ASSUMPTIONS = "rows drawn independently from one distribution, their columns and categories known beforehand"


def description_bits(tree: Tree, levels: Codes, classes: int) -> float:
    """Length in bits of a code of a tree that can be decoded without the rows.

    One bit per node encodes whether it splits. A split names its column and where missing values go; a threshold has
    its sign,
    its exponent (11 bits), and as many bits of the mantissa as it uses (whose number takes 6); categories have a branch
    each, or none. Whatever answers names a class.
    """
    inner = tree.feature >= 0
    sets = inner & (tree.route_at >= 0)
    numbers = inner & ~sets
    bits = tree.node_count + inner.sum() * math.log2(max(len(levels), 1)) + numbers.sum() * (1 + 1 + 11 + 6)
    bits += mantissa_bits(tree.threshold[numbers]).sum()
    answers = len(tree.leaves)
    for k in np.flatnonzero(sets).tolist():
        route = tree.route[tree.route_at[k] : tree.route_at[k] + tree.route_width[k]]
        known = route[route >= 0]
        each = len(known) == tree.children[k] and (known == np.arange(len(known))).all()
        bits += 1 + (len(route) if each else len(route) * math.log2(int(tree.children[k]) + 1) + math.log2(len(route)))
        answers += len(known) < len(route)
    return float(bits + answers * math.log2(max(classes, 2)))


def mantissa_bits(values: Array) -> Codes:
    """How many bits of the mantissa a float64 uses."""
    mantissa = np.ascontiguousarray(values, dtype=np.float64).view(np.int64) & ((1 << 52) - 1)
    lowest = np.where(mantissa == 0, 1 << 52, mantissa & -mantissa)
    return 52 - np.log2(lowest.astype(np.float64)).astype(np.int64)


def occam_claim(tree: Tree, levels: Codes, classes: int, wrong: int, rows: int) -> Claim:
    """The true error, from training errors and the length of the tree."""
    bits = description_bits(tree, levels, classes)
    bound = occam_bound(wrong, rows, DELTA, log_prior=-bits * math.log(2.0))
    why = f"{WITH_CONFIDENCE}, from {wrong:,} errors on the {rows:,} rows it grew from and {bits:,.0f} bits"
    return Claim("occam bound", float(bound), "with confidence", why, "unseen rows", SPLIT_ASSUMPTIONS)


def held_back_claims(log_prior: float, wrong: int, rows: int) -> tuple[Claim, Claim]:
    """The error on the validation rows of the pruning, and the true error, which it is too good an estimate of."""
    bound = occam_bound(wrong, rows, DELTA, log_prior=log_prior)
    choice = f"{wrong:,} errors on {rows:,} validation rows, the choice of the pruning counted in"
    return (
        Claim("validation error", wrong / rows, "proved", "share of the rows that the pruning was chosen by", "data"),
        Claim(
            "validation bound", float(bound), "with confidence", f"{WITH_CONFIDENCE}, exact binomial, from {choice}",
            "unseen rows", "rows drawn independently from one distribution",
        ),
    )  # fmt: skip


def category_claims(levels: Codes, rows: int, penalty: float) -> tuple[Claim, ...]:
    """How many rows the categories of a column have, of the column where they have least; none, if all have few."""
    many = np.flatnonzero(levels > UNPENALIZED_CATEGORIES)
    if not len(many):
        return ()
    worst = int(many[levels[many].argmax()])
    how = f"{penalty:g} times what chance gives to so many is taken off the gain of a set of them (cat_penalty)"
    if penalty == 0:
        how = "nothing is taken off for what chance gives to so many. Remedy: cat_penalty=1, or group the rare ones"
    why = f"mean of column {worst} (the first is 0), which has {levels[worst]:,} categories; {how}"
    return (Claim("rows per category", rows / int(levels[worst]), "proved", why, "data"),)


def far_claims(near: NearRange, limit: float) -> tuple[Claim, ...]:
    """Claims about far targets, which count less while splits are chosen; empty if there are none."""
    if not near.aside:
        return ()
    why = (
        f"targets farther from {near.center:g} than this counted as nearer while splits were chosen, at most "
        f"{near.aside:,} at each end of the others, which reach from {near.low:g} to {near.high:g}; the means of the "
        "nodes are of the targets as they are"
    )
    return (Claim("far targets", limit, "proved", why, "objective"),)


def bin_claims(share: float) -> tuple[Claim, ...]:
    """Claims about binning: the share of the rows in the largest bin; empty if each bin has one value."""
    if not share:
        return ()
    why = (
        "largest share of the rows in a bin of unequal numbers, between which no split was tried; rare classes and "
        "extreme targets have bins of their own where the learner refines them"
    )
    return (Claim("bin share", share, "estimated", why, "objective"),)
