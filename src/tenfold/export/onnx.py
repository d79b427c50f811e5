"""Models as ONNX graphs, which other runtimes and languages predict with: no Python, no tenfold, no PyTorch.

A network is matrix products, constants and activations; a linear model is one without hidden layers. Scalers before it
in a pipeline become nodes of the same graph.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Array, Labels
from tenfold.linear_model.class_moments.adaline import Adaline
from tenfold.linear_model.cross_validated.elastic_net_cv import ElasticNetCV
from tenfold.linear_model.cross_validated.lasso_cv import LassoCV
from tenfold.linear_model.cross_validated.ridge_cv import RidgeCV
from tenfold.linear_model.glm.logistic_regression import LogisticRegression
from tenfold.linear_model.least_squares.linear_regression import LinearRegression
from tenfold.linear_model.least_squares.ridge import Ridge
from tenfold.linear_model.penalized.bridge_regression import BridgeRegression
from tenfold.linear_model.penalized.elastic_net import ElasticNet
from tenfold.linear_model.penalized.lasso import Lasso
from tenfold.linear_model.sgd.perceptron import Perceptron
from tenfold.linear_model.sgd.sgd_classifier import SGDClassifier
from tenfold.linear_model.sgd.sgd_regressor import SGDRegressor
from tenfold.metrics.predictors import fitted_learners_of
from tenfold.neural_network.mlp.mlp_classifier import MLPClassifier
from tenfold.neural_network.mlp.mlp_regressor import MLPRegressor
from tenfold.neural_network.mlp.network_weights import SLOPE
from tenfold.preprocessing.max_abs_scaler import MaxAbsScaler
from tenfold.preprocessing.min_max_scaler import MinMaxScaler
from tenfold.preprocessing.standard_scaler import StandardScaler
from tenfold.svm.linear_svc import LinearSVC
from tenfold.svm.linear_svr import LinearSVR

LINEAR_REGRESSORS = (
    LinearRegression, Ridge, RidgeCV, Lasso, LassoCV, ElasticNet, ElasticNetCV, BridgeRegression, SGDRegressor,
    LinearSVR,
)  # fmt: skip
"""regressors that are wᵀx + b"""
LINEAR_CLASSIFIERS = (LogisticRegression, SGDClassifier, Perceptron, Adaline, LinearSVC)
"""classifiers of the largest wᵀx + b"""
PROBABILISTIC_CLASSIFIERS = (LogisticRegression, MLPClassifier)
"""classifiers whose scores are log-odds, or logarithms of probabilities up to a constant"""
OPERATORS = {"relu": "Relu", "tanh": "Tanh", "logistic": "Sigmoid"}
"""activations that ONNX has; a leaky ReLU is made of others, since runtimes have it in single precision alone"""
OPSET, IR_VERSION = 17, 8
"""versions of 2022, which current runtimes support"""


def to_onnx(model: BaseEstimator, path: str | os.PathLike[str] | None = None, *, dtype: str = "float64") -> Any:
    """A fitted model as an ONNX graph, to predict elsewhere; needs the package onnx (`tenfold[onnx]`).

    The input is `X`, rows of numbers. Outputs are `prediction` of a regressor; `label` of a classifier, and
    `probabilities` (rows x classes) of a network or logistic regression, or the `scores` of `decision_function` of
    others.

    Parameters
    ----------
    model : MLPClassifier, MLPRegressor or a linear model
        Fitted to columns of numbers; or a pipeline that ends with one, after StandardScaler, MinMaxScaler or
        MaxAbsScaler.
    path : str or path, optional
        A file to write, as a rule with the ending .onnx.
    dtype : {"float64", "float32"}, default="float64"
        Of the input, the arithmetic and the outputs.

    Returns
    -------
    proto : onnx.ModelProto

    Examples
    --------
    >>> import tenfold as tn
    >>> model = tn.MLPClassifier(3, "tanh", max_iter=5).fit([[0.0], [1.0], [2.0]], ["low", "low", "high"])
    >>> proto = tn.to_onnx(model)
    >>> [one.name for one in proto.graph.output]
    ['label', 'probabilities']
    """
    try:
        import onnx
    except ImportError:
        raise ImportError("to_onnx needs the package onnx. Remedy: pip install 'tenfold[onnx]'") from None
    if dtype not in ("float64", "float32"):
        raise ValueError(f"dtype must be 'float64' or 'float32', not {dtype!r}")
    stages = fitted_learners_of(model)
    if not stages or not isinstance(stages[-1], (*LINEAR_REGRESSORS, *LINEAR_CLASSIFIERS, MLPClassifier, MLPRegressor)):
        raise TypeError(
            f"to_onnx takes networks and linear models of tenfold, and pipelines of scalers before one, not {model!r}"
        )
    check_is_fitted(stages[-1])
    graph = _Graph(onnx, dtype)
    width = int(stages[0].n_features_in_)
    z = "X"
    for stage in stages[:-1]:
        z = _scaled(graph, stage, z)
    made = _ends(graph, stages[-1], z)
    rows = onnx.helper.make_tensor_value_info("X", graph.kind, [None, width])
    body = onnx.helper.make_graph(graph.nodes, type(stages[-1]).__name__, [rows], made, graph.constants)
    opset = [onnx.helper.make_opsetid("", OPSET)]
    proto = onnx.helper.make_model(body, producer_name="tenfold", opset_imports=opset, ir_version=IR_VERSION)
    onnx.helper.set_model_props(proto, {"features": ", ".join(map(str, stages[0].schema_.names))})
    onnx.checker.check_model(proto, full_check=True)
    if path is not None:
        onnx.save(proto, os.fspath(path))
    return proto


class _Graph:
    """Nodes and constants of a graph that is being made."""

    def __init__(self, onnx: Any, dtype: str) -> None:
        self.onnx, self.dtype = onnx, np.dtype(dtype)
        self.kind = onnx.helper.np_dtype_to_tensor_dtype(self.dtype)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: Any) -> str:
        """The name of an array that the graph keeps; numbers that are no integers have the graph's type."""
        array = np.asarray(values)
        name = f"c{len(self.constants)}"
        array = array.astype(self.dtype) if array.dtype.kind == "f" else array
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, operator: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        out = name or f"n{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [out], **attributes))
        return out

    def output(self, name: str, shape: list[int | None], kind: Any = None) -> Any:
        """The description of an output of the graph."""
        return self.onnx.helper.make_tensor_value_info(name, kind or self.kind, shape)


