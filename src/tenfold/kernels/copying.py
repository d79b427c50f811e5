"""Copy rows, or columns, into a block, minus a shift."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from tenfold.kernels.decorators import kernel


@kernel
def copy_rows(rows, shift, block):
    """block[i, j] = rows[i, j] - shift[j]; return how many values are not finite."""
    wrong = 0
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            v = rows[i, j] - shift[j]
            block[i, j] = v
            wrong += v - v != 0.0
    return wrong


@intrinsic
def pointer(typing_context, address, like):
    """An address as a pointer to values of the type of `like`."""

    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.CPointer(like.dtype)(address, like), generate


@kernel
def copy_columns(addresses, like, start, stop, shift, block):
    """block[i, j] = column j at row start + i, minus shift[j].

    `addresses[j]` is where the values of column j begin, contiguous and of the type of `like`. Row by row: many
    streams are read at once, and the block is written in one.
    """
    for i in range(start, stop):
        for j in range(addresses.shape[0]):
            block[i - start, j] = pointer(addresses[j], like)[i] - shift[j]
