"""A function of the columns, row by row: z = f(x). Each row is transformed by itself: nothing is estimated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Columns, DataError, Need, Remedy, Schema
from tenfold.core.field_values import Between
from tenfold.estimator import OnePass, Transformer
from tenfold.estimator.shell.constraints import choice
from tenfold.estimator.shell.keyword_decisions import FLAG
from tenfold.estimator.shell.keywords import NoEffect, Refused
from tenfold.preprocessing.polynomial_features import TotalRowWeight, TotalWeight

ROWS_PER_BLOCK = 1 << 15
"""rows that a function is given at a time"""

Function = Callable[..., Any]


class FunctionModel(NamedTuple):
    """Number of output columns of a fitted function."""

    n_output_features: Annotated[int, Between(1)]


is_checked = NoEffect("a function is always given an array of numbers that was checked", FLAG)
no_sparse = Refused(
    "a function is given arrays",
    Remedy("tn.FunctionTransformer().fit(X.toarray() if hasattr(X, 'toarray') else X)"),
    (False,),
)
not_inverted = NoEffect("the check only warns, and the inverse is used unchanged", FLAG)


class FunctionTransformer(OnePass, Transformer):
    """Put a function of your own on the columns, in a pipeline, over rows in memory or on disk.

    The function is called with some rows at a time, a float64 array, and returns as many rows; its output
    of a row must not depend on the others. It travels to the workers of a cluster. A model file holds no code: only a
    function of NumPy such as `numpy.log1p`, or None, can be saved.

    Parameters
    ----------
    func : callable or None, default=None
        Function of an array of shape (rows, columns) that returns as many rows; None is the identity. A missing
        value is NaN.
    inverse_func : callable or None, default=None
        The same for `inverse_transform`.
    feature_names_out : "one-to-one", callable or None, default=None
        What the columns that come out are called: a function of the transformer and the names that went in; the names
        that went in; or None for these if there are as many columns as before, and numbers else.
    kw_args, inv_kw_args : dict or None, default=None
        Keywords for the two functions.
    accept_sparse : optional
        As in scikit-learn; other values raise an error that names an alternative.
    validate, check_inverse : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    n_output_features_ : int
        How many columns come out.
    certificate_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import FunctionTransformer
    >>> model = FunctionTransformer(np.sqrt, np.square).fit([[4.0], [9.0]])
    >>> model.transform([[4.0], [9.0]]).ravel().tolist()
    [2.0, 3.0]
    >>> model.inverse_transform([[3.0]]).tolist()
    [[9.0]]
    """

    mixes_columns = True
    need = Need("numeric", missing=True)
    invertible = True
    law_params = ({}, {"func": np.cbrt, "inverse_func": np.square})

    func: Annotated[Function | None, callable, None] = None
    inverse_func: Annotated[Function | None, callable, None] = None
    _: KW_ONLY
    feature_names_out: Annotated[Function | str | None, callable, choice("one-to-one"), None] = None
    kw_args: Annotated[Mapping[str, Any] | None, dict, None] = None
    inv_kw_args: Annotated[Mapping[str, Any] | None, dict, None] = None
    validate: Annotated[bool, is_checked] = False
    accept_sparse: Annotated[bool, no_sparse] = False
    check_inverse: Annotated[bool, not_inverted] = True

    def statistic(self, schema: Schema) -> TotalWeight:
        return TotalWeight()

    def solve(self, schema: Schema, s: TotalRowWeight) -> FunctionModel:
        return FunctionModel(self._validated(self.func, self.kw_args, np.ones((2, len(schema.columns)))).shape[1])

    def certify(self, model: FunctionModel, s: TotalRowWeight) -> tuple[Claim, ...]:
        """Claim that nothing is estimated."""
        why = "each row is transformed by itself, if the function keeps to that: nothing is estimated"
        return (Claim("gap", 0.0, "assumed", why, "objective"),)

    @staticmethod
    def _validated(function: Function | None, given: Mapping[str, Any] | None, rows: Array) -> Array:
        """Validated output of a function: numeric, with as many rows as its input."""
        if function is None:
            return rows
        try:
            found = np.asarray(function(rows, **(given or {})))
        except (AttributeError, IndexError, KeyError) as error:
            raise DataError(
                f"the function fails ({type(error).__name__}: {error}). It is given an array of numbers of shape "
                f"{rows.shape}, not a frame. Remedy: take columns by their places, d[:, 0] for the first"
            ) from error
        found = found[:, None] if found.ndim == 1 else found
        if found.ndim != 2 or len(found) != len(rows) or not found.shape[1] or found.dtype.kind not in "biuf":
            raise DataError(
                f"the function gives an array of shape {found.shape} and type {found.dtype} for {len(rows)} rows. "
                "Remedy: as many rows of numbers as it is given"
            )
        return found.astype(np.float64, copy=False)

    def _applied(self, function: Function | None, given: Mapping[str, Any] | None, X: Columns, width: int) -> Array:
        """Apply a function to all rows, block by block."""
        out = np.empty((len(X), width))
        for rows, block in X.blocks(ROWS_PER_BLOCK):
            found = self._validated(function, given, block.copy())
            if found.shape[1] != width:
                raise DataError(f"the function gives {found.shape[1]} columns, and gave {width} in fitting")
            out[rows] = found
        return out

    def transform_from(self, model: FunctionModel, X: Columns) -> Array:
        """The transformed rows."""
        return self._applied(self.func, self.kw_args, X, model.n_output_features)

    def inverse_from(self, model: FunctionModel, X: Columns) -> Array:
        """The inversely transformed rows; without an inverse function, the rows."""
        width = X.shape[1]
        return self._applied(self.inverse_func, self.inv_kw_args, X, width)

    def names_out(self, names: list[str]) -> list[str]:
        if callable(self.feature_names_out):
            return [str(name) for name in self.feature_names_out(self, names)]
        k = self.model_.n_output_features
        if k == len(names):
            return names
        if self.feature_names_out == "one-to-one":
            raise ValueError(f"feature_names_out='one-to-one', but {len(names)} columns went in and {k} come out")
        return [f"functiontransformer{at}" for at in range(k)]
