"""Rows to learn from, and rows that are given to stop by: `fit(X, y, X_val=..., y_val=...)`.

Both are one source, whose last parts are the validation rows. So they are read by the same scans on any runner, and a
statistic knows them by their places. What columns and classes there are is learned from the other rows alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tenfold.core import Chunk, DataError, MatrixLike, Need, Schema, VectorLike
from tenfold.core.errors import naming
from tenfold.engine import Snapshot, current, opened, schema_of
from tenfold.estimator.shell.estimator import Estimator
from tenfold.sources import Source, as_source, is_lazy
from tenfold.sources.dask_frames import handed_on
from tenfold.sources.expressions.computed_columns import with_computed

PLACE = "the validation rows"
"""how errors name them"""


class ValidationRows(NamedTuple):
    """Validation rows as they are passed to `fit`."""

    X: MatrixLike
    y: VectorLike
    weight: VectorLike

    @property
    def given(self) -> bool:
        """Whether there are any; raise if something belongs to rows that are not given."""
        if self.X is None:
            for name, values in (("y_val", self.y), ("sample_weight_val", self.weight)):
                if values is not None:
                    raise ValueError(
                        f"{name} is provided, but X_val was not provided. Remedy: fit(X, y, X_val=X_val, y_val=y_val)"
                    )
            return False
        if self.y is None and not is_lazy(self.X):
            raise ValueError(
                "X_val is provided, but y_val was not provided. Remedy: fit(X, y, X_val=X_val, y_val=y_val), or a "
                "Source, which has a target: X_val=tenfold.scan(..., target=name)"
            )
        return True

    def source(self, rows: Source, need: Need, model: Any) -> Source:
        """The validation rows as a source with the columns of the rows to learn from."""
        known = None if rows.lazy or is_lazy(self.X) else model
        try:
            found = as_source(self.X, self.y, self.weight, need, model=known, reset=known is None)
            found = with_computed(found, rows.computed, rows.names)
        except ValueError as error:
            raise DataError(f"X_val: {error}") from error.__cause__
        if not found.has_target:
            raise DataError("the target of X_val is unknown. Remedy: X_val=tenfold.scan(..., target=name)")
        return found


class WithValidationRows(Source):
    """A source, and after its parts those of validation rows.

    Parameters
    ----------
    base : Source
    validation : Source
    """

    def __init__(self, base: Source, validation: Source) -> None:
        super().__init__()
        self.base, self.validation = base, validation.numbered_from(base.first_part + len(base))
        self.names, self.named, self.lazy, self.first_part = base.names, base.named, base.lazy, base.first_part
        both = base, validation
        counts = [one.n_rows for one in both]
        self.counted = None if None in counts else sum(rows for rows in counts if rows is not None)
        self.costly = any(one.costly for one in both)
        self.makes_sparse = any(one.makes_sparse for one in both)

    @property
    def begin(self) -> int:
        """The place of the first validation row."""
        return self.validation.first_row_id(0)

    def __len__(self) -> int:
        return len(self.base) + len(self.validation)

    def _of(self, part: int) -> tuple[Source, int]:
        """The source that has a part, and the number of the part there."""
        first = len(self.base)
        return (self.base, part) if part < first else (self.validation, part - first)

    @property
    def columns(self) -> Sequence[str]:
        return self.base.columns

    @property
    def computed(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        return self.base.computed

    @property
    def weighted(self) -> bool:
        return self.base.weighted or self.validation.weighted

    @property
    def outputs(self) -> int:
        return self.base.outputs

    @property
    def has_target(self) -> bool:
        return self.base.has_target

    def read(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        return self.chunks(part, need, schema)

    def chunks(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        source, number = self._of(part)
        if source is self.base:
            with handed_on(self, part, source, number) as at_once:
                chunks = source.chunks(number, need, schema)
                yield from list(chunks) if at_once else chunks
            return
        before = self.base.n_rows or 0
        with naming(PLACE), handed_on(self, part, source, number) as at_once:
            chunks = source.chunks(number, need, schema)
            for chunk in list(chunks) if at_once else chunks:
                chunk.X.place = f"{chunk.X.place}, of {PLACE}" if chunk.X.place else PLACE
                yield chunk._replace(part=part, offset=before + chunk.offset)

    def once(self, part: int, needs: int, columns: Sequence[str] = ()) -> Any:
        source, number = self._of(part)
        return source.once(number, needs, columns)

    def columns_read(self, need: Need, schema: Schema | None = None) -> Sequence[str]:
        return self.base.columns_read(need, schema)

    def known(self, need: Need) -> Schema | None:
        return self.base.known(need)

    def scans_for(self, need: Need) -> bool:
        return self.base.scans_for(need)

    def schema_of(self, part: int, need: Need) -> Schema:
        source, number = self._of(part)
        return source.schema_of(number, need)

    def in_memory(self) -> int:
        return self.base.in_memory() + self.validation.in_memory()

    def arrays(self) -> tuple[Any, ...]:
        return (*self.base.arrays(), *self.validation.arrays())

    # ---- rows that a cluster computes --------------------------------------------------------------

    def graph(self) -> Any:
        graphs = [one.graph() for one in (self.base, self.validation)]
        return None if graphs == [None, None] else self

    @property
    def engine(self) -> str:
        """The engine that computes parts."""
        found: str = next(g.engine for one in (self.base, self.validation) if (g := one.graph()) is not None)
        return found

    @property
    def key(self) -> str:
        """By which the engine knows the parts."""
        return self.fingerprint()

    def partitions(self, parts: Iterable[int]) -> list[Any]:
        """Return the task of each part, as nodes of the engine's graph; an empty one, if it is read otherwise."""
        from dask import delayed

        found: list[Any] = []
        for part in parts:
            source, number = self._of(part)
            graph = source.graph()
            found += [delayed(None)] if graph is None else graph.partitions([number])
        return found

    # ---- how it is recognised ----------------------------------------------------------------------

    def fingerprint(self) -> str:
        return f"{self.base.fingerprint()} + {self.validation.fingerprint()}"

    def fingerprint_later(self) -> Callable[[], str]:
        first, second = self.base.fingerprint_later(), self.validation.fingerprint_later()
        return lambda: f"{first()} + {second()}"


