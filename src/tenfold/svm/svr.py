"""Support vector regression: ½‖w‖² + Σ Cᵢ max(0, |yᵢ - f(xᵢ)| - ε) least, f(x) = ⟨w, φ(x)⟩ + b with k the product of φ.

A row inside the tube of half-width ε costs nothing, and is no support vector. The dual has two variables a row, one for
each side of the tube, of which at most one is not 0.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Codes, Columns, Need, Remedy, Schema
from tenfold.core.field_values import COUNTS
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import real
from tenfold.estimator.shell.keywords import refused
from tenfold.estimator.shell.kinds import Regressor
from tenfold.estimator.shell.parameters import Behind
from tenfold.kernels.structured import SpectrumKernel
from tenfold.stats.rows.training_objects import PackedObjects, TrainingObjects
from tenfold.stats.rows.training_rows import TrainingRows
from tenfold.svm.dual.dual_problem import DualProblem
from tenfold.svm.support_vector_machine import KernelMachine, Machine, claims_of, verify, weights_of


class SVRModel(NamedTuple):
    """Support vectors, and what each weighs."""

    support: Annotated[Codes, "support", COUNTS]
    position: Annotated[Codes, "support", COUNTS]
    """of the support vectors among the rows that were gathered"""
    support_vectors: Annotated[Array, "vector", "column"]
    weights: Annotated[Array, "output", "support"]
    intercept: Annotated[Array, "output"]
    gamma: float
    n_iter: int
    objects: PackedObjects
    """the support vectors, if they are strings, sets or trees"""


class SVR(KernelMachine, Regressor):
    """Epsilon-support vector regression, in memory.

    All rows are needed at once; past the memory of the runner the error names what to use instead. Two models of
    disjoint rows add up to the model of all: rows merge, and the dual is solved again. The certificate has the duality
    gap, which proves how far the model is from the best.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "precomputed", a kernel object, or a function
        of two arrays of rows. Of a kernel of strings, sets or trees, rows are such: a list, or one column of text.
    degree : int, default=3
        Of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        "scale": 1 / (columns * variance of X), rows counting by their weight (scikit-learn's takes no notice of
        `sample_weight`); "auto": 1 / columns.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    tol : float, default=0.001
        Largest violation of a pair of dual variables.
    C : float, default=1.0
        Price of a row outside the tube.
    epsilon : float, default=0.1
        Half-width of the tube.
    shrinking : bool, default=True
        Whether to leave out rows that stay at a bound while the dual is solved.
    cache_size : float, default=200
        Mebibytes that kernel rows may take.
    verbose : bool, default=False
        Ignored; it is there for the sake of pipelines written for scikit-learn.
    max_iter : int, default=-1
        Pairs of variables that are moved at most; -1: no limit.
    fit_intercept : bool, default=True
        Whether f has an offset.

    Attributes
    ----------
    support_ : array of shape (support vectors,)
        Their numbers among the rows.
    support_vectors_ : array of shape (support vectors, columns)
        Or of strings, sets or trees, if the kernel compares these.
    dual_coef_ : array of shape (1, support vectors)
    intercept_ : array of shape (1,)
    n_support_ : array of shape (1,)
    coef_ : array of shape (1, columns)
        Of a linear kernel.
    n_iter_ : int
        Pairs of variables that were moved.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import SVR
    >>> model = SVR(kernel="linear", C=100.0, epsilon=0.5).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0])
    >>> model.coef_.round(3).tolist(), model.support_vectors_.ravel().tolist()
    ([[0.667]], [0.0, 3.0])
    """

    numeric_need = Need("numeric", sparse=True, target="number")
    relative = "make_pipeline(RBFSampler(), Ridge())"
    hidden = frozenset({"position", "weights", "gamma", "objects"})
    law_params = (
        {"tol": 1e-9},
        {"tol": 1e-9, "kernel": "linear", "C": 0.1, "epsilon": 0.0},
        {"tol": 1e-9, "kernel": SpectrumKernel(2)},
        {"tol": 1e-9, "fit_intercept": False},
    )

    _: KW_ONLY
    C: Annotated[
        float,
        real(0, open=True),
        refused("a tube that holds all rows need not exist", Remedy("tn.SVR(C=1e6)"), math.inf),
        Behind("tol"),
    ] = 1.0
    epsilon: Annotated[float, real(0), Behind("C")] = 0.1

    def _machine(self, s: TrainingRows | TrainingObjects) -> Machine:
        return Machine(np.arange(len(s)), DualProblem.of_numbers(s.y, self.C * s.weight, self.epsilon))

    def solve(self, schema: Schema, s: TrainingRows | TrainingObjects) -> SVRModel:
        # The dual; weights, the tube and the kernel enter here.
        gamma = self.gamma_from(s)
        kernel, X = self.compared(s, gamma)
        machine = self._machine(s)
        found = self.train(kernel, X, [machine])
        weights = weights_of([machine], found, len(s))
        some = np.flatnonzero(weights[0])
        kept, bias = np.ascontiguousarray(weights[:, some]), np.array([found[0].bias])
        vectors, moves = self.vectors(s, some), int(found[0].moves)
        return SVRModel(s.place[some], some, vectors, kept, bias, gamma, moves, self.packed(s, some))

    def certify(self, model: SVRModel, s: TrainingRows | TrainingObjects) -> tuple[Claim, ...]:
        """The duality gap, from both sides, in float64."""
        kernel, X = self.compared(s, model.gamma)
        _, dual = self._machine(s)
        b = np.zeros(len(s))
        b[model.position] = model.weights[0]
        judged = verify(
            kernel,
            X,
            dual,
            np.concatenate([np.maximum(b, 0), np.minimum(b, 0)]),
            float(model.intercept[0]),
            offset=self.fit_intercept,
        )
        return claims_of([judged], len(model.support), len(s), kernel.psd)

    def predict_from(self, model: SVRModel, X: Columns) -> Array:
        """f(x) = Σ βᵢ k(xᵢ, x) + b of each row."""
        return self.decisions(model, X)[:, 0]

    @property
    @fitted
    def dual_coef_(self) -> Array:
        """α - α* of each support vector."""
        return np.asarray(self.model_.weights)

    @property
    @fitted
    def n_support_(self) -> Codes:
        """How many support vectors there are."""
        return np.array([len(self.model_.support)])

    @property
    @fitted
    def coef_(self) -> Array:
        """Coefficient of each column; for a linear kernel only."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return np.asarray(self.model_.weights @ self.model_.support_vectors)
