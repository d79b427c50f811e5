"""Principal components: orthogonal directions, each with the largest variance that those before it leave.

They are the eigenvectors of the scatter Σ (x - m)(x - m)ᵀ, which is read off merged moments. Squares lose small
variances: where columns repeat each other so much that it shows, one more scan is asked for, whose summary is a
triangular factor with the same directions.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.linalg as sla
from numpy.typing import ArrayLike

from tenfold.compiled.moments.moments import correlate
from tenfold.core import Array, Claim, Columns, DataError, Flags, Need, Remedy, Schema
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.learner import Done, Initial
from tenfold.core.statistic import Statistic
from tenfold.estimator import AffineTransformer, OnePass, check_is_fitted, fitted
from tenfold.estimator.shell.constraints import boolean, integer, share
from tenfold.estimator.shell.keyword_decisions import COUNT, EXACT, copied, exact_tol, one_of, unseeded
from tenfold.estimator.shell.keywords import NoEffect, refused
from tenfold.linear_model.class_moments.projection import Projector, oriented
from tenfold.linear_model.class_moments.whitening import EPS, ERROR_DEVIATIONS, ROUNDING_ASSUMPTION
from tenfold.linear_model.least_squares.normal_equations import varying
from tenfold.stats.moments.affine_map import AffineMap, KnownColumns
from tenfold.stats.moments.centered_factor import Triangle, TriangularFactor
from tenfold.stats.moments.moments import Comoments, Moments, refuse_small

MAX_COLUMNS = 20_000
"""columns whose products with each other are summed: 3 GB"""
MIN_CORRELATION_EIGENVALUE = 1e-6
"""smallest eigenvalue of the correlations below which moments have lost too much"""


class PCAModel(NamedTuple):
    """The components, and what variance each has."""

    mean: Annotated[Array, "column"]
    components: Annotated[Array, "component", "column"]
    explained_variance: Annotated[Array, "component"]
    explained_variance_ratio: Annotated[Array, "component"]
    singular_values: Annotated[Array, "component"]
    noise_variance: float


class ReadingRFactor(NamedTuple):
    """The state of a fit that reads the rows for a triangular factor, since moments have lost digits."""

    step: int
    model: PCAModel


class Axes(NamedTuple):
    """All principal axes, and how far they can be trusted."""

    vectors: Array
    """rows"""
    singular: Array
    """√ of the sums of squares along them"""
    raw: Array
    """the same, of those too that rounding could feign"""
    rounding: tuple[float, float, float]
    """how far off the scatter may be between two axes: a share of the product, a multiple of the sum, and a constant"""
    lost: bool
    """whether a triangular factor would resolve more of the small variances"""
    still: int
    """columns that are constant"""

    @property
    def resolved(self) -> Flags:
        """Which axes have more variance than rounding could feign; that of the others is taken as 0."""
        return self.singular > 0

    @property
    def error(self) -> Array:
        """Axis x axis: how far off the scatter may be between two of them."""
        share, step, least = self.rounding
        return share * np.outer(self.raw, self.raw) + step * np.add.outer(self.raw, self.raw) + least

    def wants_factor(self, k: int) -> bool:
        """Whether a triangular factor would resolve more of the first k components."""
        return self.lost and bool((_axis_error(self.raw, self.rounding) > 1e-8 * self.singular**2)[:k].any())


by_number_or_share = refused(
    "the number of components is given by an integer or by a share of the variance",
    Remedy("tn.PCA(n_components=0.95)"),
    "mle",
)
some_component = refused("no component is left", Remedy("tn.PCA(n_components=1)"), 0)


class PCA(OnePass, Projector, AffineTransformer):
    """Principal component analysis, exact in one pass (a second, for more digits, if the data need it).

    Columns are numbers. A row of weight 2 counts as two rows; where weights add up to no more than 1, variances are
    divided by their sum, not by one less.

    Parameters
    ----------
    n_components : int or float between 0 and 1, optional
        How many components; all by default. A share: as many as have that share of the variance together.
    whiten : bool, default=False
        Whether `transform` divides each component by its standard deviation; a constant component becomes 0.
    copy, svd_solver, tol, iterated_power, n_oversamples, power_iteration_normalizer, random_state : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    components_ : array of shape (components, columns)
        Directions of unit length, the largest variance first, the largest entry of each positive.
    explained_variance_ : array of shape (components,)
    explained_variance_ratio_ : array of shape (components,)
    singular_values_ : array of shape (components,)
        Of the centred rows.
    mean_ : array of shape (columns,)
    n_components_ : int
    n_samples_ : int
        Rows that were learned from.
    noise_variance_ : float
        Mean variance of what was left out.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import PCA
    >>> model = PCA(n_components=1).fit([[0.0, 0.0], [2.0, 2.0], [4.0, 4.0], [1.0, 1.5]])
    >>> model.components_.round(2).tolist()
    [[0.72, 0.7]]
    >>> model.transform([[2.0, 2.0]]).round(2).tolist()
    [[0.27]]
    """

    need = Need("numeric", sparse=True)
    law_params = (
        {},
        {"n_components": 2, "whiten": True},
    )

    n_components: Annotated[
        int | float | None, integer(0), share(open=True), None, by_number_or_share, some_component
    ] = None
    whiten: Annotated[bool, boolean] = False
    _: KW_ONLY
    copy: Annotated[bool, copied] = True
    svd_solver: Annotated[
        str, NoEffect(EXACT, (one_of("auto", "full", "covariance_eigh", "arpack", "randomized"),))
    ] = "auto"
    tol: Annotated[float, exact_tol] = 0.0
    iterated_power: Annotated[int | str, NoEffect(EXACT, (integer(0), one_of("auto")))] = "auto"
    n_oversamples: Annotated[int, NoEffect(EXACT, COUNT)] = 10
    power_iteration_normalizer: Annotated[str, NoEffect(EXACT, (one_of("auto", "QR", "LU", "none"),))] = "auto"
    random_state: Annotated[int | None, unseeded] = None

    def statistic(self, schema: Schema) -> Comoments:
        p = len(schema.columns)
        if isinstance(self.n_components, (int, np.integer)) and self.n_components > p:
            raise ValueError(f"n_components={self.n_components} must be at most the number of columns, {p}")
        refuse_wide(p, "PCA")
        return Comoments(target=False)

    def ask(self, state: Initial | ReadingRFactor | Done) -> Statistic | None:
        # Moments; then a triangular factor if they are not enough.
        return TriangularFactor(state.model.mean) if isinstance(state, ReadingRFactor) else super().ask(state)

    @property
    def merges_unsolved(self) -> bool:
        # Return False: the model of the first pass decides whether the rows are read again.
        return False

    def update(self, state: Initial | ReadingRFactor, s: Moments | Triangle) -> ReadingRFactor | Done:
        # The axes; ask for a triangular factor where it gains digits.
        axes = principal_axes(s)
        free = s.weight - 1.0 if s.weight >= 2.0 else max(s.weight, EPS)  # less than two rows: shares, not counts
        variance = axes.singular**2 / free
        total = float(variance.sum())
        ratio = variance / total if total > 0 else np.zeros_like(variance)
        k = self._count(ratio)
        left = variance[k : max(k, min(len(variance), math.ceil(s.weight)))]
        model = PCAModel(
            s.mean if isinstance(s, Moments) else s.mean()[0],
            axes.vectors[:k],
            variance[:k],
            ratio[:k],
            axes.singular[:k],
            float(left.mean()) if len(left) else 0.0,
        )
        return ReadingRFactor(0, model) if axes.wants_factor(k) else Done.of(model)

    def _count(self, ratio: Array) -> int:
        """Number of components to keep, from `n_components`."""
        if self.n_components is None:
            return len(ratio)
        if isinstance(self.n_components, (int, np.integer)):
            return int(self.n_components)
        return min(int(np.searchsorted(np.cumsum(ratio), self.n_components, side="right")) + 1, len(ratio))

    def certify(self, model: PCAModel, s: Moments | Triangle) -> tuple[Claim, ...]:
        """The explained variance, the digits that hold, and the digits of the directions."""
        axes, k = principal_axes(s), len(model.components)
        how = "moments" if isinstance(s, Moments) else "triangular factors"
        more = "; another scan would give more" if axes.wants_factor(k) else ""
        kept = float(model.explained_variance_ratio.sum())
        claims = [
            Claim(
                "explained variance",
                kept,
                "estimated",
                "share of the variance that is kept",
                "objective",
                ROUNDING_ASSUMPTION,
            ),
            variance_digits(axes, k, f"of the least certain variance, from merged {how}{more}"),
            direction_digits(axes, k),
        ]
        if axes.still:
            why = "these columns change by no more than rounding"
            claims.append(Claim("constant columns", float(axes.still), "estimated", why, "data"))
        rank = int(axes.resolved.sum())
        if rank < len(axes.singular) - axes.still:
            why = f"rows vary in {rank} directions; the other components only fill up the space"
            claims.append(Claim("rank", float(rank), "estimated", why, "data"))
        return tuple(claims)

    def directions(self, model: PCAModel) -> tuple[Array, Array]:
        return model.mean, model.components.T / self._scale(model, np.inf)

    def summary_from(self, known: KnownColumns) -> Moments:
        return known.moments if known.width == len(known.moments.mean) else known.moments.without_target

    def affine_from(self, model: PCAModel) -> AffineMap:
        # (x - mean) on each component
        center, directions = self.directions(model)
        return AffineMap(np.ascontiguousarray(directions.T), center)

    def _scale(self, model: PCAModel, nothing: float) -> Array:
        """Divisor of each component; `nothing` for one without variance."""
        deviation = np.sqrt(model.explained_variance)
        return np.where(deviation > 0, deviation, nothing) if self.whiten else np.ones_like(deviation)

    @fitted
    def inverse_transform(self, X: ArrayLike) -> Array:
        """Rows reconstructed from their components.

        Parameters
        ----------
        X : array of shape (rows, components)

        Returns
        -------
        X : array of shape (rows, columns)
        """
        names, given = self.get_feature_names_out(), np.asarray(X, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != len(names):
            raise DataError(
                f"X has shape {given.shape}, but there are {len(names)} components. Remedy: pass the output of "
                f"transform"
            )
        model: PCAModel = self.model_
        return (given * self._scale(model, 0.0)) @ model.components + model.mean

    @fitted
    def get_covariance(self) -> Array:
        """The covariance of the columns under the probabilistic model: the components, and noise alike in the rest.

        Returns
        -------
        covariance : array of shape (columns, columns)
        """
        check_is_fitted(self)
        model: PCAModel = self.model_
        more = np.maximum(model.explained_variance - model.noise_variance, 0.0)
        found = (model.components.T * more) @ model.components
        found[np.diag_indices_from(found)] += model.noise_variance
        return found

    @fitted
    def get_precision(self) -> Array:
        """The inverse of the covariance that the probabilistic model has.

        Returns
        -------
        precision : array of shape (columns, columns)
        """
        check_is_fitted(self)
        model: PCAModel = self.model_
        variance, noise = _variances(model)
        if np.isnan(noise):
            raise DataError("some directions have no variance, so none is inverted. Remedy: fewer components")
        rest = np.eye(len(model.mean)) - model.components.T @ model.components
        return (model.components.T / variance) @ model.components + (rest / noise if noise > 0 else 0.0)

    @fitted
    def score_samples(self, X: MatrixLike) -> Any:
        """The log-density of each row under the probabilistic model.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source

        Returns
        -------
        log_density : array of shape (rows,)
            NaN, if some direction has no variance: there is no density then.
        """
        check_is_fitted(self)
        return self._apply(_log_density, X, lambda: ["log_density"])

    @fitted
    def score(self, X: MatrixLike, y: VectorLike = None) -> float:
        """The mean log-density of the rows under the probabilistic model.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
        y : None
            Not used.

        Returns
        -------
        score : float
        """
        _, found, weight = self._compare(X, None, None, _log_density)
        return float(weight @ found / weight.sum())

    @property
    @fitted
    def n_components_(self) -> int:
        """Number of components."""
        return len(self.model_.components)

    @property
    @fitted
    def n_samples_(self) -> int:
        """Number of training rows."""
        where = self.certificate_.provenance
        return 0 if where is None else where.rows


def _variances(model: PCAModel) -> tuple[Array, float]:
    """Variances along the components, and in those left out: 0 if there are none, NaN if some have no variance."""
    k, p = model.components.shape
    noise = model.noise_variance if k < p else 0.0
    if (k < p and noise <= 0) or (model.explained_variance <= 0).any():
        return model.explained_variance, np.nan
    return np.maximum(model.explained_variance, noise), noise


def _log_density(learner: PCA, model: PCAModel, X: Columns) -> Array:
    """-½ Σ tⱼ² / λⱼ, and so for what is left out, less the logarithm of the volume."""
    (variance, noise), out = _variances(model), np.empty(len(X))
    k, p = model.components.shape
    if np.isnan(noise):
        return np.full(len(X), np.nan)
    volume = p * math.log(2 * math.pi) + float(np.log(variance).sum()) + ((p - k) * math.log(noise) if k < p else 0.0)
    for rows, block in X.blocks(shift=model.mean):
        t = block @ model.components.T
        far = (t**2 / variance).sum(axis=1)
        if k < p:
            far += ((block - t @ model.components) ** 2).sum(axis=1) / noise
        out[rows] = -0.5 * (far + volume)
    return out


def refuse_wide(columns: int, peer: str) -> None:
    """Refuse so many columns that the matrix of their products would be huge; `peer`: scikit-learn's learner of few."""
    if columns > MAX_COLUMNS:
        raise DataError(
            f"the products of {columns:,} columns with each other would take {8e-9 * columns * columns:,.0f} GB. "
            f"Remedy: at most {MAX_COLUMNS:,} columns, as max_features= of a vectorizer or SelectKBest chooses; or "
            f"sklearn.decomposition.{peer}, which comes near to the same on rows in memory"
        )


