from typing import Any

from tenfold.kernel_approximation.nystroem import Nystroem as Nystroem
from tenfold.kernel_approximation.rbf_sampler import RBFSampler as RBFSampler

def __getattr__(name: str) -> Any: ...
