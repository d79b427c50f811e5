"""What each family converts: a model and the nodes of its rows to the nodes of its outputs.

Families register their learners with these functions. A subclass that predicts in another way is registered by itself,
or as refused.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any, NamedTuple

from tenfold.export.onnx.graph_builder import GraphBuilder
from tenfold.export.onnx.graph_columns import GraphColumns

TAKEN = (
    "to_onnx takes linear models and networks, naive Bayes, trees and ensembles of them, discriminants, KMeans, PCA, "
    "scalers, SimpleImputer, OneHotEncoder and OrdinalEncoder, and pipelines and ColumnTransformers of them"
)


class ClassOutputs(NamedTuple):
    """Nodes of a classifier."""

    scores: str
    """rows x classes: the highest wins"""
    probabilities: str | None
    """rows x classes; None of one that has none, whose decision function is in the graph then"""
    decision: str | None = None
    """as `decision_function` has it; by default the scores"""


class ClusterOutputs(NamedTuple):
    """Nodes of a clusterer."""

    label: str
    """rows"""
    distances: str
    """rows x clusters"""


@singledispatch
def transformed(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return the columns that a fitted transformer makes."""
    raise refused(model)


@singledispatch
def regressed(model: Any, graph: GraphBuilder, table: GraphColumns) -> str:
    """Return the predictions of a fitted regressor, rows x outputs."""
    raise refused(model)


@singledispatch
def classified(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the outputs of a fitted classifier."""
    raise refused(model)


@singledispatch
def clustered(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClusterOutputs:
    """Return the outputs of a fitted clusterer."""
    raise refused(model)


def refused(model: Any) -> TypeError:
    """The error of a learner that has no graph."""
    return TypeError(
        f"{TAKEN}, not {type(model).__name__}. Remedy: model.save(path), which takes any learner of tenfold"
    )
