"""How sure an area under the ROC curve is: the variance of DeLong, DeLong and Clarke-Pearson, from merged bins."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, logit, ndtri

from tenfold.model_selection.certification.intervals import Interval
from tenfold.stats.metrics import Ranking
from tenfold.theory.bounds.held_out import UNSEEN
from tenfold.theory.checks import fraction


def auc_interval(ranking: Ranking, level: float = 0.95) -> Interval | None:
    """The interval for the area under the ROC curve on new rows.

    The area is the mean over pairs of a positive and a negative row, so its variance is that of the positives'
    shares of negatives below them and of the negatives' shares of positives above them. Both are read off the bins.
    The ends are taken on the scale of log odds, which keeps them between 0 and 1, and moved out by as much as bins
    that hold several scores leave open.

    Parameters
    ----------
    ranking : Ranking
        Of rows that the model never saw and that have no weights.
    level : float, default=0.95

    Returns
    -------
    Interval or None
        None if the variance cannot be estimated: weights, fewer than two rows of a class, or an area
        of exactly 0 or 1.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.model_selection.certification.auc_interval import auc_interval
    >>> from tenfold.stats.metrics import Ranking
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 400)
    >>> print(auc_interval(Ranking.of(truth, truth + rng.normal(size=400))))
    area under the ROC curve 0.788266; 95 % interval 0.740349 to 0.829377 (DeLong, log odds)
    """
    level = fraction("level", level)
    up, down = ranking.positive, ranking.negative
    m, n = float(up.sum()), float(down.sum())
    area = ranking.roc_auc
    if m + n != ranking.rows or min(m, n) < 2 or not 0 < area < 1:
        return None
    below = (np.append(0.0, np.cumsum(down)[:-1]) + down / 2) / n  # share of negatives below a positive
    above = (m - np.cumsum(up) + up / 2) / m
    spread = float(up @ (below - area) ** 2) / (m - 1) / m + float(down @ (above - area) ** 2) / (n - 1) / n
    half = -float(ndtri((1 - level) / 2)) * math.sqrt(spread) / (area * (1 - area))
    low, high = float(expit(logit(area) - half)), float(expit(logit(area) + half))
    low, high = max(0.0, low - (area - ranking.auc_low)), min(1.0, high + (ranking.auc_high - area))
    few = min(m, n) < 10
    note = f"there are {min(m, n):.0f} rows of one class, and the normal approximation needs more" if few else ""
    return Interval("area under the ROC curve", area, low, high, level, "both", "DeLong, log odds", UNSEEN, note)
