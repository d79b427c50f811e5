"""BLAS inside kernels: SciPy's own, called by address, so that the GIL is not held.

Fortran order rules here: a C-ordered rows x p array is p x rows to BLAS.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import get_cython_function_address, intrinsic

from tenfold.compiled.decorators import kernel


def _external(name: str, library: str = "blas", returns: types.Type = types.void) -> Any:
    """Return a function of BLAS or LAPACK, by its name, that kernels call with a tuple of arrays: its arguments.

    The tuple keeps the arrays until the function is done. If kernels passed addresses instead, numba would free arrays
    that are not used afterwards, such as work space, before the call.
    """
    symbol = f"tenfold_{name}"
    llvm.add_symbol(symbol, get_cython_function_address(f"scipy.linalg.cython_{library}", name))

    @intrinsic
    def call(typing_context, arrays):
        def generate(context, builder, signature, arguments):
            each = zip(signature.args[0], cgutils.unpack_tuple(builder, arguments[0]), strict=True)
            data = [context.make_array(kind)(context, builder, array).data for kind, array in each]
            pointers = [builder.bitcast(one, cgutils.voidptr_t) for one in data]
            found = ir.VoidType() if returns is types.void else context.get_value_type(returns)
            kind = ir.FunctionType(found, [cgutils.voidptr_t] * len(pointers))
            done = builder.call(cgutils.get_or_insert_function(builder.module, kind, symbol), pointers)
            return context.get_dummy_value() if returns is types.void else done

        return returns(arrays), generate

    return call


_dsyrk = _external("dsyrk")
_dgemm = _external("dgemm")
_sgemm = _external("sgemm")
_dgemv = _external("dgemv")
_ddot = _external("ddot", returns=types.float64)


NARROW, WIDE, SHORT = 32, 128, 128
"""columns (few, not many) and rows of products that BLAS takes as small"""
PANEL, LANES = 24, 8
"""columns of a panel of such products, and numbers that a processor takes at a time"""


TRIANGULAR_PANEL = 32
"""columns of a panel of a product with a triangular matrix"""


@kernel
def add_cross(left, right, out):
    """Add left.T @ right to `out`; all float64 and C order."""
    sizes = np.empty(3, np.int32)
    sizes[0], sizes[1], sizes[2] = right.shape[1], left.shape[1], left.shape[0]
    one = np.ones(1)
    letters = np.empty(2, np.uint8)
    letters[0] = 78  # N
    letters[1] = 84  # T
    _dgemm((letters, letters[1:], sizes, sizes[1:], sizes[2:], one, right, sizes, left, sizes[1:], one, out, sizes))


@kernel
def _add_panel(block, first, last, width, gram):
    """Add the products of columns `first` to `last` with the first `width` ones to their rows of `gram`."""
    sizes = np.empty(4, np.int32)
    sizes[0], sizes[1], sizes[2], sizes[3] = width, last - first, block.shape[0], block.shape[1]
    one = np.ones(1)
    letters = np.empty(2, np.uint8)
    letters[0] = 78  # N
    letters[1] = 84  # T
    _dgemm((
        letters, letters[1:], sizes, sizes[1:],
        sizes[2:], one, block, sizes[3:],
        block[:, first:], sizes[3:], one, gram[first:],
        sizes[3:],
    ))  # fmt: skip


@kernel
def add_gram(block, gram):
    """Add block.T @ block to the lower triangle of `gram`; both float64 and C order.

    Up to some width it goes through small general products, which BLAS does without packing; above the diagonal,
    `gram` may be anything then.
    """
    p = block.shape[1]
    if p <= WIDE:
        panel = p if p <= NARROW else PANEL
        for start in range(0, block.shape[0], SHORT):
            some = block[start : start + SHORT]
            for first in range(0, p, panel):
                last = min(first + panel, p)
                _add_panel(some, first, last, min(p, (last + LANES - 1) // LANES * LANES), gram)
        return
    sizes = np.empty(2, np.int32)
    sizes[1], sizes[0] = block.shape
    one = np.ones(1)
    letters = np.empty(2, np.uint8)
    letters[0] = 85  # U: upper to Fortran, lower to us
    letters[1] = 78  # N
    _dsyrk((letters, letters[1:], sizes, sizes[1:], one, block, sizes, one, gram, sizes))


@kernel
def products(block, centers, factor, out):
    """out[k, i] = factor * <centers[k], block[i]>, all of one float type and C order."""
    m, p = block.shape
    sizes = np.empty(3, np.int32)
    sizes[0], sizes[1], sizes[2] = m, centers.shape[0], p
    wide = np.empty(1, np.int32)
    wide[0] = out.shape[1]
    letters = np.empty(2, np.uint8)
    letters[0] = 84  # T
    letters[1] = 78  # N
    scale = np.zeros(2, block.dtype)
    scale[0] = factor
    if block.itemsize == 4:
        _sgemm((
            letters, letters[1:], sizes, sizes[1:],
            sizes[2:], scale, block, sizes[2:],
            centers, sizes[2:], scale[1:], out,
            wide,
        ))  # fmt: skip
    else:
        _dgemm((
            letters, letters[1:], sizes, sizes[1:],
            sizes[2:], scale, block, sizes[2:],
            centers, sizes[2:], scale[1:], out,
            wide,
        ))  # fmt: skip


@kernel
def multiply_triangular(block, upper, out):
    """out = block @ upper, where `upper` is zero below its diagonal; all float64 and C order.

    The product is computed panel by panel of the columns of `upper`: a panel needs no columns of the block beyond its
    own last one.
    """
    m, p = block.shape
    sizes = np.empty(4, np.int32)
    sizes[0], sizes[1] = p, m
    scale = np.zeros(2)
    scale[0] = 1.0
    letter = np.empty(1, np.uint8)
    letter[0] = 78  # N
    for first in range(0, p, TRIANGULAR_PANEL):
        last = min(first + TRIANGULAR_PANEL, p)
        sizes[2], sizes[3] = last - first, last
        _dgemm((
            letter, letter, sizes[2:], sizes[1:],
            sizes[3:], scale, upper[:, first:], sizes,
            block, sizes, scale[1:], out[:, first:],
            sizes,
        ))  # fmt: skip


@kernel
def multiply(turned, block, vector, out):
    """out = block @ vector or, `turned`, out += vector @ block; all float64 and C order."""
    if not block.size:  # BLAS complains of rows without columns
        if not turned:
            out[:] = 0.0
        return
    sizes = np.empty(3, np.int32)
    sizes[1], sizes[0] = block.shape
    sizes[2] = 1
    letter = np.empty(1, np.uint8)
    scale = np.ones(2)
    if turned:
        letter[0] = 78  # N
    else:
        letter[0] = 84  # T
        scale[1] = 0.0
    _dgemv((letter, sizes, sizes[1:], scale, block, sizes, vector, sizes[2:], scale[1:], out, sizes[2:]))


@kernel
def dot(a, b):
    """Σ a[i] b[i]; both float64 and contiguous."""
    sizes = np.ones(2, np.int32)
    sizes[0] = len(a)
    return _ddot((sizes, a, sizes[1:], b, sizes[1:]))
