"""What users hand in, checked the way scikit-learn checks it, as a source.

The values themselves are checked as they are read, by `Columns`, not in a pass of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from tenfold.core import DataError, Need
from tenfold.sources import ArraySource
from tenfold.sources.labels import levels


def source_from(
    model: Any, X: Any, y: Any, weight: Any, need: Need, *, reset: bool, classes: Any = None
) -> ArraySource:
    """Check X, y and weights for a need; remember (`reset`) or compare the column names."""
    data = numbers(model, X, need, reset) if need.kinds == "numeric" else labels(model, X, reset)
    rows = len(data[0]) if isinstance(data, tuple) else data.shape[0]
    if need.target is not None:
        y = target(model, y, need)
        check_consistent_length(y, np.empty(rows))
    if weight is not None:
        weight = _check_sample_weight(weight, np.empty((rows, 1)), dtype=np.float64, ensure_non_negative=True)
        if not weight.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
    names = getattr(model, "feature_names_in_", None)
    return ArraySource(data, y if need.target else None, weight, names, classes)


def numbers(model: Any, X: Any, need: Need, reset: bool) -> Any:
    """X as floats in their own width, or CSR if the learner takes it."""
    return validate_data(
        model,
        X,
        reset=reset,
        accept_sparse="csr" if need.sparse else False,
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,
    )


def labels(model: Any, X: Any, reset: bool) -> tuple[Any, ...]:
    """X as a tuple of columns, each in its own type."""
    if hasattr(X, "columns") and not sp.issparse(X):
        validate_data(model, X, reset=reset, skip_check_array=True)
        columns = tuple(np.asarray(X[name]) for name in X.columns)
        if not columns or not len(columns[0]):
            raise DataError(f"Found array with 0 sample(s) in a frame of {len(columns)} columns")
        return columns
    X = validate_data(model, X, reset=reset, dtype=None, ensure_all_finite=False)
    return tuple(X[:, j] for j in range(X.shape[1]))


def target(model: Any, y: Any, need: Need) -> Any:
    """The target as numbers, or as labels in their own type."""
    if y is None:
        raise ValueError(f"{type(model).__name__} requires y to be passed, but the target y is None.")
    if need.target == "number":
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y", estimator=model)
        return column_or_1d(y, warn=True)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y", estimator_name=type(model).__name__)
    found = levels(y, "y")
    if y.dtype.kind == "O" and any(v is None or v != v for v in y):
        raise DataError("Input y contains NaN or None. Remedy: drop the rows without a target")
    if found.dtype.kind == "f" and (found != np.rint(found)).any():
        check_classification_targets(y)  # raises: the target is continuous
    if need.binary and len(found) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"classes {found.tolist()[:5]}"
        )
    return y
