"""A share of the columns, those with the highest scores."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np

from tenfold.core import Flags, Remedy
from tenfold.estimator.shell.constraints import percentage
from tenfold.estimator.shell.keywords import refused
from tenfold.feature_selection.univariate import ScoresModel, UnivariateSelector, comparable

some_percent = refused("no column is left", Remedy("tn.SelectPercentile(percentile=10)"), 0)


class SelectPercentile(UnivariateSelector):
    """Keep a share of the columns, those with the highest scores, exact in one pass.

    Each column is scored by itself, from summaries that merge: scores and p-values are those of scikit-learn's
    functions.

    Parameters
    ----------
    score_func : {"f_classif", "f_regression", "chi2"} or scikit-learn's function of this name, default="f_classif"
        Analysis of variance between classes; the regression of a number on the column; or chi-squared of counts and
        classes.
    percentile : float, default=10
        How many of 100 columns to keep.

    Attributes
    ----------
    scores_, pvalues_ : array of shape (columns,)
        NaN of a column that has no score.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import SelectPercentile
    >>> X, y = [[0.0, 1.0], [1.0, 2.0], [0.0, 5.0], [1.0, 6.0]], ["a", "a", "b", "b"]
    >>> SelectPercentile(percentile=50).fit(X, y).get_support().tolist()
    [False, True]
    """

    law_params = ({"percentile": 50}, {"score_func": "f_regression", "percentile": 40})

    _: KW_ONLY
    percentile: Annotated[float, percentage, some_percent] = 10

    def kept_from(self, model: ScoresModel) -> Flags:
        scores = comparable(model.scores)
        if self.percentile == 100:
            return np.ones(len(scores), bool)
        low, high = (np.percentile(scores, 100 - self.percentile, method=side) for side in ("lower", "higher"))
        if not np.isinf(low) and not np.isinf(high):
            least = np.percentile(scores, 100 - self.percentile)
        else:  # between an infinite score and another there is no line
            least = low if np.isinf(low) else high
        kept: Flags = scores > least
        more = max(int(len(scores) * self.percentile / 100) - int(kept.sum()), 0)
        kept[np.flatnonzero(scores == least)[:more]] = True
        return kept
