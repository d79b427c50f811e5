"""What is known of a mixture at its model: its likelihood, what a round gains, components that are not as they should.

All of it comes from the sums of the last round, without another look at the rows.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg as sla

from tenfold.core import Array, Claim, Codes, DataError
from tenfold.mixture.gaussian_components import ComponentSums, MixtureModel

OVERLAP_DISTANCE = 0.01
"""components with less Bhattacharyya distance than this overlap by 99 percent"""
EMPTY_COMPONENT_SHARE = 1e-12
"""share of the weight that is as good as none"""
KURTOSIS_ERRORS = 5.0
"""standard errors from the kurtosis of a normal that are no chance"""


def n_parameters(model: MixtureModel, kind: str) -> int:
    """How many numbers a mixture may choose."""
    k, p = model.means.shape
    each = {"full": k * p * (p + 1) // 2, "tied": p * (p + 1) // 2, "diag": k * p, "spherical": k}[kind]
    return each + k * p + k - 1


def information_criteria(log_likelihood: float, rows: float, free: int) -> tuple[float, float]:
    """BIC and AIC, from the log-likelihood and the number of free parameters."""
    return -2 * log_likelihood + free * math.log(rows), -2 * log_likelihood + 2 * free


def mixture_claims(model: MixtureModel, s: ComponentSums, kind: str, reg_covar: float) -> tuple[Claim, ...]:
    """The likelihood at a model, what the next round gains, and components that merged, emptied, collapsed or split."""
    usual = "rounding errors of the usual size"
    bic, aic = information_criteria(s.log_likelihood, s.rows, n_parameters(model, kind))
    what = f"{n_parameters(model, kind)} free parameters, log-likelihood {s.log_likelihood:.9g} of weight {s.rows:g}"
    claims = [
        Claim(
            "log-likelihood", s.mean_log_likelihood, "estimated",
            "mean of log p(x) over all rows, summed in float64 at this very model", "objective", usual,
        ),
        Claim("bic", bic, "estimated", what, "objective", usual),
        Claim("aic", aic, "estimated", what, "objective", usual),
        _condition(model),
    ]  # fmt: skip
    gain = _gain(model, s, kind, reg_covar)
    more = (gain, _empty(s), _merged(model), _collapsed(model, s, reg_covar), _split(s))
    return (*claims, *(claim for claim in more if claim is not None))


def _gain(model: MixtureModel, s: ComponentSums, kind: str, reg_covar: float) -> Claim | None:
    """How much the expected log-likelihood of a row, by the shares of this round, grows by the next model."""
    try:
        after = s.maximised(kind, reg_covar)
    except DataError:  # a component that would have no density
        return None
    gain = (expected_log_density(after, s) - expected_log_density(model, s)) / s.rows
    why = "the next round adds so much to the mean log-likelihood, at least: the expected one grows by it"
    return Claim("next round gains", gain, "estimated", why, "objective", "rounding errors of the usual size")


def expected_log_density(model: MixtureModel, s: ComponentSums) -> float:
    """Σ shares log πₖ p(x | k) at a model, by sums around the means they were made at."""
    k, p = s.means.shape
    some = s.weight > 0
    level = np.where(some, model.level(), 0.0)
    step = np.where(some[:, None], model.means - s.means, 0.0)
    if s.scatter.shape[2] < p:
        square = s.scatter[:, :, 0] - 2 * step * s.total + s.weight[:, None] * step**2
        return float(s.weight @ level - 0.5 * (square * model.upper[:, :, 0] ** 2).sum())
    cross = step[:, :, None] * s.total[:, None, :]
    move = s.weight[:, None, None] * step[:, :, None] * step[:, None, :] - cross - cross.transpose(0, 2, 1)
    scatter = s.scatter + (move if len(s.scatter) == k else move.sum(axis=0))
    return float(s.weight @ level - 0.5 * ((scatter @ model.upper) * model.upper).sum())


def _condition(model: MixtureModel) -> Claim:
    """The condition of the worst covariance, the units of the columns left out."""
    p = model.means.shape[1]
    if model.covariance.shape[2] < p or p == 1:
        return Claim("condition", 1.0, "proved", "variances alone: distances lose no digits", "arithmetic")
    worst, which = 1.0, 0
    for k, square in enumerate(model.covariance):
        own = np.sqrt(np.diag(square))
        values = sla.eigvalsh(square / np.outer(own, own))
        found = float(values[-1] / values[0]) if values[0] > 0 else math.inf
        worst, which = (found, k) if found > worst else (worst, which)
    lost = min(math.log10(worst), 16.0)
    why = f"component number {which}, its columns scaled to variance one: distances lose about {lost:.0f} of 16 digits"
    return Claim("condition", worst, "estimated", why, "arithmetic", "rounding errors of the usual size")


def _empty(s: ComponentSums) -> Claim | None:
    found = np.flatnonzero(s.weight <= EMPTY_COMPONENT_SHARE * s.rows)
    if not len(found):
        return None
    why = f"{_numbers(found)}: no rows belong to it. Remedy: fewer components, or another random_state"
    return Claim("empty components", float(len(found)), "proved", why, "data")


def _merged(model: MixtureModel) -> Claim | None:
    """Pairs of components that are as good as one."""
    pairs = [(a, b) for a, b in _pairs_nearby(model) if _distance(model, a, b) < OVERLAP_DISTANCE]
    if not pairs:
        return None
    said = ", ".join(f"{a} and {b}" for a, b in pairs[:3]) + (", ..." if len(pairs) > 3 else "")
    why = f"components number {said} overlap by 99 percent: one would do for both. Remedy: fewer components"
    return Claim("merged components", float(len(pairs)), "estimated", why, "data")


def _pairs_nearby(model: MixtureModel) -> list[tuple[int, int]]:
    """Pairs whose means are near in each column by itself: no others can be alike."""
    variance = _variances(model)
    found: list[tuple[int, int]] = []
    live = np.flatnonzero(model.weights > EMPTY_COMPONENT_SHARE)
    for at, a in enumerate(live):
        rest = live[at + 1 :]
        away = (model.means[rest] - model.means[a]) ** 2 / (4 * (variance[rest] + variance[a]))
        found += [(int(a), int(b)) for b in rest[away.max(axis=1, initial=0.0) < OVERLAP_DISTANCE]]
    return found


def _distance(model: MixtureModel, a: int, b: int) -> float:
    """The Bhattacharyya distance of two components."""
    away = model.means[a] - model.means[b]
    if model.covariance.shape[2] < model.means.shape[1]:
        first, second = model.covariance[a, :, 0], model.covariance[b, :, 0]
        middle = (first + second) / 2
        logs = np.log(middle) - (np.log(first) + np.log(second)) / 2
        return float((away**2 / middle).sum() / 8 + logs.sum() / 2)
    count = len(model.covariance)
    first, second = model.covariance[a % count], model.covariance[b % count]
    middle = (first + second) / 2
    sizes = [np.linalg.slogdet(one)[1] for one in (middle, first, second)]
    return float(away @ sla.solve(middle, away, assume_a="sym") / 8 + (sizes[0] - (sizes[1] + sizes[2]) / 2) / 2)


def _collapsed(model: MixtureModel, s: ComponentSums, reg_covar: float) -> Claim | None:
    """Components that have a density by `reg_covar` only: in some direction their rows vary no more than that."""
    if not reg_covar:
        return None
    p = model.means.shape[1]
    if model.covariance.shape[2] < p:
        least: Array = model.covariance.min(axis=(1, 2))
    else:
        least = np.array([sla.eigvalsh(square)[0] for square in model.covariance])
    live = s.weight > EMPTY_COMPONENT_SHARE * s.rows if len(least) == len(s.weight) else np.ones(1, bool)
    found = np.flatnonzero(live & (least <= 2 * reg_covar))
    if not len(found):
        return None
    why = (
        f"{_numbers(found)}: in some direction its rows vary no more than reg_covar={reg_covar:g} adds, and the "
        "likelihood grows without limit as that shrinks. Remedy: fewer components, or a larger reg_covar"
    )
    return Claim("collapsed components", float(len(found)), "estimated", why, "data")


def _split(s: ComponentSums) -> Claim | None:
    """Components whose rows are not spread as those of a normal: two would fit better (Mardia's kurtosis)."""
    p = s.means.shape[1]
    live = s.weight > EMPTY_COMPONENT_SHARE * s.rows
    weight = np.where(live, s.weight, 1.0)
    usual = p * (p + 2)
    off = np.where(live, s.fourth / weight - usual, 0.0) / np.sqrt(8 * usual / weight)
    found = np.flatnonzero(np.abs(off) > KURTOSIS_ERRORS)
    if not len(found):
        return None
    worst = int(np.abs(off).argmax())
    how = "flat or of two clumps" if off[worst] < 0 else "heavy-tailed"
    why = (
        f"{_numbers(found)}: kurtosis of its rows is not that of a normal; number {worst} is {how}, by "
        f"{abs(off[worst]):.1f} standard errors. Remedy: more components, or features that are closer to normal"
    )
    return Claim("components to split", float(len(found)), "estimated", why, "data", "rows drawn independently")


def _variances(model: MixtureModel) -> Array:
    """The variance of each column in each component."""
    k, p = model.means.shape
    own = model.covariance[:, :, 0] if model.covariance.shape[2] < p else np.diagonal(model.covariance, 0, 1, 2)
    return np.broadcast_to(own, (k, p))


def _numbers(which: Codes) -> str:
    """Component numbers in the words of a claim."""
    said = ", ".join(map(str, which[:5].tolist())) + (", ..." if len(which) > 5 else "")
    return f"component{'s' if len(which) > 1 else ''} number {said}"
