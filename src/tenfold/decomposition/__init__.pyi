from typing import Any

from tenfold.decomposition.pca import PCA as PCA
from tenfold.decomposition.truncated_svd import TruncatedSVD as TruncatedSVD

def __getattr__(name: str) -> Any: ...
