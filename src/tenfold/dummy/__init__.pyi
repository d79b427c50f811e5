from typing import Any

from tenfold.dummy.dummy_classifier import DummyClassifier as DummyClassifier
from tenfold.dummy.dummy_regressor import DummyRegressor as DummyRegressor

def __getattr__(name: str) -> Any: ...
