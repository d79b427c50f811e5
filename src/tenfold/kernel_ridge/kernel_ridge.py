"""Ridge regression with a kernel: argmin over f of Σ wᵢ (yᵢ - f(xᵢ))² + α |f|², where f(x) = Σ aᵢ k(xᵢ, x).

With S = diag(√wᵢ): a = S (S K S + α I)⁻¹ S y. It needs all rows at once; they merge by standing in a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh, lapack

from tenfold.core import Array, Claim, Columns, Need, Remedy, Schema
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import array, choice, numbers, real
from tenfold.estimator.shell.keywords import refused
from tenfold.estimator.shell.kinds import Regressor
from tenfold.estimator.shell.multi_output import MultiOutput
from tenfold.kernels.algebra import Kernel
from tenfold.kernels.kernel_expansion import KernelExpansion
from tenfold.kernels.kernel_names import SKLEARN_NAMES
from tenfold.kernels.structured import SpectrumKernel
from tenfold.stats.rows.training_objects import AllObjects, PackedObjects, TrainingObjects
from tenfold.stats.rows.training_rows import AllRows, TrainingRows

EPS = 2.0**-52


class KernelRidgeModel(NamedTuple):
    """The rows, and the coefficient of each."""

    dual_coef: Annotated[Array, "row"]
    X_fit: Annotated[Array, "row", "stored"]
    """the rows; of a precomputed kernel, their numbers in the matrix"""
    gamma: float
    """the number that was taken for `gamma`"""
    objects: PackedObjects
    """the rows, if they are strings, sets or trees"""


class RidgePath(NamedTuple):
    """Kernel ridge regressions of several penalties, from one eigendecomposition.

    Attributes
    ----------
    alphas : array of shape (penalties,)
    dual_coefs : array of shape (penalties, rows)
    loo_errors : array of shape (penalties,)
        Mean squared error of the predictions of each row by all others, weighted as the rows are.
    effective_dof : array of shape (penalties,)
        Σ λ / (λ + α): how many free parameters the fit is worth.
    """

    alphas: Array
    dual_coefs: Array
    loo_errors: Array
    effective_dof: Array

    @property
    def best(self) -> float:
        """The penalty with the least leave-one-out error."""
        return float(self.alphas[int(self.loo_errors.argmin())])


one_penalty = refused(
    "one penalty holds for all targets", Remedy("tn.KernelRidge(alpha=1.0)", "and a model for each target"), array
)


class KernelRidge(MultiOutput, KernelExpansion, Regressor):
    """Ridge regression in the space of a kernel, in memory: it needs all rows at once.

    The objective is ``Σ wᵢ (yᵢ - f(xᵢ))² + α |f|²``, scikit-learn's. A text that minimises
    ``½ Σ (yᵢ - f(xᵢ))² + λ |f|²`` has α = 2λ. There is no intercept: centre the target, or add a constant to the
    kernel. For more rows than fit into memory take `RBFSampler` or `Nystroem` before `Ridge`.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. With 0 and a singular Gram matrix, the fit of the least norm.
    kernel : str, Kernel or callable, default="linear"
        A name of scikit-learn's, a kernel object, or a function of two rows. "precomputed": X is the Gram matrix of the
        rows, and that of other rows with these in `predict`. Of a kernel of strings, sets or trees, rows are such: a
        list, or one column of text.
    gamma : float, "scale", "auto" or None, default=None
        Of "rbf", "laplacian", "poly", "sigmoid" and "chi2". None: 1 / columns (1 for "chi2").
    degree : float, default=3
        The exponent of a polynomial kernel; other kernels have none.
    coef0 : float, default=1
        The constant within a polynomial or sigmoid kernel.
    kernel_params : dict, optional
        More arguments for a function.

    Attributes
    ----------
    estimators_ : list
        Of a target of several columns, the fitted model of each.
    dual_coef_ : array of shape (rows,)
    X_fit_ : array of shape (rows, columns)
        The rows; of a precomputed kernel their numbers.
    gamma_ : float
    certificate_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import KernelRidge
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = KernelRidge(alpha=1e-3, kernel="rbf", gamma=1.0).fit(X, np.sin(X[:, 0]))
    >>> float(np.abs(model.predict(X) - np.sin(X[:, 0])).max()) < 0.01
    True
    >>> model.path([1e-3, 1.0, 100.0]).best
    0.001
    """

    numeric_need = Need("numeric", target="number")
    hidden = frozenset({"objects"})
    relative = "RBFSampler(...) before Ridge()"
    one_column_is_table = True
    law_params = (
        {"kernel": "rbf"},
        {},
        {"kernel": "laplacian", "gamma": "scale", "alpha": 0.1},
        {"kernel": SpectrumKernel(2)},
    )

    alpha: Annotated[float, real(0), one_penalty] = 1.0
    _: KW_ONLY
    kernel: Annotated[str | Kernel | Callable[..., Any], choice(*SKLEARN_NAMES), callable, Kernel] = "linear"
    gamma: Annotated[float | str | None, choice("scale", "auto"), real(0), None] = None
    degree: Annotated[float, real(0)] = 3
    coef0: Annotated[float, real(-math.inf, open=True)] = 1
    kernel_params: Annotated[dict[str, Any] | None, dict, None] = None

    def statistic(self, schema: Schema) -> AllRows | AllObjects:
        # All rows are gathered, since each is compared with each.
        self.check_kernel(schema)
        return self.rows_to_gather()

    def _system(self, s: TrainingRows | TrainingObjects) -> tuple[Array, Array, Array, float]:
        """S K S, S y, the diagonal of S, and gamma."""
        gamma = self.gamma_from(s)
        K, root = self.gram_of(s, gamma), np.sqrt(s.weight)
        if (s.weight != 1).any():
            K = K * np.outer(root, root)
        return K, root * s.y, root, gamma

    def solve(self, schema: Schema, s: TrainingRows | TrainingObjects) -> KernelRidgeModel:
        # By Cholesky; if the matrix is not positive definite, by its eigenvalues.
        K, y, root, gamma = self._system(s)
        K.flat[:: len(K) + 1] += self.alpha
        _, found, wrong = lapack.dposv(K.T, y, lower=0, overwrite_a=1) if len(K) else (None, y, 0)
        if wrong or not np.isfinite(found).all():
            each, vectors = eigh(self._system(s)[0])
            found = vectors @ (_inverse(each + self.alpha) * (vectors.T @ y))
        return KernelRidgeModel(root * found, self.stored(s), gamma, self.packed(s))

    def certify(self, model: KernelRidgeModel, s: TrainingRows | TrainingObjects) -> tuple[Claim, ...]:
        """How far the objective is from its optimum, whether the kernel is one, and the leave-one-out error."""
        K, y, root, _ = self._system(s)
        a = np.divide(model.dual_coef, root)
        left = y - K @ a - self.alpha * a
        slack = EPS * (len(a) + 2) * (np.abs(K) @ np.abs(a) + self.alpha * np.abs(a) + np.abs(y))
        gap = float(((np.abs(left) + slack) ** 2).sum())
        proof = None if self.precomputed else self.kernel_of(model.gamma).proof()
        sure = proof is not None and proof.holds and not proof.assumptions()
        why = "squared residual of (K + αI) a = y, with its rounding: the objective is no further from its least"
        assumed = "" if sure else "the Gram matrix is positive semidefinite"
        psd = "the matrix was given" if proof is None else str(proof).partition("\n")[0]
        _, (loo,), (dof,) = self._path(K, y, root, s, np.array([self.alpha]))
        return (
            Claim("gap", gap, "proved" if sure else "assumed", why, "objective", assumed),
            Claim("psd", float(sure), "proved" if sure else "assumed", psd, "objective"),
            Claim(
                "effective dof", float(dof), "proved", "the trace of the map from targets to predictions", "objective"
            ),
            Claim(
                "leave-one-out error",
                float(loo),
                "estimated",
                "mean squared error of each row by the model of all others, in closed form",
                "unseen rows",
                "rows are drawn independently, alpha and kernel were not chosen by it",
            ),
        )

    def predict_from(self, model: KernelRidgeModel, X: Columns) -> Array:
        """Σ aᵢ k(xᵢ, x) of each row, by blocks of kernel values."""
        return self.expand(self.compared_with(model.X_fit, model.objects), model.gamma, model.dual_coef, X)

    def is_valid(self, model: KernelRidgeModel, summary: TrainingRows | TrainingObjects | None, schema: Schema) -> bool:
        return self.fits_columns(model.X_fit, model.objects, schema)

    @fitted
    def path(self, alphas: ArrayLike) -> RidgePath:
        """The fits of several penalties, with their leave-one-out errors, from one eigendecomposition.

        Parameters
        ----------
        alphas : array of shape (penalties,)
            Not negative.

        Returns
        -------
        path : RidgePath
        """
        given = np.atleast_1d(numbers(alphas, "alphas"))
        if given.ndim != 1 or not len(given) or not (np.isfinite(given) & (given >= 0)).all():
            raise ValueError("alphas are penalties: finite numbers that are not negative")
        if self.summary_ is None:
            raise ValueError("the rows were not kept: this model was saved with summary=False")
        K, y, root, _ = self._system(self.summary_)
        return RidgePath(given, *self._path(K, y, root, self.summary_, given))

    def _path(
        self, K: Array, y: Array, root: Array, s: TrainingRows | TrainingObjects, alphas: Array
    ) -> tuple[Array, Array, Array]:
        """Coefficients, leave-one-out errors and degrees of freedom of each penalty.

        Without row i the residual is aᵢ / (A⁻¹)ᵢᵢ, A = SKS + αI: it follows from the full solution. A row of weight w
        is left out whole.
        """
        each, vectors = eigh(K)
        turned, squares = vectors.T @ y, vectors**2
        dual, error, dof = np.empty((len(alphas), len(y))), np.empty(len(alphas)), np.empty(len(alphas))
        for at, alpha in enumerate(alphas):
            inverse = _inverse(each + alpha)
            a, diagonal = vectors @ (inverse * turned), squares @ inverse
            left = np.divide(a, diagonal, out=y - K @ a, where=diagonal > 0)
            dual[at] = root * a
            error[at] = float((left**2).sum() / s.weight.sum())
            dof[at] = float((np.maximum(each, 0.0) * inverse).sum())
        return dual, error, dof

    @fitted
    def leave_one_out(self) -> Array:
        """The prediction of each row by the model of all others, in closed form.

        Returns
        -------
        predictions : array of shape (rows,)
            In the order of the rows, without those of weight 0.
        """
        if self.summary_ is None:
            raise ValueError("the rows were not kept: this model was saved with summary=False")
        K, y, root, _ = self._system(self.summary_)
        each, vectors = eigh(K)
        inverse = _inverse(each + self.alpha)
        left = (vectors @ (inverse * (vectors.T @ y))) / (vectors**2 @ inverse)
        found: Array = self.summary_.y - left / root
        return found


def _inverse(values: Array) -> Array:
    """1 / values, and 0 where they are 0 to rounding."""
    size = np.abs(values)
    fine = size > len(values) * EPS * size.max(initial=0.0)
    return np.divide(1.0, values, out=np.zeros_like(values), where=fine)
