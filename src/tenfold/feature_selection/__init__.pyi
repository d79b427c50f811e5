from typing import Any

from tenfold.feature_selection.select_k_best import SelectKBest as SelectKBest
from tenfold.feature_selection.select_percentile import SelectPercentile as SelectPercentile
from tenfold.feature_selection.variance_threshold import VarianceThreshold as VarianceThreshold

def __getattr__(name: str) -> Any: ...
