from typing import Any

from tenfold.models.cube import Cube as Cube

def __getattr__(name: str) -> Any: ...
