from typing import Any

from tenfold.cluster.bisecting_kmeans import BisectingKMeans as BisectingKMeans
from tenfold.cluster.kmeans import KMeans as KMeans
from tenfold.cluster.mini_batch_kmeans import MiniBatchKMeans as MiniBatchKMeans

def __getattr__(name: str) -> Any: ...
