"""Contributions of the columns of the input to each prediction, through all steps of a pipeline.

What the last step adds up, its terms, belongs to transformed columns; each of them is made of one column of the input,
to which its term goes. The base of linear models and naive Bayes is the mean of the raw prediction over rows of data,
found in one scan; that of trees is the mean over their training rows, whose numbers the nodes have kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tenfold.core import Array, Chunk, Codes, Columns, DataError, MatrixLike, Mergeable
from tenfold.core.statistic import Statistic
from tenfold.core.value import ByIdentity
from tenfold.engine import one_blas_thread
from tenfold.engine.progress import progress
from tenfold.engine.stages import Fitted, InForm, origins_of, stages_of
from tenfold.inspection.contributions.contributions_result import Contributions
from tenfold.inspection.contributions.terms import ColumnTerms, terms_of, title_of
from tenfold.metrics.predictors import check_model, fitted_learners_of, opened_rows, predictor_of
from tenfold.sources.inputs import as_source, is_lazy
from tenfold.stats.combinators import As

ROWS_PER_BLOCK = 4096
"""rows whose terms are in memory at a time"""


def explain(model: BaseEstimator, X: MatrixLike, *, data: MatrixLike = None) -> Contributions:
    """Contribution of each column of the input to the prediction of each row.

    The contributions of a row and the base sum to its raw prediction: the prediction of a regressor (its logarithm for
    Poisson and Gamma regression and `loss="poisson"`), log odds or decision values of linear classifiers, naive Bayes
    and boosted trees, and probabilities of trees and forests. Of two classes, those of the second.

    The last step of a pipeline has contributions of transformed columns. They are added up to the column of the input
    that they were made of: all categories of a one-hot encoding, all words of a text, all parts of a date.

    Parameters
    ----------
    model : classifier or regressor
        Fitted: a linear model, naive Bayes, a tree, forest or boosted trees, or a pipeline that ends with one.
    X : array, frame or Source
        The rows to explain. For a Source the contributions are a Source, computed as they are read.
    data : array, frame or Source, optional
        For linear models and naive Bayes, the rows whose mean prediction is the base, by default those of X. The
        contribution of a column is its term less the mean of this term: the Shapley value, if unknown columns have
        the values of these rows. Trees take the base of their training rows.

    Returns
    -------
    contributions : Contributions

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> rows = pd.DataFrame({"size": [1.0, 3.0, 5.0, 7.0], "city": ["Oslo", "Rome", "Oslo", "Rome"]})
    >>> price = [3.0, 9.0, 11.0, 17.0]
    >>> columns = tn.ColumnTransformer([("n", "passthrough", ["size"]), ("c", tn.OneHotEncoder(), ["city"])])
    >>> found = tn.explain(tn.make_pipeline(columns, tn.Ridge(alpha=1e-9)).fit(rows, price), rows)
    >>> found.columns, found.values.round(3).tolist()
    (['size', 'city'], [[-6.0, -1.0], [-2.0, 1.0], [2.0, -1.0], [6.0, 1.0]])
    >>> bool(abs(found.base - 10) < 1e-6)
    True
    """
    check_model(model)
    steps = fitted_learners_of(model)
    if not steps:
        raise TypeError(
            f"{type(model).__name__} is not a learner of tenfold, nor a pipeline of such. Remedy: the shap package; or "
            "permutation_importance(model, X, y), which takes any model"
        )
    first, last = steps[0], steps[-1]
    terms, width = terms_of(last), len(first.schema_.columns)
    before = [(step._bare(), step.model_) for step in steps[:-1]]
    origin = origins_of(before, width)
    if origin is None:
        raise TypeError(
            "a step before the last makes columns of several columns of the input, so what they contribute belongs "
            "to no single one. Remedy: explain(pipeline[-1], pipeline[:-1].transform(X))"
        )
    used = np.array([column.kind != "unused" for column in first.schema_.columns])
    at = np.cumsum(used) - 1
    contributions = RowContributions(stages_of(before, last.need), terms, at[origin], int(used.sum()))
    if not terms.centred:
        if data is None and not is_lazy(X) and _rows(X) < 2:
            raise ValueError(
                "the base is the mean prediction of the rows, and there is one row. Remedy: "
                "explain(model, X, data=training_rows)"
            )
        contributions.measure_from(_means(model, X if data is None else data, contributions))
    elif data is not None:
        raise ValueError(
            "data: the base of trees is that of their training rows. Remedy: leave it out; or TreeShap(model, data), "
            "by the shap package"
        )
    if not np.isfinite(contributions.base).all():
        raise DataError(
            "a class has no training row, so its base is minus infinity. Remedy: fit to rows of all classes"
        )
    columns = [column.name for column, there in zip(first.schema_.columns, used.tolist(), strict=True) if there]
    classes = getattr(last, "classes_", None)
    several = list(classes.tolist()) if len(contributions.base) > 1 and classes is not None else None
    names = columns if several is None else [f"{name}: {label}" for name in columns for label in several]
    found = first._apply(contributions, X, lambda: names)
    if isinstance(found, np.ndarray) and several is not None:
        found = found.reshape(len(found), len(columns), len(several))
    what = title_of(last)
    if classes is not None and several is None:
        what += f" of {classes.tolist()[-1]!r}"
    base = contributions.base
    rows = as_source(X) if is_lazy(X) else X
    return Contributions(columns, found, float(base[0]) if several is None else base, what, several, rows)


class RowContributions:
    """Contributions of the columns of the input: a function of rows, with what it needs, that travels to workers.

    Parameters
    ----------
    stages : tuple of Fitted and InForm
        The steps before the last.
    terms : ColumnTerms
        Of the last step.
    group : array of int
        For each column that it takes, the number of the column of the input.
    groups : int
        How many columns of the input there are.
    """

    def __init__(self, stages: tuple[Fitted | InForm, ...], terms: ColumnTerms, group: Codes, groups: int) -> None:
        self.stages, self.terms, self.group, self.groups = stages, terms, group, groups
        self.base: Array = terms.constant
        self.mean = np.zeros((groups, len(self.base)))

    def measure_from(self, mean: Array) -> None:
        """Take the mean of the terms from each, and add it to the base."""
        self.base, self.mean = self.terms.constant + mean.sum(axis=0), mean

    def of(self, X: Columns) -> Array:
        """Rows x columns x outputs."""
        out = np.empty((len(X), self.groups, len(self.base)))
        for start in range(0, len(X), ROWS_PER_BLOCK):
            rows = slice(start, min(start + ROWS_PER_BLOCK, len(X)))
            some = X.rows(rows)
            for stage in self.stages:
                some = stage.of(some)
            out[rows] = self.terms.by_group(some, self.group, self.groups) - self.mean
        return out

    def __call__(self, learner: Any, model: Any, X: Columns) -> Array:
        """The same, as a function of a fitted learner is called: rows x (columns times outputs)."""
        return self.of(X).reshape(len(X), -1)


class MeanTerms(Mergeable):
    """The weight of some rows, and the mean of their terms."""

    weight: float
    mean: Array

    def __add__(self, other: MeanTerms) -> MeanTerms:
        weight = self.weight + other.weight
        share = other.weight / weight if weight else 0.0
        return MeanTerms(weight, self.mean + share * (other.mean - self.mean))


class TermsOfRows(Statistic[MeanTerms]):
    """The mean terms of the columns of the input."""

    contributions: ByIdentity

    def summarize(self, chunk: Chunk) -> MeanTerms:
        found = self.contributions.it.of(chunk.X)
        if not chunk.total:
            return MeanTerms(0.0, np.zeros(found.shape[1:]))
        return MeanTerms(chunk.total, np.tensordot(chunk.weight, found, 1) / chunk.total)


def _means(model: BaseEstimator, X: MatrixLike, contributions: RowContributions) -> Array:
    """The mean terms of the columns over rows."""
    with (
        progress("explain"),
        one_blas_thread(),
        opened_rows(predictor_of(model), model, X, None, None, targets=False) as rows,
    ):
        found = rows.session.answer(As(rows.view, TermsOfRows(ByIdentity(contributions)))).summary
    if not found.weight:
        raise DataError("there is no row: all have weight zero")
    mean: Array = found.mean
    return mean


def _rows(X: MatrixLike) -> int:
    """How many rows in memory there are."""
    shape = getattr(X, "shape", None)
    return len(X) if shape is None else int(shape[0])