def _scaled(graph: _Graph, scaler: Any, z: str) -> str:
    """Return the node of a scaler's output."""
    if isinstance(scaler, StandardScaler):
        z = graph.node("Sub", z, graph.constant(scaler.model_.mean)) if scaler.with_mean else z
        return graph.node("Div", z, graph.constant(scaler.model_.scale)) if scaler.with_std else z
    if isinstance(scaler, MaxAbsScaler):
        return graph.node("Div", z, graph.constant(scaler.model_.scale))
    if isinstance(scaler, MinMaxScaler):
        z = graph.node("Mul", z, graph.constant(scaler.model_.scale))
        z = graph.node("Add", z, graph.constant(scaler.model_.min))
        low, high = (graph.constant(float(end)) for end in scaler.feature_range)
        return graph.node("Min", graph.node("Max", z, low), high) if scaler.clip else z
    raise TypeError(
        f"to_onnx takes StandardScaler, MinMaxScaler and MaxAbsScaler before a model, not {type(scaler).__name__}"
    )


def _ends(graph: _Graph, model: Any, z: str) -> list[Any]:
    """Append the layers of a model and its outputs, and describe these."""
    f = _layered(graph, model, z)
    if isinstance(model, (*LINEAR_REGRESSORS, MLPRegressor)):
        graph.node("Squeeze", f, graph.constant([1]), name="prediction")
        return [graph.output("prediction", [None])]
    classes = model.classes_
    if len(classes) < 2:
        raise ValueError(f"the model knows the class {classes.tolist()[0]!r} alone, and needs no graph to say so")
    both = graph.node("Concat", graph.node("Neg", f), f, axis=1) if len(classes) == 2 else f
    label = _label(graph, classes, both)
    if isinstance(model, PROBABILISTIC_CLASSIFIERS):
        if len(classes) == 2:
            graph.node("Sigmoid", both, name="probabilities")
        else:
            graph.node("Softmax", both, axis=1, name="probabilities")
        return [label, graph.output("probabilities", [None, len(classes)])]
    if len(classes) == 2:
        graph.node("Squeeze", f, graph.constant([1]), name="scores")
    else:
        graph.node("Identity", f, name="scores")
    return [label, graph.output("scores", [None] if len(classes) == 2 else [None, len(classes)])]


def _label(graph: _Graph, classes: Labels, scores: str) -> Any:
    """Append the class of the largest score."""
    known = np.asarray(classes)
    if known.dtype.kind in "OUT" and all(isinstance(one, str) for one in known.tolist()):
        known = known.astype(object)
        kind = graph.onnx.TensorProto.STRING
    elif known.dtype.kind in "biuf":
        kinds: dict[str, Any] = {"b": np.bool_, "f": graph.dtype}
        known = known.astype(kinds.get(known.dtype.kind, np.int64))
        kind = graph.onnx.helper.np_dtype_to_tensor_dtype(known.dtype)
    else:
        raise TypeError(f"classes must be numbers or strings in ONNX, not {known.tolist()[:3]}. Remedy: strings")
    best = graph.node("ArgMax", scores, axis=1, keepdims=0)
    graph.node("Gather", graph.constant(known), best, name="label")
    return graph.output("label", [None], kind)


def _layered(graph: _Graph, model: Any, z: str) -> str:
    """Append the layers of a network, or the one of a linear model: rows x outputs."""
    schema = model.schema_
    if named := [str(name) for name, many in zip(schema.names, schema.levels) if many]:
        raise ValueError(
            f"columns {named[:5]} hold categories, and the graph takes numbers. Remedy: fit to OneHotEncoder() columns"
        )
    each = _weights(model)
    for at, (W, b) in enumerate(each):
        z = graph.node("Gemm", z, graph.constant(W), graph.constant(b))
        if at + 1 == len(each) or model.activation == "identity":
            continue
        if model.activation == "leaky_relu":
            z = graph.node("Max", z, graph.node("Mul", z, graph.constant(SLOPE)))
        else:
            z = graph.node(OPERATORS[model.activation], z)
    return z


def _weights(model: Any) -> list[tuple[Array, Array]]:
    """The matrix (units below x units above) and the constants of each layer."""
    if isinstance(model, (MLPClassifier, MLPRegressor)):
        return list(zip(model.coefs_, model.intercepts_))
    W = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    return [(W.T, np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).ravel(), (len(W),)))]
