"""Models as ONNX graphs, which other runtimes and languages predict with: no Python, no tenfold, no PyTorch."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Labels
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.kinds import Classifier, Clusterer, Regressor, Transformer
from tenfold.export.fitted_stages import fitted_stages, models_of_outputs
from tenfold.export.onnx import (  # noqa: F401
    cluster_nodes,
    encoder_nodes,
    ensemble_nodes,
    naive_bayes_nodes,
    network_nodes,
    scaler_nodes,
)
from tenfold.export.onnx.converters import classified, clustered, refused, regressed, transformed
from tenfold.export.onnx.graph_builder import ML, GraphBuilder
from tenfold.export.onnx.graph_columns import GraphColumns, inputs_of

OPSET, IR_VERSION = 17, 8
"""versions of 2022, which current runtimes support"""
OPSET_OF_TREES, OPSET_OF_ML, IR_VERSION_OF_TREES = 21, 5, 10
"""versions of 2024, the first whose trees add up in float64 and have sets of categories"""


def to_onnx(model: BaseEstimator, path: str | os.PathLike[str] | None = None, *, dtype: str = "float64") -> Any:
    """A fitted model as an ONNX graph, to predict elsewhere; needs the package onnx (`tenfold[onnx]`).

    The input is `X`, rows of numbers. If some columns hold text, or some of a frame are not read, each that is read is
    an input under its own name, of shape (rows, 1); an empty text is a missing value. Outputs are `prediction` of a
    regressor; `label` of a classifier, and its `probabilities` (rows x classes), or the `scores` of
    `decision_function` of one that has none; `label` and `distances` of clusters; `transformed` of a transformer.

    Where the model refuses a row, the graph does not: a number that is missing makes outputs NaN. A category that an
    encoder refuses is an error of the runtime.

    Parameters
    ----------
    model : learner or pipeline
        Fitted: linear models and networks, naive Bayes, trees, forests, boosting, AdaBoost and bagging, LDA and QDA,
        KMeans, PCA, scalers, SimpleImputer, OneHotEncoder and OrdinalEncoder; pipelines and ColumnTransformers of
        them.
    path : str or path, optional
        A file to write, as a rule with the ending .onnx.
    dtype : {"float64", "float32"}, default="float64"
        Of the input, the arithmetic and the outputs. Trees compare with float64 thresholds in both.

    Returns
    -------
    proto : onnx.ModelProto
        Graphs with trees or text need a runtime of 2024 or later, such as onnxruntime 1.21.

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
    stages = fitted_stages(model)
    for stage in stages:
        if not isinstance(stage, Estimator):
            raise refused(stage)
        check_is_fitted(stage)
    last = stages[-1]
    schema = models_of_outputs(stages[0])[0].schema_
    graph = GraphBuilder(onnx, dtype, schema.names)
    inputs, table = inputs_of(graph, schema)
    for stage in stages[:-1]:
        table = transformed(stage, graph, table)
    made = _outputs(graph, last, table)
    body = onnx.helper.make_graph(graph.nodes, type(last).__name__, inputs, made, graph.constants)
    recent = ML in graph.domains or any(one.type.tensor_type.elem_type == graph.kind_of(str) for one in inputs)
    opset = [onnx.helper.make_opsetid("", OPSET_OF_TREES if recent else OPSET)]
    if ML in graph.domains:
        opset.append(onnx.helper.make_opsetid(ML, OPSET_OF_ML))
    version = IR_VERSION_OF_TREES if recent else IR_VERSION
    proto = onnx.helper.make_model(body, producer_name="tenfold", opset_imports=opset, ir_version=version)
    onnx.helper.set_model_props(proto, {"features": ", ".join(map(str, schema.names))})
    onnx.checker.check_model(proto, full_check=True)
    if path is not None:
        onnx.save(proto, os.fspath(path))
    return proto


def _outputs(graph: GraphBuilder, model: Any, table: GraphColumns) -> list[Any]:
    """Append the outputs of the last step, and describe them."""
    if isinstance(model, Classifier):
        return _class_outputs(graph, model, table)
    if isinstance(model, Regressor):
        return _predictions(graph, model, table)
    if isinstance(model, Clusterer):
        found = clustered(model, graph, table)
        graph.node("Identity", found.label, name="label")
        graph.node("Identity", found.distances, name="distances")
        clusters = len(model.cluster_centers_)
        return [graph.output("label", [None], graph.kind_of(np.int64)), graph.output("distances", [None, clusters])]
    if isinstance(model, Transformer):
        made = transformed(model, graph, table)
        graph.node("Identity", made.numbers(graph), name="transformed")
        return [graph.output("transformed", [None, made.width])]
    raise refused(model)


def _predictions(graph: GraphBuilder, model: Any, table: GraphColumns) -> list[Any]:
    """Append the numbers of a regressor: rows, or rows x outputs of several targets."""
    each = models_of_outputs(model)
    if len(each) > 1 or each[0] is not model:
        graph.node("Concat", *(regressed(one, graph, table) for one in each), axis=1, name="prediction")
        return [graph.output("prediction", [None, len(each)])]
    graph.node("Squeeze", regressed(model, graph, table), graph.constant([1]), name="prediction")
    return [graph.output("prediction", [None])]


def _class_outputs(graph: GraphBuilder, model: Any, table: GraphColumns) -> list[Any]:
    """Append the label of a classifier, and its probabilities or scores."""
    classes = model.classes_
    if len(classes) < 2:
        raise ValueError(f"the model knows the class {classes.tolist()[0]!r} alone, and needs no graph to say so")
    found = classified(model, graph, table)
    label = _label(graph, classes, found.scores)
    if found.probabilities is not None:
        graph.node("Identity", found.probabilities, name="probabilities")
        return [label, graph.output("probabilities", [None, len(classes)])]
    graph.node("Identity", found.decision or found.scores, name="scores")
    return [label, graph.output("scores", [None] if found.decision else [None, len(classes)])]


def _label(graph: GraphBuilder, classes: Labels, scores: str) -> Any:
    """Append the class of the largest score."""
    known = np.asarray(classes)
    if known.dtype.kind in "OUT" and all(isinstance(one, str) for one in known.tolist()):
        known = known.astype(object)
        kind = graph.kind_of(str)
    elif known.dtype.kind in "biuf":
        kinds: dict[str, Any] = {"b": np.bool_, "f": graph.dtype}
        known = known.astype(kinds.get(known.dtype.kind, np.int64))
        kind = graph.kind_of(known.dtype)
    else:
        raise TypeError(f"classes must be numbers or strings in ONNX, not {known.tolist()[:3]}. Remedy: strings")
    best = graph.node("ArgMax", scores, axis=1, keepdims=0)
    graph.node("Gather", graph.constant(known), best, name="label")
    return graph.output("label", [None], kind)
