"""The k columns with the highest scores."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np

from tenfold.core import Flags, Remedy
from tenfold.core.errors import warn_user
from tenfold.estimator.shell.constraints import choice, integer
from tenfold.estimator.shell.keywords import refused
from tenfold.feature_selection.univariate import ScoresModel, UnivariateSelector, comparable

some_column = refused("no column is left", Remedy("tn.SelectKBest(k=1)"), 0)


class SelectKBest(UnivariateSelector):
    """Keep the k columns with the highest scores, exact in one pass.

    Each column is scored by itself, from summaries that merge: scores and p-values are those of scikit-learn's
    functions.

    Parameters
    ----------
    score_func : {"f_classif", "f_regression", "chi2"} or scikit-learn's function of this name, default="f_classif"
        Analysis of variance between classes; the regression of a number on the column; or chi-squared of counts and
        classes.
    k : int or "all", default=10
        How many columns to keep. Of equal scores, later columns are kept.

    Attributes
    ----------
    scores_, pvalues_ : array of shape (columns,)
        NaN of a column that has no score.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import SelectKBest
    >>> model = SelectKBest(k=1).fit([[0.0, 1.0], [1.0, 2.0], [0.0, 5.0], [1.0, 6.0]], ["a", "a", "b", "b"])
    >>> model.get_feature_names_out().tolist(), model.scores_.tolist()
    (['x1'], [0.0, 32.0])
    """

    law_params = ({"k": 2}, {"score_func": "f_regression", "k": 1})

    _: KW_ONLY
    k: Annotated[int | str, integer(0), choice("all"), some_column] = 10

    def kept_from(self, model: ScoresModel) -> Flags:
        kept = np.ones(len(model.scores), bool)
        if self.k != "all":
            kept[np.argsort(comparable(model.scores), kind="stable")[: -int(self.k)]] = False
        return kept

    def _after_fit(self, source: object) -> None:
        columns = len(self.model_.scores)
        if self.k != "all" and int(self.k) > columns:
            warn_user(f"k={self.k} is greater than n_features={columns}. All the features will be returned.")
