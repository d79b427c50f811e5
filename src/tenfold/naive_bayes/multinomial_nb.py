"""Multinomial naive Bayes: the counts of a row are draws from the columns, by its class.

P(j | c) = (n_cj + α) / (n_c + α p), with n_cj the count of column j in the rows of class c, and n_c that of all p
columns.
"""

from __future__ import annotations

import numpy as np

from tenfold.core import Array
from tenfold.naive_bayes.counted import CountedNB
from tenfold.stats.counts.class_sums import ClassSums


class MultinomialNB(CountedNB):
    """Naive Bayes over counts, as of words in texts, exact in one pass.

    Parameters
    ----------
    alpha : float, default=1.0
        Laplace smoothing: added to the count of each column. 0: relative frequencies, so that a row with a column that
        its class never had is impossible there.
    fit_prior : bool, default=True
        Whether class probabilities are estimated from the rows; otherwise they are uniform.
    class_prior : array of shape (classes,), optional
        Probability of each class.
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
    >>> from tenfold import MultinomialNB
    >>> model = MultinomialNB().fit([[2, 1, 0], [1, 1, 0], [0, 1, 3]], ["tea", "tea", "coffee"])
    >>> model.predict([[1, 0, 0], [0, 1, 1]]).tolist()
    ['tea', 'coffee']
    """

    def log_prob(self, s: ClassSums) -> Array:
        smooth = s.total + self.alpha
        return np.asarray(np.log(smooth) - np.log(smooth.sum(axis=1, keepdims=True)))
