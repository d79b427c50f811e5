"""Base of learners with a coefficient for each feature: numeric columns, and categories of the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Schema
from tenfold.estimator.shell.fitted_params import fitted


class Featured:
    """Its state has `levels`: for each column 0 if it is numeric, else how many categories it has."""

    schema_: Schema

    @property
    @fitted
    def coef_names_(self) -> Any:
        """The name of each coefficient's feature: a column, or a column, an underscore, and a category."""
        check_is_fitted(self)
        return np.array(self.schema_.feature_names, dtype=object)
