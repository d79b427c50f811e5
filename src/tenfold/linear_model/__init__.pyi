from typing import Any

from tenfold.linear_model.class_moments.adaline import Adaline as Adaline
from tenfold.linear_model.class_moments.least_squares_classifier import LeastSquaresClassifier as LeastSquaresClassifier
from tenfold.linear_model.cross_validated.elastic_net_cv import ElasticNetCV as ElasticNetCV
from tenfold.linear_model.cross_validated.lasso_cv import LassoCV as LassoCV
from tenfold.linear_model.cross_validated.ridge_cv import RidgeCV as RidgeCV
from tenfold.linear_model.glm.gamma_regressor import GammaRegressor as GammaRegressor
from tenfold.linear_model.glm.logistic_regression import LogisticRegression as LogisticRegression
from tenfold.linear_model.glm.poisson_regressor import PoissonRegressor as PoissonRegressor
from tenfold.linear_model.least_squares.linear_regression import LinearRegression as LinearRegression
from tenfold.linear_model.least_squares.polynomial_regression import PolynomialRegression as PolynomialRegression
from tenfold.linear_model.least_squares.ridge import Ridge as Ridge
from tenfold.linear_model.penalized.bridge_regression import BridgeRegression as BridgeRegression
from tenfold.linear_model.penalized.elastic_net import ElasticNet as ElasticNet
from tenfold.linear_model.penalized.lasso import Lasso as Lasso
from tenfold.linear_model.penalized.penalty_path import LassoPath as LassoPath
from tenfold.linear_model.sgd.perceptron import Perceptron as Perceptron
from tenfold.linear_model.sgd.sgd_classifier import SGDClassifier as SGDClassifier
from tenfold.linear_model.sgd.sgd_regressor import SGDRegressor as SGDRegressor

def __getattr__(name: str) -> Any: ...
