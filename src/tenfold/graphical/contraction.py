"""Sums of products of tables: Z = Σ Π tables, over all variables but a few, two tables at a time.

Which two come next is planned by opt_einsum before anything is computed, so that the size of the largest product is
known in advance. Every product is divided by its largest number, whose logarithm is kept: a thousand probabilities do
not underflow. Walked back, the same plan gives the derivative of log Z by every table at once, and a table times its
derivative is the posterior probability of its entries: all marginals cost about three times one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_letters
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tenfold.core import Array, Codes

Axes: TypeAlias = tuple[int, ...]
"""the variables of a table, by their numbers"""
ROW_AXIS = -1
"""the number of an axis that is not a variable: several sums, each with tables of its own, that share one plan"""
MAX_PRODUCT_NUMBERS = 1 << 27
"""numbers that the largest product of two tables may have: a gibibyte"""


class TooLarge(ValueError):
    """An exact answer would need a larger table than is allowed."""


class ContractionStep(NamedTuple):
    """Two tables are multiplied, and summed over what no other has."""

    left: int
    right: int
    axes: Axes
    """of the result"""


class ContractionPlan(NamedTuple):
    """Order in which tables are multiplied; a result gets the number after the last table."""

    operands: tuple[Axes, ...]
    steps: tuple[ContractionStep, ...]
    largest: int
    """numbers of the largest product of two tables, before it is summed"""
    over: Axes
    """the variables of that product"""
    total: int
    """numbers of the results of all steps, which the way back needs at once"""

    def check(self, names: Sequence[str], limit: int, *, back: bool = False) -> None:
        """Refuse a plan that is too large, with its way back if that is wanted, before anything is allocated."""
        most = max(self.largest, self.total) if back else self.largest
        if most > limit:
            some = [names[axis] for axis in self.over if axis != ROW_AXIS]
            said = ", ".join(map(repr, some[:6])) + (", ..." if len(some) > 6 else "")
            raise TooLarge(
                f"an exact answer needs a table of about {self.largest:.2g} numbers, over {len(some)} variables "
                f"({said})"
                + (f", and {self.total:.2g} numbers in all" if back else "")
                + f": more than limit={limit:,}. Remedy: `likelihood_weighting`, which samples and gives "
                "intervals; fewer variables asked for at once; evidence on some of these variables; or a larger limit"
            )


@lru_cache(maxsize=4096)
def plan(operands: tuple[Axes, ...], output: Axes, sizes: tuple[tuple[int, int], ...]) -> ContractionPlan:
    """The order in which to multiply tables of these axes, so that the output has those that are asked for.

    Parameters
    ----------
    operands : tuple of Axes
    output : Axes
    sizes : tuple of (axis, length)
    """
    from opt_einsum import paths  # which takes a while to import

    length = dict(sizes)
    sets = [frozenset(axes) for axes in operands]
    order = paths.greedy(sets, frozenset(output), length) if len(operands) > 1 else []
    uses: dict[int, int] = {}
    for axes in (*operands, output):
        for axis in axes:
            uses[axis] = uses.get(axis, 0) + 1
    live = list(range(len(operands)))
    each = list(operands)
    steps: list[ContractionStep] = []
    largest, over, total = 1, Axes(), 0
    pairs = list(order) or [(0,)]
    for pair in pairs:
        numbers = [live[place] for place in pair]
        for place in sorted(pair, reverse=True):
            del live[place]
        left = numbers[0]
        for right in numbers[1:] or [left]:
            both = tuple(dict.fromkeys(each[left] + each[right]))
            for axis in both:
                uses[axis] -= (axis in each[left]) + (right != left) * (axis in each[right])
            kept = tuple(axis for axis in both if uses[axis])
            for axis in kept:
                uses[axis] += 1
            size = math.prod(length[axis] for axis in both)
            total += math.prod(length[axis] for axis in kept)
            if size > largest:
                largest, over = size, both
            steps.append(ContractionStep(left, right, kept))
            each.append(kept)
            left = len(each) - 1
        live.append(left)
    last = steps[-1]
    steps[-1] = last._replace(axes=output)
    return ContractionPlan(operands, tuple(steps), largest, over, total)


class Forward(NamedTuple):
    """Tables of an executed plan, the last of them the result, and the log scale of the result."""

    tables: list[Array]
    scales: list[Any]
    """what each step was divided by: a number, or one for each of the rows"""
    log_scale: Any
    """the sum of their logarithms: a number, or one for each of the rows"""

    @property
    def result(self) -> Array:
        """The last table, up to the factor that `log_scale` is the logarithm of."""
        return self.tables[-1]


def forward(todo: ContractionPlan, tables: Sequence[Array]) -> Forward:
    """Multiply and sum the tables as planned."""
    found, axes = list(tables), list(todo.operands)
    scales: list[Any] = []
    log_scale: Any = 0.0
    for left, right, kept in todo.steps:
        product = _product(found, axes, left, right, kept)
        if ROW_AXIS in kept:
            other = tuple(at for at, axis in enumerate(kept) if axis != ROW_AXIS)
            scale: Any = product.max(axis=other, keepdims=True)
            scale = np.where(scale > 0, scale, 1.0)
            log_scale = log_scale + np.log(scale.ravel())
        else:
            scale = float(product.max()) or 1.0
            log_scale = log_scale + math.log(scale)
        found.append(product / scale)
        axes.append(kept)
        scales.append(scale)
    return Forward(found, scales, log_scale)


def derivatives(todo: ContractionPlan, done: Forward, seed: Array) -> list[Array]:
    """The derivative of Σ seed * result by each of the tables that the plan began with."""
    axes = [*todo.operands, *(step.axes for step in todo.steps)]
    out: list[Array | None] = [None] * len(axes)
    out[-1] = seed
    for at in range(len(todo.steps) - 1, -1, -1):
        (left, right, kept), place = todo.steps[at], len(todo.operands) + at
        above = out[place]
        assert above is not None  # each result is used once, by a later step
        above = above / done.scales[at]
        out[place] = None
        if left == right:
            out[left] = _spread(above, kept, axes[left], done.tables[left].shape)
            continue
        for one, other in ((left, right), (right, left)):
            partial = _einsum(above, kept, done.tables[other], axes[other], axes[one])
            out[one] = _spread(partial, _known(axes[one], kept, axes[other]), axes[one], done.tables[one].shape)
    return [table for table in out[: len(todo.operands)] if table is not None]


def most_probable(todo: ContractionPlan, tables: Sequence[Array]) -> tuple[dict[int, int], float]:
    """The values of all variables at which the product of the tables is largest, and its logarithm.

    Run the plan with maxima instead of sums, then trace back where each maximum was.
    """
    found, axes = list(tables), list(todo.operands)
    chosen: list[tuple[Axes, Axes, tuple[Codes, ...]]] = []
    log_scale = 0.0
    for left, right, kept in todo.steps:
        both = tuple(dict.fromkeys(axes[left] + axes[right]))
        gone = tuple(axis for axis in both if axis not in kept)
        product = _aligned(found[left], axes[left], kept + gone)
        if left != right:
            product = product * _aligned(found[right], axes[right], kept + gone)
        shape = product.shape[: len(kept)]
        inner = product.reshape(*shape, -1)
        where = inner.argmax(axis=-1)
        best = inner.max(axis=-1)
        scale = float(best.max()) or 1.0
        log_scale += math.log(scale)
        found.append(best / scale)
        axes.append(kept)
        chosen.append((kept, gone, np.unravel_index(where, product.shape[len(kept) :]) if gone else ()))
    values: dict[int, int] = {}
    for kept, gone, places in reversed(chosen):
        at = tuple(values[axis] for axis in kept)
        values.update({axis: int(place[at]) for axis, place in zip(gone, places, strict=True)})
    return values, log_scale if found[-1] > 0 else -math.inf


def _product(found: list[Array], axes: list[Axes], left: int, right: int, kept: Axes) -> Array:
    if left == right:
        gone = tuple(at for at, axis in enumerate(axes[left]) if axis not in kept)
        return _aligned(found[left].sum(axis=gone), _known(axes[left], kept), kept)
    return _einsum(found[left], axes[left], found[right], axes[right], kept)


def _einsum(a: Array, a_axes: Axes, b: Array, b_axes: Axes, out: Axes) -> Array:
    """Σ ab over what `out` leaves away; axes of `out` that neither has are left out."""
    return np.asarray(np.einsum(_subscripts(a_axes, b_axes, out), a, b))


@lru_cache(maxsize=1 << 14)
def _subscripts(a: Axes, b: Axes, out: Axes) -> str:
    letter = dict(zip(dict.fromkeys(a + b), ascii_letters, strict=False))
    words = ("".join(letter[axis] for axis in some if axis in letter) for some in (a, b, out))
    return "{},{}->{}".format(*words)


def _known(out: Axes, *given: Axes) -> Axes:
    """The axes of `out` that one of the others has."""
    return tuple(axis for axis in out if any(axis in some for some in given))


def _aligned(table: Array, axes: Axes, order: Axes) -> Array:
    """A table with all the axes of `order`, of length one where it has none."""
    there = [axis for axis in order if axis in axes]
    moved = table.transpose([axes.index(axis) for axis in there])
    shape = iter(moved.shape)
    return moved.reshape([next(shape) if axis in axes else 1 for axis in order])


def _spread(table: Array, axes: Axes, order: Axes, shape: tuple[int, ...]) -> Array:
    """A table repeated along the axes of `order` that it has none of."""
    return np.broadcast_to(_aligned(table, axes, order), shape)
