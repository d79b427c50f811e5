"""Linear support vector classification: ½‖w‖² + C Σ wᵢ max(0, 1 - yᵢ wᵀxᵢ)², or without the square, least."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Annotated, Any

from tenfold.core import Array, Columns, Need, Remedy, Schema
from tenfold.estimator.class_weights import class_weights
from tenfold.estimator.shell.constraints import boolean, choice
from tenfold.estimator.shell.decision_function import Deciding
from tenfold.estimator.shell.keywords import refused
from tenfold.estimator.shell.parameters import Behind
from tenfold.svm.linear_machine import LinearMachine, MachineModel, State

against_the_rest = refused(
    "it separates each class from the rest",
    Remedy("tn.LinearSVC(multi_class='ovr')", "or LogisticRegression(), which has one loss for all classes"),
    "crammer_singer",
)


class LinearSVC(LinearMachine, Deciding):
    """Linear support vector classification, with the duality gap as the rule to stop.

    Each row holds its dual variable where it is, in memory, on disk or on a cluster; each pass merges slopes and
    curvatures into a step of Newton's method, ten to thirty of them (the method of multipliers). Of more than 500
    columns, as of text, all rows are gathered for dual coordinate descent. Of more than two classes, each is separated
    from the rest. As in scikit-learn the intercept is the coefficient of a column of `intercept_scaling`, and is
    penalised, unless that is infinite.

    Parameters
    ----------
    penalty : {"l2"}, default="l2"
        "l1" is refused, with what to use instead.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        What is minimised, summed over the rows.
    dual : bool or "auto", default="auto"
        True: dual coordinate descent on all rows at once, in memory. False: passes over the rows, wherever they are.
        "auto": True for more than 500 columns.
    tol : float, default=0.0001
        Stop when the duality gap is proved to be at most this share of the objective.
    C : float, default=1.0
        Price of a row inside the margin.
    multi_class : {"ovr"}, default="ovr"
        Each class against the rest.
    fit_intercept : bool, default=True
        Whether to fit a constant term beside the coefficients.
    intercept_scaling : float, default=1.0
        Value of the constant column of the intercept: the larger, the less the intercept is penalised. Infinite: not at
        all, as in textbooks and in the machine with a kernel; `dual=True` cannot do that.
    class_weight : dict or "balanced", optional
        Factors of C for each class; of more than two classes, for its rows where it is separated from the rest.
    verbose : int, default=0
        Ignored; it is there for the sake of pipelines written for scikit-learn.
    random_state : int, default=None
        Ignored: nothing is drawn that it would change.
    max_iter : int, default=1000
        Epochs of dual coordinate descent, or passes, at most.

    Attributes
    ----------
    classes_ : array
    coef_ : array of shape (1, columns) for two classes, else (classes, columns)
    intercept_ : array of shape (1,) or (classes,)
    n_iter_ : int
        Epochs, the most of all planes; or passes.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import LinearSVC
    >>> model = LinearSVC().fit([[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [3.5]]).tolist()
    ['low', 'high']
    >>> model.certificate_["relative gap"].value < 1e-4
    True
    """

    need = Need("numeric", sparse=True, target="class")
    law_params = (
        {"tol": 1e-9},
        {"tol": 1e-9, "loss": "hinge", "C": 0.1, "class_weight": "balanced"},
        {"tol": 1e-9, "loss": "hinge", "C": 0.1, "dual": True},
        {"tol": 1e-9, "loss": "hinge", "C": 0.1, "intercept_scaling": math.inf},
    )

    penalty: Annotated[
        str,
        choice("l1", "l2"),
        refused("it has no penalty of absolute values", Remedy("tn.LogisticRegression(l1_ratio=1.0)"), "l1"),
    ] = "l2"
    loss: Annotated[str, choice("hinge", "squared_hinge")] = "squared_hinge"
    _: KW_ONLY
    dual: Annotated[bool | str, boolean, choice("auto"), Behind(None)] = "auto"
    multi_class: Annotated[str, choice("ovr", "crammer_singer"), against_the_rest, Behind("C")] = "ovr"
    class_weight: Annotated[
        Mapping[Any, float] | str | None, choice("balanced"), dict, None, Behind("intercept_scaling")
    ] = None

    def start(self, schema: Schema) -> State:
        # The state before any rows are read; what cannot be fitted is refused here.
        k = len(schema.classes)
        if k < 2:
            raise ValueError(f"LinearSVC needs samples of at least 2 classes in the data, but there is {k} class")
        return super().start(schema)

    def _factors(self, schema: Schema, mass: Array) -> Array:
        return class_weights(self.class_weight, schema, mass)

    def scores(self, model: MachineModel, X: Columns) -> Array:
        return self.margins(model, X)
