"""Support vector classification: ½‖w‖² + Σ Cᵢ max(0, 1 - yᵢ f(xᵢ)) least, f(x) = ⟨w, φ(x)⟩ + b with k the product of φ.

All rows are gathered, which merges; the dual is solved where they are. Of more than two classes, each two have a
machine, or each against the rest.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from itertools import combinations
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Codes, Columns, DataError, Need, Schema
from tenfold.core.arrays import MatrixLike
from tenfold.core.errors import warn_user
from tenfold.core.field_values import COUNTS
from tenfold.estimator import fitted
from tenfold.estimator.class_weights import ClassWeight, class_weights
from tenfold.estimator.shell.constraints import boolean, choice, positive, real
from tenfold.estimator.shell.decision_function import Deciding
from tenfold.estimator.shell.keyword_decisions import unseeded
from tenfold.estimator.shell.kinds import Classifier
from tenfold.estimator.shell.parameters import Behind
from tenfold.kernels.algebra import Kernel
from tenfold.kernels.structured import SpectrumKernel
from tenfold.stats.rows.training_objects import AllObjects, PackedObjects, TrainingObjects
from tenfold.stats.rows.training_rows import AllRows, TrainingRows
from tenfold.svm.dual.dual_problem import DualProblem
from tenfold.svm.error_bounds import error_claims
from tenfold.svm.leave_one_out_bound import leave_one_out_claim
from tenfold.svm.platt_scaling import coupled, cross_fitted, log_sigmoids
from tenfold.svm.separable import separable
from tenfold.svm.slack_table import SlackTable
from tenfold.svm.support_vector_machine import (
    KernelMachine,
    Machine,
    claims_of,
    margin_claims,
    values_of,
    verify,
    weights_of,
)


class SVCModel(NamedTuple):
    """Support vectors, grouped by class, and what each weighs in each machine."""

    support: Annotated[Codes, "support", COUNTS]
    position: Annotated[Codes, "support", COUNTS]
    """of the support vectors among the rows that were gathered"""
    support_vectors: Annotated[Array, "vector", "column"]
    weights: Annotated[Array, "output", "support"]
    intercept: Annotated[Array, "output"]
    n_support: Annotated[Codes, "class", COUNTS]
    class_weight: Annotated[Array, "class"]
    gamma: float
    n_iter: Annotated[Codes, "output", COUNTS]
    sigmoids: Annotated[Array, "calibrated", "coefficient"]
    """slope and offset of the log-odds of each machine, if probabilities were asked for"""
    objects: PackedObjects
    """the support vectors, if they are strings, sets or trees"""


class SVC(KernelMachine, Deciding):
    """Support vector classification, in memory.

    All rows are needed at once; past the memory of the runner the error names what to use instead. Two models of
    disjoint rows add up to the model of all: rows merge, and the dual is solved again. The certificate has the duality
    gap, which proves how far the model is from the best. `C=numpy.inf` is the hard margin: classes that cannot be
    separated are an error.

    Parameters
    ----------
    C : float, default=1.0
        Price of a row inside the margin; infinite: none may be there.
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
    shrinking : bool, default=True
        Whether to leave out rows that stay at a bound while the dual is solved.
    probability : bool, default="deprecated"
        Whether to fit probabilities: sigmoids of decisions on rows that were left out (Platt), in five folds. The rows
        of each class go to the folds in turn, in the order of the source; nothing is drawn.
    tol : float, default=0.001
        Largest violation of a pair of dual variables.
    cache_size : float, default=200
        Mebibytes that kernel rows may take.
    class_weight : dict or "balanced", optional
        Factors of C for each class.
    verbose : bool, default=False
        Ignored; it is there for the sake of pipelines written for scikit-learn.
    max_iter : int, default=-1
        Pairs of variables that are moved at most; -1: no limit.
    fit_intercept : bool, default=True
        Whether f has an offset. Without one, the plane goes through the origin of the features; the certificate then
        has no bounds on the error of other rows.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Whether `decision_function` of more than two classes has a column for each class, or for each two.
    break_ties : bool, default=False
        Whether equal votes are decided by how far the machines decide.
    random_state : int, default=None
        Ignored, since nothing is drawn: there for scikit-learn's sake.
    multi_class : {"ovo", "ovr"}, default="ovo"
        A machine for each two classes, or for each class against the rest.

    Attributes
    ----------
    classes_ : array
    support_ : array of shape (support vectors,)
        Their numbers among the rows.
    support_vectors_ : array of shape (support vectors, columns)
        Or of strings, sets or trees, if the kernel compares these.
    dual_coef_ : array of shape (classes - 1, support vectors)
    intercept_ : array
        Of each machine; the mean over support vectors inside their bounds. 0 without an offset.
    n_support_ : array of shape (classes,)
    class_weight_ : array of shape (classes,)
    coef_ : array
        Of a linear kernel.
    n_iter_ : array
        Pairs of variables that were moved.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import SVC
    >>> model = SVC(kernel="linear", C=10.0).fit([[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"])
    >>> model.support_vectors_.ravel().tolist(), model.predict([[1.9], [2.1]]).tolist()
    ([3.0, 1.0], ['low', 'high'])
    >>> model.certificate_["relative gap"].value < 1e-3
    True
    """

    numeric_need = Need("numeric", sparse=True, target="class")
    relative = "make_pipeline(RBFSampler(), LogisticRegression())"
    hidden = frozenset({"position", "weights", "gamma", "objects", "sigmoids"})
    law_params = (
        {"tol": 1e-9},
        {"tol": 1e-9, "kernel": "linear", "C": 0.1, "class_weight": "balanced"},
        {"tol": 1e-9, "kernel": "poly", "degree": 2, "coef0": 1.0, "multi_class": "ovr"},
        {"tol": 1e-9, "kernel": SpectrumKernel(2)},
        {"tol": 1e-9, "fit_intercept": False},
    )

    _: KW_ONLY
    C: Annotated[float, positive, Behind(None)] = 1.0
    tol: Annotated[float, real(0, open=True), Behind("shrinking")] = 1e-3
    probability: Annotated[bool | str, boolean, choice("deprecated"), Behind("shrinking")] = "deprecated"
    class_weight: Annotated[ClassWeight, choice("balanced"), dict, None, Behind("cache_size")] = None
    decision_function_shape: Annotated[str, choice("ovr", "ovo")] = "ovr"
    break_ties: Annotated[bool, boolean] = False
    random_state: Annotated[int | None, unseeded] = None
    multi_class: Annotated[str, choice("ovo", "ovr")] = "ovo"

    @property
    def has_probabilities(self) -> bool:
        return not isinstance(self.probability, str) and bool(self.probability)

    def statistic(self, schema: Schema) -> AllRows | AllObjects:
        k = len(schema.classes)
        if self.break_ties and self.decision_function_shape == "ovo" and k > 2:
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.probability != "deprecated":
            warn_user(
                "`probability` of SVC is deprecated: scikit-learn 1.9 deprecates it, and scikit-learn 1.11 removes it. "
                "Remedy: CalibratedClassifierCV(SVC(), ensemble=False) of scikit-learn",
                FutureWarning,
            )
        return super().statistic(schema)

    def most_rows(self, schema: Schema) -> int:
        most = super().most_rows(schema)
        return most if self.multi_class == "ovr" else most * max(2, len(schema.classes)) // 2

    def solve(self, schema: Schema, s: TrainingRows | TrainingObjects) -> SVCModel:
        # The dual of each machine; weights, prices and the kernel enter here.
        k, n = len(schema.classes), len(s)
        if len(np.unique(s.label)) < 2:
            raise ValueError("The number of classes has to be greater than one; got 1 class")
        mass = np.bincount(s.label, s.weight, k)
        factor, gamma = class_weights(self.class_weight, schema, mass), self.gamma_from(s)
        kernel, X = self.compared(s, gamma)
        machines = self._machines(k, s, factor)
        if math.isinf(self.C):
            self._refuse_inseparable(kernel, X, machines)
        found = self.train(kernel, X, machines)
        weights = weights_of(machines, found, n)
        some = np.flatnonzero((weights != 0).any(axis=0))
        some = some[np.argsort(s.label[some], kind="stable")]
        sigmoids = np.zeros((0, 2))
        if self.has_probabilities:
            sigmoids = cross_fitted(kernel, X, machines, lambda m: self.train(kernel, X, m))
        return SVCModel(
            s.place[some],
            some,
            self.vectors(s, some),
            np.ascontiguousarray(weights[:, some]),
            np.array([each.bias for each in found]),
            np.bincount(s.label[some], minlength=k),
            factor,
            gamma,
            np.array([each.moves for each in found]),
            sigmoids,
            self.packed(s, some),
        )

    def _machines(self, k: int, s: TrainingRows | TrainingObjects, factor: Array) -> list[Machine]:
        price = np.full(len(s), math.inf) if math.isinf(self.C) else self.C * s.weight * factor[s.label]
        if k == 2:
            return [Machine(np.arange(len(s)), DualProblem.of_classes(np.where(s.label == 1, 1.0, -1.0), price))]
        if self.multi_class == "ovr":
            every = np.arange(len(s))
            return [Machine(every, DualProblem.of_classes(np.where(s.label == c, 1.0, -1.0), price)) for c in range(k)]
        out = []
        for i, j in combinations(range(k), 2):
            rows = np.flatnonzero((s.label == i) | (s.label == j))
            out.append(Machine(rows, DualProblem.of_classes(np.where(s.label[rows] == i, 1.0, -1.0), price[rows])))
        return out

    def _refuse_inseparable(self, kernel: Kernel, X: Any, machines: list[Machine]) -> None:
        for rows, dual in machines:
            if not separable(kernel, X[rows], dual.target, offset=self.fit_intercept):
                plane = "plane" if self.fit_intercept else "plane through the origin"
                raise DataError(
                    f"C is infinite, and no {plane} separates the classes in the features of this kernel: the hard "
                    "margin has no solution. Remedy: a finite C, or another kernel"
                )

    def certify(self, model: SVCModel, s: TrainingRows | TrainingObjects) -> tuple[Claim, ...]:
        """The duality gap of all machines, from both sides, in float64."""
        kernel, X = self.compared(s, model.gamma)
        machines = self._machines(len(model.n_support), s, model.class_weight)
        weights = np.zeros((len(machines), len(s)))
        weights[:, model.position] = model.weights
        judged = [
            verify(kernel, X[rows], dual, each[rows], float(bias), offset=self.fit_intercept)
            for (rows, dual), each, bias in zip(machines, weights, model.intercept)
        ]
        claims = claims_of(judged, len(model.support), len(s), kernel.psd)
        if len(machines) == 1 and kernel.psd and self.fit_intercept:
            of_all = (machines[0].dual, weights[0], judged[0], s.weight, self._chosen_beforehand)
            claims += (leave_one_out_claim(kernel, X, *of_all),)
        if len(machines) == 1:
            claims += margin_claims(judged[0], kernel, X, math.isinf(self.C))
        proved = kernel.psd and self.fit_intercept and self._chosen_beforehand
        if len(machines) == 1 and proved and (s.weight == 1).all():
            (_, dual), one = machines[0], judged[0]
            free = bool(((weights[0] > dual.low) & (weights[0] < dual.high)).any())
            given = (weights[0], free, one.square, float(model.intercept[0]), kernel.diagonal(X))
            claims += error_claims(dual.target, one.values, *given)
        return claims

    @property
    def _chosen_beforehand(self) -> bool:
        """Whether no parameter is made from the rows: not the width of the kernel, nor prices, nor probabilities."""
        scaled = self.gamma == "scale" and self.kernel in ("rbf", "poly", "sigmoid")
        return not scaled and self.class_weight != "balanced" and not self.has_probabilities

    def is_valid(self, model: SVCModel, summary: TrainingRows | TrainingObjects | None, schema: Schema) -> bool:
        k = len(schema.classes)
        machines = 1 if k == 2 else k if self.multi_class == "ovr" else k * (k - 1) // 2
        counted = sum(model.n_support.tolist()) == len(model.support) and len(model.intercept) == machines
        calibrated = model.sigmoids.shape == (machines if self.has_probabilities else 0, 2)
        return counted and calibrated and super().is_valid(model, summary, schema)

    # ---- predictions -------------------------------------------------------------------------

    def scores(self, model: SVCModel, X: Columns) -> Array:
        # What `decision_function` says: of each class, or of each two.
        f, k = self.decisions(model, X), len(model.n_support)
        if k == 2 or self.multi_class == "ovr" or self.decision_function_shape == "ovo":
            return f
        votes, strength = _votes(f, k)
        return votes + strength / (3 * (np.abs(strength) + 1))

    def scores_from(self, model: SVCModel, X: Columns) -> Array:
        # Votes, decisions, or log-probabilities if there are any: the highest wins.
        k = len(model.n_support)
        f = self.decisions(model, X)
        if self.has_probabilities:
            return self._log_probabilities(model, f)
        if k == 2:
            return np.column_stack([-f, f])
        if self.multi_class == "ovr":
            return f
        votes, strength = _votes(f, k)
        return votes + strength / (3 * (np.abs(strength) + 1)) if self.break_ties else votes

    def _log_probabilities(self, model: SVCModel, f: Array) -> Array:
        k = len(model.n_support)
        log_p, log_q = log_sigmoids(f, model.sigmoids)
        if k == 2:
            return np.column_stack([log_q, log_p])
        if self.multi_class == "ovr":
            return log_p - np.logaddexp.reduce(log_p, axis=1, keepdims=True)
        return coupled(np.exp(log_p), k)

    def probability_from(self, scores: Array) -> Array:
        return Classifier.probability_from(self, scores)

    def log_probability_from(self, scores: Array) -> Array:
        return Classifier.log_probability_from(self, scores)

    def decision_from(self, model: SVCModel, X: Columns) -> Array:
        found = self.scores(model, X)
        return found[:, 0] if len(model.n_support) == 2 else found

    @fitted
    def decision_function(self, X: MatrixLike) -> Any:
        """How far each row is on the side of its class.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source

        Returns
        -------
        scores : array of shape (rows,) for two classes, else (rows, classes), or (rows, pairs of classes) for "ovo"
        """
        return self._apply(type(self).decision_from, X, self._decision_names)

    def _decision_names(self) -> list[str]:
        labels = self.classes_.tolist()
        if len(labels) == 2:
            return ["decision"]
        if self.decision_function_shape == "ovo" and self.multi_class == "ovo":
            return [f"decision_{a}_{b}" for a, b in combinations(labels, 2)]
        return [f"decision_{c}" for c in labels]

    @fitted
    def slack_table(self, machine: int = 0) -> SlackTable:
        """Slack of each training row, max(0, 1 - y f(x)), with its case: 0, up to 1, or above 1.

        Parameters
        ----------
        machine : int, default=0
            Which of the machines; two classes have one, more have one for each two of them, in the order of
            `intercept_`, or one for each class (`multi_class="ovr"`).

        Returns
        -------
        table : SlackTable
            Slack up to `tol` counts as none.
        """
        s, model = self.summary_, self.model_
        if s is None:
            raise ValueError("the rows were not kept: this model was saved with summary=False")
        machines = self._machines(len(model.n_support), s, model.class_weight)
        if not 0 <= machine < len(machines):
            raise ValueError(f"machine is a number from 0 to {len(machines) - 1}, not {machine!r}")
        rows, dual = machines[machine]
        kernel, X = self.compared(s, model.gamma)
        beta = np.zeros(len(s))
        beta[model.position] = model.weights[machine]
        value = values_of(kernel, X, beta)[rows] + model.intercept[machine]
        return SlackTable.of(s.place[rows], dual.target, value, np.abs(beta[rows]), self.tol)

    # ---- attributes of scikit-learn --------------------------------------------------------------------------

    @property
    @fitted
    def dual_coef_(self) -> Array:
        """± α of each support vector in the machines of its class."""
        model, k = self.model_, len(self.model_.n_support)
        if k == 2 or self.multi_class == "ovr":
            return np.asarray(model.weights)
        label = np.repeat(np.arange(k), model.n_support)
        out = np.zeros((k - 1, len(label)))
        for each, (i, j) in zip(model.weights, combinations(range(k), 2)):
            out[j - 1, label == i] = each[label == i]
            out[i, label == j] = each[label == j]
        return out

    @property
    @fitted
    def coef_(self) -> Array:
        """Coefficients of each column in each binary problem; for a linear kernel only."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return np.asarray(self.model_.weights @ self.model_.support_vectors)


def _votes(f: Array, k: int) -> tuple[Array, Array]:
    """How many machines are for each class, and how strongly."""
    votes, strength = np.zeros((len(f), k)), np.zeros((len(f), k))
    for column, (i, j) in zip(f.T, combinations(range(k), 2)):
        first = column >= 0
        votes[:, i] += first
        votes[:, j] += ~first
        strength[:, i] += column
        strength[:, j] -= column
    return votes, strength
