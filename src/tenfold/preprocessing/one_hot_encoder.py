"""Indicators of categories: z_jv = 1 if x_j = v, else 0, for each category v of each column j."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike

from tenfold.compiled.rows.sparse_rows import put_codes
from tenfold.core import Codes, Columns, DataError, Matrix, Remedy, Schema, Values
from tenfold.core.arrays import MatrixLike
from tenfold.core.errors import warn_user
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import array, boolean, choice, fraction, integer
from tenfold.estimator.shell.keyword_decisions import as_floats
from tenfold.estimator.shell.keywords import Refused
from tenfold.preprocessing.categories import REFUSES_UNKNOWN, CategoryEncoder, CategoryModel, as_rows, coded, in_order

joined_by_underscore = Refused(
    "names are joined by an underscore",
    Remedy("tn.OneHotEncoder().fit(X).get_feature_names_out()", "which can be replaced in a frame"),
    ("concat",),
)


class OneHotEncoder(CategoryEncoder):
    """Make each category (text or number) a column of zeros and ones, exact in one pass.

    A missing value is a category, the last of its column and called nan, if there was one in fitting; else it is
    unknown. With `handle_missing="ignore"` it is no category: all indicators of its column are zero in that row. So
    they are if the value was dropped, or is unknown and ignored. Merging two models unites their categories.

    Parameters
    ----------
    drop : {"first", "if_binary"}, array of shape (columns,) or None, default=None
        Whether to leave out the first category of each column, or of those that have two; or, for each column, the
        category that is left out.
    sparse_output : bool, default=True
        Whether the indicators come as CSR. Frames (`set_output`) need False.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="error"
        What happens in `transform` to a category that was not there in fitting: it is refused by the name of its
        column, gives zeros, or counts as a rare one (zeros where there are none), with a warning or without. Rows of
        weight zero were not there.
    min_frequency : int, float or None, default=None
        Categories of fewer rows, or of a smaller share of the rows that have a value, share one indicator: the last.
    max_categories : int or None, default=None
        The most indicators that a column has, with the one for rare categories; the rarest go there.
    categories : "auto" or list of arrays, default="auto"
        Those of the rows, sorted; or the categories of each column, in this order, whether or not rows have them.
        Numbers must be sorted. None or NaN, the last, is a missing value.
    handle_missing : {"category", "ignore"}, default="category"
        Whether a missing value is a category, as in scikit-learn, or gives zeros.
    dtype, feature_name_combiner : optional
        As in scikit-learn; other values raise an error that names an alternative.

    Attributes
    ----------
    categories_ : list of arrays
        The sorted categories of each column, dropped ones too.
    infrequent_categories_ : list of arrays or None
        Those that share an indicator.
    drop_idx_ : array of shape (columns,) or None
        The number of the category of each column that is left out, None where there is none.
    value_count_ : array of shape (categories of all columns,)
        The weight of each category.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import OneHotEncoder
    >>> model = OneHotEncoder(sparse_output=False).fit([["sun"], ["rain"], [None]])
    >>> model.get_feature_names_out().tolist()
    ['x0_rain', 'x0_sun', 'x0_nan']
    >>> model.transform([["sun"], [None]]).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> zeros = OneHotEncoder(handle_unknown="ignore", handle_missing="ignore", sparse_output=False)
    >>> zeros.fit([["sun"], ["rain"], [None]]).transform([["sun"], [None], ["snow"]]).tolist()
    [[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    >>> sizes = OneHotEncoder(categories=[["small", "large"]], drop=["small"]).fit([["large"], ["small"]])
    >>> sizes.get_feature_names_out().tolist()
    ['x0_large']
    """

    expected_failed_checks = REFUSES_UNKNOWN
    law_params = (
        {},
        {"handle_unknown": "ignore", "handle_missing": "ignore"},
        {"drop": "first", "handle_missing": "ignore"},
        {"drop": "if_binary", "handle_unknown": "ignore", "sparse_output": False},
        {"handle_unknown": "infrequent_if_exist", "min_frequency": 4, "max_categories": 3},
    )

    _: KW_ONLY
    drop: Annotated[str | ArrayLike | None, choice("first", "if_binary"), array, None] = None
    sparse_output: Annotated[bool, boolean] = True
    handle_unknown: Annotated[str, choice("error", "ignore", "infrequent_if_exist", "warn")] = "error"
    min_frequency: Annotated[float | None, integer(1), fraction, None] = None
    max_categories: Annotated[int | None, integer(1), None] = None
    categories: Annotated[str | list[Any], choice("auto"), list] = "auto"
    handle_missing: Annotated[str, choice("category", "ignore")] = "category"
    dtype: Annotated[DTypeLike, as_floats] = np.float64
    feature_name_combiner: Annotated[str, joined_by_underscore] = "concat"

    @property
    def counts_missing(self) -> bool:
        return self.handle_missing == "category"

    def transform_from(self, model: CategoryModel, X: Columns) -> Matrix:
        """Ones where categories are, as CSR or dense."""
        table, width = self.indicator_table(model)
        known = self.known_positions(model)
        at, ends = np.empty(X.shape[0] * X.shape[1], np.int64), np.zeros(len(X) + 1, np.int64)
        for rows, block in X.blocks():
            codes = coded(block, model.first)
            if self.handle_unknown == "error":
                self.refuse_unknown(known, X, rows, codes, 'handle_unknown="ignore"')
            elif self.handle_unknown == "warn":
                self._warn_of_unknown(known, X, codes)
            put_codes(codes, table, rows.start, ends, at)
        made = sp.csr_array((np.ones(ends[-1]), at[: ends[-1]], ends), shape=(len(X), width))
        return made if self.sparse_output else made.toarray()

    def _warn_of_unknown(self, known: Any, X: Columns, codes: Codes) -> None:
        """Name the columns in which a category is that was not there in fitting."""
        some = np.flatnonzero((~known[codes]).any(axis=0)).tolist()
        if some:
            names = [X.names[j] if X.names is not None else f"x{j}" for j in some]
            warn_user(
                f"Found unknown categories in columns {names} during transform. They count as infrequent ones, and are "
                "zeros where there are none"
            )

    def indicator_table(self, model: CategoryModel) -> tuple[Codes, int]:
        """The indicator of each code, as `coded` numbers them, -1: none; and the number of indicators."""
        rare, place, outputs = self.places(model)
        found, start = [], 0
        for j, some in enumerate(self._columns(model)):
            left_out = int(model.dropped[j])
            behind = (place[j] > left_out) & (left_out >= 0)
            at = np.where(place[j] == left_out, -1, place[j] - behind + start)
            unknown = at[rare[j]][0] if self.handle_unknown in ("infrequent_if_exist", "warn") and rare[j].any() else -1
            order = model.order[some]
            missing = at[-1] if model.with_missing[j] else unknown if self.counts_missing else -1
            found.append(np.where(order >= 0, np.append(at, -1)[order], unknown))
            found.append(np.array([missing, unknown]))
            start += int(outputs[j]) - (left_out >= 0)
        return np.concatenate(found).astype(np.int64), start

    def left_out(self, schema: Schema, model: CategoryModel) -> Codes:
        # Which indicator of each column is left out; -1: none.
        rare, place, outputs = self.places(model)
        if self.drop is None or isinstance(self.drop, str):
            some = {"first": outputs > 0, "if_binary": outputs == 2}.get(str(self.drop), outputs < 0)
            return np.where(some, 0, -1)
        given = np.asarray(self.drop, dtype=object)
        if given.shape != (len(outputs),):
            raise ValueError(
                f"`drop` should have one category for each of the {len(outputs)} columns, not the shape {given.shape}"
            )
        found = np.full(len(outputs), -1)
        for j, (column, some) in enumerate(zip(schema.columns, self._columns(model), strict=True)):
            labels = in_order(column.categories, model.order[some], bool(model.with_missing[j])).tolist()
            at = [k for k, v in enumerate(labels) if v == given[j] or (v != v and _is_missing(given[j]))]
            if not at:
                raise ValueError(
                    f"drop: column {column.name!r} has no category {given[j]!r} to leave out. It has {labels[:5]}"
                )
            if rare[j][at[0]]:
                raise ValueError(
                    f"Unable to drop category {given[j]!r} from feature {column.name!r} because it is infrequent"
                )
            found[j] = place[j][at[0]]
        return found

    @property
    @fitted
    def drop_idx_(self) -> Any:
        """The number of the category of each column that is left out, None where there is none; None if no one is."""
        if self.drop is None:
            return None
        place = self.places(self.model_).place
        each = zip(self.model_.dropped.tolist(), place, strict=True)
        found = np.empty(len(place), dtype=object)
        found[:] = [None if k < 0 else int((at == k).argmax()) for k, at in each]
        return found

    @fitted
    def inverse_transform(self, X: MatrixLike) -> Values:
        """Decode indicators to categories; where all are zero, the dropped category, or None.

        Parameters
        ----------
        X : array or CSR matrix of shape (rows, indicators)

        Returns
        -------
        X : array of shape (rows, columns)
            Of numbers if all categories are, else of objects. All rare categories are "infrequent_sklearn".
        """
        outputs, dropped = self.places(self.model_).outputs, self.model_.dropped
        start = np.cumsum([0, *(outputs - (dropped >= 0))])
        given = as_rows(X, int(start[-1]))
        found = []
        for j, labels in enumerate(self.named(self.categories_)):
            some = given[:, start[j] : start[j + 1]]
            some = some.toarray() if sp.issparse(some) else some
            none = ~some.any(axis=1)
            at = some.argmax(axis=1) if some.shape[1] else np.zeros(len(some), np.int64)
            at += (dropped[j] >= 0) & (at >= dropped[j])
            found.append((labels, np.where(none, dropped[j], at)))
            if none.any() and dropped[j] < 0 and self.handle_unknown == "error" and len(labels):
                row = int(none.argmax())
                raise DataError(
                    f"row {row} has no category of column {self.schema_.names[j]!r}: all of its indicators are 0. "
                    'Remedy: handle_unknown="ignore", which gives None'
                )
        return self.given_back(found)

    def origins(self, model: CategoryModel, width: int) -> Codes:
        # The categories of one column after those of another.
        return np.repeat(np.arange(width), self.places(model).outputs - (model.dropped >= 0))

    def names_out(self, names: list[str]) -> list[str]:
        each = zip(names, self.named(self.categories_), self.model_.dropped.tolist(), strict=True)
        return [f"{name}_{v}" for name, some, left_out in each for k, v in enumerate(some) if k != left_out]


def _is_missing(value: Any) -> bool:
    """Whether a category is None or NaN."""
    return value is None or value != value
