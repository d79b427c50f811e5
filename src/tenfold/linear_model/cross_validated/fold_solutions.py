"""Penalties chosen by cross-validation from the summaries of the folds, in one scan.

The model that leaves a fold out is made from the merge of the others, and its errors are read off the summary of the
fold it has not seen. So all folds and all penalties cost what one fit costs, and a little algebra.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Generic, NamedTuple, TypeAlias

import numpy as np

from tenfold.core import MANY, ONE, Array, Claim, Codes, Columns, DataError, Design, Need, Schema
from tenfold.core.field_values import COUNTS
from tenfold.core.learner import Done, Initial, ModelT
from tenfold.core.statistic import Statistic
from tenfold.estimator import OnePass, Regressor, check_is_fitted
from tenfold.estimator.feature_coefficients import Featured
from tenfold.linear_model.least_squares.normal_equations import EPS
from tenfold.linear_model.penalized.penalized import ROUNDING_ASSUMPTION
from tenfold.stats.combinators import Key
from tenfold.stats.fold_summaries import (
    ChunkStarts,
    ComomentsByDrawnFold,
    ComomentsByFold,
    DrawnFolds,
    FoldMoments,
    FoldRows,
    FoldsInOrder,
    ListedFolds,
    Pieces,
    RowsByChunk,
    but_one,
    listed,
)
from tenfold.stats.moments.moments import Moments
from tenfold.stats.rows.wide_rows import Rows

if TYPE_CHECKING:
    from tenfold.linear_model.cross_validated.elastic_net_cv import PathCVModel
    from tenfold.linear_model.cross_validated.ridge_cv import RidgeCVModel

    FoldedModel: TypeAlias = PathCVModel | RidgeCVModel

Folds: TypeAlias = FoldMoments | Sequence[Rows]
"""the folds that have rows"""
DEFAULT_FOLDS = 10
"""drawn at random, if no others are asked for"""
ERROR_TIE = 1e-13
"""errors that differ by less are the same: then the larger penalty is taken"""


class CountedChunks(NamedTuple):
    """The state of a fit that knows how many rows each chunk has, so that folds can be cut."""

    step: int
    schema: Schema
    part: Annotated[Codes, "piece", COUNTS]
    offset: Annotated[Codes, "piece", COUNTS]
    first: Annotated[Codes, "piece", COUNTS]
    """the number of the first row of each chunk, among the rows that have a weight if `cv` is a number"""
    rows: int


class Chosen(NamedTuple):
    """The penalty of least error, and the errors of all penalties."""

    alpha: float
    l1_ratio: float
    grid: Array
    """ratios x penalties, the largest first"""
    errors: Array
    """ratios x penalties x folds: mean squared error of each fold that has rows"""
    digits: float
    """that hold in these errors"""


class ByFold(Featured, OnePass, Regressor, Generic[ModelT]):
    """Base of `RidgeCV`, `LassoCV` and `ElasticNetCV`, which define `_grid`, `_models` and `_best`."""

    need = Need("mixed", sparse=True, target="number")
    merges_if = "with `cv=None`"

    @property
    def passes(self) -> str:  # type: ignore[override]
        # Models merge if each row carries its fold with it; rows in a row are other rows once there are more.
        return ONE if self._drawn else MANY

    @property
    def _drawn(self) -> bool:
        """Whether folds are drawn at random."""
        return self.cv is None

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        # Folds are drawn, unless they are given.
        return self._drawn

    def statistic(self, schema: Schema) -> RowsByChunk | ComomentsByFold:
        # How many rows there are, if the folds depend on it; else the moments, or rows, of drawn folds.
        if not self._drawn:
            return RowsByChunk()
        return ComomentsByDrawnFold(
            DrawnFolds(DEFAULT_FOLDS, int(self.random_state)), schema.levels, self._wide(schema)
        )

    def ask(self, state: Initial | CountedChunks | Done) -> Statistic | None:
        # Of folds that are cut or given: once the rows are counted, the moments, or rows, of each.
        if not isinstance(state, CountedChunks):
            return super().ask(state)
        return ComomentsByFold(self._folds(state), state.schema.levels, self._wide(state.schema))

    def model(self, state: Initial | CountedChunks | Done[ModelT]) -> ModelT | None:
        return state.model if isinstance(state, Done) else None

    @property
    def merges_unsolved(self) -> bool:
        return self.passes == ONE

    def _wide(self, schema: Schema) -> bool:
        """Whether rows are kept, while they are fewer than the features."""
        return False

    def _folds(self, state: CountedChunks) -> Key:
        """The folds that `cv` defines."""
        starts = ChunkStarts(state.part, state.offset, state.first)
        if isinstance(self.cv, (int, np.integer)):
            return FoldsInOrder(int(self.cv), state.rows, starts)
        labels, codes = np.unique(listed(self.cv), return_inverse=True)
        return ListedFolds(len(labels), codes.astype(np.int64), starts)

    def update(self, state: Initial | CountedChunks, summary: Pieces | FoldMoments | FoldRows) -> CountedChunks | Done:
        # Count; then fit every penalty to all folds but one, score it on that one, and fit the best to all.
        if isinstance(summary, Pieces):
            return self._counted(state.schema, summary)
        each = _filled(summary)
        if len(each) < 2:
            raise DataError(
                "all rows are in one fold, as one sample would be: nothing is left to be scored on. "
                "Remedy: other folds, by cv="
            )
        whole, others = _but_one(each)
        ratios, grid = self._grid(whole)
        errors, digits = self._fold_errors(each, others, ratios, grid)
        mean = errors.mean(axis=2)
        if not np.isfinite(mean).all():
            raise DataError("the errors of the folds are not finite. Remedy: divide the target by its largest value")
        i, a = (int(at) for at in np.argwhere(mean <= mean.min() * (1 + ERROR_TIE))[0])
        chosen = Chosen(float(grid[i, a]), float(ratios[i]), grid, errors, digits)
        return Done.of(self._best(whole, chosen, state.schema))

    def _fold_errors(self, each: Folds, others: Folds, ratios: Array, grid: Array) -> tuple[Array, float]:
        """The errors of the models of all folds but one on that one, and how many digits of them hold."""
        errors = np.empty((*grid.shape, len(each)))
        digits = 15.0
        for k, (rest, fold) in enumerate(zip(_listed(others), _listed(each), strict=True)):
            for i, found in enumerate(self._models(rest, ratios, grid)):
                errors[i, :, k], rough = errors_of(fold, *found)
                digits = min(digits, least_digits(errors[i, :, k], rough))
        return errors, digits

    def _counted(self, schema: Schema, pieces: Pieces) -> CountedChunks:
        total = int(pieces.rows.sum())
        if isinstance(self.cv, (int, np.integer)):
            if total < self.cv:
                raise DataError(f"cv={self.cv} is more than there are samples: n_samples={total}. Remedy: fewer folds")
        elif (shape := listed(self.cv).shape) != (total + int(pieces.dropped.sum()),):
            raise DataError(
                f"cv has shape {shape}, but there are {total + int(pieces.dropped.sum())} rows. "
                "Remedy: the name or number of a fold for each row"
            )
        counts = pieces.rows + (0 if isinstance(self.cv, (int, np.integer)) else pieces.dropped)
        first = np.cumsum(counts) - counts
        return CountedChunks(0, schema, pieces.part, pieces.offset, first, total)

    def _grid(self, whole: Moments | Rows) -> tuple[Array, Array]:
        """The mixtures, and for each its penalties, the largest first."""
        raise NotImplementedError

    def _models(self, summary: Moments | Rows, ratios: Array, grid: Array) -> Iterator[tuple[Array, Array]]:
        """Coefficients and intercepts of all penalties, for each l1_ratio."""
        raise NotImplementedError

    def _best(self, summary: Moments | Rows, chosen: Chosen, schema: Schema) -> FoldedModel:
        """The model of all rows, with the penalty that was chosen."""
        raise NotImplementedError

    def _fitted(self) -> Any:
        check_is_fitted(self)
        return self.model_

    def _whole(self, summary: FoldMoments | FoldRows) -> Moments | Rows:
        """The summary of all rows, merged as `update` does it."""
        each = _filled(summary)
        if not len(each):
            raise DataError("no fold has a weight, so there is nothing that the model could be held against")
        return _but_one(each)[0]

    def _chosen(self, model: FoldedModel) -> tuple[Claim, ...]:
        """Claims about the errors that selected the penalty."""
        why = "of the least certain mean squared error of a fold that was left out, read off its summary"
        ratios, alphas, folds = model.mse_path.shape
        how = "at random" if self._drawn else "in a row" if isinstance(self.cv, (int, np.integer)) else "as given"
        many = f"{how}, each left out once by the models of {ratios * alphas:,} penalties"
        return (
            Claim("score digits", model.score_digits, "estimated", why, "arithmetic", ROUNDING_ASSUMPTION),
            Claim("folds", float(folds), "proved", many, "data"),
        )

    def predict_from(self, model: FoldedModel, X: Columns) -> Array:
        """The prediction of each row, Xβ + β₀."""
        return Design.of(X, model.schema.levels) @ model.coef + model.intercept

    def is_valid(self, model: FoldedModel, summary: object, schema: Schema) -> bool:
        return model.mse_path.size > 0 and model.mse_path.shape[:2] == model.alphas.shape


def _filled(summary: FoldMoments | FoldRows) -> Folds:
    """Folds that have rows with a weight."""
    return summary.filled() if isinstance(summary, FoldMoments) else [rows for rows in summary.each() if len(rows)]


def _but_one(each: Folds) -> tuple[Moments | Rows, Folds]:
    """The merge of all folds, and of all but each one."""
    return each.but_one() if isinstance(each, FoldMoments) else but_one(each)


def _listed(each: Folds) -> Sequence[Moments | Rows]:
    """The summary of each fold by itself, in order."""
    return each.each() if isinstance(each, FoldMoments) else each


def errors_of(fold: Moments | Rows | FoldMoments, coefs: Array, intercepts: Array) -> tuple[Array, Array]:
    """Mean squared errors of models on unseen rows, and about how much of them is rounding.

    Of several folds, the models of each come one fold after the other.
    """
    if isinstance(fold, Rows):
        off = fold.y[:, None] - (fold.matrix() @ coefs.T + intercepts)
        found = fold.weight @ off**2 / fold.weight.sum()
        return found, EPS * found
    weight, (*many, p) = np.asarray(fold.weight)[..., None], coefs.shape
    u = np.ones((*many, p + 1))
    np.negative(coefs, out=u[..., :p])
    around = ((u @ fold.comoment) * u).sum(axis=-1) / weight
    shift = _along(u, fold.mean) + _along(u, fold.rest) - intercepts
    found = np.maximum(around, 0.0) + shift**2
    squares = np.diagonal(fold.comoment, axis1=-2, axis2=-1)
    spread, mean = np.sqrt(np.maximum(squares, 0.0) / weight), np.abs(fold.mean)
    rough = np.abs(u)
    return found, EPS * (_along(rough, spread) ** 2 + np.abs(shift) * _along(rough, mean))


def _along(u: Array, vector: Array) -> Array:
    """The product of each row with the vector of its fold."""
    return np.matmul(u, vector[..., None])[..., 0]


def least_digits(errors: Array, rough: Array) -> float:
    """Decimal digits that hold in the least certain of some errors."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(rough > 0, rough / errors, EPS)
        return float(np.clip(-np.log10(share), 0.0, 15.0).min())
