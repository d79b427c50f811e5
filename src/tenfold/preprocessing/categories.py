"""Categories of columns and their weights: what encoders of categories learn, and which of them are too rare."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.compiled.rows.counting import add_counts
from tenfold.core import (
    Array,
    Chunk,
    Claim,
    Codes,
    Columns,
    DataError,
    Labels,
    Mergeable,
    MergeError,
    Need,
    Schema,
    Values,
)
from tenfold.core.field_values import NOT_NEGATIVE, OFFSETS, Between
from tenfold.core.schema import Column, is_text, places_among
from tenfold.core.statistic import Grouped, Stacked
from tenfold.estimator import OnePass, Transformer, fitted
from tenfold.estimator.shell.parameters import fixed

INFREQUENT = "infrequent_sklearn"
"""the name that scikit-learn gives to all rare categories of a column"""


class ValueCounts(Mergeable):
    """Weight of each category of each column, and of the rows that miss a value."""

    exact: ClassVar[bool] = True
    count: Annotated[Array, "value", NOT_NEGATIVE]
    missing: Annotated[Array, "column", NOT_NEGATIVE]
    by_weight = ("count", "missing")


class CountsByColumn(Grouped[ValueCounts], Stacked[ValueCounts]):
    """Weight of each category of each column, and of the rows that miss a value."""

    first: Codes
    """where each column begins on the axis of values, and where the last one ends"""

    def summarize(self, chunk: Chunk) -> ValueCounts:
        total, count = np.zeros(1), np.zeros((1, int(self.first[-1])))
        missing = np.zeros(chunk.X.shape[1])
        group = np.zeros(chunk.n, dtype=np.int64)
        for rows, block in chunk.X.blocks():
            add_counts(block, self.first, group[rows], chunk.weight[rows], total, count)
            missing += chunk.weight[rows] @ np.isnan(block)
        return ValueCounts(count[0], missing)


class CategoryModel(NamedTuple):
    """The weight of each category, and its code within its column."""

    value_count: Annotated[Array, "value"]
    first: Annotated[Codes, "boundary", OFFSETS]
    """where each column begins on the axis of values, and where the last one ends"""
    missing: Annotated[Array, "column", NOT_NEGATIVE]
    """weight of the rows that miss a value of each column"""
    order: Annotated[Codes, "value", Between(-1)]
    """the number of each value among the categories of its column; -1: it is not one of those that were listed"""
    with_missing: Annotated[Codes, "column", Between(0, 1)]
    """1 where a missing value is a category too, the last"""
    dropped: Annotated[Codes, "column", Between(-1)]
    """which output of each column is left out; -1: none"""


class Places(NamedTuple):
    """Output codes of categories; infrequent ones share a code after the others of their column."""

    rare: list[Any]
    """of each column, whether each of its categories is too rare"""
    place: list[Codes]
    """of each column, where each of its categories is among the outputs"""
    outputs: Codes
    """of each column"""


REFUSES_UNKNOWN = {
    "check_sample_weight_equivalence_on_dense_data": "the check transforms rows of weight zero, and a category that "
    "only such rows have is unknown: by default an error. It passes where handle_unknown accepts unknown categories"
}
"""checks of scikit-learn that fail for encoders that refuse unknown categories by default"""


class CategoryEncoder(OnePass, Transformer):
    """Base of encoders of categories, which count categories and group infrequent ones."""

    need = Need("categorical", missing=True)
    hidden = frozenset({"order", "with_missing", "dropped"})
    places_missing: ClassVar[bool] = True
    """whether such a category has a place among the others of its column"""
    categories = fixed("auto")

    @property
    def counts_missing(self) -> bool:
        """Whether a missing value is a category if there was one in fitting, and unknown if there was none."""
        return False

    # ---- categories that are listed ----------------------------------------------------------------

    def _lists(self, width: int) -> list[Labels] | None:
        """The categories of each column that were listed; None: they are those of the rows."""
        if isinstance(self.categories, str):
            return None
        found = [_labels(some, j) for j, some in enumerate(self.categories)]
        if len(found) != width:
            raise ValueError(
                f"Shape mismatch: categories lists those of {len(found)} columns, and there are {width}. Remedy: a "
                "list for each column"
            )
        return found

    def with_listed_categories(self, schema: Schema) -> Schema:
        lists = self._lists(len(schema.columns))
        if lists is None:
            return schema
        each = zip(schema.columns, lists, strict=True)
        listed = [Column(column.name, column.kind, np.unique(_present(some))) for column, some in each]
        try:
            return schema + Schema(tuple(listed), schema.target, schema.classes, schema.named)
        except MergeError as error:
            raise ValueError(f"categories: {error}. Remedy: list them as the rows have them") from None

    def _places_listed(self, schema: Schema, s: ValueCounts, lists: list[Labels]) -> tuple[Codes, Codes]:
        """The number of each value among those that are listed, and whether a missing value is among them."""
        first = schema.value_offsets
        order = np.full(int(first[-1]), -1)
        missing = np.zeros(len(lists), dtype=np.int64)
        for j, (column, some) in enumerate(zip(schema.columns, lists, strict=True)):
            named = _present(some)
            missing[j] = self.counts_missing and len(named) < len(some)
            order[first[j] + places_among(named, column.categories)] = np.arange(len(named))
            here = slice(first[j], first[j + 1])
            new = column.categories[(order[here] < 0) & (s.count[here] > 0)].tolist()
            new += [np.nan] * int(self.counts_missing and s.missing[j] > 0 and not missing[j])
            if new and self.handle_unknown == "error":
                raise ValueError(
                    f"Found unknown categories {new[:5]} in column {column.name!r} during fit. Remedy: list them in "
                    "categories, or set handle_unknown"
                )
        return order, missing

    # ---- the fit -----------------------------------------------------------------------------------

    def statistic(self, schema: Schema) -> CountsByColumn:
        self._lists(len(schema.columns))
        return CountsByColumn(schema.value_offsets)

    def solve(self, schema: Schema, s: ValueCounts) -> CategoryModel:
        first = schema.value_offsets
        lists = self._lists(len(schema.columns))
        if lists is None:
            there = s.count > 0  # a category that only rows of other folds have is unknown
            before = np.concatenate([[0], np.cumsum(there)])
            order = np.where(there, before[:-1] - np.repeat(before[first[:-1]], np.diff(first)), -1)
            missing = ((s.missing > 0) & self.counts_missing).astype(np.int64)
        else:
            order, missing = self._places_listed(schema, s, lists)
        none = np.full(len(missing), -1)
        model = CategoryModel(s.count, first, s.missing, order.astype(np.int64), missing, none)
        return model._replace(dropped=self.left_out(schema, model))

    def left_out(self, schema: Schema, model: CategoryModel) -> Codes:
        """Which output of each column is left out: none."""
        return model.dropped

    def is_valid(self, model: CategoryModel, summary: ValueCounts | None, schema: Schema) -> bool:
        numbered = [np.sort(order[order >= 0]) for order in (model.order[some] for some in self._columns(model))]
        whole = all(np.array_equal(order, np.arange(len(order))) for order in numbered)
        return whole and bool((model.dropped < self.places(model).outputs).all())

    def certify(self, model: CategoryModel, s: ValueCounts) -> tuple[Claim, ...]:
        """How many categories there are, and how rare the rarest is."""
        most = max(int((model.order[some] >= 0).sum()) for some in self._columns(model))
        claims = (Claim("categories", float(most), "proved", "the most that any column has", "data"),)
        if not most:
            return claims
        rarest = int(np.where(model.order >= 0, s.count, np.inf).argmin())
        j = int(np.searchsorted(model.first, rarest, side="right")) - 1
        why = f"weight of category number {rarest - model.first[j]} of column number {j}, the rarest"
        return (*claims, Claim("rarest category", float(s.count[rarest]), "proved", why, "data"))

    # ---- where categories go -----------------------------------------------------------------------

    def places(self, model: CategoryModel) -> Places:
        """Which categories are too rare, and where each goes."""
        rare, place, outputs = [], [], []
        for j, some in enumerate(self._columns(model)):
            count = self._weights(model, j, some)
            beside = model.missing[j] if self.counts_missing and not self.places_missing else 0.0
            rare.append(self._rare(count, count.sum() + beside))
            kept = ~rare[-1]
            place.append(np.where(kept, np.cumsum(kept) - 1, kept.sum()))
            outputs.append(int(kept.sum() + rare[-1].any()))
        return Places(rare, place, np.array(outputs, dtype=np.int64))

    def _weights(self, model: CategoryModel, j: int, some: slice) -> Array:
        """The weight of each category of one column that has a place, in their order."""
        order, count = model.order[some], model.value_count[some]
        listed, last = order >= 0, bool(model.with_missing[j]) and self.places_missing
        found = np.zeros(int(listed.sum()) + last)
        found[order[listed]] = count[listed]
        if last:
            found[-1] = model.missing[j]
        return found

    def _rare(self, count: Array, total: float) -> Any:
        """Which of the categories of one column are rarer than `min_frequency`, or beyond `max_categories`."""
        least = self.min_frequency
        rare = np.zeros(len(count), dtype=bool)
        if least is not None:
            rare = count < (least if isinstance(least, (int, np.integer)) else least * total)
        if self.max_categories is not None and self.max_categories < len(count) - rare.sum() + 1:
            fewest = np.argsort(count, kind="stable")
            rare[fewest[: len(count) - (self.max_categories - 1)]] = True
        return rare

    @staticmethod
    def _columns(model: CategoryModel) -> list[slice]:
        """Ranges of the values of each column."""
        return [slice(a, b) for a, b in zip(model.first[:-1].tolist(), model.first[1:].tolist(), strict=True)]

    def known_positions(self, model: CategoryModel) -> Any:
        """Whether each position is a category: for each column, its values, missing, and unknown."""
        found = []
        for j, some in enumerate(self._columns(model)):
            none = not (model.order[some] >= 0).any()
            never = none and not model.with_missing[j]  # of such a column nothing is unknown
            missing = bool(model.with_missing[j]) or not self.counts_missing or never
            found += [*(model.order[some] >= 0), missing, never]
        return np.array(found, dtype=bool)

    def refuse_unknown(self, known: Any, X: Columns, rows: slice, codes: Codes, remedy: str) -> None:
        """Name the column and the row of a category that was not there in fitting."""
        unknown = ~known[codes]
        if unknown.any():
            i, j = (int(k) for k in np.argwhere(unknown)[0])
            name = X.names[j] if X.names is not None else f"x{j}"
            raise DataError(
                f"Found unknown categories in column {name!r}, the first in row {X.offset + rows.start + i}. "
                f"Remedy: fit to rows that have them, or set {remedy}"
            )

    # ---- labels ------------------------------------------------------------------------------------

    def named(self, names: list[Labels]) -> list[Labels]:
        """The names of the outputs of each column: its categories, then one for all that are too rare."""
        found = []
        for rare, labels in zip(self.places(self.model_).rare, names, strict=True):
            kept = labels[~rare]
            found.append(np.append(kept.astype(object), INFREQUENT) if rare.any() else kept)
        return found

    @property
    @fitted
    def categories_(self) -> list[Labels]:
        """The categories of each column, in the order of their outputs."""
        return self._labels(missing=True)

    @property
    def _placed(self) -> list[Labels]:
        """Categories of each column that have a code: without missing values, if these have none."""
        return self._labels(missing=self.places_missing)

    def _labels(self, missing: bool) -> list[Labels]:
        model = self.model_
        each = zip(self.schema_.columns, self._columns(model), model.with_missing.tolist(), strict=True)
        return [in_order(column.categories, model.order[some], missing and bool(last)) for column, some, last in each]

    @property
    @fitted
    def infrequent_categories_(self) -> list[Labels | None]:
        """The categories of each column that are taken together, None where there are none."""
        each = zip(self.places(self.model_).rare, self._placed, strict=True)
        return [labels[rare] if rare.any() else None for rare, labels in each]

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
    """Validate rows to transform back: an array or CSR matrix of `width` columns; otherwise raise DataError."""
    import scipy.sparse as sp

    found = X if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != width:
        raise DataError(f"X has the shape {found.shape}, not (rows, {width}). Remedy: pass the output of transform")
    return found


def coded(block: Array, first: Codes) -> Codes:
    """Codes as positions in a table that has, for each column, its values, missing, and unknown."""
    values = np.diff(first)
    at = np.where(block >= 0, block, values + 1)
    gone = np.isnan(block)
    at = np.where(gone, values, at) if gone.any() else at
    return (at + (first[:-1] + 2 * np.arange(len(values)))).astype(np.int64)


def _labels(given: Any, j: int) -> Labels:
    """Categories that are listed for a column: text or numbers, each once; a missing one is the last."""
    found: Labels = np.asarray(given) if isinstance(given, np.ndarray) else np.array(list(given), dtype=object)
    if found.dtype == object and not any(isinstance(v, str) for v in found.tolist()):
        found = np.array([np.nan if v is None else v for v in found.tolist()])
    if found.ndim != 1 or (found.dtype.kind not in "biufOUT"):
        raise ValueError(f"categories of column number {j} must be a list of text or of numbers, not {given!r}")
    if not len(found):
        raise ValueError(f"categories of column number {j} lists none. Remedy: list them, or leave categories out")
    here = _present(found)
    if found.dtype.kind in "OUT" and not all(isinstance(v, str) for v in here.tolist()):
        raise ValueError(f"categories of column number {j} are text and numbers: {found.tolist()!r}")
    if len(np.unique(here)) < len(here) or len(found) - len(here) > 1:
        raise ValueError(f"In column {j}, the predefined categories contain duplicate elements.")
    if len(here) < len(found) and not _are_missing(found)[-1]:
        raise ValueError(f"Nan should be the last element in user provided categories of column number {j}")
    if found.dtype.kind in "biuf" and (np.diff(here) < 0).any():
        raise ValueError("Unsorted categories are not supported for numerical categories")
    return found


def _are_missing(labels: Labels) -> Any:
    """Which of some labels are missing: None, or NaN."""
    return np.array([v is None or v != v for v in labels.tolist()], dtype=bool)


def _present(labels: Labels) -> Labels:
    """Labels without those that are missing."""
    found: Labels = labels[~_are_missing(labels)]
    return found


def in_order(labels: Labels, order: Codes, missing: bool) -> Labels:
    """The categories of a column in their order, a missing one the last."""
    listed = np.flatnonzero(order >= 0)
    found: Labels = labels[listed[np.argsort(order[listed])]]
    if not missing:
        return found
    return np.append(found.astype(np.float64 if found.dtype.kind in "iuf" else object), np.nan)