def principal_axes(s: Moments | Triangle) -> Axes:
    """The axes of a summary, by the singular values of a triangular factor, which moments have too."""
    m = s if isinstance(s, Moments) else s.moments()
    p = len(m.mean)
    squares = m.comoment.diagonal()
    varies = varying(squares, m.mean, m.weight)
    if not varies.any():  # beside larger columns, such a small one is nothing
        refuse_small(squares, math.sqrt(m.weight) * m.mean)
    still = p - int(np.count_nonzero(varies))
    gamma = ERROR_DEVIATIONS * EPS * (1.0 + math.log2(m.weight + 1.0) / 8)
    share, least, lost = 0.0, 0.0, False
    if isinstance(s, Triangle):
        factor: Array | None = np.where(varies, s.factor[1:, 1:], 0.0)
    else:
        scale = np.sqrt(np.where(varies, squares, 1.0) if still else squares)
        R = np.empty((p, p))
        correlate(np.ascontiguousarray(m.comoment), varies, scale, R)
        factor, least = _factor(R)
        lost = factor is None and m.weight > p
        if factor is not None:
            factor, share = factor.T * (np.where(varies, scale, 0.0) if still else scale), gamma / least
    if factor is None:
        values, rows = sla.eigh(np.where(np.outer(varies, varies), m.comoment, 0.0))
        singular, vectors = np.sqrt(np.maximum(values[::-1], 0.0)), rows[:, ::-1].T
        rounding = (0.0, 0.0, gamma * float(values[-1]))
    else:
        singular, vectors = _svd(factor)
        step = 16 * EPS * float(singular[0])
        rounding = (share, step, step**2)
    resolved = singular**2 > _axis_error(singular, rounding)
    if resolved.all():
        return Axes(oriented(vectors.copy().T).T, singular, singular, rounding, lost, still)
    vectors = np.vstack([vectors[resolved], _complement(vectors[resolved])])
    return Axes(oriented(vectors.T).T, np.where(resolved, singular, 0.0), singular, rounding, lost, still)


