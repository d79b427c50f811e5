"""Copy rows, or columns, into a block, minus a shift."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from tenfold.compiled.decorators import kernel


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

    `addresses[j]` is where the values of column j begin, contiguous and of the type of `like`. Four columns at a time:
    so few streams are read ahead by the processor, and four values that stand side by side are written at once.
    """
    p = addresses.shape[0]
    fours = p - p % 4
    for j in range(0, fours, 4):
        a, b = pointer(addresses[j], like), pointer(addresses[j + 1], like)
        c, d = pointer(addresses[j + 2], like), pointer(addresses[j + 3], like)
        less_a, less_b, less_c, less_d = shift[j], shift[j + 1], shift[j + 2], shift[j + 3]
        for i in range(start, stop):
            row = block[i - start]
            row[j] = a[i] - less_a
            row[j + 1] = b[i] - less_b
            row[j + 2] = c[i] - less_c
            row[j + 3] = d[i] - less_d
    for j in range(fours, p):
        a, less_a = pointer(addresses[j], like), shift[j]
        for i in range(start, stop):
            block[i - start, j] = a[i] - less_a
