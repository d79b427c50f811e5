"""What learners with a kernel and all rows in memory share: f(x) = Σ aᵢ k(xᵢ, x), and how it is applied."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tenfold.core import Array, Codes, ColumnError, Columns, DataError, Labels, Need, Schema
from tenfold.core.rows.columns import TextColumns
from tenfold.core.rows.objects import OBJECT_KINDS, ObjectKind, objects_of
from tenfold.estimator import OnePass, fitted
from tenfold.estimator.shell.parameters import fixed
from tenfold.kernels.algebra import Kernel
from tenfold.kernels.kernel_names import as_kernel
from tenfold.stats.moments.moments import MIN_SQUARE_SCALE
from tenfold.stats.rows.training_objects import NO_OBJECTS, AllObjects, PackedObjects, TrainingObjects
from tenfold.stats.rows.training_rows import AllRows, TrainingRows

VALUES_PER_BLOCK = 1 << 22
"""of a kernel that are made at a time when rows are predicted: 32 MiB"""


class KernelExpansion(OnePass):
    """Base of learners that keep their rows, and compare others with them."""

    merges_if = 'unless `kernel="precomputed"`'
    kernel_params = fixed(None)
    numeric_need: ClassVar[Need]
    """what it takes from rows of numbers; of strings, sets and trees it follows"""
    relative: ClassVar[str]
    """what to use for more rows than fit, as the call to write"""
    of_two_rows: ClassVar[bool] = True
    """whether a function that is given as the kernel is of two rows, or of two arrays of rows"""

    @property
    def need(self) -> Need:
        if self.object_kind is None:
            return self.numeric_need
        return Need("text", target=self.numeric_need.target, objects=self.object_kind)

    @property
    def object_kind(self) -> ObjectKind | None:
        """What rows are if the kernel compares strings, sets or trees; None if they are rows of numbers."""
        domain = self.kernel.domain if isinstance(self.kernel, Kernel) else "numbers"
        return domain if domain in OBJECT_KINDS else None

    @property
    def precomputed(self) -> bool:
        """Whether rows are rows of a Gram matrix, as scikit-learn has it."""
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    @property
    def does_not_merge(self) -> str:
        why = (
            "models of precomputed kernels do not merge: the values between their rows are not known. Remedy: a kernel "
            'that compares rows, such as kernel="rbf"; or one fit to the matrix of all rows'
        )
        return why if self.precomputed else ""

    @fitted
    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.precomputed
        return tags

    def check_kernel(self, schema: Schema) -> None:
        """Refuse a kernel that does not compare such rows."""
        if isinstance(self.kernel, Kernel) and self.kernel.domain == "places":
            raise ValueError(
                f"{self.kernel} compares numbers of rows of its matrix. Remedy: kernel='precomputed', and the matrix "
                "in the place of the rows"
            )
        if self.object_kind is not None and len(schema.columns) != 1:
            raise DataError(
                f"{self.kernel} compares {self.object_kind}, one for each row, and the rows have "
                f"{len(schema.columns)} columns: {list(schema.names)[:10]}. Remedy: one of them, X[[name]]"
            )

    def rows_to_gather(self, most: int = 0) -> AllRows | AllObjects:
        """The statistic of all rows, of numbers or of objects; above `most` rows of objects it refuses."""
        if self.object_kind is None:
            return AllRows(self.relative)
        return AllObjects("a sample of the rows", self.object_kind, type(self).__name__, most)

    def gamma_from(self, s: TrainingRows | TrainingObjects) -> float:
        """Numeric value of `gamma` for these rows and weights; a kernel of objects has none, and takes no notice."""
        if isinstance(s, TrainingObjects):
            return 1.0
        if self.gamma is None or self.gamma == "auto":
            return 1.0 if self.kernel == "chi2" and self.gamma is None else 1.0 / s.X.shape[1]
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        total = s.weight.sum() * s.X.shape[1]
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused
            mean = float(s.weight @ s.X.sum(axis=1) / total)
            variance = float(s.weight @ np.einsum("ij,ij->i", s.X - mean, s.X - mean) / total)
        if not np.isfinite(variance) and s.X.size:
            raise ColumnError(
                int(np.abs(s.X).max(axis=0).argmax()),
                "is too large to be squared, and gamma='scale' divides by the variance of the columns. Remedy: rescale "
                "it, tenfold.MaxAbsScaler(), or give a number as gamma",
            )
        if variance < MIN_SQUARE_SCALE**2 and s.X.size and s.X.max() > s.X.min():
            raise DataError(
                "gamma='scale' divides by the variance of the columns, and they are too small to be squared. Remedy: "
                "rescale them, tenfold.MaxAbsScaler(), or give a number as gamma"
            )
        return 1.0 / (s.X.shape[1] * variance) if variance > 0 else 1.0

    def kernel_of(self, gamma: float) -> Kernel:
        """The kernel object that the parameters name."""
        kernel = self.kernel
        if self.kernel_params and isinstance(kernel, Callable) and not isinstance(kernel, Kernel):  # type: ignore[arg-type]
            kernel = partial(kernel, **self.kernel_params)
        return as_kernel(kernel, gamma=gamma, degree=self.degree, coef0=self.coef0, pairwise=self.of_two_rows)

    def gram_of(self, s: TrainingRows | TrainingObjects, gamma: float) -> Array:
        """The kernel of all pairs of rows."""
        if 0 < s.memory < 8 * len(s) ** 2:
            raise DataError(
                f"the Gram matrix of {len(s):,} rows takes more than the {s.memory / 2**20:,.0f} MiB that may be "
                f"used. Remedy: {self.relative}, which needs none; or let more be used, "
                "tenfold.on(tenfold.Local(memory=...))"
            )
        if isinstance(s, TrainingObjects) or not self.precomputed:
            return self.kernel_of(gamma)(s.X)
        return self.given_gram(s)

    def given_gram(self, s: TrainingRows) -> Array:
        """The Gram matrix that rows of a precomputed kernel are, without rows of weight zero."""
        if s.place.max(initial=-1) >= s.X.shape[1]:
            n, p = s.X.shape
            raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {n}x{p} matrix.")
        return s.X[:, s.place]

    def stored(self, s: TrainingRows | TrainingObjects, some: Codes | slice = slice(None)) -> Array:
        """Rows that the model keeps, or their numbers in a precomputed Gram matrix; of objects none, but no values."""
        if isinstance(s, TrainingObjects):
            return np.zeros((len(s.place[some]), 0))
        return s.place[some].astype(np.float64)[:, None] if self.precomputed else s.X[some]

    def packed(self, s: TrainingRows | TrainingObjects, some: Codes | None = None) -> PackedObjects:
        """Objects that the model keeps, if rows are objects."""
        if not isinstance(s, TrainingObjects):
            return NO_OBJECTS
        return s.packed(np.arange(len(s)) if some is None else some)

    def compared_with(self, stored: Array, objects: PackedObjects) -> Array | Labels:
        """What a model keeps of its rows, as the kernel compares it."""
        return stored if self.object_kind is None else objects.objects()

    def columns_of(self, s: TrainingRows | TrainingObjects) -> Columns:
        """The rows that were gathered, as those of a chunk."""
        if isinstance(s, TrainingRows):
            return Columns(s.X)
        return TextColumns((np.array(s.packed(np.arange(len(s))).texts(), dtype=object),))

    def expand(self, stored: Array | Labels, gamma: float, coefficients: Array, X: Columns) -> Array:
        """f(x) = Σ aᵢ k(xᵢ, x) of rows, for each column of coefficients; `stored` are rows, or objects."""
        out = np.empty((len(X), *coefficients.shape[1:]))
        if self.precomputed:
            places = stored[:, 0].astype(np.int64)
            for rows, block in X.blocks():
                out[rows] = block[:, places] @ coefficients
            return out
        compare = self.kernel_of(gamma).prepared(stored)
        tall = min(256, VALUES_PER_BLOCK // max(len(stored), 1))  # products of few rows with many take longer
        if self.object_kind is not None:
            texts, tall = X.column(0).tolist(), max(tall, 1)
            for first in range(0, len(texts), tall):
                block = objects_of(texts[first : first + tall], self.object_kind)
                out[first : first + tall] = compare(block) @ coefficients
            return out
        for rows, block in X.blocks(max(tall, X.block_rows(len(stored)))):
            out[rows] = compare(block) @ coefficients
        return out

    def fits_columns(self, stored: Array, objects: PackedObjects, schema: Schema) -> bool:
        """Whether what was kept of rows belongs to a schema: as many columns, places among them, or objects."""
        p = len(schema.columns)
        if objects.kind != (self.object_kind or "") or len(objects.ends) != (len(stored) if self.object_kind else 0):
            return False
        if self.object_kind is not None:
            return p == 1 and stored.shape[1] == 0
        if not self.precomputed:
            return stored.shape[1] == p
        return stored.shape[1] == 1 and bool(((stored >= 0) & (stored < p) & (stored == np.floor(stored))).all())
