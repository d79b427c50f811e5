"""`transform` of a team, as scikit-learn has it: what its members say of each row, as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from tenfold.core import Array, Columns, Names
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.kinds import sources_first


@sources_first
class MemberOutputs(TransformerMixin, Estimator):
    """A subclass writes `outputs_from(model, X)`, rows x numbers, and `output_names`: what those are called."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def outputs_from(self, model: Any, X: Columns) -> Array:
        """What the members say of each row."""
        raise NotImplementedError

    def output_names(self, names: list[str]) -> list[str]:
        """What these columns are called, from the names of those that the members see."""
        raise NotImplementedError

    def transform(self, X: Any) -> Any:
        """What each member says of each row.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        said : array of shape (rows, outputs)
        """
        check_is_fitted(self)
        return self._apply(type(self).outputs_from, X, self.get_feature_names_out)

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
