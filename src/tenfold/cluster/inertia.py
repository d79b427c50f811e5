"""Lower bounds on the inertia of any k centres, and the claims about the centres found."""

from __future__ import annotations

import numpy as np
import scipy.linalg as sla

from tenfold.cluster.kmeans_states import KMeansModel, Summary
from tenfold.cluster.lloyd_round import Lloyd
from tenfold.core import Array, Claim

MAX_BOUND_COLUMNS = 256
"""with more columns no lower bound is computed: it needs all their co-moments"""


def bounded(n_clusters: int, columns: int) -> bool:
    """Whether the scatter of the rows bounds the inertia: only with no more clusters than columns."""
    return n_clusters <= min(MAX_BOUND_COLUMNS, columns)


def lower_bound(scatter: Array, n_clusters: int) -> float:
    """The scatter's smallest eigenvalues, all but k - 1, summed: no k centres have less inertia (Ding and He, 2004)."""
    values = sla.eigvalsh(scatter)
    rest = values[: len(values) - n_clusters + 1].sum() - 1e-12 * values.sum()
    return max(float(rest), 0.0)


def inertia_claims(model: KMeansModel, s: Summary, n_clusters: int) -> tuple[Claim, ...] | None:
    """J at these centres, what the next round would save, and what any centres could; None if s is not of them."""
    if not isinstance(s, Lloyd) or not np.array_equal(s.centers, model.cluster_centers):
        return None
    bound = model.bound
    saves = float(s.weight @ ((s.means() - s.centers) ** 2).sum(axis=1))
    could = (s.inertia - bound) / s.inertia if s.inertia > 0 else 0.0
    why = f"no {len(s.weight)} centres go below {bound:.6g}: the scatter's smallest eigenvalues"
    if not bound and s.inertia > 0:
        why = "vacuous: as many clusters as columns, or too many columns, so no bound is known"
    near = "summed over all rows in float64, each with the centre found nearest in its own float type"
    claims: tuple[Claim, ...] = (
        Claim("inertia", s.inertia, "estimated", near, "objective", "rounding errors of the usual size"),
        Claim("gap", max(could, 0.0), "proved", why, "objective"),
        Claim("next round saves", saves, "proved", "centres against their means", "objective"),
    )
    found = int(np.count_nonzero(s.weight))
    if found < n_clusters:
        why = f"fewer clusters than n_clusters={n_clusters}: there are no more distinct rows"
        claims += (Claim("clusters", float(found), "estimated", why, "data"),)
    return claims
