"""Numbers of categories: z = the place of x among the sorted categories of its column."""

from __future__ import annotations

from dataclasses import KW_ONLY
from numbers import Real
from typing import Annotated, Any

import numpy as np
from numpy.typing import DTypeLike

from tenfold.core import Array, Codes, Columns, ParameterError, Remedy, Schema, Values
from tenfold.core.arrays import MatrixLike
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import choice, fraction, integer
from tenfold.estimator.shell.keyword_decisions import as_floats
from tenfold.preprocessing.categories import (
    REFUSES_UNKNOWN,
    CategoryEncoder,
    CategoryModel,
    ValueCounts,
    as_rows,
    coded,
)


class OrdinalEncoder(CategoryEncoder):
    """Make each category (text or number) the number of its place among the sorted ones, exact in one pass.

    Categories that have an order of their own, small before large, are listed in it.

    Merging two models unites their categories, which are then numbered again.

    Parameters
    ----------
    handle_unknown : {"error", "use_encoded_value"}, default="error"
        What happens in `transform` to a category that was not there in fitting: it is refused by the name of its
        column, or becomes `unknown_value`. Rows of weight zero were not there.
    unknown_value : float or None, default=None
        What an unknown category becomes, NaN if you like; no place of a category.
    encoded_missing_value : float, default=NaN
        What a missing value becomes; no place of a category. If there was none in fitting, it is unknown.
    min_frequency : int, float or None, default=None
        Categories of fewer rows, or of a smaller share of the rows, are one category: the last.
    max_categories : int or None, default=None
        The most that a column has, with the one for rare ones; the rarest go there.
    categories : "auto" or list of arrays, default="auto"
        Those of the rows, sorted; or the categories of each column, in this order, whether or not rows have them.
        Numbers must be sorted. None or NaN, the last, is a missing value, which is unknown if it is not listed.
    dtype : optional
        As in scikit-learn; other values raise an error that names an alternative.

    Attributes
    ----------
    categories_ : list of arrays
        The categories of each column: sorted, or as they were listed; NaN is the last if a value was missing.
    infrequent_categories_ : list of arrays or None
        Those that are taken together.
    value_count_ : array of shape (categories of all columns,)
        The weight of each category.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import OrdinalEncoder
    >>> model = OrdinalEncoder(encoded_missing_value=-1).fit([["sun"], ["rain"], [None]])
    >>> model.transform([["sun"], ["rain"], [None]]).ravel().tolist()
    [1.0, 0.0, -1.0]
    >>> model.inverse_transform([[1.0], [-1.0]]).ravel().tolist()
    ['sun', None]
    >>> sizes = OrdinalEncoder(categories=[["small", "medium", "large"]])
    >>> sizes.fit_transform([["large"], ["small"]]).ravel().tolist()
    [2.0, 0.0]
    """

    counts_missing, places_missing = True, False
    expected_failed_checks = REFUSES_UNKNOWN
    law_params = (
        {},
        {"handle_unknown": "use_encoded_value", "unknown_value": -1, "max_categories": 2},
        {"encoded_missing_value": -2.0, "min_frequency": 4},
    )

    _: KW_ONLY
    handle_unknown: Annotated[str, choice("error", "use_encoded_value")] = "error"
    unknown_value: Annotated[float | None, Real, None] = None
    encoded_missing_value: Annotated[float, Real] = np.nan
    min_frequency: Annotated[float | None, integer(1), fraction, None] = None
    max_categories: Annotated[int | None, integer(1), None] = None
    categories: Annotated[str | list[Any], choice("auto"), list] = "auto"
    dtype: Annotated[DTypeLike, as_floats] = np.float64

    def _validate_params(self) -> None:
        super()._validate_params()
        if (self.handle_unknown == "use_encoded_value") != (self.unknown_value is not None):
            raise ValueError(
                "unknown_value must be a number if handle_unknown='use_encoded_value', and None if it is 'error', not "
                f"{self.unknown_value!r}"
            )

    def solve(self, schema: Schema, s: ValueCounts) -> CategoryModel:
        # The counts are the model; a value for what is unknown or missing must be no place.
        model = super().solve(schema, s)
        outputs = self.places(model).outputs
        for what in ("unknown_value", "encoded_missing_value"):
            value = getattr(self, what)
            taken = np.flatnonzero([value in range(n) for n in outputs.tolist()])
            if len(taken):
                beside = 'handle_unknown="use_encoded_value", ' if what == "unknown_value" else ""
                raise ParameterError(
                    f"{what}={value} is also the place of a category of column {schema.names[taken[0]]!r}",
                    Remedy(f"tn.OrdinalEncoder({beside}{what}=-1)", "a number below 0, or NaN"),
                )
        return model

    def transform_from(self, model: CategoryModel, X: Columns) -> Array:
        """The place of each value among the sorted categories of its column."""
        table, known = self.number_table(model), self.known_positions(model)
        out = np.empty(X.shape)
        for rows, block in X.blocks():
            codes = coded(block, model.first)
            if self.handle_unknown == "error":
                self.refuse_unknown(known, X, rows, codes, "handle_unknown='use_encoded_value' and unknown_value=-1")
            out[rows] = table[codes]
        return out

    def code_counts(self) -> Codes | None:
        # The places, unless a missing value has a number of its own.
        return self.places(self.model_).outputs if np.isnan(self.encoded_missing_value) else None

    def number_table(self, model: CategoryModel) -> Array:
        """Output number of each code of `coded`."""
        unknown = np.nan if self.unknown_value is None else float(self.unknown_value)
        found = []
        each = zip(self.places(model).place, self._columns(model), model.with_missing.tolist(), strict=True)
        for place, some, seen in each:
            order, missing = model.order[some], self.encoded_missing_value if seen else unknown
            found.append(np.where(order >= 0, np.append(place, -1)[order], unknown))
            found.append(np.array([missing, unknown], dtype=np.float64))
        return np.concatenate(found)

    @fitted
    def inverse_transform(self, X: MatrixLike) -> Values:
        """The categories that have these places; NaN or None for what was missing, None for what was unknown.

        Parameters
        ----------
        X : array of shape (rows, columns)

        Returns
        -------
        X : array of shape (rows, columns)
            Of numbers if all categories are, else of objects. All rare categories are "infrequent_sklearn".
        """
        labels = self.named(self._placed)
        given = as_rows(X, len(labels))
        missing = np.isnan(given) if np.isnan(self.encoded_missing_value) else given == self.encoded_missing_value
        found = []
        for j, some in enumerate(labels):
            known = np.isin(given[:, j], np.arange(len(some)))
            at = np.where(known, given[:, j], -1).astype(np.int64)
            if self.model_.with_missing[j] and some.dtype.kind in "iuf":  # of numbers, a missing one is NaN
                at[missing[:, j]] = len(some)
                some = np.append(some.astype(np.float64), np.nan)
            found.append((some, at))
        return self.given_back(found)
