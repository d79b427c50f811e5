"""What an algorithm does step by step, for those who learn and teach: one function for all of them.

A trace is made after or beside a fit, from what the loop shows to its watchers and from what the model keeps. Fits that
nobody traces do nothing for it.
"""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from tenfold.cluster.kmeans import KMeans
from tenfold.concept.candidate_elimination import CandidateElimination
from tenfold.concept.version_space import VersionSpace
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.ensemble.ada_boost.ada_boost_classifier import AdaBoostClassifier
from tenfold.inspection.traces.ada_boost_trace import trace_ada_boost
from tenfold.inspection.traces.kmeans_trace import trace_kmeans
from tenfold.inspection.traces.perceptron_trace import trace_perceptron
from tenfold.inspection.traces.sliq_trace import trace_sliq
from tenfold.inspection.traces.step_table import StepTable, refuse_source
from tenfold.inspection.traces.unrolled_network import unroll
from tenfold.inspection.traces.version_space_trace import trace_from_space, trace_version_space
from tenfold.linear_model.sgd.perceptron import Perceptron
from tenfold.neural_network.sequences.rnn import RNN
from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier

TRACED: dict[type, Any] = {
    Perceptron: trace_perceptron,
    AdaBoostClassifier: trace_ada_boost,
    KMeans: trace_kmeans,
    DecisionTreeClassifier: trace_sliq,
    CandidateElimination: trace_version_space,
}
"""learners, and what fits and traces each of them"""


def trace(
    estimator: Any, X: MatrixLike, y: VectorLike = None, *, sample_weight: VectorLike = None
) -> StepTable:  # fmt: skip
    """What an algorithm does step by step, as a table; :class:`~tenfold.display.TraceDisplay` draws it.

    Parameters
    ----------
    estimator : learner or VersionSpace
        - `Perceptron`: its weights after each mistake;
        - `AdaBoostClassifier`: the weights of the rows after each round, the error and the votes of each member;
        - `KMeans`: the centres and the inertia, round by round;
        - `SLIQ`, or a `DecisionTreeClassifier` with `method="exact"`: attribute lists and class list, before and after
          each split;
        - `CandidateElimination`, or a `VersionSpace`: the boundaries S and G after each example;
        - `RNNClassifier` and `RNNRegressor`, fitted before: the network unrolled over one sequence.

        A copy of the learner is fitted, to the same bits as without a trace; the learner itself is not changed.
    X : array or frame
        Rows in memory, few enough to be one part (4,096). For a recurrent network those of one sequence.
    y : array, optional
        The target; for a `VersionSpace`, whether each row is a positive.
    sample_weight : array, optional
        A weight for each row.

    Returns
    -------
    trace : PerceptronTrace, AdaBoostTrace, KMeansTrace, SLIQTrace, VersionSpaceTrace or UnrolledNetwork
        With `model`, the fitted copy; arrays of what changes from step to step; `table`, its columns by name, and
        `to_frame()`.

    Examples
    --------
    >>> from tenfold import KMeans, trace
    >>> steps = trace(KMeans(2, init=[[0.0], [1.0]]), [[0.0], [1.0], [8.0], [9.0]])
    >>> steps.centers[:, :, 0].tolist()
    [[0.0, 1.0], [0.0, 6.0], [0.5, 8.5]]
    >>> steps.inertia.tolist()
    [113.0, 14.0, 1.0]
    """
    refuse_source(X)
    if isinstance(estimator, (RNN, VersionSpace)) and sample_weight is not None:
        raise TypeError(f"{type(estimator).__name__} is traced without weights of rows. Remedy: no sample_weight")
    if isinstance(estimator, RNN):
        if y is not None:
            raise TypeError("a recurrent network is fitted before it is unrolled. Remedy: trace(model, X), without y")
        return unroll(estimator, X)
    if isinstance(estimator, VersionSpace):
        return trace_from_space(estimator, X, y)
    for kind, traced in TRACED.items():
        if isinstance(estimator, kind):
            found: StepTable = traced(clone(estimator), X, y, sample_weight)
            return found
    known = ", ".join([*(kind.__name__ for kind in TRACED), "VersionSpace", "RNNClassifier", "RNNRegressor"])
    raise TypeError(f"{type(estimator).__name__} has no trace. Remedy: one of {known}")
