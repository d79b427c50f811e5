"""Sparse rows (CSR): their Gram matrix, copies, and dense and sparse columns side by side."""

from __future__ import annotations

from tenfold.compiled.decorators import kernel


@kernel
def add_sparse_gram(data, indices, indptr, weight, gram):
    """gram += XᵀWX of a CSR matrix in canonical format, row by row; the lower triangle."""
    for i in range(len(indptr) - 1):
        first = indptr[i]
        for a in range(first, indptr[i + 1]):
            x, row = weight[i] * data[a], gram[indices[a]]
            for b in range(first, a + 1):
                row[indices[b]] += x * data[b]


@kernel
def copy_sparse(data, indices, indptr, start, stop, shift, block):
    """block[i, j] = row start + i of a CSR matrix, minus shift[j]; return how many values are not finite."""
    wrong = 0
    for i in range(start, stop):
        row = block[i - start]
        row[:] = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            row[indices[e]] += data[e]
        for j in range(len(shift)):
            v = row[j] - shift[j]
            row[j] = v
            wrong += v - v != 0.0
    return wrong


@kernel
def count_entries(block, counts):
    """counts[i] += the number of nonzero values of row i."""
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            counts[i] += block[i, j] != 0


@kernel
def put_dense(block, shift, at, data, indices):
    """Append the nonzero values of each row to those stored so far; column numbers begin at `shift`."""
    for i in range(block.shape[0]):
        k = at[i]
        for j in range(block.shape[1]):
            if block[i, j] != 0:
                data[k] = block[i, j]
                indices[k] = shift + j
                k += 1
        at[i] = k


@kernel
def put_sparse(some, places, indptr, shift, at, data, indices):
    """Append the values of each row of a CSR matrix to those stored so far; column numbers begin at `shift`."""
    for i in range(len(indptr) - 1):
        k = at[i]
        for e in range(indptr[i], indptr[i + 1]):
            data[k] = some[e]
            indices[k] = shift + places[e]
            k += 1
        at[i] = k


@kernel
def put_codes(codes, table, start, ends, indices):
    """Write the one-hot columns of rows of codes, from row `start` on: `table` maps codes to columns, -1 to none.

    `ends` counts them up by row.
    """
    k = ends[start]
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            if table[codes[i, j]] >= 0:
                indices[k] = table[codes[i, j]]
                k += 1
        ends[start + i + 1] = k
