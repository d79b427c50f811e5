"""Selection of columns: which are kept, under which names, and back among zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import Codes, Columns, DataError, Flags, Matrix
from tenfold.estimator import Transformer, check_is_fitted, fitted


class Selector(Transformer):
    """Base of selections: a subclass writes `kept_from(model)`, which columns are kept."""

    preserves_dtype = ("float64", "float32")

    def kept_from(self, model: Any) -> Flags:
        """Whether each column is kept."""
        raise NotImplementedError

    def transform_from(self, model: Any, X: Columns) -> Matrix:
        """The columns that are kept; CSR stays CSR."""
        kept = np.flatnonzero(self.kept_from(model))
        if sp.issparse(X.data):
            return sp.csr_array(X.sparse()[:, kept])
        out = np.empty((len(X), len(kept)), X.dtype)
        for rows, block in X.blocks():
            out[rows] = block[:, kept]
        return out

    def origins(self, model: Any, width: int) -> Codes:
        # Those that are kept.
        return np.flatnonzero(self.kept_from(model))

    def names_out(self, names: list[str]) -> list[str]:
        return [names[j] for j in np.flatnonzero(self.kept_from(self.model_))]

    @fitted
    def get_support(self, indices: bool = False) -> Flags | Codes:
        """Whether each column is kept.

        Parameters
        ----------
        indices : bool, default=False
            Whether to return the numbers of those that are kept instead.

        Returns
        -------
        support : array of bool or int
        """
        check_is_fitted(self)
        kept = self.kept_from(self.model_)
        return np.flatnonzero(kept) if indices else kept

    @fitted
    def inverse_transform(self, X: Any) -> Matrix:
        """Rows with zeros in the columns that were left out.

        Parameters
        ----------
        X : array or CSR matrix of shape (rows, columns that are kept)

        Returns
        -------
        X : array or CSR matrix of shape (rows, columns)
        """
        check_is_fitted(self)
        support = self.kept_from(self.model_)
        given, kept = X if sp.issparse(X) else np.asarray(X), np.flatnonzero(support)
        if given.ndim != 2 or given.shape[1] != len(kept):
            raise DataError(
                f"X has shape {given.shape}, but {len(kept)} columns are kept. Remedy: pass the output of transform"
            )
        if sp.issparse(given):
            stored = sp.csr_array(given)
            parts = stored.data, kept[stored.indices], stored.indptr
            return sp.csr_array(parts, (stored.shape[0], len(support)))
        out = np.zeros((len(given), len(support)), given.dtype)
        out[:, kept] = given
        return out
