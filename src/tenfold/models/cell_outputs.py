"""Outputs of a cube for the rows of a source, each by the model of its cell: read part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tenfold.core import Chunk, Codes, DataError, Need
from tenfold.core.certificate import number_of
from tenfold.core.errors import warn_user
from tenfold.engine import current, one_blas_thread
from tenfold.estimator.lazy_output import Mapped
from tenfold.models.cube_level import different_columns, output_of, transforms
from tenfold.models.keyed_chunks import keys_of
from tenfold.sources import Source

if TYPE_CHECKING:
    from tenfold.models.cube import Cube


class CellOutputs(Mapped):
    """Outputs of a cube for the rows of a source.

    Parameters
    ----------
    base : Source
        The columns of the key are none of its features.
    cube : Cube
        Fitted. It travels to the workers.
    need : Need
        How rows are read, with the columns of the key aside.
    warn : bool
        Whether to warn of rows that are predicted by the model of a coarser key, once they have been read.
    """

    def __init__(self, base: Source, cube: Cube, need: Need, warn: bool) -> None:
        level = cube._level
        one = _first_model(cube)
        by_class = cube._by_class
        names = tuple(one.names_out(list(one.schema_.names))) if transforms(one) else ("prediction",)
        names = names if by_class is None else by_class.names
        super().__init__(base, one, None, names, need, level.schema.without_target)
        self.cube, self._maker = cube, f"Cube of {type(one).__name__}"
        self._depths, self._warn = False, warn
        self._tally: Codes | None = None
        self._empty = partial(output_of, one) if by_class is None else partial(by_class.of_model, one)
        most = b"" if cube._most is None else cube._most.tobytes()
        cells = blake2b(level.keys.hash.tobytes() + level.cells.rows.tobytes() + most, digest_size=16).hexdigest()
        where = level.origin
        self._model = f"Cube by {level.names} {where.source} {where.parts} {where.computed} {cells} of {self._model}"
        if by_class is not None:
            self._model = f"{by_class.method} of {self._model}"

    def levels(self) -> Self:
        """Return by how many columns of the key the model of each row is found."""
        other = copy(self)
        other.names, other._found, other._words, other._depths = ("level",), {}, None, True
        other._model = f"levels of {self._model}"
        return other

    def of_part(self, part: int) -> Callable[[Chunk], Any]:
        keys = self.cube._level.keys.values.schema
        return lambda chunk: self._of_chunk(chunk, keys)

    def _of_chunk(self, chunk: Chunk, keys: Any) -> Any:
        if not chunk.n:
            return np.empty(0, np.int64) if self._depths else self._empty(chunk.X)
        with one_blas_thread():
            found, depth = self.cube._of_rows(chunk.X, keys_of(chunk, keys))
        if self._depths:
            return depth
        if self._tally is not None:
            self._tally += (depth < len(keys.names)).sum(), chunk.n
        if found.names and found.names != self.names:
            raise different_columns([list(self.names), list(found.names)])
        return found.values

    def _each_part(self, function: Callable[[Any, int], Any], parts: Sequence[int]) -> Iterator[Any]:
        """Yield a function of each part; rows without a model of their own are counted wherever it is computed."""
        lacking = np.zeros(2, np.int64)
        for found, some in current().map(partial(_counted, self, function), parts, self.base):
            lacking += some
            yield found
        if self._warn:
            warn_of_coarser(*lacking.tolist())


def _counted(outputs: CellOutputs, function: Callable[[Any, int], Any], part: int) -> tuple[Any, Codes]:
    """Return a function of the outputs and a part, and how many rows have no model of their own, of how many."""
    own = copy(outputs)
    own._tally = np.zeros(2, np.int64)
    return function(own, part), own._tally


def _first_model(cube: Cube) -> Any:
    """Return the learner of the first cell that has a model, of the finest key that has any."""
    level = cube._level
    for many in range(len(level.names), -1, -1):
        some = level if many == len(level.names) else cube._coarser(level.names[:many])
        solved = some.in_order[some.models.solved[some.in_order]]
        if len(solved):
            return some.bare(int(solved[0]))
    raise DataError(f"no cell has a model. {level.commonest_reason}")


def warn_of_coarser(lacking: int, rows: int) -> None:
    """Warn of rows that are predicted by the model of a coarser key."""
    if lacking:
        warn_user(
            f"{lacking:,} of {number_of(rows, 'row')} have no model of their own, and a coarser key's was used. "
            "return_level=True returns which"
        )
