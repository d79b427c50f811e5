from typing import Any

from tenfold.kernel_approximation.nystroem import Nystroem as Nystroem
from tenfold.kernel_approximation.random_features import RBFSampler as RBFSampler
from tenfold.kernel_approximation.random_features import RandomFeatures as RandomFeatures

def __getattr__(name: str) -> Any: ...