def _axis_error(singular: Array, rounding: tuple[float, float, float]) -> Array:
    """How far off the scatter along each axis may be."""
    share, step, least = rounding
    return share * (singular * singular) + step * (singular + singular) + least


def _svd(square: Array) -> tuple[Array, Array]:
    """Singular values of a finite square matrix, and right vectors as rows: by LAPACK, as scipy calls it."""
    _, singular, vectors, info = sla.lapack.dgesdd(square, lwork=_room(len(square)))
    if info:
        raise sla.LinAlgError("singular values do not converge")
    return singular, vectors


@lru_cache(maxsize=32)
def _room(p: int) -> int:
    """The workspace that LAPACK wants for a square matrix."""
    return int(sla.lapack.dgesdd_lwork(p, p)[0])


def _complement(rows: Array) -> Array:
    """An orthonormal basis of the complement of the rows, chosen independently of rounding errors."""
    k, p = rows.shape
    if k == p:
        return rows[:0]
    return np.asarray(sla.qr(np.eye(p) - rows.T @ rows, mode="economic", pivoting=True)[0][:, : p - k].T)


def _factor(R: Array) -> tuple[Array | None, float]:
    """The Cholesky factor of correlations, and about their smallest eigenvalue; None if that is too small."""
    factor, info = sla.lapack.dpotrf(R.T, lower=1)
    if info:
        return None, 0.0
    norm = float(np.abs(R).sum(axis=0).max())
    least = float(sla.lapack.dpocon(factor, norm, uplo="L")[0]) * norm
    return (factor, least) if least > MIN_CORRELATION_EIGENVALUE else (None, least)


