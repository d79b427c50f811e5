"""A network of radial basis functions for classes: centres by k-means, then logistic regression on the hidden layer."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

from tenfold.core import Array, Columns, Need
from tenfold.estimator import Classifier
from tenfold.estimator.shell.constraints import positive
from tenfold.estimator.shell.parameters import Behind
from tenfold.linear_model.glm.logistic_regression import LogisticRegression
from tenfold.neural_network.rbf.rbf_network import RBFModel, RBFNetwork


class RBFNetworkClassifier(RBFNetwork, Classifier):
    """Classification by a radial basis function (RBF) network: k-means centres, then logistic regression.

    The hidden layer measures how near a row is to each centre, ``exp(-gamma |x - c|²)``; the log-odds are linear in
    that. Both halves are exact per pass, so that rows may be on disk or on a cluster.

    Parameters
    ----------
    n_centers : int, default=10
        Hidden units; fewer, if there are fewer distinct rows.
    gamma : float or "auto", default="auto"
        How fast the functions fall, above 0. "auto": 1 / (2 d²), where d is the mean distance of a centre from the
        nearest other one.
    C : float, default=10.0
        The inverse of the strength of the penalty on the weights of the output.
    random_state : int, default=0
        Seed of the first centres. None draws one, and the certificate records it.

    Attributes
    ----------
    classes_ : array
    centers_ : array of shape (centers, columns)
    gamma_ : float
    coef_ : array of shape (1 or classes, centers)
        Weight of each hidden unit.
    intercept_ : array of shape (1 or classes,)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import RBFNetworkClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 5, [0, 1, 1, 0] * 5
    >>> RBFNetworkClassifier(n_centers=4).fit(X, y).score(X, y)
    1.0
    """

    need = Need("numeric", target="class")
    law_params = ({"n_centers": 3}, {"n_centers": 2, "gamma": 0.5})

    _: KW_ONLY
    C: Annotated[float, positive, Behind("gamma")] = 10.0

    def output(self) -> LogisticRegression:
        return LogisticRegression(self.C)

    def scores_from(self, model: RBFModel, X: Columns) -> Array:
        """Those of logistic regression on the hidden layer."""
        return self.output().scores_from(model.last.each[0], self.seen_by_output(model, X))
