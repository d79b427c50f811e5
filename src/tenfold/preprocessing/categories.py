"""Categories of columns and their weights: what encoders of categories learn, and which of them are too rare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Claim, Codes, Columns, DataError, Labels, Need, Schema, Values
from tenfold.core.allowed import NOT_NEGATIVE, OFFSETS
from tenfold.core.schema import is_text
from tenfold.core.statistic import Grouped
from tenfold.estimator import OnePass, Transformer
from tenfold.kernels.counting import add_counts

INFREQUENT = "infrequent_sklearn"
"""the name that scikit-learn gives to all rare categories of a column"""


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Weight of each category of each column."""

    exact: ClassVar[bool] = True
    count: Annotated[Array, "value", NOT_NEGATIVE]

    def __add__(self, other: ValueCounts) -> ValueCounts:
        return ValueCounts(self.count + other.count)


class CountsByColumn(Grouped[ValueCounts]):
    """Weight of each category of each column."""

    first: Codes
    """where each column begins on the axis of values, and where the last one ends"""

    def summarize(self, chunk: Chunk) -> ValueCounts:
        """Count the codes of all rows."""
        total, count = np.zeros(1), np.zeros((1, int(self.first[-1])))
        group = np.zeros(chunk.n, dtype=np.int64)
        for rows, block in chunk.X.blocks():
            add_counts(block, self.first, group[rows], chunk.weight[rows], total, count)
        return ValueCounts(count[0])


class CategoryModel(NamedTuple):
    """The weight of each category, and where each column begins among them."""

    value_count: Annotated[Array, "value"]
    first: Annotated[Codes, "boundary", OFFSETS]
    """where each column begins on the axis of values, and where the last one ends"""


class Places(NamedTuple):
    """Where categories go: those that are too rare go together, behind the others of their column."""

    rare: Any
    """whether each category of all columns is too rare"""
    place: Codes
    """of each category among the outputs of its column"""
    outputs: Codes
    """of each column"""


class CategoryEncoder(OnePass, Transformer):
    """What encoders of categories share: they count categories, and take rare ones together."""

    need = Need("categorical", missing=True)
    model_type = CategoryModel
    summary_types = (ValueCounts,)
    handle_unknown: str
    min_frequency: float | None
    max_categories: int | None

    def statistic(self, schema: Schema) -> CountsByColumn:
        """The weight of each category."""
        return CountsByColumn(schema.value_offsets)

    def solve(self, schema: Schema, s: ValueCounts) -> CategoryModel:
        """The counts are the model."""
        return CategoryModel(s.count, schema.value_offsets)

    def certify(self, model: CategoryModel, s: ValueCounts) -> tuple[Claim, ...]:
        """How many categories there are, and how rare the rarest is."""
        most = float(np.diff(model.first).max())
        claims = (Claim("categories", most, "proved", "the most that any column has", "data"),)
        if not len(s.count):
            return claims
        rarest = int(s.count.argmin())
        j = int(np.searchsorted(model.first, rarest, side="right")) - 1
        why = f"weight of category number {rarest - model.first[j]} of column number {j}, the rarest"
        return (*claims, Claim("rarest category", float(s.count[rarest]), "proved", why, "data"))

    def places(self, model: CategoryModel) -> Places:
        """Which categories are too rare, and where each goes."""
        rare = np.zeros(len(model.value_count), dtype=bool)
        place, outputs = np.zeros(len(rare), dtype=np.int64), []
        for some in self._columns(model):
            count = model.value_count[some]
            rare[some] = self._rare(count)
            kept = ~rare[some]
            place[some] = np.where(kept, np.cumsum(kept) - 1, kept.sum())
            outputs.append(int(kept.sum() + rare[some].any()))
        return Places(rare, place, np.array(outputs, dtype=np.int64))

    def _rare(self, count: Array) -> Any:
        """Which of the categories of one column are rarer than `min_frequency`, or beyond `max_categories`."""
        least = self.min_frequency
        rare = np.zeros(len(count), dtype=bool)
        if least is not None:
            rare = count < (least if isinstance(least, (int, np.integer)) else least * count.sum())
        if self.max_categories is not None and self.max_categories < len(count) - rare.sum() + 1:
            fewest = np.argsort(count, kind="stable")
            rare[fewest[: len(count) - (self.max_categories - 1)]] = True
        return rare

    @staticmethod
    def _columns(model: CategoryModel) -> list[slice]:
        """Where the categories of each column are."""
        return [slice(a, b) for a, b in zip(model.first[:-1].tolist(), model.first[1:].tolist(), strict=True)]

    def refuse_unknown(self, model: CategoryModel, X: Columns, rows: slice, block: Array, remedy: str) -> None:
        """Name the column and the row of a category that was not there in fitting."""
        unknown = (block == -1) & (np.diff(model.first) > 0)
        if unknown.any():
            i, j = (int(k) for k in np.argwhere(unknown)[0])
            name = X.names[j] if X.names is not None else f"x{j}"
            raise DataError(
                f"Found unknown categories in column {name!r}, the first in row {X.offset + rows.start + i}. "
                f"Remedy: fit to rows that have them, or set {remedy}"
            )

    def named(self, names: list[Labels]) -> list[Labels]:
        """The names of the outputs of each column: its categories, then one for all that are too rare."""
        found = []
        rare = self.places(self.model_).rare
        for some, labels in zip(self._columns(self.model_), names, strict=True):
            kept = labels[~rare[some]]
            found.append(np.append(kept.astype(object), INFREQUENT) if rare[some].any() else kept)
        return found

    @property
    def categories_(self) -> list[Labels]:
        """The sorted categories of each column."""
        return [column.categories for column in self.schema_.columns]

    @property
    def infrequent_categories_(self) -> list[Labels | None]:
        """The categories of each column that are taken together, None where there are none."""
        rare = self.places(self.model_).rare
        each = zip(self._columns(self.model_), self.categories_, strict=True)
        return [labels[rare[some]] if rare[some].any() else None for some, labels in each]

    def given_back(self, columns: list[tuple[Labels, Codes]]) -> Values:
        """An array of categories, by their places in each column; -1: None. Of numbers, if all are numbers."""
        whole = all(not is_text(labels) and (at >= 0).all() for labels, at in columns)
        kind = np.result_type(*(labels.dtype for labels, _ in columns)) if whole else np.dtype(object)
        out = np.empty((len(columns[0][1]), len(columns)), kind)
        for j, (labels, at) in enumerate(columns):
            known = at >= 0
            if not whole:
                out[:, j] = None
            out[known, j] = labels[at[known]]
        return out


def as_rows(X: Any, width: int) -> Any:
    """Rows to transform back: an array or CSR matrix of so many columns; DataError else."""
    import scipy.sparse as sp

    found = X if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != width:
        raise DataError(f"X has the shape {found.shape}, not (rows, {width}). Remedy: give what transform gives")
    return found
