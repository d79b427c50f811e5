from typing import Any

from tenfold.decomposition.pca import PCA as PCA

def __getattr__(name: str) -> Any: ...
