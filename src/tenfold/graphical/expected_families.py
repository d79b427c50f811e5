"""The expectation step: how often the values of families meet, in expectation, where rows miss some of them.

A row that has all values of a family counts for one combination; else it is shared out among the combinations that it
allows, by their posterior probability given the row. The shares of all families come from one sweep forth and back.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np

from tenfold.core import Array, Chunk, Codes, DataError, Schema
from tenfold.core.field_values import Between
from tenfold.core.statistic import Grouped
from tenfold.graphical.contraction import MAX_PRODUCT_NUMBERS, ROW_AXIS, derivatives, forward
from tenfold.graphical.families import FamilyCounts, NetworkLayout, NetworkModel, coded_blocks, recoded
from tenfold.graphical.rows_of_a_network import MISSING, at_rows, axes_left, log_tables, patterns, plan_rows, slices

SMALLEST_SUBNORMAL = 5e-324
"""the smallest number: a row that rounding makes impossible has no logarithm of zero"""


class ExpectedCounts(FamilyCounts):
    """Expected weight of the combinations of values in each family, and how likely the rows are."""

    exact: ClassVar[bool] = False
    table: Annotated[Array, "cell", Between(0.0, 2.0)]
    """the tables at which rows were shared out"""
    weight: float
    log_likelihood: float
    """of what the rows have, summed"""

    def recode(self, old: Schema, new: Schema) -> ExpectedCounts:
        levels = np.concatenate([new.levels, self.levels[len(new.levels) :]])
        count, table = (recoded(self.layout, flat, levels, old, new) for flat in (self.count, self.table))
        return replace(self, levels=levels, count=count, table=table)

    def __add__(self, other: Any) -> ExpectedCounts:
        return replace(
            self, count=self.count + other.count, weight=self.weight + other.weight,
            log_likelihood=self.log_likelihood + other.log_likelihood,
        )  # fmt: skip


class ExpectedByFamily(Grouped[ExpectedCounts]):
    """The expected counts of all families at some tables. Variables after the columns are hidden: no row has them."""

    levels: Codes
    parent: Codes
    child: Codes
    table: Array

    @classmethod
    def of(cls, model: NetworkModel) -> ExpectedByFamily:
        """Build the statistic at the tables of a model."""
        return cls(model.levels, model.parent, model.child, model.table)

    def summarize(self, chunk: Chunk) -> ExpectedCounts:
        layout = NetworkLayout.read(self.levels, self.parent, self.child)
        tables = layout.split(self.table)
        out = [np.zeros(shape) for shape in layout.shapes]
        total = 0.0
        for rows, seen in coded_blocks(chunk.X):
            hidden = np.full((len(self.levels) - len(seen), seen.shape[1]), MISSING)
            codes, weight = _distinct(np.concatenate([seen, hidden]), chunk.weight[rows], layout.levels)
            total += _add_expected(out, layout, tables, codes, weight)
        count = np.concatenate([table.ravel() for table in out])
        return ExpectedCounts(
            self.levels, self.parent, self.child, count, self.table, float(chunk.weight.sum()), total
        )  # fmt: skip


def _distinct(codes: Codes, weight: Array, levels: tuple[int, ...]) -> tuple[Codes, Array]:
    """The distinct rows and their weights, if each row can be coded as one integer; otherwise all rows."""
    if math.prod(k + 1 for k in levels) >= 1 << 62:
        return codes, weight
    key = np.zeros(codes.shape[1], dtype=np.int64)
    for column, k in zip(codes, levels, strict=True):
        key = key * (k + 1) + (column + 1)
    _, first, back = np.unique(key, return_index=True, return_inverse=True)
    summed: Array = np.bincount(back.ravel(), weight, minlength=len(first)).astype(np.float64)
    return codes[:, first], summed


def _add_expected(out: list[Array], layout: NetworkLayout, tables: list[Array], codes: Codes, weight: Array) -> float:
    """Add the expected counts of rows, and return their log-likelihood."""
    codes = np.where((np.array(layout.levels) == 1)[:, None], 0, codes)  # a single value is known
    logs, total = log_tables(tables), 0.0
    families = [(*some, at) for at, some in enumerate(layout.parents)]
    for which, missing in patterns(codes):
        known = [at for at, family in enumerate(families) if not any(missing[one] for one in family)]
        rest = [at for at, family in enumerate(families) if any(missing[one] for one in family)]
        axes = tuple(axes_left(families[at], missing) for at in rest)
        todo = plan_rows(axes, (ROW_AXIS,), layout.levels) if rest else None
        if todo is not None and todo.largest > MAX_PRODUCT_NUMBERS:
            raise DataError(
                f"rows that miss {sum(missing)} variables need a table of {todo.largest:.2g} numbers, more than "
                f"{MAX_PRODUCT_NUMBERS:,}. Remedy: fewer parents or hidden variables, or drop such rows"
            )
        for part in slices(which, 1 if todo is None else todo.total + todo.largest):
            some, mass = codes[:, part], weight[part]
            for at in known:
                cell = tuple(some[one] for one in families[at])
                flat = np.ravel_multi_index(cell, out[at].shape)
                out[at] += np.bincount(flat, mass, minlength=out[at].size).reshape(out[at].shape)
                total += float(mass @ logs[at][cell])
            if todo is None:
                continue
            there = [at_rows(tables[at], families[at], missing, some) for at in rest]
            done = forward(todo, there)
            total += float(mass @ (np.log(np.maximum(done.result, SMALLEST_SUBNORMAL)) + done.log_scale))
            share = np.divide(mass, done.result, out=np.zeros_like(mass), where=done.result > 0)
            for at, table, slope in zip(rest, there, derivatives(todo, done, share), strict=True):
                _scatter(out[at], families[at], missing, some, np.where(table > 0, table * slope, 0.0))
    return total


def _scatter(out: Array, family: tuple[int, ...], missing: tuple[bool, ...], codes: Codes, shares: Array) -> None:
    """Add the shares of rows to the counts of a family, at the values that each row has."""
    seen = [place for place, one in enumerate(family) if not missing[one]]
    gone = [place for place, one in enumerate(family) if missing[one]]
    moved = out.transpose(*seen, *gone)
    if not seen:
        moved += shares.sum(axis=0)
        return
    shape = moved.shape[: len(seen)]
    cell = np.ravel_multi_index(tuple(codes[family[place]] for place in seen), shape)
    each = shares.reshape(len(cell), -1)
    sums = [np.bincount(cell, each[:, at], minlength=math.prod(shape)) for at in range(each.shape[1])]
    moved += np.stack(sums, axis=1).reshape(moved.shape)
