from typing import Any

from tenfold.feature_selection.variance_threshold import VarianceThreshold as VarianceThreshold

def __getattr__(name: str) -> Any: ...
