"""Matrices under which a covariance becomes the identity, and how many digits they keep.

A covariance S is brought to unit diagonal, R = D⁻¹SD⁻¹, so that the units of the columns do not matter. With the
eigenvalues λ of R, a relative error γ in its entries becomes γ/λ in its inverse.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.linalg as sla

from tenfold.compiled.moments.whitening import whiten_by_factors
from tenfold.core import Array, Claim, Codes, Flags

EPS = float(np.finfo(np.float64).eps)
ERROR_DEVIATIONS = 4.0
"""standard deviations of rounding errors that an estimate covers"""
MIN_RELATIVE_VARIANCE = 1e-10
"""variances below this share of a unit are taken as this: beneath it rounding speaks"""
LEAST_BY_FACTORS = 1e-4
"""smallest eigenvalue of correlations that are whitened by their factor, without eigenvectors"""
KERNEL_COLUMNS = 32
"""columns up to which a kernel is as fast as LAPACK: many covariances, one after the other"""
ROUNDING_ASSUMPTION = "rounding errors independent and of the usual size"


class Whitening(NamedTuple):
    """How a covariance becomes the identity."""

    half: Array
    """H, columns x rank: HHᵀ is the inverse of the covariance, or its pseudo-inverse; the smallest eigenvalue first"""
    least: float
    """smallest eigenvalue of the correlations that is kept, 1 if there is none"""
    varies: Flags
    """columns that are more than a constant and its rounding"""

    @property
    def rank(self) -> int:
        """Number of directions that are kept."""
        return self.half.shape[1]


def whiten(covariance: Array, varies: Flags, tol: float) -> Whitening:
    """Leave out directions whose standard deviation, columns having one, is at most `tol`."""
    half, values, keep = whiten_each(covariance, varies, tol)
    return Whitening(half[:, keep], float(values[keep].min(initial=np.inf)) if keep.any() else 1.0, varies)


def whiten_each(covariance: Array, varies: Flags, tol: float) -> tuple[Array, Array, Flags]:
    """Return H of `Whitening`, with zeros for directions that are left out, the eigenvalues, and which are kept.

    Of a stack of covariances, of each.
    """
    scale = np.sqrt(np.where(varies, np.diagonal(covariance, axis1=-2, axis2=-1), 1.0))
    both = varies[..., :, None] & varies[..., None, :]
    R = np.where(both, covariance / (scale[..., :, None] * scale[..., None, :]), 0.0)
    values, vectors = np.linalg.eigh(R)
    keep = values > max(tol * tol, EPS * R.shape[-1])
    root = np.sqrt(np.where(keep, values, 1.0))
    half = np.where(keep[..., None, :], vectors / root[..., None, :] / scale[..., :, None], 0.0)
    return half, values, keep


class Rounded(NamedTuple):
    """Whitenings of full rank of some covariances: directions without variance are given a little."""

    rows: Array
    """W with |W(x - μ)|² the squared distance"""
    log_det: Array
    least: Array
    """smallest eigenvalue, of the correlations or in units, before it was lifted"""
    missing: Codes
    """how many directions were given a variance"""


def whiten_all(covariance: Array, unit: Array) -> Rounded:
    """All directions; where it matters, variances are measured in the squares of `unit`, one for each column.

    Parameters
    ----------
    covariance : array of shape (covariances, columns, columns)
    unit : array of shape (covariances, columns)
    """
    n, p = unit.shape
    found = Rounded(np.zeros((n, p, p)), np.zeros(n), np.zeros(n), np.zeros(n, np.int64))
    done = np.zeros(n, bool)
    if p <= KERNEL_COLUMNS:
        whiten_by_factors(np.ascontiguousarray(covariance), LEAST_BY_FACTORS, *found[:3], done)
    else:
        for k in range(n):
            done[k] = _by_factor(covariance[k], found, k)
    if done.all():
        return found
    some, unit = covariance[~done], unit[~done]
    values, vectors = np.linalg.eigh(some / (unit[:, :, None] * unit[:, None, :]))
    lifted = np.maximum(values, MIN_RELATIVE_VARIANCE)
    found.log_det[~done] = np.log(lifted).sum(axis=1) + 2 * np.log(unit).sum(axis=1)
    found.rows[~done] = np.swapaxes(vectors / np.sqrt(lifted)[:, None, :], 1, 2) / unit[:, None, :]
    found.least[~done], found.missing[~done] = values[:, 0], (values < MIN_RELATIVE_VARIANCE).sum(axis=1)
    return found


def _by_factor(covariance: Array, found: Rounded, k: int) -> bool:
    """Whiten one covariance of many columns by its factor, if its correlations are far from singular."""
    own = np.sqrt(np.diag(covariance))
    if not (own > 0).all():
        return False
    R = covariance / np.outer(own, own)
    factor, info = sla.lapack.dpotrf(R.T, lower=1)
    norm = float(np.abs(R).sum(axis=0).max())
    found.least[k] = 0.0 if info else float(sla.lapack.dpocon(factor, norm, uplo="L")[0]) * norm
    if not found.least[k] > LEAST_BY_FACTORS:
        return False
    found.rows[k] = np.tril(sla.lapack.dtrtri(factor, lower=1)[0]) / own
    found.log_det[k] = 2 * float(np.log(np.diag(factor) * own).sum())
    return True


def digits(least: float, weight: float, why: str) -> Claim:
    """How many decimal digits hold if the smallest eigenvalue of the correlations is this: 0 to 15."""
    error = ERROR_DEVIATIONS * EPS * (1.0 + math.log2(weight + 1.0) / 8) / max(least, EPS)
    return Claim("digits", min(max(-math.log10(error), 0.0), 15.0), "estimated", why, "arithmetic", ROUNDING_ASSUMPTION)
