"""The rows of an SQL query, batch by batch from the database into a temporary file that is mapped.

The query is run once. Whatever the learner reads afterwards are the same rows in the same order, also if the table
changes meanwhile or the database gives rows in another order each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

from tenfold.core import DataError
from tenfold.sources.files.spool import spool

READING_KEYWORDS = {
    "select",
    "with",
    "values",
    "table",
    "from",
    "show",
    "describe",
    "desc",
    "summarize",
    "pivot",
    "unpivot",
}
"""how a statement begins that gives rows and changes nothing"""
WRITING_KEYWORDS = {("insert", "into"), ("insert", "or"), ("delete", "from"), ("merge", "into"), ("replace", "into")}
"""how a part of one begins that does not"""
SQL_WORD = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$|\w+|[();]""",
    re.DOTALL,
)
"""words, brackets and semicolons of SQL; texts, quoted names and comments are one each"""
FETCHED_ROWS = 1 << 16
"""rows that are fetched at a time"""


def read_query(query: object, connection: Any) -> pa.Table:
    """Run a query and return its rows as a table that is memory-mapped from a file."""
    if not isinstance(query, str):
        raise DataError(f"with a connection, the data is an SQL query as text, not a {type(query).__name__}")
    _refuse_writing(query)
    engine = _engine(connection)
    try:
        batches = _batches(query, engine)
        # a column that is all null at first gets its type later, so that types may differ from batch to batch
        tables = [spool(some, None, "the query") for _, some in groupby(batches, lambda batch: str(batch.schema))]
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"the query failed: {error}. Remedy: try it in the database first. It was: {query}") from error
    finally:
        if isinstance(connection, str):
            engine.dispose()
    if not tables:
        raise DataError(f"there are no rows in the query {query}")
    names = tables[0].column_names
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(f"columns {twice} appear more than once in the query. Remedy: SELECT ... AS another name")
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise DataError(
            f"a column of the query changes its type from row to row: {error}. Remedy: CAST it in the query. It was: "
            f"{query}"
        ) from None


def _refuse_writing(query: str) -> None:
    """Refuse a statement that would change the database: only queries that read are run."""
    found = (match[0] for match in SQL_WORD.finditer(query))
    words = [word.lower() for word in found if not word.startswith(("'", '"', "`", "--", "/*", "$"))]
    first = next((word for word in words if word not in "()"), "")
    verb = "" if first in READING_KEYWORDS else first or "nothing"
    for k, word in enumerate(words[1:], 1):
        after = words[k + 1] if k + 1 < len(words) else ""
        if word == ";" and after not in ("", ";"):
            verb = verb or f"; {after}"
        if word == "into" or (
            # a verb stands after the tables of WITH, or at the start of one; else it is the name of a column
            words[k - 1] in "()"
            and ((word, after) in WRITING_KEYWORDS or (word == "update" and "set" in words[k + 2 :]))
        ):
            verb = verb or word
    if verb:
        raise DataError(
            f"the query has {verb!r}, and only queries that read are run: SELECT, WITH ... SELECT, VALUES. Remedy: run "
            f"it in the database, then scan a SELECT. It was: {query}"
        )


def _engine(connection: Any) -> Any:
    """Return the given engine, or the SQLAlchemy engine of a URL."""
    if not isinstance(connection, str):
        return connection
    try:
        from sqlalchemy import create_engine
    except ImportError:
        raise DataError(
            "a database's URL needs SQLAlchemy. Remedy: pip install 'tenfold[sql]', or give a connection"
        ) from None
    return create_engine(connection)


def _batches(query: str, connection: Any) -> Iterator[pa.RecordBatch]:
    """Batches with rows, from whatever kind of connection it is."""
    if type(connection).__module__.split(".")[0] == "sqlalchemy":
        yield from _of_sqlalchemy(query, connection)
        return
    if type(connection).__module__.lstrip("_") == "duckdb":  # a cursor would not see its temporary tables
        reader = pa.RecordBatchReader.from_stream(connection.sql(query))
        yield from (batch for batch in reader if batch.num_rows)
        return
    cursor = connection.cursor()
    try:
        cursor.execute(query)
        if hasattr(cursor, "fetch_record_batch"):  # ADBC
            yield from (batch for batch in cursor.fetch_record_batch() if batch.num_rows)
        else:
            names = [column[0] for column in cursor.description]
            while rows := cursor.fetchmany(FETCHED_ROWS):
                yield _batch(names, rows)
    finally:
        cursor.close()


def _of_sqlalchemy(query: str, connection: Any) -> Iterator[pa.RecordBatch]:
    own = hasattr(connection, "connect")  # an engine
    opened = connection.connect() if own else connection
    try:
        # as it is: colons are no parameters, percent signs no places for them
        result = opened.exec_driver_sql(query, execution_options={"stream_results": True, "no_parameters": True})
        for rows in result.partitions(FETCHED_ROWS):
            yield _batch(list(result.keys()), rows)
    finally:
        if own:
            opened.close()


def _batch(names: list[str], rows: Sequence[Sequence[Any]]) -> pa.RecordBatch:
    columns = []
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        try:
            columns.append(pa.array(values))
        except (pa.ArrowException, TypeError) as error:
            raise DataError(
                f"column {name!r} of the query holds values of more than one kind: {error}. Remedy: CAST it in the "
                "query, or leave it out"
            ) from None
    return pa.RecordBatch.from_arrays(columns, names=names)
