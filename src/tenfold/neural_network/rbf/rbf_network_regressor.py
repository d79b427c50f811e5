"""A network of radial basis functions for numbers: centres by k-means, then ridge regression on the hidden layer."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

from tenfold.core import Array, Columns, Need
from tenfold.estimator import Regressor
from tenfold.estimator.shell.constraints import real
from tenfold.estimator.shell.parameters import Behind
from tenfold.linear_model.least_squares.ridge import Ridge
from tenfold.neural_network.rbf.rbf_network import RBFModel, RBFNetwork


class RBFNetworkRegressor(RBFNetwork, Regressor):
    """Regression by a radial basis function (RBF) network: k-means centres, then ridge regression.

    The hidden layer measures how near a row is to each centre, ``exp(-gamma |x - c|²)``; the output is linear in
    that. Both halves are exact per pass, so that rows may be on disk or on a cluster.

    Parameters
    ----------
    n_centers : int, default=10
        Hidden units; fewer, if there are fewer distinct rows.
    gamma : float or "auto", default="auto"
        How fast the functions fall, above 0. "auto": 1 / (2 d²), where d is the mean distance of a centre from the
        nearest other one.
    alpha : float, default=1e-3
        Strength of the penalty on the weights of the output.
    random_state : int, default=0
        Seed of the first centres. None draws one, and the certificate records it.

    Attributes
    ----------
    centers_ : array of shape (centers, columns)
    gamma_ : float
    coef_ : array of shape (centers,)
        Weight of each hidden unit.
    intercept_ : float
    certificate_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import RBFNetworkRegressor
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = RBFNetworkRegressor(n_centers=12).fit(X, np.sin(X[:, 0]))
    >>> model.score(X, np.sin(X[:, 0])) > 0.999
    True
    """

    need = Need("numeric", target="number")
    law_params = ({"n_centers": 3}, {"n_centers": 2, "gamma": 0.5})

    _: KW_ONLY
    alpha: Annotated[float, real(0), Behind("gamma")] = 1e-3

    def output(self) -> Ridge:
        return Ridge(self.alpha)

    def predict_from(self, model: RBFModel, X: Columns) -> Array:
        """What the linear learner makes of the hidden layer."""
        found: Array = self.output().predict_from(model.last.each[0], self.seen_by_output(model, X))
        return found
