"""BLAS inside kernels: SciPy's own, called by address, so that the GIL is not held.

Fortran order rules here: a C-ordered rows x p array is p x rows to BLAS.
"""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import get_cython_function_address, intrinsic

from tenfold.compiled.decorators import kernel


def _external(
    name: str, arguments: int, library: str = "blas", returns: types.Type = types.void
) -> types.ExternalFunction:
    """Return a function of BLAS or LAPACK, by its name."""
    llvm.add_symbol(f"tenfold_{name}", get_cython_function_address(f"scipy.linalg.cython_{library}", name))
    return types.ExternalFunction(f"tenfold_{name}", returns(*[types.voidptr] * arguments))


_dsyrk = _external("dsyrk", 10)
_dgemm = _external("dgemm", 13)
_sgemm = _external("sgemm", 13)
_dgemv = _external("dgemv", 11)
_ddot = _external("ddot", 5, returns=types.float64)


NARROW, WIDE, SHORT = 32, 128, 128
"""columns (few, not many) and rows of products that BLAS takes as small"""
PANEL, LANES = 24, 8
"""columns of a panel of such products, and numbers that a processor takes at a time"""


TRIANGULAR_PANEL = 32
"""columns of a panel of a product with a triangular matrix"""


@intrinsic
def _address(typing_context, array):
    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.bitcast(data, cgutils.voidptr_t)

    return types.voidptr(array), generate


@kernel
def add_cross(left, right, out):
    """Add left.T @ right to `out`; all float64 and C order."""
    sizes = np.empty(3, np.int32)
    sizes[0], sizes[1], sizes[2] = right.shape[1], left.shape[1], left.shape[0]
    one = np.ones(1)
    letters = np.empty(2, np.uint8)
    letters[0] = 78  # N
    letters[1] = 84  # T
    _dgemm(
        _address(letters), _address(letters[1:]), _address(sizes), _address(sizes[1:]),
        _address(sizes[2:]), _address(one), _address(right), _address(sizes),
        _address(left), _address(sizes[1:]), _address(one), _address(out),
        _address(sizes),
    )  # fmt: skip


@kernel
def _add_panel(block, first, last, width, gram):
    """Add the products of columns `first` to `last` with the first `width` ones to their rows of `gram`."""
    sizes = np.empty(4, np.int32)
    sizes[0], sizes[1], sizes[2], sizes[3] = width, last - first, block.shape[0], block.shape[1]
    one = np.ones(1)
    letters = np.empty(2, np.uint8)
    letters[0] = 78  # N
    letters[1] = 84  # T
    _dgemm(
        _address(letters), _address(letters[1:]), _address(sizes), _address(sizes[1:]),
        _address(sizes[2:]), _address(one), _address(block), _address(sizes[3:]),
        _address(block[:, first:]), _address(sizes[3:]), _address(one), _address(gram[first:]),
        _address(sizes[3:]),
    )  # fmt: skip


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
    _dsyrk(
        _address(letters), _address(letters[1:]), _address(sizes), _address(sizes[1:]),
        _address(one), _address(block), _address(sizes), _address(one),
        _address(gram), _address(sizes),
    )  # fmt: skip


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
        _sgemm(
            _address(letters), _address(letters[1:]), _address(sizes), _address(sizes[1:]),
            _address(sizes[2:]), _address(scale), _address(block), _address(sizes[2:]),
            _address(centers), _address(sizes[2:]), _address(scale[1:]), _address(out),
            _address(wide),
        )  # fmt: skip
    else:
        _dgemm(
            _address(letters), _address(letters[1:]), _address(sizes), _address(sizes[1:]),
            _address(sizes[2:]), _address(scale), _address(block), _address(sizes[2:]),
            _address(centers), _address(sizes[2:]), _address(scale[1:]), _address(out),
            _address(wide),
        )  # fmt: skip


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
        _dgemm(
            _address(letter), _address(letter), _address(sizes[2:]), _address(sizes[1:]),
            _address(sizes[3:]), _address(scale), _address(upper[:, first:]), _address(sizes),
            _address(block), _address(sizes), _address(scale[1:]), _address(out[:, first:]),
            _address(sizes),
        )  # fmt: skip


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
    _dgemv(
        _address(letter), _address(sizes), _address(sizes[1:]), _address(scale), _address(block), _address(sizes),
        _address(vector), _address(sizes[2:]), _address(scale[1:]), _address(out), _address(sizes[2:]),
    )  # fmt: skip


@kernel
def dot(a, b):
    """Σ a[i] b[i]; both float64 and contiguous."""
    sizes = np.ones(2, np.int32)
    sizes[0] = len(a)
    return _ddot(_address(sizes), _address(a), _address(sizes[1:]), _address(b), _address(sizes[1:]))
