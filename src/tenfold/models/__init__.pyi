from typing import Any

from tenfold.models.cube import Cube as Cube
from tenfold.models.pooling.pooled_cube import PooledCube as PooledCube

def __getattr__(name: str) -> Any: ...
