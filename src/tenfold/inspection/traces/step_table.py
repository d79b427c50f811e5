"""What traces have in common: a table with a line for each step, as text, HTML and frame; rows as they are read."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Chunk, Codes, MatrixLike, VectorLike
from tenfold.model_selection.formatting import ResultTable
from tenfold.sources import as_source, is_lazy

MAX_SHOWN_LINES = 30
"""lines of a table that are shown; `to_frame` has all"""
MAX_SHOWN_COLUMNS = 16


class StepTable(ResultTable):
    """A trace: a table with a line for each step."""

    @property
    def table(self) -> dict[str, list[Any]]:
        """The columns of the table by name."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """The whole table as a pandas DataFrame.

        Returns
        -------
        frame : DataFrame
            A line for each step.
        """
        import pandas as pd

        return pd.DataFrame(self.table)

    def _columns_of_text(self) -> dict[str, list[Any]]:
        """The columns that are shown: all, or the first and the last one."""
        table = self.table
        names = list(table)
        if len(names) <= MAX_SHOWN_COLUMNS:
            return table
        lines = len(table[names[0]])
        some = {name: table[name] for name in names[: MAX_SHOWN_COLUMNS - 2]}
        return some | {"...": ["..."] * lines, names[-1]: table[names[-1]]}

    def _head(self) -> list[str]:
        return list(self._columns_of_text())

    def _rows(self) -> list[list[str]]:
        lines = [list(map(_word, line)) for line in zip(*self._columns_of_text().values(), strict=True)]
        if len(lines) <= MAX_SHOWN_LINES:
            return lines
        half = MAX_SHOWN_LINES // 2
        return [*lines[:half], ["..."] * len(lines[0]), *lines[-half:]]


def _word(value: Any) -> str:
    """An entry of the table as text."""
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def rows_in_memory(estimator: Any, X: MatrixLike, y: VectorLike, sample_weight: VectorLike) -> tuple[Chunk, Codes]:
    """The training rows of a fitted model as one chunk, and their numbers among those given.

    Parameters
    ----------
    estimator : learner
        Fitted to these rows.
    X : array or frame
    y : array, optional
    sample_weight : array, optional

    Returns
    -------
    chunk : Chunk
        Rows of weight zero are not in it.
    numbers : array of int
    """
    source = as_source(X, y, sample_weight, estimator.need, model=estimator, reset=False)
    if source.lazy or len(source) > 1:
        raise ValueError(
            "a trace is of few rows in memory, which are one part. Remedy: some of the rows, X[:1000], as an array or "
            "a frame"
        )
    chunk = source.load(0, estimator.need, estimator.schema_)
    if sample_weight is None:
        return chunk, np.arange(chunk.n)
    return chunk, np.flatnonzero(np.asarray(sample_weight, dtype=np.float64) != 0)


def refuse_source(X: MatrixLike) -> None:
    """Refuse rows that are not in memory before anything is fitted to them."""
    if is_lazy(X):
        raise TypeError("a trace is of few rows in memory. Remedy: an array or a frame")
