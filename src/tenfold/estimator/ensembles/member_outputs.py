"""`transform` of an ensemble, as in scikit-learn: the outputs of its members for each row, as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from tenfold.core import Array, Columns, Names
from tenfold.core.arrays import MatrixLike
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.fitted_params import fitted
from tenfold.estimator.shell.kinds import sources_first


@sources_first
class MemberOutputs(TransformerMixin, Estimator):
    """Base of ensembles that transform: a subclass writes `outputs_from(model, X)` and `output_names`."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def outputs_from(self, model: Any, X: Columns) -> Array:
        """Return the outputs of the members for each row."""
        raise NotImplementedError

    def output_names(self, names: list[str]) -> list[str]:
        """Return the names of these columns, from the names of the input features."""
        raise NotImplementedError

    @fitted
    def transform(self, X: MatrixLike) -> Any:
        """Return the outputs of the members for each row.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        said : array of shape (rows, outputs)
        """
        check_is_fitted(self)
        return self._apply(type(self).outputs_from, X, self.get_feature_names_out)

    @fitted
    def get_feature_names_out(self, input_features: Names | None = None) -> Names:
        """The name of each column that `transform` makes: that of the team, the member, and the number of the class.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the columns; by default those seen in fitting, or x0, x1, ...

        Returns
        -------
        names : array of str
        """
        check_is_fitted(self)
        names = self.output_names(list(_check_feature_names_in(self, input_features)))
        return np.array(names, dtype=object)


def numbered(name: str, width: int) -> list[str]:
    """The names of the columns of one member: its own, with a number if they are several."""
    return [name] if width == 1 else [f"{name}{i}" for i in range(width)]
