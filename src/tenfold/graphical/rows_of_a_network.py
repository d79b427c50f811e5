"""Probabilities of rows under a network, and posteriors given a row. Missing values are summed out.

Tables whose variables a row has are looked up. Rows that miss the same variables share one plan for the others: their
tables have one more axis, the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Codes
from tenfold.graphical.contraction import MAX_PRODUCT_NUMBERS, ROW_AXIS, Axes, ContractionPlan, forward, plan
from tenfold.graphical.dag import Parents

if TYPE_CHECKING:
    from tenfold.graphical.bayesian_network import BayesianNetwork

MISSING = -1
MAX_TABLE_NUMBERS = 1 << 22
"""numbers that the tables of some rows may have together: they stay in memory that is near"""


def posterior(network: BayesianNetwork, target: str, columns: Mapping[str, ArrayLike], limit: int) -> Array:
    """P(target | row) of every row; NaN where a row has probability 0."""
    at = network._at(target)
    if target in columns:
        raise ValueError(f"{target!r} is asked for, and is a column: leave it out of the columns")
    rows, back = np.unique(codes_of(network, columns), axis=0, return_inverse=True)
    tables = [network.tables[name] for name in network.names]
    found = log_joint(tables, network._graph, np.ascontiguousarray(rows.T), at, network.names, limit)
    with np.errstate(invalid="ignore"):
        out = np.exp(found - found.max(axis=1, keepdims=True))
        out /= out.sum(axis=1, keepdims=True)
    return np.asarray(out[back.ravel()])


def log_joint(
    tables: Sequence[Array],
    parents: Parents,
    codes: Codes,
    keep: int | None,
    names: Sequence[str],
    limit: int = MAX_PRODUCT_NUMBERS,
) -> Array:
    """log P(row, x) for every value x of a variable, the columns of the result; without one, log P(row).

    Parameters
    ----------
    tables : sequence of array
        P(variable | parents) of each variable.
    parents : Parents
    codes : array of shape (variables, rows)
        -1 where a value is missing; it is summed out.
    keep : int or None
        The variable that is kept, whose codes are all missing.
    names : sequence of str
        Of the variables, for errors.
    limit : int
        Numbers that the largest product of two tables may have.
    """
    sizes = [table.shape[-1] for table in tables]
    out = np.zeros((codes.shape[1], 1 if keep is None else sizes[keep]))
    logs = log_tables(tables)
    single = np.array([size == 1 and at != keep for at, size in enumerate(sizes)])
    codes = np.where(single[:, None], 0, codes)  # a single value is known: tables have a limited number of axes
    for which, missing in patterns(codes):
        own = [{one for one in (*some, at) if missing[one]} - {keep} for at, some in enumerate(parents)]
        summed = [at for at, some in enumerate(own) if some]
        for part in slices(which, 1):
            for at in (at for at, some in enumerate(own) if not some):
                out[part] += at_rows(logs[at], (*parents[at], at), missing, codes[:, part]).reshape(len(part), -1)
        if not summed:
            continue
        axes = tuple(axes_left((*parents[at], at), missing) for at in summed)
        output = (ROW_AXIS,) if keep is None or not any(keep in some for some in axes) else (ROW_AXIS, keep)
        todo = plan_rows(axes, output, sizes)
        todo.check(names, limit)
        for part in slices(which, todo.largest):
            there = [at_rows(tables[at], (*parents[at], at), missing, codes[:, part]) for at in summed]
            done = forward(todo, there)
            with np.errstate(divide="ignore"):
                out[part] += np.log(done.result.reshape(len(part), -1)) + done.log_scale[:, None]
    return out


def codes_of(network: BayesianNetwork, columns: Mapping[str, Any]) -> Codes:
    """The codes of the variables of each row; -1 where one is missing, or has no column."""
    names = list(columns)
    if not names:
        raise ValueError("columns must be at least one")
    each = {name: np.asarray(columns[name]) for name in names}
    lengths = {len(some) for some in each.values()}
    if len(lengths) != 1:
        raise ValueError("columns must be equally long")
    out = np.full((lengths.pop(), len(network.names)), MISSING, dtype=np.int64)
    for name, some in each.items():
        at = network._at(name)
        gone = some != some
        if some.dtype.kind == "O":
            gone = gone | (some == np.array(None, dtype=object))
        code = np.full(len(some), MISSING, dtype=np.int64)
        for place, value in enumerate(network.values[name]):
            code[np.asarray(some == value, dtype=bool)] = place
        wrong = np.flatnonzero((code == MISSING) & ~np.asarray(gone, dtype=bool))
        if len(wrong):
            raise ValueError(
                f"column {name!r} has {some[wrong[0]]!r} in row {wrong[0]}, not a value of that variable, only "
                f"{list(network.values[name])[:10]}"
            )
        out[:, at] = code
    return out


def log_tables(tables: Sequence[Array]) -> list[Array]:
    """The logarithms of tables, minus infinity of zero."""
    with np.errstate(divide="ignore"):
        return [np.log(table) for table in tables]


def patterns(codes: Codes) -> Iterator[tuple[Codes, tuple[bool, ...]]]:
    """Rows that miss the same variables: their numbers, and which variables these are."""
    gone = codes < 0
    if not codes.shape[1]:
        return
    if (gone == gone[:, :1]).all():
        yield np.arange(codes.shape[1]), tuple(gone[:, 0].tolist())
        return
    kinds, which = np.unique(np.packbits(gone, axis=0), axis=1, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=kinds.shape[1]))
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        yield order[start:end], tuple(gone[:, order[start]].tolist())


def axes_left(family: Axes, missing: Sequence[bool]) -> Axes:
    """The axes of a table once the values of the rows are put in: the rows, then what they miss."""
    return (ROW_AXIS, *(one for one in family if missing[one]))


def at_rows(table: Array, family: Axes, missing: Sequence[bool], codes: Codes) -> Array:
    """A table at the values of each row."""
    seen = [place for place, one in enumerate(family) if not missing[one]]
    rest = [place for place, one in enumerate(family) if missing[one]]
    moved = table.transpose(*seen, *rest)
    picked = moved[tuple(codes[family[place]] for place in seen)] if seen else moved[None]
    return np.broadcast_to(picked, (codes.shape[1], *picked.shape[1:]))


def plan_rows(axes: tuple[Axes, ...], output: Axes, sizes: Sequence[int]) -> ContractionPlan:
    """How to multiply the tables of a row; that there are many is left out."""
    there = sorted({axis for some in axes for axis in some})
    return plan(axes, output, tuple((axis, 1 if axis == ROW_AXIS else sizes[axis]) for axis in there))


def slices(which: Codes, largest: int) -> Iterator[Codes]:
    """So many rows at a time that their tables stay small."""
    step = max(1, min(MAX_TABLE_NUMBERS // largest, 1 << 14))
    for start in range(0, len(which), step):
        yield which[start : start + step]
