"""Where rows come from: an ordered list of parts, and a schema for each need. All that is asked of a source is here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from difflib import get_close_matches
from html import escape
from typing import Any, NoReturn, Self

import numpy as np
import pyarrow as pa

from tenfold.core import AnyColumn, Chunk, Codes, DataError, Need, Schema, Values, VectorLike
from tenfold.core.certificate import number_of
from tenfold.core.contract import for_users, is_marked
from tenfold.core.rows.chunk import ROW_IDS_PER_LEVEL, ROW_IDS_PER_PART
from tenfold.core.rows.row_table import RowTable
from tenfold.sources import sequence_source, validation
from tenfold.sources.group_by import GroupedRows

SHOWN_NAMES = 20
"""columns that an error names, if one is not there"""


class Source(ABC):
    """Ordered list of parts, each of which any worker can load by itself.

    A part is loaded as a view for one need; the same rows serve several learners in several
    views. What a column or the target holds is itself found by merging: each part has a schema,
    and schemas add up.

    A subclass brings `__len__`, `read`, `scans_for`, `schema_of` and `fingerprint`; whoever wants
    rows calls `chunks`, which checks what `read` gives.
    """

    names: tuple[str, ...]
    """of the columns that are features"""
    named: bool = False
    """whether the user gave the names"""
    named_by_step: bool = False
    """whether they are those that a model gives to its outputs"""
    sequence: str | None = None
    """the column with the sequence id of each row, if the user named it"""
    counted: int | None = None
    """how many rows there are; None if rows must be read to know"""
    weight: VectorLike = None
    """of each row, if weights were given with the rows"""
    lazy: bool = True
    """whether outputs for the rows are sources too; arrays that a user passes get arrays"""
    makes_sparse: bool = False
    """whether rows are made for a need, sparse ones if it takes them; all others have their rows in one form"""
    at_hand: bool = False
    """whether the first rows take no time: they are in memory, or in a file on this machine"""
    costly: bool = False
    """whether rows are slow to make, so that they are held, in memory or files, for an iterative learner"""

    def __init__(self) -> None:
        self._found: dict[Need, Schema] = {}
        self._warned: set[str] = set()
        self.side: dict[str, str | AnyColumn] = {}
        """side columns under every need: an entry for each row, or the name of a column"""
        self.runs: dict[tuple[str, int], sequence_source.Runs] = {}
        """by id column and part: the first and last sequences of the part, once they have been read"""
        self.whole_sequences: set[str] = set()
        """id columns that have been checked: in all parts, the rows of each sequence are consecutive"""
        self.first_part = 0
        """from which parts are numbered when rows are drawn: a model that learns more goes on where it was"""

    def __copy__(self) -> Self:
        """Copy all attributes, also those that are not sent to workers; sequences of other rows may begin elsewhere."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.runs, other.whole_sequences = {}, set()
        return other

    # ---- what there is ---------------------------------------------------------------------------

    @abstractmethod
    def __len__(self) -> int:
        """How many parts there are."""

    @property
    @for_users
    def n_rows(self) -> int | None:
        """How many rows there are, if they can be counted without computing them."""
        return self.counted

    @property
    @for_users
    def n_parts(self) -> int:
        """How many parts there are: row groups of files, partitions of Dask, slices of an array."""
        return len(self)

    @for_users
    def head(self, rows: int = 5) -> RowTable:
        """Return the first rows for inspection: all columns, in their original types.

        Parameters
        ----------
        rows : int, default=5

        Returns
        -------
        table : RowTable
            Print it, show it in a notebook, or make a frame of it: `.to_pandas()`, `.to_polars()`, `.to_arrow()`.

        Examples
        --------
        >>> import pandas as pd, tenfold as tn
        >>> rows = tn.scan(pd.DataFrame({"size": [1, 2, 3], "price": [2.0, 4.0, 6.0]}), target="price")
        >>> rows.head(2)
        size  price
           1      2
           2      4
        """
        if rows < 0:
            raise DataError(f"head takes a number of rows, and {rows} is negative. Remedy: head({-rows})")
        return RowTable(self._first(rows))

    def _first(self, rows: int) -> pa.Table:
        found: list[pa.Table] = []
        for part in range(len(self)):
            for table in self.preview(part, max(rows, 1)):
                found.append(table.slice(0, rows))
                rows -= found[-1].num_rows
                if rows <= 0:
                    return _stacked(found)
        return _stacked(found)

    @for_users
    def sample(self, rows: int = 100, random_state: int = 0) -> RowTable:
        """Return rows drawn at random without replacement, in their order: all columns, in their original types.

        Parameters
        ----------
        rows : int, default=100
            How many to draw; all, if there are fewer.
        random_state : int, default=0
            The seed.

        Returns
        -------
        table : RowTable
            Print it, show it in a notebook, or make a frame of it: `.to_pandas()`, `.to_polars()`, `.to_arrow()`.

        Examples
        --------
        >>> import pandas as pd, tenfold as tn
        >>> tn.scan(pd.DataFrame({"size": range(1_000)})).sample(3).num_rows
        3
        """
        if rows < 1:
            raise DataError(f"sample takes a number of rows, and {rows} is less than one. Remedy: sample(100)")
        counted = self.n_rows
        total = sum(t.num_rows for part in range(len(self)) for t in self.preview(part)) if counted is None else counted
        left = np.sort(np.random.default_rng(random_state).choice(total, min(rows, total), replace=False))
        found, start = [self._first(0)], 0
        for part in range(len(self)):
            for table in self.preview(part):
                here = left[(left >= start) & (left < start + table.num_rows)]
                found.append(table.take(pa.array(here - start)))
                start += table.num_rows
        return RowTable(_stacked(found))

    @for_users
    def describe(self, *, target: str = "auto", top: int = 10) -> Any:
        """Describe the columns in one pass: missing values, quantiles, frequent values, and the target by value.

        Parameters
        ----------
        target : {"auto", "class", "number", "none"}, default="auto"
            How the target of the rows enters; "none" ignores it.
        top : int, default=10
            Values of a column that are listed, or intervals of about equal weight into which numbers are cut.

        Returns
        -------
        description : Description
            Print it, show it in a notebook, or draw it: `tenfold.display.ProfileDisplay(description).plot()`.

        Examples
        --------
        >>> import pandas as pd, tenfold as tn
        >>> rows = tn.scan(pd.DataFrame({"size": [1, 2, 2, 4], "back": ["no", "yes", "no", "no"]}), target="back")
        >>> print(rows.describe())
        column  kind    missing  distinct  min  median  max  mean  std   values  target 'yes' from, to
        size    number  0        3         1    2       4    2.25  1.09          0 % (1) to 50 % (2)
        4 rows; target: 'no' 75 %, 'yes' 25 %
        """
        import tenfold  # whose names are loaded when they are used: the learner is on a floor above

        return tenfold.Profile(target=target, top=top).fit(self).describe()

    @for_users
    def to_arrow(self) -> pa.Table:
        """Return all rows as an Arrow table in memory."""
        return _stacked([table for part in range(len(self)) for table in self.preview(part)])

    @for_users
    def to_pandas(self) -> Any:
        """Return all rows as a frame of pandas."""
        return self.to_arrow().to_pandas()

    @for_users
    def to_polars(self) -> Any:
        """Return all rows as a frame of polars."""
        import polars

        return polars.from_arrow(self.to_arrow())

    @property
    @for_users
    def schema(self) -> pa.Schema:
        """The names and Arrow types of all columns."""
        return self._first(1).schema

    def preview(self, part: int, rows: int | None = None) -> Iterator[pa.Table]:
        """Yield the rows of a part as tables for users; with `rows`, at least the first n of them."""
        return self.raw(part, self.columns)

    def __repr__(self) -> str:
        count = "rows not counted yet" if self.counted is None else number_of(self.counted, "row")
        said = f"{count} in {number_of(len(self), 'part')}, {number_of(len(self.names), 'feature')}"
        return f"<{type(self).__name__}: {said}{self.role_text()}>"

    def role_text(self) -> str:
        """Return the target and weights, for the repr."""
        return ", weighted" if self.weighted else ""

    def _repr_html_(self) -> str:
        roles = dict.fromkeys(self.names, "feature")
        roles |= {name: role for role in ("target", "weight", "sequence") for name in self.columns_of(role)}
        cell = "text-align:left"
        rows = "".join(
            f"<tr><td style='{cell}'><b>{escape(field.name)}</b></td><td style='{cell}'>{escape(str(field.type))}</td>"
            f"<td style='{cell}'>{roles.get(field.name, '')}</td></tr>"
            for field in self.schema
        )
        head = "".join(f"<th style='{cell}'>{title}</th>" for title in ("column", "type", "role"))
        return (
            f"<table class='tenfold-source'><caption>{escape(repr(self)[1:-1])}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        )

    def columns_of(self, role: str) -> tuple[str, ...]:
        """Return the names of the columns with a role: target, weight or sequence."""
        return ()

    def __dir__(self) -> list[str]:
        names = object.__dir__(self)
        marked = {name for cls in type(self).__mro__ for name, value in vars(cls).items() if is_marked(value)}
        return sorted({"names", *marked, *(name for name in names if name.startswith("_"))})

    @property
    def weighted(self) -> bool:
        """Whether the rows have weights of their own."""
        return self.weight is not None

    @property
    @for_users
    def columns(self) -> Sequence[str]:
        """The names of all columns that `raw` reads and that may come along, features or not; none, of unnamed ones."""
        return ()

    @abstractmethod
    def fingerprint(self) -> str:
        """A short text by which this data is recognised."""

    def fingerprint_later(self) -> Callable[[], str]:
        """Return a function that computes the fingerprint of the current rows, also if they change later."""
        text = self.fingerprint()
        return lambda: text

    def fingerprints(self, y: VectorLike, weight: VectorLike) -> set[str]:
        """Return the possible fingerprints of the rows: in memory, with this target and these weights or without."""
        return {self.fingerprint()}

    def in_memory(self) -> int:
        """Bytes of rows that this process has: workers elsewhere would need a copy. 0 if they read by themselves."""
        return 0

    def arrays(self) -> tuple[Any, ...]:
        """Return all arrays of the rows in this process, of which a fingerprint samples a few."""
        return ()

    def target_values(self) -> Values | None:
        """The target of every row, if this process has it; else None."""
        return None

    def graph(self) -> Any:
        """The source whose parts are nodes of a cluster's own graph, or None: a worker can load a part by itself."""
        return None

    @property
    def outputs(self) -> int:
        """Return the number of target columns if the target is a table; 0 for a single column or no target."""
        return 0

    def file_starts(self, starts: Codes | None = None) -> Codes | None:
        """Return the number of the first row of each file that has rows; None of rows that are not read from files.

        Parameters
        ----------
        starts : array, optional
            Where each part begins and the last one ends, if the source does not know it.

        Returns
        -------
        rows : array or None
        """
        return None

    @property
    def has_target(self) -> bool:
        """Whether the rows have a target, of one column or several."""
        return bool(self.outputs) or self.target_values() is not None

    # ---- the same rows otherwise -----------------------------------------------------------------

    def output(self, at: int) -> Self:
        """The same rows with one column of their target, which has several."""
        raise DataError("the target of these rows is a single column")

    @for_users
    def unweighted(self) -> Self:
        """The same rows, each of which counts once: also those of weight zero."""
        if not self.weighted:
            return self
        other = copy(self)
        other.weight, other._found = None, {}
        return other

    @for_users
    def without(self, *columns: str) -> Self:
        """Return the same rows without some columns as features, which may still serve as folds or groups."""
        self.check_there(columns)
        other = copy(self)
        other.names = tuple(n for n in self.names if n not in columns)
        other._found = {}
        return other

    @for_users
    def with_columns(self, /, **expressions: Any) -> Source:
        """Return the same rows with columns that are computed from others, while the rows are read.

        A model that is fitted to them keeps the expressions, also in its file, and computes these columns when it
        predicts. New columns are features; a column with a name that is there already is replaced.

        Parameters
        ----------
        **expressions : ColumnExpression
            Of `tenfold.col` and `tenfold.when`, by the name of the column. All are computed from the columns as they
            were before this call.

        Returns
        -------
        rows : Source

        Examples
        --------
        >>> import pandas as pd, tenfold as tn
        >>> orders = tn.scan(pd.DataFrame({"price": [2.0, 3.0, 5.0], "items": [1, 2, 4], "late": [0, 0, 1]}), "late")
        >>> rows = orders.with_columns(value=tn.col("price") * tn.col("items"))
        >>> model = tn.DecisionTreeClassifier().fit(rows)
        >>> model.predict(pd.DataFrame({"price": [6.0], "items": [5]}))
        array([1])
        """
        raise DataError(
            f"columns cannot be computed for a {type(self).__name__}, which has no named columns of its own. Remedy: a "
            "frame or files, tenfold.scan(...).with_columns(...), before any model"
        )

    @property
    def computed(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Names and expressions of computed columns, for each call of `with_columns`."""
        return ()

    @for_users
    def only(self, where: Any) -> Self:
        """Those of the rows for which an expression of `pyarrow.compute` holds."""
        raise DataError(
            "`where` selects rows of files and of frames in memory only. Remedy: filter the rows before tenfold.scan"
        )

    @for_users
    def group_by(self, *by: str) -> GroupedRows:
        """Return the rows by the values of some columns, of which `fit` makes a model for each key, from one scan.

        Parameters
        ----------
        *by : str
            The columns of the key, from the coarsest to the finest. They are not features.

        Returns
        -------
        rows : GroupedRows

        Examples
        --------
        >>> import pandas as pd, tenfold as tn
        >>> sales = pd.DataFrame({"store": [1, 1, 2, 2], "size": [1.0, 2.0, 1.0, 2.0], "price": [1.0, 3.0, 4.0, 5.0]})
        >>> cube = tn.scan(sales, target="price").group_by("store").fit(tn.LinearRegression())
        >>> cube[2].coef_.round(6)
        array([1.])
        """
        self.check_there(by)
        return GroupedRows(self, by)

    def with_side(self, name: str, values: str | AnyColumn) -> Self:
        """The same rows; as `chunk.side[name]` an entry for each comes along, or the column that is named."""
        if isinstance(values, str):
            self.check_there([values])
        other = copy(self)
        other.side = {**self.side, name: values}
        return other

    def given_side(self) -> list[AnyColumn]:
        """Return the side columns that are arrays with an entry for each row."""
        return [values for values in self.side.values() if not isinstance(values, str)]

    def numbered_from(self, part: int) -> Self:
        """The same rows, drawn as if the parts before this one were others."""
        if part == self.first_part:
            return self
        other = copy(self)
        other.first_part = part
        return other

    # ---- rows ------------------------------------------------------------------------------------

    @abstractmethod
    def read(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        """Yield one part in pieces that fit in memory, as `chunks` does, without the checks that all sources share."""

    def chunks(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        """Yield one part in pieces that fit in memory (one, unless it is large), as a need requires.

        Categories and classes are coded by the schema. Unsuitable values raise an error.
        """
        if need.output is not None:
            yield from self.output(need.output).chunks(part, need.for_output(None), schema)
            return
        self.check_columns(schema)
        read = self.read if need.sequence is None else self.read_sequences
        for chunk in read(part, need, schema):
            yield validation.check_chunk(chunk, need, schema, self.target_error)

    def read_sequences(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        """Yield the sequences that begin in one part, whole: `read` for a need of sequences."""
        return sequence_source.read(self, part, need, schema)

    def sequences_unseen(self, need: Need) -> bool:
        """Whether one of a need's sequences may come back after others; within a part `read_sequences` sees it."""
        return need.sequence is not None and len(self) > 1 and self.sequence_column(need) not in self.whole_sequences

    def sequence_ids(self, part: int, need: Need) -> sequence_source.Ids:
        """Return the sequence ids of a part, for a need of sequences; those of all parts merge."""
        return sequence_source.ids_in(self, part, self.sequence_column(need))

    def sequence_by_key(self, part: int, need: Need, key: Values) -> list[object]:
        """The id of the sequence with a key of `sequence_ids`, if a part has it."""
        return sequence_source.named_by(self, part, self.sequence_column(need), key)

    def first_rows(self, part: int, need: Need, schema: Schema, rows: int) -> Iterator[Chunk]:
        """Yield the first n rows of a part, including those of weight zero: like `read`, but no more than needed."""
        for chunk in self.read(part, need, schema):
            some = int(np.searchsorted(chunk.X.numbers(), chunk.offset + rows))
            yield chunk if some == chunk.n else chunk.rows(slice(0, some))
            rows -= chunk.n + chunk.dropped
            if rows <= 0:
                return

    def raw(self, part: int, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield some columns of one part, as Arrow tables that fit in memory; also rows of weight zero."""
        self.check_there(columns)
        raise NotImplementedError

    def load(self, part: int, need: Need, schema: Schema) -> Chunk:
        """One part that is no larger than one piece."""
        (chunk,) = self.chunks(part, need, schema)
        return chunk

    @contextmanager
    def once(self, part: int, needs: int, columns: Sequence[str] = ()) -> Iterator[None]:
        """Read a part once for n needs in this block: what was read may be kept for the next.

        columns: those that they read, if several do.
        """
        yield

    def columns_read(self, need: Need, schema: Schema | None = None) -> Sequence[str]:
        """The names of the stored columns that `chunks` reads; without a schema, of those that it is found in."""
        return ()

    def first_row_id(self, part: int) -> int:
        """Return the row id of the first row of a part."""
        return (self.first_part + part) % (ROW_IDS_PER_LEVEL // ROW_IDS_PER_PART) * ROW_IDS_PER_PART

    # ---- schemas ---------------------------------------------------------------------------------

    @abstractmethod
    def scans_for(self, need: Need) -> bool:
        """Whether all parts must be read to know the schema."""

    @abstractmethod
    def schema_of(self, part: int, need: Need) -> Schema:
        """The schema of one part: its columns, categories and classes."""

    def known(self, need: Need) -> Schema | None:
        """Return the schema for a need if no scan is required, else None. Side columns do not change it."""
        need = need.of_schema()
        if need not in self._found and not self.scans_for(need):
            self._found[need] = self.schema_for(0, need)
        return self._found.get(need)

    def schema_for(self, part: int, need: Need) -> Schema:
        """The schema of one part for a need, which may be of one column of a target of several."""
        if need.output is None:
            return self.schema_of(part, need)
        return self.output(need.output).schema_of(part, need.for_output(None))

    def remember(self, need: Need, schema: Schema) -> Schema:
        """Keep a schema that a scan has found."""
        need = need.of_schema()
        self.check_schema(need, schema)
        return self._found.setdefault(need, schema)

    # ---- checks ----------------------------------------------------------------------------------

    def check_columns(self, schema: Schema) -> None:
        """Refuse a schema of other columns, before anything is read."""
        validation.check_columns(self.names, self.named, schema)

    def check_there(self, columns: Sequence[str]) -> None:
        """Refuse columns that are not there, by name."""
        for name in columns:
            if not self.columns:
                raise DataError(
                    f"rows without named columns have no column {name!r}. Remedy: give a frame, or an array"
                )
            if name not in self.columns:
                raise no_column(name, self.columns)

    def check_schema(self, need: Need, schema: Schema) -> None:
        """Refuse, or warn of, categories that are hardly meant as such; the schema is of all rows."""
        self._check_categories(need, schema, set(), "give a frame in which the column has the type category")

    def _check_categories(self, need: Need, schema: Schema, chosen: set[str], keep: str) -> None:
        validation.refuse_continuous_categories(schema, need, chosen)
        self._warned |= validation.warn_of_numbers_as_text(schema, need, chosen | self._warned, keep)

    def sequence_column(self, need: Need) -> str:
        """Return the column with the sequence id of each row."""
        name = need.sequence or self.sequence
        if name is None:
            raise DataError(
                "the sequence of each row is unknown. Remedy: name the column of sequence ids, tenfold.scan(..., "
                "sequence=...)"
            )
        if name in self.names and name not in self.side:
            raise DataError(
                f"column {name!r} identifies the sequence of each row, and is also a feature. Remedy: "
                f"tenfold.scan(..., sequence={name!r})"
            )
        return name

    def target_error(self, part: int, row: int) -> DataError:
        """Return the error of a missing or infinite target in a row."""
        return DataError(
            f"Input y contains NaN or infinity: the target is missing or not finite in row {row}. Remedy: leave out "
            "the rows without a target"
        )

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise DataError(
            "a Source has no rows in memory, so it cannot become an array. Give it to a tenfold "
            "learner, or load the rows yourself and pass an array"
        )


def _stacked(tables: list[pa.Table]) -> pa.Table:
    """Concatenate tables; an unused column with different types becomes text."""
    for name in tables[0].column_names:
        if len({table.schema.field(name).type for table in tables}) == 1:
            continue
        for k, table in enumerate(tables):
            said = [None if v is None else str(v) for v in table[name].to_pylist()]
            tables[k] = table.set_column(table.column_names.index(name), name, pa.array(said, pa.string()))
    return pa.concat_tables(tables)


def _listed_names(names: Sequence[str]) -> str:
    """The first names, and how many there are in all if there are more."""
    if len(names) <= SHOWN_NAMES:
        return str(list(names))
    return f"{len(names):,}: {list(names)[: SHOWN_NAMES // 2]!r}, and others"


def no_column(name: str, names: Sequence[str]) -> DataError:
    """Return the error of a missing column, with similar names, or with the separator that a file seems to have."""
    for separator in (";", "\t", "|") if len(names) == 1 else ():
        if name in str(names[0]).split(separator):
            return DataError(
                f"there is no column {name!r}: there is one column alone, {names[0]!r}, so columns of the file seem "
                f"to be separated by {separator!r}. Remedy: tenfold.scan(pandas.read_csv(path, sep={separator!r}), ...)"
            )
    near = get_close_matches(str(name), [str(n) for n in names], 3)
    hint = f"; did you mean {near}?" if near else f"; there are {_listed_names(names)}"
    return DataError(f"there is no column {name!r}{hint}")
