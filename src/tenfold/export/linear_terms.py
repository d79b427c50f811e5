"""The coefficients of linear models, as exports write them, and which learners have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Codes, Schema
from tenfold.linear_model.class_moments.adaline import Adaline
from tenfold.linear_model.cross_validated.elastic_net_cv import ElasticNetCV
from tenfold.linear_model.cross_validated.lasso_cv import LassoCV
from tenfold.linear_model.cross_validated.ridge_cv import RidgeCV
from tenfold.linear_model.glm.gamma_regressor import GammaRegressor
from tenfold.linear_model.glm.poisson_regressor import PoissonRegressor
from tenfold.linear_model.least_squares.linear_regression import LinearRegression
from tenfold.linear_model.least_squares.ridge import Ridge
from tenfold.linear_model.penalized.bridge_regression import BridgeRegression
from tenfold.linear_model.penalized.elastic_net import ElasticNet
from tenfold.linear_model.penalized.lasso import Lasso
from tenfold.linear_model.sgd.perceptron import Perceptron
from tenfold.linear_model.sgd.sgd_classifier import SGDClassifier
from tenfold.linear_model.sgd.sgd_regressor import SGDRegressor
from tenfold.svm.linear_svc import LinearSVC
from tenfold.svm.linear_svr import LinearSVR

LINEAR_REGRESSORS: tuple[type, ...] = (
    LinearRegression, Ridge, RidgeCV, Lasso, LassoCV, ElasticNet, ElasticNetCV, BridgeRegression, SGDRegressor,
    LinearSVR,
)  # fmt: skip
"""regressors that are xᵀβ + β₀"""
GLM_REGRESSORS: tuple[type, ...] = (PoissonRegressor, GammaRegressor)
"""regressors that are exp(xᵀβ + β₀)"""
PLANES: tuple[type, ...] = (SGDClassifier, Perceptron, Adaline, LinearSVC)
"""classifiers of the largest xᵀβ + β₀"""


def coefficients(model: Any) -> tuple[Array, Array]:
    """Return the coefficients, features x outputs, and the intercept of each output."""
    W = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    return W.T, np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).ravel(), (len(W),))


def feature_offsets(schema: Schema) -> Codes:
    """Where the features of each column begin, and those of the last end: a number is one, a category is."""
    widths = [1 if column.categories is None else len(column.categories) for column in schema.columns]
    return np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