def variance_digits(axes: Axes, k: int, why: str) -> Claim:
    """Digits of the least certain variance among the first k that are more than rounding."""
    some = np.flatnonzero(axes.resolved[:k])
    worst = (np.diag(axes.error)[some] / axes.singular[some] ** 2).max(initial=EPS)
    return Claim("digits", min(-math.log10(worst), 15.0), "estimated", why, "arithmetic", ROUNDING_ASSUMPTION)


def direction_digits(axes: Axes, k: int) -> Claim:
    """Digits of the least well determined direction among the first k."""
    square = axes.singular**2
    apart = np.abs(np.subtract.outer(square, square))
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = np.where(np.eye(len(square), dtype=bool), 0.0, np.minimum(axes.error / apart, 1.0))
    angle = np.where(np.isnan(angle), 1.0, angle)[:k][axes.resolved[:k]]
    if not angle.size:
        return Claim(
            "direction digits", 0.0, "estimated", "no direction has any variance", "arithmetic", ROUNDING_ASSUMPTION
        )
    i, j = np.unravel_index(int(angle.argmax()), angle.shape)
    why = f"of the least certain direction, number {i}, beside number {j}: the nearer their variances, the fewer"
    digits = min(-math.log10(max(float(angle.max()), EPS)), 15.0)
    return Claim("direction digits", digits, "estimated", why, "arithmetic", ROUNDING_ASSUMPTION)
