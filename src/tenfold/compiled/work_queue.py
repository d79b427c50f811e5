"""A queue of pieces of a kernel's work that threads take, by one atomic addition each.

Whoever is free takes the next piece. A thread that does not come is not waited for, only one that has taken a piece.
"""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from tenfold.compiled.decorators import inner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numba.core.base import BaseContext
    from numba.core.typing import Context as Typing
    from numba.core.typing.templates import Signature
    from numpy.typing import NDArray

    Args = Sequence[ir.Value]
    Intrinsic = tuple[Signature, Callable[..., ir.Value]]

NEXT, DONE, CLOSED = 0, 8, 16
"""the number of the next piece, how many are done, whether there will be no more; each in a line of cache of its own"""
MAX_PIECES = 1 << 20
"""a bound on the number of pieces: the counter of the next piece may exceed it, with the turn in the bits above"""

SPINS_BEFORE_SLEEP = 2000
"""turns that a thread spins before it sleeps (if it only yielded, it would stay on the core of whoever wakes it)"""


def empty_queue() -> NDArray[np.int64]:
    """Return an empty queue."""
    found = np.zeros(24, np.int64)
    found[NEXT] = MAX_PIECES - 1
    return found


def _place(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


@intrinsic
def load(typing: Typing, queue: types.Array, i: types.Type) -> Intrinsic:
    """Load queue[i] atomically (acquire)."""

    def make(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
        return builder.load_atomic(_place(context, builder, signature, args), "acquire", 8)

    return types.int64(queue, types.int64), make


@intrinsic
def store(typing: Typing, queue: types.Array, i: types.Type, value: types.Type) -> Intrinsic:
    """Store a value in queue[i] atomically (release): earlier writes are visible to whoever loads it."""

    def make(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
        builder.store_atomic(args[2], _place(context, builder, signature, args), "release", 8)
        return context.get_dummy_value()

    return types.void(queue, types.int64, types.int64), make


@intrinsic
def fetch_add(typing: Typing, queue: types.Array, i: types.Type, value: types.Type) -> Intrinsic:
    """Add a value to queue[i] atomically; return the old one."""

    def make(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
        return builder.atomic_rmw("add", _place(context, builder, signature, args), args[2], "seq_cst")

    return types.int64(queue, types.int64, types.int64), make


@intrinsic
def pause(typing: Typing) -> Intrinsic:
    """Yield the core to its other hardware thread for some cycles."""

    def make(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
        if platform.machine() in ("x86_64", "AMD64"):
            kind = ir.FunctionType(ir.VoidType(), ())
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), ())
        return context.get_dummy_value()

    return types.void(), make


@intrinsic
def sleep(typing: Typing) -> Intrinsic:
    """Yield the core to other threads for some microseconds."""

    def make(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
        if os.name == "posix":
            kind = ir.FunctionType(ir.IntType(32), (ir.IntType(32),))
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "usleep"), (ir.IntType(32)(20),))
        return context.get_dummy_value()

    return types.void(), make


@inner
def back_off(turns):
    """Wait for a moment, longer after many turns; return the number of turns."""
    if turns < SPINS_BEFORE_SLEEP:
        pause()
    else:
        sleep()
    return turns + 1


@inner
def publish(queue):
    """Publish new pieces, after everything that they need has been written."""
    store(queue, DONE, 0)
    store(queue, NEXT, (load(queue, NEXT) // MAX_PIECES + 1) * MAX_PIECES)


@inner
def take(queue, pieces):
    """Take a piece: return its number, or -1 if there is none."""
    if load(queue, NEXT) % MAX_PIECES >= pieces:
        return np.int64(-1)
    k = fetch_add(queue, NEXT, 1) % MAX_PIECES
    return k if k < pieces else np.int64(-1)


@inner
def wait_for_all(queue, pieces):
    """Wait until every piece is done."""
    turns = np.int64(0)
    while load(queue, DONE) < pieces:
        turns = back_off(turns)
