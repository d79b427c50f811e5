from typing import Any

from tenfold.neighbors.k_neighbors_classifier import KNeighborsClassifier as KNeighborsClassifier
from tenfold.neighbors.k_neighbors_regressor import KNeighborsRegressor as KNeighborsRegressor
from tenfold.neighbors.locally_weighted_regression import LocallyWeightedRegression as LocallyWeightedRegression

def __getattr__(name: str) -> Any: ...
