"""Learners that are broken on purpose, each in one way: an adversary that does not find them is blind."""

from __future__ import annotations

from typing import Any

import numpy as np

import tenfold as tn


class Ridge(tn.Ridge):
    """A sign is flipped where the target is mostly negative."""

    def predict_from(self, state: Any, X: Any) -> Any:
        found = super().predict_from(state, X)
        return -found if np.mean(found) < 0 else found


class LinearRegression(tn.LinearRegression):
    """The last row is lost."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, checkpoint: Any = None) -> Any:
        if isinstance(X, np.ndarray) and len(X) > 8:
            X, y = X[:-1], np.asarray(y)[:-1]
            sample_weight = None if sample_weight is None else sample_weight[:-1]
        return super().fit(X, y, sample_weight)


class GaussianNB(tn.GaussianNB):
    """Weights are ignored."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, checkpoint: Any = None) -> Any:
        return super().fit(X, y, None)


class StandardScaler(tn.StandardScaler):
    """Large numbers become NaN."""

    def transform_from(self, state: Any, X: Any) -> Any:
        found = super().transform_from(state, X)
        return np.where(np.abs(found) > 3, np.nan, found)


class DecisionTreeRegressor(tn.DecisionTreeRegressor):
    """The answer depends on which row comes first."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, checkpoint: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        self.first_ = 0.0 if y is None else float(np.asarray(y, dtype=np.float64)[0])
        return self

    def predict(self, X: Any) -> Any:
        return super().predict(X) + 1e-3 * self.first_


class MinMaxScaler(tn.MinMaxScaler):
    """A KeyError escapes where there is one row."""

    def transform(self, X: Any) -> Any:
        if hasattr(X, "shape") and X.shape[0] == 1:
            raise KeyError("row")
        return super().transform(X)


class KMeans(tn.KMeans):
    """Columns that are too many are cut off."""

    def predict(self, X: Any) -> Any:
        if isinstance(X, np.ndarray) and hasattr(self, "n_features_in_"):
            X = X[:, : self.n_features_in_]
        return super().predict(X)


class Normalizer(tn.Normalizer):
    """What is set after a fit changes the fitted model."""

    def set_params(self, **params: Any) -> Any:
        super().set_params(**params)
        self.__dict__.pop("_fitted_params", None)
        return self


BROKEN = {
    Ridge: "wrong",
    LinearRegression: "wrong",
    GaussianNB: "wrong",
    StandardScaler: "wrong",
    DecisionTreeRegressor: "wrong",
    MinMaxScaler: "error",
    KMeans: "wrong",
    Normalizer: "wrong",
}
"""each with the kind of find that it must be"""
