"""A desk where the pieces of a kernel's work lie, for other threads to take: an atomic addition each.

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
"""more than there are pieces: the next piece's number counts on beyond, with the turn in the bits above"""

SPINS_BEFORE_SLEEP = 2000
"""moments that a thread waits before it sleeps (if it only gave way, it would stay on the core of who wakes it)"""


def desk() -> NDArray[np.int64]:
    """One on which nothing lies."""
    found = np.zeros(24, np.int64)
    found[NEXT] = MAX_PIECES - 1
    return found


def _place(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


@intrinsic
def look(typing: Typing, desk: types.Array, i: types.Type) -> Intrinsic:
    """The number at desk[i] now, as all threads see it."""

    def make(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
        return builder.load_atomic(_place(context, builder, signature, args), "acquire", 8)

    return types.int64(desk, types.int64), make


@intrinsic
def put(typing: Typing, desk: types.Array, i: types.Type, value: types.Type) -> Intrinsic:
    """desk[i] = value, after all that was done before."""

    def make(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
        builder.store_atomic(args[2], _place(context, builder, signature, args), "release", 8)
        return context.get_dummy_value()

    return types.void(desk, types.int64, types.int64), make


@intrinsic
def add(typing: Typing, desk: types.Array, i: types.Type, value: types.Type) -> Intrinsic:
    """desk[i] += value; what it was."""

    def make(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
        return builder.atomic_rmw("add", _place(context, builder, signature, args), args[2], "seq_cst")

    return types.int64(desk, types.int64, types.int64), make


@intrinsic
def breathe(typing: Typing) -> Intrinsic:
    """Leave the core to its other thread for some cycles."""

    def make(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
        if platform.machine() in ("x86_64", "AMD64"):
            kind = ir.FunctionType(ir.VoidType(), ())
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), ())
        return context.get_dummy_value()

    return types.void(), make


@intrinsic
def sleep(typing: Typing) -> Intrinsic:
    """Leave the core to whatever else wants to run, for some microseconds."""

    def make(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Args) -> ir.Value:
        if os.name == "posix":
            kind = ir.FunctionType(ir.IntType(32), (ir.IntType(32),))
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "usleep"), (ir.IntType(32)(20),))
        return context.get_dummy_value()

    return types.void(), make


@inner
def rest(turns):
    """For a moment; for longer, if there were many before. The turns after this one."""
    if turns < SPINS_BEFORE_SLEEP:
        breathe()
    else:
        sleep()
    return turns + 1


@inner
def lay_out(desk):
    """New pieces lie on the desk: all that they need has been written."""
    put(desk, DONE, 0)
    put(desk, NEXT, (look(desk, NEXT) // MAX_PIECES + 1) * MAX_PIECES)


@inner
def take(desk, pieces):
    """The number of a piece that is now ours to do; -1: there is none."""
    if look(desk, NEXT) % MAX_PIECES >= pieces:
        return np.int64(-1)
    k = add(desk, NEXT, 1) % MAX_PIECES
    return k if k < pieces else np.int64(-1)


@inner
def await_all(desk, pieces):
    """Until every piece that was taken is done."""
    turns = np.int64(0)
    while look(desk, DONE) < pieces:
        turns = rest(turns)