class TakesValidationRows(Estimator):
    """Base of learners that stop by validation rows, which may be given to `fit`.

    A subclass writes `validating(state, begin)`: the first state of a fit to rows of which those from a place on are
    validation rows.
    """

    def _fit(
        self,
        X: Any,
        y: Any,
        weight: Any,
        classes: Any = None,
        *given: Any,
        at: Snapshot | None = None,
        validation: ValidationRows | None = None,
        **more: Any,
    ) -> Any:
        """Fit as all learners do, with the validation rows after the others."""
        base: Any = super()
        if validation is None:
            return base._fit(X, y, weight, classes, *given, at=at, **more)
        fresh = self._blank()
        fresh._validate_params()
        fresh.check_validation()
        rows = as_source(X, y, weight, fresh.need, model=fresh, classes=classes)
        both = WithValidationRows(rows, validation.source(rows, fresh.need, fresh))
        if at is None:
            with opened(current(), rows) as session:
                schema = fresh.with_listed_categories(schema_of(rows, fresh.need, session))
            at = Snapshot(schema, fresh.start(schema))
        at = at._replace(state=fresh.validating(at.state, both.begin))
        return base._fit(both, None, None, classes, *given, at=at, **more)

    def check_validation(self) -> None:
        """Refuse parameters of a learner that does not look at validation rows."""

    def validating(self, state: Any, begin: int) -> Any:
        """The first state of a fit to rows of which those from a place on are validation rows."""
        raise NotImplementedError
