from typing import Any

from tenfold.models.cross_validation.level_scores import LevelScores as LevelScores
from tenfold.models.cube import Cube as Cube
from tenfold.models.ledger.ledger import Ledger as Ledger
from tenfold.models.ledger.receipt import Receipt as Receipt
from tenfold.models.pooling.pooled_cube import PooledCube as PooledCube
from tenfold.models.pooling.pooled_tables import PooledTables as PooledTables

def __getattr__(name: str) -> Any: ...
