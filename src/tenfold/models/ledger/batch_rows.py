"""The rows that are appended to a ledger: by key, and as each learner takes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import pyarrow.compute as pc

from tenfold.core import DataError, MatrixLike
from tenfold.engine.cells.keys import key_column
from tenfold.models.ledger.batch_keys import key_of, key_order
from tenfold.sources import Source
from tenfold.sources.scan import scanned
from tenfold.sources.tables import ArrowSource

KEYS_AT_A_TIME = 10_000
"""different keys of one call, at most: as many leaves are written"""


@dataclass(frozen=True)
class BatchRows:
    """Which columns of appended rows are the key, the targets and the features.

    Parameters
    ----------
    key : str
        The column of the key.
    targets : dict of str to str, or None
        The target of each learner that has one; None: that of the rows.
    features : dict of str to sequence of str
        The features of some learners; of the others all columns that have no other role.
    """

    key: str
    targets: Mapping[str, str] | None
    features: Mapping[str, Sequence[str]]

    def source(self, rows: MatrixLike) -> Source:
        """Return rows of any form as a source."""
        found = scanned(rows)
        if found is not None:
            return found
        raise DataError(
            f"rows of type {type(rows).__name__} cannot be appended as they are. Remedy: a frame, or a source: "
            "ledger.append(tenfold.scan(X, y), key=...)"
        )

    def by_key(self, source: Source, key: Any) -> Iterator[tuple[str, Source]]:
        """Yield the rows of each key, sorted by it; all rows, if a key is given."""
        if key is not None:
            yield key_of(key), self._without_key(source)
            return
        if self.key not in source.columns:
            raise DataError(
                f"the rows have no column {self.key!r}, which says to which batch they belong. Remedy: "
                f"append(rows, key='2026-03-31'), or Ledger(..., key=) with the name of the column"
            )
        values: dict[str, Any] = {}
        for part in range(len(source)):
            for table in source.raw(part, [self.key]):
                column = key_column(table[self.key], self.key)
                if column.null_count:
                    raise DataError(
                        f"column {self.key!r} is missing in {column.null_count:,} rows, so they belong to no batch. "
                        "Remedy: fill it, or leave them out, tenfold.scan(..., where=...)"
                    )
                values |= {key_of(value.as_py()): value for value in column.unique()}
        if len(values) > KEYS_AT_A_TIME:
            raise DataError(
                f"column {self.key!r} has {len(values):,} different keys, and each is a batch with a file of its own. "
                "Remedy: a coarser key, such as the day"
            )
        alone = len(values) == 1
        for found in sorted(values, key=key_order):
            some = source if alone else source.only(pc.field(self.key) == values[found])
            yield found, self._without_key(some)

    def _without_key(self, source: Source) -> Source:
        return source.without(self.key) if self.key in source.names else source

    def rows_of(self, name: str, source: Source) -> Source:
        """Return the rows as a learner takes them, by its name: with its target and its features."""
        if self.targets is not None:
            source = _with_target(source, self.targets.get(name), self.targets.values())
        if name not in self.features:
            return source
        wanted = self.features[name]
        source.check_there(wanted)
        if gone := [column for column in wanted if column not in source.names]:
            raise DataError(f"{name}: {gone} are no features: they are the key, a target or weights")
        return source.without(*(column for column in source.names if column not in wanted))


def _with_target(source: Source, target: str | None, targets: Any) -> Source:
    """Return the same rows with another target; the targets of other learners are no features."""
    if not isinstance(source, ArrowSource):
        raise DataError(
            f"a {type(source).__name__} has no columns by name, and the ledger names its targets. Remedy: a frame, or "
            "files, tenfold.scan(...)"
        )
    if source.has_target and source.roles.target != target:
        raise DataError(
            "the rows have a target of their own, and the ledger names its targets. Remedy: scan them without one"
        )
    source.check_there([name for name in targets if name is not None])
    other = copy(source)
    other.roles = replace(source.roles, target=target)
    other.names = tuple(name for name in source.names if name not in {*targets})
    other._found = {}
    return other
