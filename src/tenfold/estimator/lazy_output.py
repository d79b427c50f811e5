"""Lazy outputs of a model for a source: a source themselves, computed when they are read.

Iterate over it, collect it, make it Arrow, or write it to Parquet, part by part: never more than a few parts
are in memory. It keeps target and weights of the rows it comes from, so a pipeline can go on with it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from html import escape
from pathlib import Path
from shutil import rmtree
from typing import Any, Self
from uuid import uuid4

import numpy as np
import scipy.sparse as sp

from tenfold.core import Chunk, Column, Columns, DataError, ModelFileError, Need, Schema, Values
from tenfold.core.axes import bits
from tenfold.core.certificate import number_of
from tenfold.core.contract import for_users
from tenfold.core.rows.columns import columns_class
from tenfold.core.schema import plain_columns
from tenfold.engine import current
from tenfold.engine.stages import in_form
from tenfold.estimator.files.encoding import params_digest
from tenfold.estimator.shell.sparse_interface import aligned
from tenfold.sources import Source, sequence_source
from tenfold.sources.label_codes import code, levels
from tenfold.sources.source import no_column

SHOWN_ROWS = 5
"""rows that are shown of outputs that have not been computed"""
MAX_COLUMNS = 10
"""columns that are shown of them"""


class Mapped(Source):
    """Outputs of a model for the rows of a source.

    Parameters
    ----------
    base : Source
    model : learner
        Fitted; only its parameters, state and schema are kept.
    how : callable
        From the columns of a chunk to an array with as many rows; for a model of sequences, from the chunk. It travels
        to the workers, with all that it holds.
    names : sequence of str
        Of the output's columns.
    need : Need, optional
        How the rows are read: as the model needs them, by default.
    schema : Schema, optional
        Schema of the outputs; by default, that of the model.
    """

    named = True
    named_by_step = True
    makes_sparse = True

    def __init__(
        self,
        base: Source,
        model: Any,
        how: Any,
        names: Sequence[str],
        need: Need | None = None,
        schema: Schema | None = None,
    ) -> None:
        super().__init__()
        self.base, self.how, self.names = base, how, tuple(names)
        self.costly = model.costly or base.costly
        self._maker = type(model).__name__
        self._need = model.need.without_target() if need is None else need
        self.at_hand = base.at_hand and self._need.sequence is None
        self._schema = Schema(model.schema_.columns, None, None, model.schema_.named) if schema is None else schema
        self._words = getattr(model, "columns_out", _numbers)(model.schema_, model.model_)
        learned = f"{bits(model.model_)} {model.schema_.names} {model.schema_.classes}"
        self._model = f"{type(model).__name__} {_params(model)} {learned}"

    def __len__(self) -> int:
        return len(self.base)

    @property
    def n_rows(self) -> int | None:
        return self.base.n_rows

    @property
    def weighted(self) -> bool:
        return self.base.weighted

    @property
    def columns(self) -> Sequence[str]:
        return self.base.columns

    def raw(self, part: int, columns: Sequence[str]) -> Iterator[Any]:
        return self.base.raw(part, columns)

    def preview(self, part: int, rows: int | None = None) -> Iterator[Any]:
        return map(self._table, self._pieces(part))

    @property
    def outputs(self) -> int:
        return self.base.outputs

    @property
    def has_target(self) -> bool:
        return self.base.has_target

    def output(self, at: int) -> Self:
        other = copy(self)
        other.base, other._found = self.base.output(at), {}
        return other

    def unweighted(self) -> Self:
        other = copy(self)
        other.base, other._found = self.base.unweighted(), {}
        return other

    def numbered_from(self, part: int) -> Self:
        other = super().numbered_from(part)
        if other is not self:
            other.base = self.base.numbered_from(part)
        return other

    def in_memory(self) -> int:
        return self.base.in_memory()

    def arrays(self) -> tuple[Any, ...]:
        return self.base.arrays()

    def graph(self) -> Any:
        return self.base.graph()

    # ---- as a source ---------------------------------------------------------------------------

    def scans_for(self, need: Need) -> bool:
        return "categorical" in need.every_kind or need.target == "class"

    def schema_of(self, part: int, need: Need) -> Schema:
        # Outputs are numbers, or the text and categories that a model hands on; the target is the base's.
        if need.kinds == "unused":
            mixed = self.schema_of(part, replace(need, kinds="mixed"))
            return Schema(tuple(Column(n, "unused") for n in self.names), mixed.target, mixed.classes, mixed.named)
        if self._words is not None or need.every_kind & {"categorical", "text", "date"}:
            return self._schema_of_words(part, need)
        below = replace(self._need, missing=True, sparse=False, target=need.target, binary=need.binary)
        found = self.base.schema_of(part, below) if need.target == "class" else None
        return Schema(plain_columns(self.names), need.target, None if found is None else found.classes, True)

    def read(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        yield from self._outputs(self.base.chunks, part, need, schema)

    def first_rows(self, part: int, need: Need, schema: Schema, rows: int) -> Iterator[Chunk]:
        # No more rows go through the model.
        yield from self._outputs(partial(self.base.first_rows, rows=rows), part, need, schema)

    def _outputs(self, chunks: Any, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        """Yield the outputs for chunks of the base."""
        output_of = self.of_part(part)
        below = replace(self._need, target=need.target, binary=need.binary, windows=False)
        side = tuple(dict.fromkeys((*self._need.side, *need.side)))
        below = replace(below, side=side, sequence=self._need.sequence if need.sequence is None else need.sequence)
        inner = Schema(self._schema.columns, need.target, schema.classes, self._schema.named)
        for chunk in chunks(part, below, inner):
            if need.kinds == "unused":
                none = np.zeros((chunk.n, len(self.names)), np.float32)
                yield chunk._replace(X=Columns(none, schema.names, offset=chunk.offset, kept=chunk.X.kept))
                continue
            if self._words is not None or not schema.plain:
                yield chunk._replace(X=self._coded(output_of(chunk), need, schema, chunk.X))
                continue
            found = in_form(output_of(chunk), need)
            found = found[:, None] if found.ndim == 1 else found
            names = schema.names if schema.named else self.names  # of a fit to an array, errors show those of the step
            given: Any = {"offset": chunk.offset, "kept": chunk.X.kept, "place": chunk.X.origin}
            X = Columns(found, names, missing=need.missing, **given)
            yield chunk._replace(X=X)

    # ---- text that is handed on --------------------------------------------------------------------

    def _schema_of_words(self, part: int, need: Need) -> Schema:
        """Return the schema of text outputs and numbers beside them, which are categories under a categorical need."""
        given = [column.categories is not None for column in self._words or plain_columns(self.names)]
        kinds = [need.kind_of(name) for name in self.names]
        as_text = [text and kind == "text" for text, kind in zip(given, kinds, strict=True)]
        words = [(text or kind == "categorical") and kind != "text" for text, kind in zip(given, kinds, strict=True)]
        for name, text in zip(self.names, given, strict=True):
            if need.kind_of(name) not in ("categorical", "mixed", "text" if text else "numeric"):
                raise DataError(
                    f"column {name!r} holds {'text' if text else 'numbers'}, made by the step before. Remedy: "
                    + ("put an encoder between, OneHotEncoder()" if text else "leave it out, or a learner of numbers")
                )
        below = replace(self._need, target=need.target, binary=need.binary)
        inner = Schema(self._schema.columns, need.target, None, self._schema.named)
        found = self.base.schema_of(part, below) if need.target == "class" else inner
        inner = replace(inner, classes=found.classes)
        each = zip(self.names, words, as_text, strict=True)
        columns = [Column(n, "categorical" if w else "text" if t else "numeric") for n, w, t in each]
        if not any(words):
            return Schema(tuple(columns), need.target, found.classes, True)
        output_of = self.of_part(part)
        for chunk in self.base.chunks(part, below, inner):
            said = _dense(output_of(chunk))
            for j in np.flatnonzero(words):
                some = Column(self.names[j], "categorical", levels(said[:, j], f"column {self.names[j]!r}"))
                columns[j] = columns[j] + some
        return Schema(tuple(columns), need.target, found.classes, True)

    def _coded(self, said: Any, need: Need, schema: Schema, X: Columns) -> Columns:
        """Return text outputs as codes of a schema, with numbers beside them."""
        said = _dense(said)
        each = [
            code(said[:, j], column.categories, f"column {column.name!r}")
            if column.categories is not None
            else said[:, j].astype(object if column.kind == "text" else np.float64)
            for j, column in enumerate(schema.columns)
        ]
        data = tuple(each)
        given: Any = {"offset": X.offset, "kept": X.kept, "place": X.origin}
        return columns_class(data)(data, schema.names, missing=need.missing, **given)

    def read_sequences(self, part: int, need: Need, schema: Schema) -> Iterator[Chunk]:
        return self.read(part, need, schema)

    def sequence_column(self, need: Need) -> str:
        return self.base.sequence_column(self._of_sequences(need))

    def sequence_ids(self, part: int, need: Need) -> sequence_source.Ids:
        return self.base.sequence_ids(part, self._of_sequences(need))

    def sequence_by_key(self, part: int, need: Need, key: Values) -> list[object]:
        return self.base.sequence_by_key(part, self._of_sequences(need), key)

    def _of_sequences(self, need: Need) -> Need:
        """Add the sequences of the rows to a need: those that it names, or the model's own."""
        return replace(need, sequence=self._need.sequence if need.sequence is None else need.sequence)

    def fingerprint(self) -> str:
        return f"outputs of {self._model} for {self.base.fingerprint()}"

    # ---- what is shown ---------------------------------------------------------------------------

    def __repr__(self) -> str:
        found = self._first_outputs(SHOWN_ROWS)
        numbers = None if found is None else np.array2string(found, precision=4, separator=", ", threshold=MAX_COLUMNS)
        first = "" if numbers is None else f"; first rows: {' '.join(numbers.split())}"
        return f"<{self._size}{first}>"

    def _repr_html_(self) -> str:
        found = self._first_outputs(SHOWN_ROWS)
        table = np.empty((0, len(self.names))) if found is None else found.reshape(len(found), -1)
        more = ["…"] if len(self.names) > MAX_COLUMNS else []
        cell = "<td style='text-align:right'>{}</td>".format
        rows = (
            [f"{value:.6g}" if isinstance(value, float) else escape(str(value)) for value in row[:MAX_COLUMNS]] + more
            for row in table.tolist()
        )
        body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
        head = "".join(f"<th>{escape(name)}</th>" for name in [*self.names[:MAX_COLUMNS], *more])
        return (
            f"<table class='tenfold-source'><caption>{escape(self._size)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    @property
    def _size(self) -> str:
        """Whose output it is, and how much."""
        parts, base = number_of(len(self), "part"), self.base
        while isinstance(base, Mapped):
            base = base.base
        count = "" if base.counted is None else number_of(base.counted, "row")
        rows = f"{count} in {parts}" if count else f"{parts}, rows not counted yet"
        return f"Output of {self._maker}: {rows}, {number_of(len(self.names), 'column')}"

    def _first_outputs(self, rows: int) -> Any:
        """Return the outputs for the first rows, if these are at hand and can be used; else None."""
        if not self.at_hand:
            return None
        try:
            return self.first_outputs(rows)
        except (ValueError, OSError):  # which reading it will tell
            return None

    def first_outputs(self, rows: int) -> Any:
        """Return the outputs for the first rows of the first part; None if it has none."""
        chunks = self.base.unweighted().first_rows(0, self._need, self._schema, rows)
        pieces = list(map(self.of_part(0), chunks))
        found: Any = joined(pieces)[:rows] if pieces else None
        return found.toarray() if sp.issparse(found) else found

    # ---- reading it ----------------------------------------------------------------------------

    def _pieces(self, part: int) -> list[Any]:
        return list(map(self.of_part(part), self.base.unweighted().chunks(part, self._need, self._schema)))

    def of_part(self, part: int) -> Callable[[Chunk], Any]:
        """Return the function that gives the outputs for the chunks of a part, in order."""
        return lambda chunk: self.how(chunk.X if self._need.sequence is None else chunk)

    def __iter__(self) -> Iterator[Any]:
        """The output of one part after the other."""
        for pieces in self._each_part(lambda outputs, part: outputs._pieces(part), range(len(self))):
            yield joined(pieces)

    def _each_part(self, function: Callable[[Any, int], Any], parts: Sequence[int]) -> Iterator[Any]:
        """Yield a function of these outputs and each of some parts, in order."""
        return current().map(partial(function, self), parts, self.base)

    @for_users
    def collect(self) -> Any:
        """Collect all outputs in one array, or in one CSR matrix if the model returns CSR."""
        return aligned(joined(list(self)))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the collected array, for scikit-learn's metrics. The first part is computed to find it."""
        rows = self.n_rows
        first = joined(self._pieces(0)) if rows is not None else self.collect()
        return (first.shape[0] if rows is None else rows, *first.shape[1:])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return all outputs in memory, for scikit-learn's metrics and plots; equal to `collect`."""
        found = self.collect()
        if sp.issparse(found):
            raise DataError("sparse outputs cannot become an array. Remedy: collect() gives a CSR matrix")
        return np.asarray(found, dtype)

    @for_users
    def to_arrow(self) -> Any:
        """Return all outputs as an Arrow table."""
        import pyarrow as pa

        return pa.concat_tables([self._table(found) for found in self])

    def _table(self, found: Any) -> Any:
        import pyarrow as pa

        found = found.toarray() if sp.issparse(found) else found
        columns = [found] if found.ndim == 1 else list(found.T)
        kinds = [pa.string() if found.dtype.kind in "OUT" else None] * len(columns)  # also where there are no rows
        if self._words is not None:
            kinds = [pa.string() if column.categories is not None else None for column in self._words]
        each = zip(self.names, columns, kinds, strict=True)
        return pa.table({n: pa.array(np.ascontiguousarray(c), kind) for n, c, kind in each})

    @for_users
    def to_parquet(self, path: Any, keep: Sequence[str] = ()) -> list[str]:
        """Write one file for each part into a folder, or all rows into one file.

        Files of an earlier, interrupted call are kept.

        Parameters
        ----------
        path : str or path
            A folder, made if it is not there; outputs of another source or model in it are an error. Or one file, whose
            name ends in `.parquet`: it is written whole or not at all, and takes the place of an earlier one.
        keep : list of str
            Columns of the source to write next to the outputs.

        Returns
        -------
        paths : list of str
        """
        keep = [keep] if isinstance(keep, str) else list(keep)
        if lost := sorted({*keep} - {*self.columns}):
            told = str(no_column(lost[0], self.columns))
            raise DataError(f"columns {lost} to keep are missing: {told}")
        if twice := sorted({*keep} & {*self.names}):
            raise DataError(f"columns {twice} are outputs too. Remedy: rename them in the source")
        path = Path(path)
        if path.suffix == ".parquet" and not path.is_dir():
            return [str(self._in_one_file(path, keep))]
        path.mkdir(parents=True, exist_ok=True)
        return [str(part) for part in self._in_folder(path, keep)]

    def _in_folder(self, folder: Path, keep: list[str]) -> list[Path]:
        """Write a file for each part that is not there yet."""
        note = folder / "_tenfold.json"
        beside = folder / "another.parquet"
        remedy = f"Remedy: one file beside them, to_parquet({str(beside)!r}), or another folder, or empty it"
        mark = {"source": self.fingerprint(), "columns": [*keep, *self.names], "parts": len(self)}
        if note.exists() and note.read_text() != json.dumps(mark):
            raise DataError(f"{folder} holds outputs for other rows, or of another model. {remedy}")
        if not note.exists() and any(folder.iterdir()):
            raise DataError(f"{folder} is not empty. {remedy}")
        note.write_text(json.dumps(mark))
        paths = [folder / f"part-{part:06d}.parquet" for part in range(len(self))]
        left = [part for part, path in enumerate(paths) if not path.exists()]
        for _ in self._each_part(lambda outputs, part: outputs._write(part, paths[part], keep), left):
            pass
        return paths

    def _in_one_file(self, path: Path, keep: list[str]) -> Path:
        """Write the parts into a folder beside the file, whose name begins with a dot, and join them in order."""
        import pyarrow.parquet as pq

        mark = blake2b(f"{self.fingerprint()} {keep}".encode(), digest_size=8).hexdigest()
        folder = path.with_name(f".{path.stem}.{mark}.parts")
        folder.mkdir(parents=True, exist_ok=True)
        parts = [part for part in self._in_folder(folder, keep) if part.exists()]
        temporary = folder / f"{uuid4().hex}.tmp"
        schema = pq.read_schema(parts[0])
        with pq.ParquetWriter(temporary, schema) as writer:
            for part in parts:
                with pq.ParquetFile(part) as file:
                    for group in range(file.num_row_groups):
                        writer.write_table(file.read_row_group(group).cast(schema))
        os.replace(temporary, path)
        rmtree(folder, ignore_errors=True)
        return path

    def _write(self, part: int, path: Path, keep: list[str]) -> None:
        """One file, whole or not at all."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        temporary = path.with_name(f".{path.stem}.{uuid4().hex}.tmp")  # with a dot: nobody takes it for data
        writer = None
        along = self._need.sequence is not None  # a part has the sequences that begin in it
        kept = iter(self.raw(part, keep)) if keep and not along else None
        beside = next(kept) if kept is not None else pa.table({})  # of no rows, if `where` leaves none
        try:
            need = replace(self._need, side=(*self._need.side, *keep)) if along else self._need
            output_of = self.of_part(part)
            for chunk in self.base.unweighted().chunks(part, need, self._schema):
                table = self._table(output_of(chunk))
                for at, name in enumerate(keep if along else ()):
                    table = table.add_column(at, name, pa.array(chunk.side[name]))
                if kept is not None:
                    while beside.num_rows < table.num_rows:  # other columns may come in other batches
                        beside = pa.concat_tables([beside, next(kept)])
                    for at, name in enumerate(keep):
                        table = table.add_column(at, beside.schema.field(name), beside.column(name)[: table.num_rows])
                    beside = beside.slice(table.num_rows)
                writer = writer or pq.ParquetWriter(temporary, table.schema)
                writer.write_table(table)
            if writer is not None:
                writer.close()
                os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def _numbers(schema: Schema, model: Any) -> None:
    """Return the outputs of a model that is not a transformer, which are never text."""


def joined(pieces: list[Any]) -> Any:
    """Outputs, one below the other."""
    return sp.vstack(pieces, format="csr") if sp.issparse(pieces[0]) else np.concatenate(pieces)


def _dense(found: Any) -> Any:
    """Outputs as an array with a column for each."""
    found = found.toarray() if sp.issparse(found) else found
    return found[:, None] if found.ndim == 1 else found


def _params(model: Any) -> str:
    """Return a key of a model's parameters; a function that no file can hold is identified within this process."""
    try:
        return params_digest(model)
    except ModelFileError:
        return repr(sorted(model.get_params(deep=False).items()))
