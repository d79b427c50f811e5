"""Complement naive Bayes: a row is of the class whose complement it is least like.

w_cj = -log ((α + Σ_{k≠c} n_kj) / Σ_j (α + Σ_{k≠c} n_kj)): the shares of the columns in the rows of all other
classes, which are more and more alike in number than those of one class. (Rennie and others, 2003.)
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from tenfold.core import Array, Columns, DataError, Schema
from tenfold.estimator.shell.constraints import boolean
from tenfold.naive_bayes.counted import CountedModel, CountedNB, blocks
from tenfold.stats.counts.class_sums import ClassSums


class ComplementNB(CountedNB):
    """Naive Bayes over counts of all other classes: for texts of classes of unequal size. Exact in one pass.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to the count of each column (Laplace). 0: a column that no other class has decides.
    fit_prior : bool, default=True
        Whether class probabilities are estimated from the rows. It matters only if there is a single class.
    class_prior : array of shape (classes,), optional
        Probability of each class. Likewise.
    norm : bool, default=False
        Whether the weights of a class are divided by their sum.
    force_alpha : optional
        As in scikit-learn; other values raise an error that names an alternative.

    Attributes
    ----------
    classes_ : array
    class_count_, class_log_prior_ : array of shape (classes,)
    feature_count_, feature_log_prob_ : array of shape (classes, columns)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import ComplementNB
    >>> model = ComplementNB().fit([[2, 1, 0], [1, 1, 0], [0, 1, 3]], ["tea", "tea", "coffee"])
    >>> model.predict([[1, 0, 0], [0, 1, 1]]).tolist()
    ['tea', 'coffee']
    """

    law_params: ClassVar[Any] = ({}, {"norm": True})

    norm: Annotated[bool, boolean] = False

    def log_prob(self, s: ClassSums) -> Array:
        rest = np.where(_alone(s), 0.0, s.total.sum(axis=0) - s.total) + self.alpha
        logged = np.log(rest / rest.sum(axis=1, keepdims=True))
        logged[rest == 0] = 0.0  # what no row has speaks for no class
        if not self.norm:
            return np.asarray(-logged)
        whole = logged.sum(axis=1, keepdims=True)  # zero if there is one column alone
        return np.asarray(logged / np.where(whole == 0, 1.0, whole))

    def solve(self, schema: Schema, s: ClassSums) -> CountedModel:
        # Shares of the sums of all other classes; one that is zero has no logarithm, and is refused by name.
        alone = _alone(s)
        if self.alpha == 0 and (s.weight > 0).sum() > 1 and alone.any():
            c, j = (int(at) for at in np.argwhere(alone)[0])
            name, label = schema.columns[j].name, schema.classes.tolist()[c]
            raise DataError(
                f"column {name!r} is zero in all rows but those of class {label!r}: with alpha=0 its weight is "
                "infinite. Remedy: alpha above 0, 1.0 is the default"
            )
        return super().solve(schema, s)

    def scores_from(self, model: CountedModel, X: Columns) -> Array:
        # Σ_j x_j w_cj; of a single class its prior too. A class without rows, as in a fold, is no class.
        out = np.empty((len(X), len(model.class_log_prior)))
        for rows, block in blocks(X):
            out[rows] = block @ model.feature_log_prob.T
        out[:, model.class_count == 0] = -np.inf
        return out + model.class_log_prior if len(model.class_log_prior) == 1 else out


def _alone(s: ClassSums) -> Array:
    """Mask of columns that are counted in one class only."""
    counted = s.total > 0
    return counted & (counted.sum(axis=0) == 1)
