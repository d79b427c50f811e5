"""Indicators of categories: z_jv = 1 if x_j = v, else 0, for each category v of each column j."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from tenfold.core import Array, Chunk, Claim, Codes, Columns, DataError, Labels, Matrix, Need, Schema
from tenfold.core.allowed import NOT_NEGATIVE, OFFSETS
from tenfold.core.statistic import Grouped
from tenfold.estimator import OnePass, Transformer
from tenfold.estimator.constraints import Constraints, boolean, choice
from tenfold.kernels.counting import add_counts


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


class OneHotModel(NamedTuple):
    """The weight of each category, and where each column begins among them."""

    value_count: Annotated[Array, "value"]
    first: Annotated[Codes, "boundary", OFFSETS]
    """where each column begins on the axis of values, and where the last one ends"""


class OneHot(OnePass, Transformer):
    """Make each category (text or number) a column of zeros and ones, exact in one pass.

    A missing value is no category: all indicators of its column are zero in that row. So they are if the
    value was dropped, or is unknown and ignored. A column without any value in fitting has no indicators.
    Merging two models unites their categories.

    Parameters
    ----------
    handle_unknown : {"error", "ignore"}, default="ignore"
        What happens in `transform` to a category that was not there in fitting: it is refused by the name of
        its column, or gives zeros. Rows of weight zero were not there.
    drop : {"first", "if_binary"} or None, default=None
        Whether to leave out the first category of each column, or of those that have two.
    sparse_output : bool, default=True
        Whether the indicators come as CSR. Frames (`set_output`) need False.

    Attributes
    ----------
    categories_ : list of arrays
        The sorted categories of each column, dropped ones too.
    value_count_ : array of shape (categories of all columns,)
        The weight of each category.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import OneHot
    >>> model = OneHot(sparse_output=False).fit([["sun"], ["rain"], ["sun"]])
    >>> model.get_feature_names_out().tolist()
    ['x0_rain', 'x0_sun']
    >>> model.transform([["sun"], [None]]).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """

    need = Need("categorical", missing=True)
    model_type = OneHotModel
    summary_types = (ValueCounts,)
    law_params = (
        {},
        {"drop": "first", "handle_unknown": "error"},
        {"drop": "if_binary", "sparse_output": False},
    )
    _parameter_constraints: ClassVar[Constraints] = {
        "handle_unknown": [choice("error", "ignore")],
        "drop": [choice("first", "if_binary"), None],
        "sparse_output": [boolean],
    }

    def __init__(self, handle_unknown: str = "ignore", drop: str | None = None, sparse_output: bool = True) -> None:
        self.handle_unknown = handle_unknown
        self.drop = drop
        self.sparse_output = sparse_output

    def statistic(self, schema: Schema) -> CountsByColumn:
        """The weight of each category."""
        return CountsByColumn(schema.value_offsets)

    def solve(self, schema: Schema, s: ValueCounts) -> OneHotModel:
        """The counts are the model."""
        return OneHotModel(s.count, schema.value_offsets)

    def certify(self, model: OneHotModel, s: ValueCounts) -> tuple[Claim, ...]:
        """How many categories there are, and how rare the rarest is."""
        most = float(np.diff(model.first).max())
        claims = (Claim("categories", most, "proved", "the most that any column has", "data"),)
        if not len(s.count):
            return claims
        rarest = int(s.count.argmin())
        j = int(np.searchsorted(model.first, rarest, side="right")) - 1
        why = f"weight of category number {rarest - model.first[j]} of column number {j}, the rarest"
        return (*claims, Claim("rarest category", float(s.count[rarest]), "proved", why, "data"))

    def transform_from(self, model: OneHotModel, X: Columns) -> Matrix:
        """Ones where categories are, as CSR or dense."""
        dropped = self._dropped(model.first)
        start = np.cumsum([0, *(np.diff(model.first) - dropped)])
        places, counts = [np.zeros(0, dtype=np.int64)], [np.zeros(1, dtype=np.int64)]
        for rows, block in X.blocks():
            if self.handle_unknown == "error":
                self._refuse_unknown(model, X, rows, block)
            seen = block >= dropped  # neither missing (NaN), nor unknown (-1), nor left out
            places.append((block + (start[:-1] - dropped))[seen].astype(np.int64))
            counts.append(seen.sum(axis=1))
        at = np.concatenate(places)
        ends = np.concatenate(counts).cumsum()
        found = sp.csr_array((np.ones(len(at)), at, ends), shape=(len(X), int(start[-1])))
        return found if self.sparse_output else found.toarray()

    def _dropped(self, first: Codes) -> Codes:
        """How many categories of each column are left out: 0 or 1."""
        n = np.diff(first)
        out = {"first": n > 0, "if_binary": n == 2}.get(str(self.drop), np.zeros(len(n), dtype=bool))
        return out.astype(np.int64)

    def _refuse_unknown(self, model: OneHotModel, X: Columns, rows: slice, block: Array) -> None:
        unknown = (block == -1) & (np.diff(model.first) > 0)
        if unknown.any():
            i, j = (int(k) for k in np.argwhere(unknown)[0])
            name = X.names[j] if X.names is not None else f"x{j}"
            raise DataError(
                f"Found unknown categories in column {name!r}, the first in row {X.offset + rows.start + i}. "
                'Remedy: fit to rows that have them, or set handle_unknown="ignore"'
            )

    @property
    def categories_(self) -> list[Labels]:
        """The sorted categories of each column."""
        return [column.categories for column in self.schema_.columns]

    def names_out(self, names: list[str]) -> list[str]:
        """The name of the column, an underscore, and the category."""
        kept = zip(names, self.categories_, self._dropped(self.model_.first))
        return [f"{name}_{v}" for name, some, k in kept for v in some[k:]]
