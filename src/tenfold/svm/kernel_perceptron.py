"""The perceptron in the space of a kernel: aᵢ ← aᵢ + η wᵢ yᵢ whenever yᵢ f(xᵢ) ≤ 0, where f(x) = Σ aᵢ k(xᵢ, x).

It changes at most (R/γ)² times, if any f separates the rows with the margin γ and no k(x, x) is above R². Rows come
in the order of their values, equal ones as one of their weight together: so the model does not depend on how they came.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.compiled.linear_model.perceptrons import dual_perceptron_epoch
from tenfold.core import Array, Claim, Codes, Columns, Need, Never, Schema, Stop
from tenfold.core.certificate import Status
from tenfold.estimator.shell.constraints import boolean, choice, integer, real
from tenfold.estimator.shell.decision_function import Deciding
from tenfold.kernels.algebra import Kernel
from tenfold.kernels.kernel_expansion import KernelExpansion
from tenfold.kernels.kernel_names import SKLEARN_NAMES
from tenfold.kernels.structured import SpectrumKernel
from tenfold.stats.rows.training_objects import AllObjects, PackedObjects, TrainingObjects
from tenfold.stats.rows.training_rows import AllRows, TrainingRows
from tenfold.theory.bounds.mistakes import perceptron_mistakes


class KernelPerceptronModel(NamedTuple):
    """The rows that were mistaken, and their coefficients for each output."""

    dual_coef: Annotated[Array, "output", "support"]
    support_vectors: Annotated[Array, "support", "stored"]
    intercept: Annotated[Array, "output"]
    mistakes: Annotated[Array, "epoch"]
    n_iter: int
    gamma: float
    objects: PackedObjects
    """the rows that were mistaken, if they are strings, sets or trees"""


class KernelPerceptron(KernelExpansion, Deciding):
    """The perceptron with a kernel, in memory: it needs all rows at once.

    It learns only from mistakes, and stops after an epoch without one. More than two classes: each against the rest.
    For more rows than fit into memory take `RBFSampler` or `Nystroem` before `Perceptron`.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name of scikit-learn's, a kernel object, or a function of two rows. "precomputed": X is the Gram matrix. Of a
        kernel of strings, sets or trees, rows are such: a list, or one column of text.
    gamma : float, "scale", "auto" or None, default=None
        Of "rbf", "laplacian", "poly", "sigmoid" and "chi2". None: 1 / columns (1 for "chi2").
    degree : float, default=3
        The exponent of a polynomial kernel; other kernels have none.
    coef0 : float, default=1
        The constant within a polynomial or sigmoid kernel.
    kernel_params : dict, optional
        More arguments for a function.
    eta0 : float, default=1.0
        What a mistake adds. The predictions are the same for all.
    fit_intercept : bool, default=True
        Whether 1 is added to the kernel: a constant feature.
    max_iter : int, default=100
        Epochs at most.

    Attributes
    ----------
    classes_ : array
    dual_coef_ : array of shape (1 or classes, support vectors)
    support_vectors_ : array of shape (support vectors, columns)
        Rows that were mistaken; of a precomputed kernel their numbers.
    intercept_ : array of shape (1 or classes,)
    mistakes_ : array of shape (epochs,)
    n_iter_ : int
    gamma_ : float
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import KernelPerceptron
    >>> xor = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> model = KernelPerceptron(gamma=1.0).fit(xor, [0, 1, 1, 0])
    >>> model.predict(xor).tolist()
    [0, 1, 1, 0]
    >>> model.certificate_["mistakes"].value <= model.certificate_["mistake bound"].value
    True
    """

    numeric_need = Need("numeric", target="class")
    hidden = frozenset({"objects"})
    relative = "RBFSampler(...) before Perceptron()"
    law_params = (
        {"max_iter": 5},
        {"kernel": "poly", "degree": 2, "fit_intercept": False, "max_iter": 3},
        {"kernel": SpectrumKernel(2), "max_iter": 3},
    )

    kernel: Annotated[str | Kernel | Callable[..., Any], choice(*SKLEARN_NAMES), callable, Kernel] = "rbf"
    _: KW_ONLY
    gamma: Annotated[float | str | None, choice("scale", "auto"), real(0), None] = None
    degree: Annotated[float, real(0)] = 3
    coef0: Annotated[float, real(-math.inf, open=True)] = 1
    kernel_params: Annotated[dict[str, Any] | None, dict, None] = None
    eta0: Annotated[float, real(0, open=True)] = 1.0
    fit_intercept: Annotated[bool, boolean] = True
    max_iter: Annotated[int, integer(1)] = 100

    def stop(self) -> Stop:
        return Never()

    def statistic(self, schema: Schema) -> AllRows | AllObjects:
        self.check_kernel(schema)
        return self.rows_to_gather()

    def _signs(self, schema: Schema, label: Codes) -> Array:
        """1 for rows of the class of an output, -1 for others: outputs x rows."""
        outputs = np.arange(1, 2) if len(schema.classes) <= 2 else np.arange(len(schema.classes))
        return np.where(label == outputs[:, None], 1.0, -1.0)

    def _gram(self, s: TrainingRows | TrainingObjects, gamma: float) -> Array:
        K = self.gram_of(s, gamma)
        return np.ascontiguousarray(K + 1 if self.fit_intercept else K)

    def solve(self, schema: Schema, s: TrainingRows | TrainingObjects) -> KernelPerceptronModel:
        gamma = self.gamma_from(s)
        s = s if self.precomputed else distinct(s)
        K, signs, step = self._gram(s, gamma), self._signs(schema, s.label), self.eta0 * s.weight
        dual, score = np.zeros_like(signs), np.zeros_like(signs)
        mistakes: list[float] = []
        open_ = list(range(len(signs)))
        while open_ and len(mistakes) < self.max_iter:
            made = [dual_perceptron_epoch(K, signs[at], step, score[at], dual[at]) for at in open_]
            open_ = [at for at, many in zip(open_, made, strict=True) if many]
            mistakes.append(float(sum(made)))
        used = np.flatnonzero(dual.any(axis=0))
        constant = dual.sum(axis=1) if self.fit_intercept else np.zeros(len(dual))
        return KernelPerceptronModel(
            np.ascontiguousarray(dual[:, used]),
            self.stored(s, used),
            constant,
            np.array(mistakes),
            len(mistakes),
            gamma,
            self.packed(s, used),
        )

    def certify(self, model: KernelPerceptronModel, s: TrainingRows | TrainingObjects) -> tuple[Claim, ...]:
        """Errors and mistakes; if the rows are separated, the margin and the bound on mistakes."""
        score = self.scores(model, self.columns_of(s))
        total = float(model.mistakes.sum())
        wrong = (score.argmax(axis=1) if score.shape[1] > 1 else (score[:, 0] > 0).astype(np.int64)) != s.label
        claims = (
            Claim("training error", float(s.weight[wrong].sum() / s.weight.sum()), "proved", "counted", "data"),
            Claim("mistakes", total, "proved", "changes of coefficients on the way, of all outputs", "data"),
        )
        merged = distinct(s)
        if (
            score.shape[1] > 1
            or model.mistakes[-1] > 0
            or (merged.weight != merged.weight[:1]).any()
            or self.precomputed
        ):
            return claims
        sign = np.where(s.label == 1, 1.0, -1.0)
        length = float(np.sqrt(np.abs(self._squared_length(model))))
        lowest = float((sign * score[:, 0]).min())
        if not (length > 0 and lowest > 0):
            return claims
        margin = lowest / length
        diagonal = np.diag(self.gram_of(s, model.gamma)) + self.fit_intercept
        bound = float(perceptron_mistakes(float(np.sqrt(diagonal.max())), margin))
        proof = self.kernel_of(model.gamma).proof()
        sure = proof.holds and not proof.assumptions()
        status: Status = "proved" if sure else "assumed"
        assumed = "" if sure else "the kernel is positive semidefinite"
        return (
            *claims,
            Claim("margin", margin, status, "distance of the nearest row from f = 0, in features", "data", assumed),
            Claim("mistake bound", bound, status, "(R/γ)², R² the largest k(x, x), γ the margin", "data", assumed),
        )

    def _squared_length(self, model: KernelPerceptronModel) -> float:
        """|f|² = aᵀKa, with the constant."""
        a = model.dual_coef[0]
        rows = self.compared_with(model.support_vectors, model.objects)
        return float(a @ self.kernel_of(model.gamma)(rows) @ a + model.intercept[0] ** 2)

    def scores(self, model: KernelPerceptronModel, X: Columns) -> Array:
        rows = self.compared_with(model.support_vectors, model.objects)
        return self.expand(rows, model.gamma, model.dual_coef.T, X) + model.intercept

    def is_valid(
        self, model: KernelPerceptronModel, summary: TrainingRows | TrainingObjects | None, schema: Schema
    ) -> bool:
        outputs = 1 if len(schema.classes) <= 2 else len(schema.classes)
        return self.fits_columns(model.support_vectors, model.objects, schema) and len(model.intercept) == outputs


def distinct(s: TrainingRows | TrainingObjects) -> TrainingRows | TrainingObjects:
    """Rows sorted by values and classes, with duplicates merged into one weighted row."""
    if isinstance(s, TrainingObjects):
        texts = s.packed(np.arange(len(s))).texts()
        rank = np.unique(np.array(texts, dtype=object), return_inverse=True)[1]
        order = np.lexsort((s.y, rank))
        new = np.append(True, (np.diff(rank[order]) != 0) | (np.diff(s.y[order]) != 0))[: len(s)]
    else:
        order = np.lexsort((s.y, *s.X.T[::-1]))
        X, y = s.X[order], s.y[order]
        new = np.append(True, (X[1:] != X[:-1]).any(axis=1) | (y[1:] != y[:-1]))[: len(X)]
    at = np.flatnonzero(new)
    total = np.add.reduceat(s.weight[order], at) if len(at) else s.weight[order]
    first = order[at]
    if isinstance(s, TrainingObjects):
        packed = s.packed(first)
        return replace(s, letters=packed.letters, ends=packed.ends, y=s.y[first], weight=total, place=s.place[first])
    return replace(s, X=s.X[first], y=s.y[first], weight=total, place=s.place[first])
