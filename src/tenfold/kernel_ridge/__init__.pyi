from typing import Any

from tenfold.kernel_ridge.kernel_ridge import KernelRidge as KernelRidge
from tenfold.kernel_ridge.kernel_ridge import RidgePath as RidgePath

def __getattr__(name: str) -> Any: ...
