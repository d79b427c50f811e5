"""How sharp the minimum is that a network ended in: the largest curvature of its objective, by Lanczos' method.

Each step needs Hv, H the second derivatives of the objective, which is a sum over rows: one scan, on any runner. The
largest Ritz value is no larger than the largest eigenvalue of H, and some eigenvalue is within its residual.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Array, Claim, DataError, MatrixLike, Schema, VectorLike
from tenfold.engine import current, opened, schema_of
from tenfold.estimator import as_fitted
from tenfold.neural_network.mlp.backpropagation import RUNNING
from tenfold.neural_network.mlp.curvature_products import Bend, NetworkBend
from tenfold.neural_network.mlp.mlp_classifier import MLPClassifier
from tenfold.neural_network.mlp.mlp_regressor import MLPRegressor
from tenfold.sources.inputs import as_source
from tenfold.stats.combinators import As, View


def sharpness(
    model: MLPClassifier | MLPRegressor,
    X: MatrixLike,
    y: VectorLike = None,
    sample_weight: VectorLike = None,
    *,
    max_iter: int = 30,
    tol: float = 1e-2,
    random_state: int = 0,
) -> Claim:
    """The largest curvature of a network's objective where its training ended; every step is one scan of the rows.

    The objective is the mean loss of these rows and the penalty of squares. A step of gradient descent longer than
    2 / sharpness overshoots along the most curved direction; flat minima are often reported to generalise better.

    Parameters
    ----------
    model : MLPClassifier or MLPRegressor
        A fitted multi-layer perceptron.
    X : array, frame or Source
        The rows to score by, as a rule its training rows.
    y, sample_weight : array, optional
        A Source brings its own.
    max_iter : int, default=30
        Scans at most.
    tol : float, default=0.01
        Stop once an eigenvalue is this near, as a share of it.
    random_state : int, default=0
        Seed of the direction to begin with.

    Returns
    -------
    claim : Claim
        Its value is no larger than the largest curvature, up to rounding; `because` bounds the distance to an
        eigenvalue.

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> model = tn.MLPRegressor((), alpha=0.0, max_iter=3).fit(X, X[:, 0])  # no hidden layers: least squares
    >>> A = np.column_stack([X, np.ones(300)])
    >>> bool(np.isclose(tn.sharpness(model, X, X[:, 0]).value, np.linalg.eigvalsh(A.T @ A / 300)[-1]))
    True
    """
    if not isinstance(model, (MLPClassifier, MLPRegressor)):
        raise TypeError(
            f"model must be an MLPClassifier or an MLPRegressor, not {type(model).__name__}. Remedy: of a pipeline, "
            "give the last step, and rows that went through the others"
        )
    check_is_fitted(model)
    model = as_fitted(model)
    if max_iter < 1 or max_iter % 1:
        raise ValueError(f"max_iter must be an integer from 1 on, not {max_iter!r}")
    if not tol >= 0:
        raise ValueError(f"tol must be a number from 0 on, not {tol!r}")
    learner, fitted, schema = model._blank(), model.model_, model.schema_
    network, need = learner._network(schema), model.need
    penalty = np.where(network.penalised, learner._penalties[0], 0.0)
    source = as_source(X, y, sample_weight, need, model=model, reset=False)
    with opened(current(), source) as session:
        _check_classes(schema, schema_of(source, need, session))
        view = View(need, schema)

        def curved(v: Array) -> Array:
            bend = NetworkBend(network, fitted.weights, v, schema.levels, fitted.training.factors)
            found: Bend = session.answer(As(view, bend)).summary
            if not found.mass:
                raise DataError("the rows have no weight, with that of their classes. Remedy: rows that count")
            return (found.product + penalty * v) / found.mass

        pieces = network.cut(fitted.weights)
        learnt = np.concatenate([np.full(piece.size, name not in RUNNING) for name, piece in pieces])
        start = np.where(learnt, np.random.default_rng(random_state).normal(size=network.length), 0.0)
        value, residual, steps = largest_eigenvalue(curved, start, min(max_iter, int(learnt.sum())), tol)
    why = f"largest curvature of the objective, or less; from {steps} scans; an eigenvalue is within {residual:.2g}"
    return Claim("sharpness", value, "estimated", why, "objective", "rounding errors of the usual size")


def largest_eigenvalue(
    product: Callable[[Array], Array], start: Array, steps: int, tol: float
) -> tuple[float, float, int]:  # fmt: skip
    """The largest Ritz value of a symmetric matrix, given as its product with vectors; its residual; and the products.

    Lanczos' method; every vector is made orthogonal to all before it, twice, so that rounding finds nothing again.
    """
    basis = [start / np.linalg.norm(start)]
    diagonal: list[float] = []
    beside: list[float] = []
    value = residual = 0.0
    for _ in range(steps):
        w = product(basis[-1])
        diagonal.append(float(basis[-1] @ w))
        known = np.array(basis)
        for _ in range(2):
            w = w - known.T @ (known @ w)
        length = float(np.linalg.norm(w))
        ritz, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
        value, residual = float(ritz[-1]), length * abs(float(vectors[-1, -1]))
        if residual <= tol * abs(value) or not length:
            break
        beside.append(length)
        basis.append(w / length)
    return value, residual, len(diagonal)


def _check_classes(known: Schema, found: Schema) -> None:
    """Refuse rows of classes that the model does not know: they have no loss."""
    if known.classes is None or found.classes is None:
        return
    strange = sorted(map(str, {*found.classes.tolist()} - {*known.classes.tolist()}))
    if strange:
        raise DataError(f"y has the classes {strange[:5]}, which the model does not know. Remedy: leave these rows out")
