"""Indicators of categories: z_jv = 1 if x_j = v, else 0, for each category v of each column j."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from tenfold.core import Codes, Columns, DataError, Matrix, Values
from tenfold.estimator.constraints import Constraints, boolean, choice, fraction, integer
from tenfold.preprocessing.categories import CategoryEncoder, CategoryModel, as_rows


class OneHot(CategoryEncoder):
    """Make each category (text or number) a column of zeros and ones, exact in one pass.

    A missing value is no category: all indicators of its column are zero in that row. So they are if the
    value was dropped, or is unknown and ignored. A column without any value in fitting has no indicators.
    Merging two models unites their categories.

    Parameters
    ----------
    handle_unknown : {"error", "ignore", "infrequent_if_exist"}, default="ignore"
        What happens in `transform` to a category that was not there in fitting: it is refused by the name of
        its column, gives zeros, or counts as a rare one (zeros where there are none). Rows of weight zero were not
        there.
    drop : {"first", "if_binary"} or None, default=None
        Whether to leave out the first category of each column, or of those that have two.
    sparse_output : bool, default=True
        Whether the indicators come as CSR. Frames (`set_output`) need False.
    min_frequency : int, float or None, default=None
        Categories of fewer rows, or of a smaller share of the rows that have a value, share one indicator: the last.
    max_categories : int or None, default=None
        The most indicators that a column has, with the one for rare categories; the rarest go there.

    Attributes
    ----------
    categories_ : list of arrays
        The sorted categories of each column, dropped ones too.
    infrequent_categories_ : list of arrays or None
        Those that share an indicator.
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
    >>> model.inverse_transform([[0.0, 1.0], [0.0, 0.0]]).ravel().tolist()
    ['sun', None]
    """

    told_apart: ClassVar[bool] = False
    """whether a missing value is refused in a column of which a category is dropped, as it would look like that one"""
    law_params = (
        {},
        {"drop": "first", "handle_unknown": "error"},
        {"drop": "if_binary", "sparse_output": False},
        {"handle_unknown": "infrequent_if_exist", "min_frequency": 4, "max_categories": 3},
    )
    _parameter_constraints: ClassVar[Constraints] = {
        "handle_unknown": [choice("error", "ignore", "infrequent_if_exist")],
        "drop": [choice("first", "if_binary"), None],
        "sparse_output": [boolean],
        "min_frequency": [integer(1), fraction, None],
        "max_categories": [integer(1), None],
    }

    def __init__(
        self,
        handle_unknown: str = "ignore",
        drop: str | None = None,
        sparse_output: bool = True,
        min_frequency: float | None = None,
        max_categories: int | None = None,
    ) -> None:
        self.handle_unknown = handle_unknown
        self.drop = drop
        self.sparse_output = sparse_output
        self.min_frequency = min_frequency
        self.max_categories = max_categories

    def transform_from(self, model: CategoryModel, X: Columns) -> Matrix:
        """Ones where categories are, as CSR or dense."""
        rare, place, outputs = self.places(model)
        dropped = self._dropped(outputs)
        start = np.cumsum([0, *(outputs - dropped)])
        grouped = bool(rare.any())
        table = np.append(place, 0)
        last = np.where([rare[some].any() for some in self._columns(model)], outputs - 1, -1)
        places, counts = [np.zeros(0, dtype=np.int64)], [np.zeros(1, dtype=np.int64)]
        for rows, block in X.blocks():
            if self.handle_unknown == "error":
                self.refuse_unknown(model, X, rows, block, 'handle_unknown="ignore"')
            if self.told_apart and dropped.any():
                _refuse_missing(X, rows, np.isnan(block) & (dropped > 0))
            if grouped:
                known = block >= 0
                at = np.where(known, block, 0).astype(np.int64) + model.first[:-1]
                unknown = last if self.handle_unknown == "infrequent_if_exist" else -1
                block = np.where(known, table[at], np.where(np.isnan(block), np.nan, unknown))
            seen = block >= dropped  # neither missing (NaN), nor unknown (-1), nor left out
            places.append((block + (start[:-1] - dropped))[seen].astype(np.int64))
            counts.append(seen.sum(axis=1))
        at = np.concatenate(places)
        ends = np.concatenate(counts).cumsum()
        found = sp.csr_array((np.ones(len(at)), at, ends), shape=(len(X), int(start[-1])))
        return found if self.sparse_output else found.toarray()

    def _dropped(self, outputs: Codes) -> Codes:
        """How many indicators of each column are left out: 0 or 1."""
        out = {"first": outputs > 0, "if_binary": outputs == 2}.get(str(self.drop), np.zeros(len(outputs), dtype=bool))
        return out.astype(np.int64)

    def inverse_transform(self, X: Any) -> Values:
        """The categories that have these indicators; where all are zero, the one that was dropped, or None.

        Parameters
        ----------
        X : array or CSR matrix of shape (rows, indicators)

        Returns
        -------
        X : array of shape (rows, columns)
            Of numbers if all categories are, else of objects. All rare categories are "infrequent_sklearn".
        """
        outputs = self.places(self.model_).outputs
        dropped = self._dropped(outputs)
        start = np.cumsum([0, *(outputs - dropped)])
        given = as_rows(X, int(start[-1]))
        found = []
        for j, labels in enumerate(self.named(self.categories_)):
            some = given[:, start[j] : start[j + 1]]
            some = some.toarray() if sp.issparse(some) else some
            none = ~some.any(axis=1)
            at = some.argmax(axis=1) + dropped[j] if some.shape[1] else np.zeros(len(some), np.int64)
            found.append((labels, np.where(none, 0 if dropped[j] else -1, at)))
            if none.any() and not dropped[j] and self.handle_unknown == "error" and len(labels):
                row = int(none.argmax())
                raise DataError(
                    f"row {row} has no category of column {self.schema_.names[j]!r}: all of its indicators are 0. "
                    'Remedy: handle_unknown="ignore", which gives None'
                )
        return self.given_back(found)

    def names_out(self, names: list[str]) -> list[str]:
        """The name of the column, an underscore, and the category."""
        kept = zip(names, self.named(self.categories_), self._dropped(self.places(self.model_).outputs), strict=True)
        return [f"{name}_{v}" for name, some, k in kept for v in some[k:]]


def _refuse_missing(X: Columns, rows: slice, gone: Any) -> None:
    """Name the row and column of a missing value that would look like the category that was dropped."""
    if gone.any():
        i, j = (int(k) for k in np.argwhere(gone)[0])
        raise DataError(
            f"{X.where(rows.start + i, j)} is missing, and would be all zeros as the dropped category is. Remedy: "
            "drop=None, or fill it in before"
        )


class OneHotEncoder(OneHot):
    """The indicators of categories under scikit-learn's name: unknown categories are refused unless you say otherwise.

    A missing value is no category, and all indicators of its column are zero; where a category was dropped that would
    look the same, and is refused.

    Parameters
    ----------
    drop : {"first", "if_binary"} or None, default=None
        Whether to leave out the first category of each column, or of those that have two.
    sparse_output : bool, default=True
        Whether the indicators come as CSR. Frames (`set_output`) need False.
    handle_unknown : {"error", "ignore", "infrequent_if_exist"}, default="error"
        What happens in `transform` to a category that was not there in fitting: it is refused by the name of its
        column, gives zeros, or counts as a rare one.
    min_frequency : int, float or None, default=None
        Categories of fewer rows, or of a smaller share of the rows that have a value, share one indicator: the last.
    max_categories : int or None, default=None
        The most indicators that a column has, with the one for rare categories; the rarest go there.
    categories, dtype, feature_name_combiner : optional
        As in scikit-learn, but only in the values that say what is done here; the error names the remedy.

    Examples
    --------
    >>> from tenfold import OneHotEncoder
    >>> OneHotEncoder(sparse_output=False).fit_transform([["sun"], ["rain"]]).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    told_apart = True

    def __init__(
        self,
        *,
        drop: str | None = None,
        sparse_output: bool = True,
        handle_unknown: str = "error",
        min_frequency: float | None = None,
        max_categories: int | None = None,
        categories: str = "auto",
        dtype: DTypeLike = np.float64,
        feature_name_combiner: str = "concat",
    ) -> None:
        super().__init__(handle_unknown, drop, sparse_output, min_frequency, max_categories)
        self.categories = categories
        self.dtype = dtype
        self.feature_name_combiner = feature_name_combiner
