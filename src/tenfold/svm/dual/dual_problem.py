"""The dual of support vector machines, solved by large working sets of variables.

½ βᵀKβ - tᵀβ least, where low ≤ β ≤ high and Σ β = 0. Each row of a classifier has one variable, between 0 and ± C; each
row of a regressor has two, one for each side of the tube. Some hundreds of variables that are furthest from optimal go
to their best values together, on their own small Gram matrix; then the kernel rows of those that have moved, made in
blocks by matrix products, change the slope of all others. Rows that stay at a bound are left out till the end.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tenfold.compiled.linear_model.svm import add_rows, keep_columns, move_pairs
from tenfold.core import Array, Codes, Flags, Values
from tenfold.core.driver_threads import run_all, thread_count
from tenfold.kernels.algebra import Kernel

MAX_FULL_GRAM_ROWS = 1500
"""rows up to which there is one Gram matrix of all, in float64, and all variables are in the working set"""
FEW, TINY = 500, 1e-12
"""rows up to which the dual is solved beyond the tolerance, to this violation if that takes few moves"""
WORKING_SET_SIZE = 512
"""variables that move together: fewer, and each kernel row serves fewer moves; more, and moves take longer"""
ROWS_PER_KERNEL_BLOCK = 1024
"""rows against which kernel rows are made at a time: the block stays in cache until it has been added up"""
SHRINK_EVERY = 10
"""rounds between two looks for rows that can be left out"""
MAX_MOVES_PER_VARIABLE = 64
"""for each variable of a working set, at most: it need not be at its best before slopes of others are known"""


class DualProblem(NamedTuple):
    """The dual problem: which row each variable belongs to, its target and its bounds."""

    row: Codes
    target: Array
    low: Array
    high: Array

    @classmethod
    def of_classes(cls, sign: Array, C: Array) -> DualProblem:
        """Build the problem of rows of two classes, -1 and 1, with the C of each row."""
        return cls(np.arange(len(sign)), sign, np.where(sign > 0, 0.0, -C), np.where(sign > 0, C, 0.0))

    @classmethod
    def of_numbers(cls, y: Array, C: Array, epsilon: float) -> DualProblem:
        """Build the problem of rows with numeric targets and a tube of half-width epsilon."""
        zero = np.zeros(len(y))
        row = np.tile(np.arange(len(y)), 2)
        return cls(row, np.concatenate([y - epsilon, y + epsilon]), np.r_[zero, -C], np.r_[C, zero])


class DualSolution(NamedTuple):
    """Dual variables, decision values and bias at the end of training."""

    beta: Array
    """of each variable"""
    values: Array
    """Kβ of each row: the decision without the bias"""
    bias: float
    violation: float
    """the largest violation of a pair of variables; at most the tolerance, unless moves ran out"""
    moves: int


def solve_dual(
    kernel: Kernel,
    X: Values,
    dual: DualProblem,
    tol: float,
    *,
    start: Array | None = None,
    memory: int = 200 << 20,
    max_moves: int = -1,
    shrinking: bool = True,
) -> DualSolution:
    """Solve the dual until no pair of variables violates optimality by more than `tol`.

    Parameters
    ----------
    kernel : Kernel
    X : array of shape (rows, columns)
    dual : Dual
    tol : float
    start : array, optional
        Variables to begin with, such as the solution for another C: within the bounds, and adding up to 0.
    memory : int
        Bytes that kernel rows may take.
    max_moves : int
        Pairs that are moved at most; -1: as many as it takes.
    shrinking : bool
        Whether to leave out rows that stay at a bound.

    Returns
    -------
    DualSolution
    """
    most = np.iinfo(np.int64).max if max_moves < 0 else max_moves
    beta = np.zeros(len(dual.row)) if start is None else start.copy()
    search = _Search(kernel, X, dual, tol, beta, memory, most, shrinking)
    search.run()
    g = search.slopes()
    return DualSolution(beta, search.F, _bias(-g, dual, beta), search.violation, search.moves)


class _Search:
    """A run of the solver: variables, slopes, and the rows that are still looked at."""

    def __init__(
        self,
        kernel: Kernel,
        X: Values,
        dual: DualProblem,
        tol: float,
        beta: Array,
        memory: int,
        most: int,
        shrinking: bool,
    ) -> None:
        self.kernel, self.X, self.dual, self.tol, self.beta = kernel, X, dual, tol, beta
        self.memory, self.most, self.shrinking = memory, most, shrinking
        self.moves, self.violation = 0, np.inf
        self.F = np.zeros(len(X))

    def slopes(self) -> Array:
        """(Kβ) - t of each variable."""
        return self.F[self.dual.row] - self.dual.target

    def run(self) -> None:
        """Until all variables are optimal, to the tolerance, or no moves are left."""
        if len(self.X) <= MAX_FULL_GRAM_ROWS:
            self._at_once()
            return
        if self.beta.any():
            self._refresh(np.arange(len(self.X)))
        for dtype in (np.float32, np.float64):
            self._decompose(dtype)
            # rounding of float32 rows, eight times its deviation: if it may matter, slopes that decide are made again
            off = 8 * float(np.linalg.norm(self.beta)) * 2.0**-23 * self._scale()
            if dtype is np.float64 or off < self.tol / 2 or self.moves >= self.most:
                return
            if self._violation_in_float64(off) <= self.tol:
                return
            self._refresh(np.arange(len(self.X)))

    def _scale(self) -> float:
        return float(np.abs(self.kernel.diagonal(self.X)).max(initial=0.0))

    def _at_once(self) -> None:
        """Train with one Gram matrix of all rows, if they are few."""
        dual = self.dual
        K = self.kernel(self.X)
        wide = K if len(dual.row) == len(K) else np.tile(K, (2, 2))
        self.F = K @ by_row(self.beta, dual.row, len(K))
        self._move_all(wide, K, self.tol, self.most)
        if len(K) <= FEW and self.violation <= self.tol:  # to the last digits, which takes no time worth speaking of
            self._move_all(wide, K, TINY * float(np.abs(dual.target).max(initial=1.0)), self.moves + 1000 * len(K))

    def _move_all(self, wide: Array, K: Array, tol: float, most: int) -> None:
        """Move pairs of all variables until none violates optimality by more than `tol`, or nothing moves."""
        dual, before = self.dual, np.inf
        while self.moves < min(most, self.most):
            slope = self.slopes()
            more = min(most - self.moves, self.most - self.moves, 100 * len(slope) + 10_000)
            made = move_pairs(wide, dual.low, dual.high, self.beta, slope, tol, more)
            self.moves += made
            self.F = K @ by_row(self.beta, dual.row, len(K))  # slopes without what rounding has left in them
            self.violation = self._violation(np.arange(len(slope)))[0]
            if self.violation <= tol or (made < more and self.violation >= before / 2):
                return
            before = self.violation

    def _violation(self, some: Codes) -> tuple[float, Array, Flags, Flags, float, float]:
        """How far the worst pair of some variables is from optimal; values, and who may go up and down."""
        dual = self.dual
        v = dual.target[some] - self.F[dual.row[some]]
        beta = self.beta[some]
        up, down = beta < dual.high[some], beta > dual.low[some]
        top, bottom = v.max(where=up, initial=-np.inf), v.min(where=down, initial=np.inf)
        return float(max(top - bottom, 0.0)), v, up, down, float(top), float(bottom)

    def _decompose(self, dtype: Any) -> None:
        n = len(self.X)
        active, rows = np.arange(n), KernelRows(self.kernel, self.X, dtype, self.memory)
        some, twice = np.arange(len(self.dual.row)), len(self.dual.row) > n
        kept, turn = np.zeros(0, np.int64), 0
        left_out: list[tuple[Codes, Array]] = []
        while self.moves < self.most:
            self.violation, v, up, down, top, bottom = self._violation(some)
            if self.violation <= self.tol:
                if len(active) == n:
                    return
                self._take_back(left_out, dtype)
                left_out = []
                active, some = np.arange(n), np.arange(len(self.dual.row))
                if self._violation(some)[0] > self.tol:
                    rows = KernelRows(self.kernel, self.X, dtype, self.memory)
                kept, turn = np.zeros(0, np.int64), 0
                continue
            turn += 1
            if self.shrinking and turn % SHRINK_EVERY == 0:
                done = (~up & (v > top)) | (~down & (v < bottom))
                out = done if not twice else done[: len(active)] & done[len(active) :]
                if out.mean() > 0.1:
                    rows.keep(np.flatnonzero(~out))
                    left_out.append((active[out], by_row(self.beta, self.dual.row, n)))
                    active = active[~out]
                    some = some[~out] if not twice else some[~np.tile(out, 2)]
                    kept = np.zeros(0, np.int64)
                    continue
            chosen = _working_set(v, up, down, kept)
            kept = chosen[: WORKING_SET_SIZE // 2]
            self._move(some[chosen], active, rows, self.violation)
        self._take_back(left_out, dtype)

    def _move(self, which: Codes, active: Codes, rows: KernelRows, violation: float) -> None:
        """Move some variables to their best values, and bring the slopes of all active rows along."""
        dual = self.dual
        which = which[np.lexsort((which, dual.row[which]))]
        of = dual.row[which]
        unique, back = np.unique(of, return_inverse=True)
        some = self.X[unique]
        K = self.kernel.prepared(some, rows.dtype)(some).astype(np.float64)
        if len(unique) < len(which):
            K = K[np.ix_(back, back)]
        before, beta = self.beta[which], self.beta[which].copy()
        slope = self.F[of] - dual.target[which]
        more = int(min(self.most - self.moves, MAX_MOVES_PER_VARIABLE * len(which)))
        local = max(self.tol / 2, violation / 10)
        self.moves += max(move_pairs(K, dual.low[which], dual.high[which], beta, slope, local, more), 1)
        self.beta[which] = beta
        change = by_row(beta - before, back, len(unique))
        moved = np.flatnonzero(change)
        F = self.F[active]
        rows.add(np.searchsorted(active, unique[moved]), change[moved], F)
        self.F[active] = F

    def _violation_in_float64(self, off: float) -> float:
        """The violation, if slopes may be off by so much: those that decide, and of free variables, are made again."""
        every = np.arange(len(self.dual.row))
        _, v, up, down, top, bottom = self._violation(every)
        decide = (up & down) | (up & (v >= top - 2 * off)) | (down & (v <= bottom + 2 * off))
        self._refresh(np.unique(self.dual.row[decide]))
        self.violation = self._violation(every)[0]
        return self.violation

    def _refresh(self, some: Codes) -> None:
        """Kβ of some rows, again, in float64."""
        self.F[some] = 0.0
        self._take_back([(some, np.zeros(len(self.X)))], np.float64)

    def _take_back(self, left_out: list[tuple[Codes, Array]], dtype: Any) -> None:
        """Bring Kβ of rows that were left out up to date: what β has changed since then is added."""
        now = by_row(self.beta, self.dual.row, len(self.X))
        for left, before in left_out:
            change = now - before
            at = np.flatnonzero(change)
            F = self.F[left]
            rows = KernelRows(self.kernel, self.X[left], dtype, 0)
            for first in range(0, len(at), WORKING_SET_SIZE):
                some = at[first : first + WORKING_SET_SIZE]
                rows.add_others(self.X[some], change[some], F)
            self.F[left] = F


class KernelRows:
    """Rows of the kernel between one row and all, with as many kept as fit: the latest used stay."""

    def __init__(self, kernel: Kernel, X: Values, dtype: Any, memory: int) -> None:
        self.kernel, self.X, self.dtype, self.memory = kernel, X, np.dtype(dtype), memory
        self._now = 0
        self._flat = np.empty(min(memory // self.dtype.itemsize, len(X) ** 2), self.dtype)
        self._lay()

    def _lay(self) -> None:
        """The store for rows of this length, empty."""
        n = len(self.X)
        slots = min(len(self._flat) // max(n, 1), n)
        self.store = self._flat[: slots * n].reshape(slots, n)
        ends = [*range(0, n, ROWS_PER_KERNEL_BLOCK), n]
        self.blocks = [(a, z, self.kernel.prepared(self.X[a:z], self.dtype)) for a, z in pairwise(ends)]
        self.slot = np.full(n, -1)
        self.holds, self.used = np.full(slots, -1), np.zeros(slots, np.int64)

    def keep(self, some: Codes) -> None:
        """Leave out all rows but these."""
        n = len(self.X)
        place = np.full(n, -1)
        place[some] = np.arange(len(some))
        stay = np.flatnonzero((self.holds >= 0) & (place[self.holds] >= 0))
        keep_columns(self._flat, stay, n, some)
        held, used = place[self.holds[stay]], self.used[stay]
        self.X = self.X[some]
        self._lay()
        self.slot[held] = np.arange(len(held))
        self.holds[: len(held)], self.used[: len(held)] = held, used

    def add(self, which: Codes, factor: Array, out: Array) -> None:
        """Add Σ factor k(x, ·) over some of the rows."""
        self._now += 1
        slots = self.slot[which]
        hit = slots >= 0
        self.used[slots[hit]] = self._now
        new, factor_new = which[~hit], factor[~hit]
        room = np.flatnonzero(self.used < self._now)
        if len(room) > len(new):
            room = room[np.argpartition(self.used[room], len(new))[: len(new)]]
        take = np.sort(room[: len(new)])
        old = self.holds[take]
        self.slot[old[old >= 0]] = -1
        self.holds[take], self.used[take] = new[: len(take)], self._now
        self.slot[new[: len(take)]] = take
        self._share(partial(self._add_some, self.X[new], factor_new, take, slots[hit], factor[hit], out))

    def add_others(self, X: Values, factor: Array, out: Array) -> None:
        """Add Σ factor k(x, ·) over other rows."""
        none = np.zeros(0, np.int64)
        self._share(partial(self._add_some, X, factor, none, none, np.zeros(0), out))

    def _share(self, call: Any) -> None:
        threads = max(1, min(thread_count(), len(self.blocks)))
        ends = [len(self.blocks) * i // threads for i in range(threads + 1)]
        run_all([partial(call, a, z) for a, z in pairwise(ends)])

    def _add_some(
        self, X: Values, factor: Array, take: Codes, held: Codes, held_factor: Array, out: Array, a: int, z: int
    ) -> None:
        every = np.arange(len(X))
        for first, last, prepared in self.blocks[a:z]:
            if len(X):
                T = prepared(X)
                add_rows(T, every, factor, 0, last - first, out[first:last])
                if len(take):
                    self.store[take, first:last] = T[: len(take)]
            if len(held):
                add_rows(self.store, held, held_factor, first, last, out)


def by_row(beta: Array, row: Codes, n: int) -> Array:
    """The sum of the variables of each row."""
    return np.bincount(row, beta, n).astype(np.float64, copy=False)


def _working_set(v: Array, up: Flags, down: Flags, kept: Codes) -> Codes:
    """Variables that are furthest from optimal, half of them up and half down, then those that are kept."""
    up, down = up.copy(), down.copy()
    up[kept] = down[kept] = False
    half = (WORKING_SET_SIZE - len(kept)) // 2
    a = _largest(np.where(up, v, -np.inf), half)
    down[a] = False
    b = _largest(np.where(down, -v, -np.inf), half)
    return np.concatenate([a, b, kept])


def _largest(v: Array, count: int) -> Codes:
    if count < len(v):
        some = np.argpartition(-v, count)[:count]
    else:
        some = np.arange(len(v))
    return some[np.isfinite(v[some])]


def _bias(v: Array, dual: DualProblem, beta: Array) -> float:
    """The mean of t - Kβ over free variables; if none is free, the middle of the feasible interval."""
    free = (beta > dual.low) & (beta < dual.high)
    if free.any():
        return float(v[free].mean())
    top = v.max(where=beta < dual.high, initial=-np.inf)
    bottom = v.min(where=beta > dual.low, initial=np.inf)
    ends = [e for e in (top, bottom) if np.isfinite(e)]
    return float(np.mean(ends)) if ends else 0.0
