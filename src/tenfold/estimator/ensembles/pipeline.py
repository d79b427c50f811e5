"""Pipeline: each step is fitted on the outputs of the steps before it, and the last one predicts.

It is scikit-learn's Pipeline, which only hands rows on, and so takes sources too. What comes to it: one model file,
`+`, and rows between steps in the form that the next step takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import replace
from inspect import signature
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
import sklearn.pipeline
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import _final_estimator_has, _name_estimators
from sklearn.utils.metadata_routing import _routing_enabled
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, check_memory

from tenfold.core import ONE, Certificate, Claim, DataError, MergeError, Names, Provenance
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.axes import bits
from tenfold.core.errors import from_here
from tenfold.engine.stages import in_form
from tenfold.estimator.files import model_file
from tenfold.estimator.keyed_learner import KeyedLearner
from tenfold.estimator.lazy_output import Mapped
from tenfold.estimator.shell.diagram import diagram
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.estimator.updating.capabilities import ONE_FIT, remedy_for_more_rows
from tenfold.estimator.updating.continuing import Continues
from tenfold.estimator.updating.merging import different
from tenfold.sources import ArraySource, as_source, is_lazy

_NUMBERED = re.compile(r"\bcolumn 'x(\d+)'")
"""a column of an array, as errors name it"""


class Pipeline(sklearn.pipeline.Pipeline):
    """Transformers followed by a learner, as one learner: over arrays, frames and sources.

    It is scikit-learn's `Pipeline`, and has all that it has: `named_steps`, slices, `set_params(step__param=...)`,
    `set_output`. Of a Source each step is fitted in scans of its own, to rows that the steps before it make while they
    are read. If all steps are of tenfold, `save` writes one file, which `tenfold.load` reads; and models add up if what
    the steps before the last have learned is the same in both.

    Parameters
    ----------
    steps : list of (str, learner)
        Names and transformers, "passthrough" for none; the last may be any learner. Steps of other libraries need rows
        in memory.
    transform_input, memory, verbose : optional
        As in scikit-learn.

    Attributes
    ----------
    named_steps : Bunch
        The steps by name, fitted once the pipeline is.
    feature_names_in_ : array of str
        The names of the columns, if the first step knows them.
    certificate_ : Certificate
        The claims of the last step, then those of the steps before it under their names; the provenance of all.

    Examples
    --------
    >>> from tenfold import Pipeline, Ridge, StandardScaler
    >>> model = Pipeline([("scale", StandardScaler()), ("line", Ridge(alpha=0.0))])
    >>> model.fit([[0.0], [2.0], [4.0]], [1.0, 5.0, 9.0]).predict([[1.0]]).round(6).tolist()
    [3.0]
    >>> model.named_steps.scale.mean_.tolist()
    [2.0]
    """

    merges_if = "if the last step's do, and the steps before it have learned the same"

    @from_here
    def fit(self, X: MatrixLike, y: VectorLike = None, *, start: Any = None, **params: Any) -> Pipeline:
        """Fit all steps, each to the rows as the steps before it make them.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
        y : array, optional
            A Source brings its own target.
        start : fitted pipeline of the same steps, optional
            A model to continue from: the steps before the last stay as they are in it, and the last one, such as
            logistic regression or gradient boosting, is fitted from its last step. It is not changed.
        **params : dict
            For the steps: `step__parameter`; with metadata routing enabled, those that the steps request.

        Returns
        -------
        self : object
        """
        if len(self.steps) > 1 and isinstance(self.steps[-1][1], KeyedLearner):
            self.steps[-1][1].refuse_steps([step for _, step in self.steps[:-1]])
        if start is not None:
            return self._fit_from(start, X, y, params)
        with self._naming_columns(X) as self.__dict__["_done"]:
            found: Pipeline = super().fit(X, y, **params)
        return found

    def _fit_from(self, start: Any, X: Any, y: Any, params: dict[str, Any]) -> Pipeline:
        """Fit the last step from that of a fitted pipeline, to rows as its other steps make them."""
        if not isinstance(start, Pipeline):
            raise TypeError(
                f"start is of {type(start).__name__}, but a pipeline continues from a fitted pipeline of the same "
                "steps. Remedy: start=pipeline"
            )
        check_is_fitted(start)
        name, last = self.steps[-1]
        if not isinstance(last, Continues):
            raise TypeError(
                f"{type(last).__name__} does not continue from a fitted model. Remedy: "
                + (remedy_for_more_rows(last) if isinstance(last, Estimator) else ONE_FIT)
            )
        mine, known = (_of_first_steps(model) for model in (self, start))
        if said := different(known, mine):
            raise ValueError(
                f"the steps before the last stay as they are in `start`, which has other ones: {said}. Remedy: the "
                "same steps, or a fit from the beginning, without start"
            )
        if other := [key for key in params if not key.startswith(f"{name}__")]:
            raise ValueError(
                f"{other} are for steps that stay as they are in `start`. Remedy: leave them out, or fit without start"
            )
        given = {key.removeprefix(f"{name}__"): value for key, value in params.items()}
        with self._naming_columns(X) as done:
            if is_lazy(X):
                X, y, given["sample_weight"] = as_source(X, y, given.pop("sample_weight", None)), None, None
            X = start._before_last(X, done)
            X, y, given = _rows_for(last, X, y, given)
            last.fit(X, y, **given, start=start.steps[-1][1])
        self.__dict__["steps"] = [*start.steps[:-1], (name, last)]
        return self

    @available_if(lambda self: self._can_fit_transform())
    @from_here
    def fit_transform(self, X: MatrixLike, y: VectorLike = None, **params: Any) -> Any:
        """Fit all steps, and return the rows as the last one makes them.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
        y : array, optional
        **params : dict
            For the steps, as in `fit`.

        Returns
        -------
        output : array, or Source
        """
        with self._naming_columns(X) as self.__dict__["_done"]:
            return super().fit_transform(X, y, **params)

    @contextmanager
    def _naming_columns(self, X: Any) -> Iterator[list[Any]]:
        """In errors of a step that takes an array, name columns as the steps before it make them: these are listed."""
        done = list[Any]()
        try:
            yield done
        except DataError as error:
            names: list[str] | None = None
            for step in [] if is_lazy(X) or any(_wants_names(step) for _, step in self.steps) else done:
                names = _columns_out(step, names)
            if names is None or (text := _renamed(str(error), names)) == str(error):
                raise
            raise type(error)(text) from error.__cause__

    def _fit(self, *args: Any, **given: Any) -> Any:
        """Fit the steps before the last; rows as each makes them, in the form that the next one takes."""
        memory: Any = self.__dict__["memory"]
        self.memory = _Forms(memory, [step for _, _, step in self._iter()], self.__dict__.pop("_done", []))
        try:
            X = super()._fit(*args, **given)
        finally:
            self.memory = memory
        return _formed(X, _first(self.steps[-1][1]))

    def _check_method_params(self, method: str, props: dict[str, Any], **given: Any) -> Any:
        """Route parameters of `fit` to steps; what the last step takes is refused with the name that it has here."""
        name, last = self.steps[-1]
        for word in () if _routing_enabled() or isinstance(last, str | None) else props:
            if word in signature(last.fit).parameters and word not in ("X", "y"):
                raise ValueError(
                    f"Pipeline.fit does not accept the {word} parameter. Remedy: {name}__{word}=..., for the last step"
                )
        return super()._check_method_params(method, props, **given)

    def _before_last(self, X: Any, done: list[Any]) -> Any:
        """Rows as the steps before the last make them, in the form that it takes; add these steps to those done."""
        check_is_fitted(self)
        steps = [step for _, _, step in self._iter(with_final=False)]
        for step, taker in pairwise([*steps, self.steps[-1][1]]):
            X = _handed(step.transform(X), taker)
            done.append(step)
        return X

    def _of_last_step(self, method: str, X: Any, given: dict[str, Any]) -> Any:
        """Return the output of a method of the last step."""
        if _routing_enabled():
            return getattr(super(), method)(X, **given)
        with self._naming_columns(X) as done:
            return getattr(self.steps[-1][1], method)(self._before_last(X, done), **given)

    @available_if(_final_estimator_has("predict"))
    @from_here
    def predict(self, X: MatrixLike, **params: Any) -> Any:
        """Predict with the last step for each row.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
        **params : dict
            For `predict` of the last step.

        Returns
        -------
        y : array, or Source
        """
        return self._of_last_step("predict", X, params)

    @available_if(_final_estimator_has("predict_proba"))
    @from_here
    def predict_proba(self, X: MatrixLike, **params: Any) -> Any:
        """The probability of each class for each row.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
        **params : dict
            For `predict_proba` of the last step.

        Returns
        -------
        p : array of shape (rows, classes), or Source
        """
        return self._of_last_step("predict_proba", X, params)

    @available_if(_final_estimator_has("predict_log_proba"))
    @from_here
    def predict_log_proba(self, X: MatrixLike, **params: Any) -> Any:
        """The logarithm of `predict_proba`, as the last step has it.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
        **params : dict
            For `predict_log_proba` of the last step.

        Returns
        -------
        log_p : array of shape (rows, classes), or Source
        """
        return self._of_last_step("predict_log_proba", X, params)

    @available_if(_final_estimator_has("decision_function"))
    @from_here
    def decision_function(self, X: MatrixLike, **params: Any) -> Any:
        """The decision value of each row, as the last step has it.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
        **params : dict
            For `decision_function` of the last step.

        Returns
        -------
        values : array, or Source
        """
        return self._of_last_step("decision_function", X, params)

    @available_if(_final_estimator_has("score_samples"))
    @from_here
    def score_samples(self, X: MatrixLike) -> Any:
        """The score of each row by the last step, such as its log-density.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source

        Returns
        -------
        values : array, or Source
        """
        return self._of_last_step("score_samples", X, {})

    @available_if(lambda self: self._can_transform())
    @from_here
    def transform(self, X: MatrixLike, **params: Any) -> Any:
        """The rows as all steps make them, one after the other.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
        **params : dict
            With metadata routing, for `transform` of the steps.

        Returns
        -------
        X : array, CSR matrix, frame or Source
        """
        if params:
            return super().transform(X, **params)
        if not passes_by(self.steps[-1][1]):
            return self._of_last_step("transform", X, params)
        with self._naming_columns(X) as done:
            return self._before_last(X, done)

    @available_if(_final_estimator_has("score"))
    @from_here
    def score(self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None, **params: Any) -> Any:
        """The score of the last step.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
            A Source brings its own target and weights.
        y : array, optional
        sample_weight : array, optional
        **params : dict
            With metadata routing, for the steps.

        Returns
        -------
        score : float
        """
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._of_last_step("score", X, {"y": y, **weighted, **params})

    # ---- certificate ------------------------------------------------------------------------------

    def _html_repr(self) -> str:
        return diagram(self)

    @property
    def certificate_(self) -> Certificate:
        """The claims of the last step, then those of the steps before it under their names; the provenance of all."""
        each: list[tuple[str, Any]] = [(name, _certificate(step, names)) for name, step, names in self._named_steps()]
        if not each or each[-1][1] is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'certificate_': its last step has none"
            )
        return Certificate(_claims(each), _provenance([one for _, one in each]), each[-1][1].origin)

    def _named_steps(self) -> Iterator[tuple[str, Any, list[str] | None]]:
        """The steps that learn, each with the names of the columns that the steps before it make, if they are known."""
        names: list[str] | None = None
        for name, step in self.steps:
            if not passes_by(step):
                yield name, step, names
                names = _columns_out(step, names)

    @available_if(_final_estimator_has("summary"))
    def summary(self, level: float = 0.95) -> Any:
        """The summary of the last step.

        Parameters
        ----------
        level : float, default=0.95
            Of the confidence intervals.

        Returns
        -------
        summary : Summary
            Print it, or show it in a notebook.
        """
        check_is_fitted(self)
        _, last, names = list(self._named_steps())[-1]
        return _under_names(last, names).summary(level)

    # ---- more rows --------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name not in ("partial_fit", "update") or not self.__dict__.get("steps"):
            return object.__getattribute__(self, name)  # raises what the attribute itself says
        last = _thawed(self.steps[-1][1])
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}, since its last step, {type(last).__name__}, "
            f"does not learn from more rows by itself. Remedy: "
            + (remedy_for_more_rows(last) if isinstance(last, Estimator) else ONE_FIT)
        )

    @available_if(_final_estimator_has("partial_fit"))
    @from_here
    def partial_fit(self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None) -> Pipeline:
        """Fit the last step to more rows, which the steps before it transform as they have learned to.

        The first call fits all steps. See `update` for transformers that learn from more rows too.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
        y : array, optional
        sample_weight : array, optional
            For the last step, as in a fit; weights of a Source are for all steps.

        Returns
        -------
        self : object
        """
        return self.update(X, y, sample_weight)

    @available_if(lambda self: _learns_more(self._final_estimator))
    @from_here
    def update(
        self,
        X: MatrixLike,
        y: VectorLike = None,
        sample_weight: VectorLike = None,
        *,
        preprocessing: Literal["keep", "merge"] = "keep",
    ) -> Pipeline:
        """Fit to more rows. On an error, the model is unchanged.

        The last step learns from them by `partial_fit`. One without it that continues, such as gradient boosting, is
        fitted to them from the model that it has: raise its number of rounds first, by `set_params`.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
        y : array, optional
        sample_weight : array, optional
            For the last step, as in a fit; weights of a Source are for all steps.
        preprocessing : {"keep", "merge"}, default="keep"
            Whether the steps before the last stay as they are, so that the last step learns from rows that were all
            transformed alike; or learn from these rows too, by `partial_fit`: then rows that the last step has learned
            from before were transformed otherwise.

        Returns
        -------
        self : object
        """
        if preprocessing not in ("keep", "merge"):
            raise ValueError(f"preprocessing={preprocessing!r} is not one of 'keep' and 'merge'")
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        if not self.__sklearn_is_fitted__():
            final = {f"{self.steps[-1][0]}__{name}": value for name, value in weighted.items()}
            fitted: Pipeline = self.fit(X, y, **final)
            return fitted
        if is_lazy(X):  # outputs are sources, which bring target and weights along
            X, y, weighted = as_source(X, y, sample_weight), None, {}
        steps = [(name, copy(step) if isinstance(step, Estimator) else deepcopy(step)) for name, step in self.steps]
        going = [(name, step) for name, step in steps if not passes_by(step)]
        for (name, step), (_, taker) in pairwise(going):
            made = _updated(name, step, X, y) if preprocessing == "merge" else step.transform(X)
            X = _handed(made, taker)
        _learn_more(steps[-1][1], X, y, weighted, preprocessing)
        self.__dict__["steps"] = steps
        return self

    # ---- models add up, and are written to a file ---------------------------------------------------

    def __add__(self, other: Any) -> Any:
        """The model of both models' rows, if the steps before the last are the same in both."""
        return _added(self, other) if isinstance(other, Pipeline) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        """Return the model itself for `0 + model`, so that `sum(models)` works."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def verify(self) -> Certificate:
        """Recompute the certificate of each step from its summary and compare it with the one the step has.

        Returns
        -------
        certificate : Certificate
            The same claims, marked as verified. A difference is an error that lists it.
        """
        check_is_fitted(self)
        for name, step, _ in self._named_steps():
            learner = _thawed(step)
            if not isinstance(learner, Estimator | Pipeline):
                raise TypeError(f"step {name!r}, {type(learner).__name__}, has no summary: it is not of tenfold")
            learner.verify()
        return self.certificate_

    def save(self, path: Any, *, summary: bool = True) -> None:
        """Write all steps to one model file, which runs no code when it is loaded.

        Parameters
        ----------
        path : str or path
        summary : bool
            Whether to write the summaries of the steps too. Without them the model predicts, but can no longer be
            merged.
        """
        model_file.save(self, path, summary=summary)


def make_pipeline(*steps: Any, memory: Any = None, transform_input: Any = None, verbose: bool = False) -> Pipeline:
    """A Pipeline whose steps are named after their classes.

    Parameters
    ----------
    *steps : learner
        The steps in order: transformers, and a learner at the end.
    memory, transform_input, verbose : optional
        As Pipeline takes them.

    Returns
    -------
    model : Pipeline

    Examples
    --------
    >>> from tenfold import Ridge, StandardScaler, make_pipeline
    >>> [name for name, _ in make_pipeline(StandardScaler(), Ridge()).steps]
    ['standardscaler', 'ridge']
    """
    return Pipeline(_name_estimators(steps), memory=memory, transform_input=transform_input, verbose=verbose)


def passes_by(step: Any) -> bool:
    """Whether a step of a pipeline is none."""
    return step is None or (isinstance(step, str) and step == "passthrough")


def learned_steps(model: Any) -> list[Any]:
    """A learner itself, or the steps of a pipeline that learn, those of pipelines within it too."""
    if not isinstance(model, sklearn.pipeline.Pipeline):
        return [model]
    steps = [one for _, step in model.steps[:-1] if not passes_by(step) for one in learned_steps(step)]
    return [*steps, *learned_steps(model.steps[-1][1])]


class _Forms:
    """Cache of fitted steps that converts the output of each to the form that the next one takes."""

    def __init__(self, memory: Any, steps: list[Any], done: list[Any]) -> None:
        self.memory = check_memory(memory)
        self.done = done
        self.takers = iter(steps[1:])
        self.named = bool(steps) and _wants_names(steps[-1])
        self.names: Names | None = None
        if hasattr(self.memory, "location"):
            self.location = self.memory.location

    def cache(self, function: Any, **how: Any) -> Any:
        """Return the function that fits a step, wrapped to convert its output rows."""
        known = self.memory.cache(function, **how)

        def fit_transform_one(*args: Any, **given: Any) -> Any:
            X, step = known(*args, **given)
            taker = next(self.takers, None)
            self.done.append(step)
            if self.named and (isinstance(X, np.ndarray) or sp.issparse(X)):
                self.names = step.get_feature_names_out(self.names)
                X = _table(X, self.names) if _wants_names(taker) else X
            _refuse_text(X, step, _first(taker))
            return _formed(X, _first(taker)), step

        return fit_transform_one


def _first(step: Any) -> Any:
    """Return the learner that receives the rows of a step: the first of a pipeline, or the frozen one itself."""
    if isinstance(step, FrozenEstimator):
        return _first(step.estimator)
    if isinstance(step, sklearn.pipeline.Pipeline):
        return next((_first(one) for _, one in step.steps if not passes_by(one)), None)
    return step


def _formed(X: Any, learner: Any) -> Any:
    """Sparse rows as the next learner takes them: dense, if it takes no others."""
    if not sp.issparse(X):
        return X
    return in_form(X, learner.need) if isinstance(learner, Estimator) else X


def _wants_names(step: Any) -> bool:
    """Whether a step, or the first of a pipeline, is a learner whose parameters name columns."""
    first = _first(step)
    return isinstance(first, Estimator) and first.wants_names


def _refuse_text(X: Any, step: Any, taker: Any) -> None:
    """Refuse text that a step makes in memory, if the next one takes numbers."""
    if not (isinstance(X, np.ndarray) and X.dtype.hasobject and isinstance(taker, Estimator)):
        return
    if taker.chooses_columns or taker.need.kinds != "numeric":
        return
    for j in range(X.shape[1]):
        if any(isinstance(value, str) for value in X[:, j]):
            name = (_columns_out(step) or [f"x{at}" for at in range(X.shape[1])])[j]
            raise DataError(
                f"column {name!r} holds text, made by the step before. Remedy: put an encoder between, OneHotEncoder()"
            )


def _table(X: Any, names: Names) -> pa.Table:
    """Rows in memory as a table whose columns have names."""
    columns = (X.toarray() if sp.issparse(X) else X).T
    return pa.Table.from_arrays([pa.array(np.ascontiguousarray(c), from_pandas=True) for c in columns], list(names))


def _handed(X: Any, taker: Any) -> Any:
    """Return the output of a step in memory as the next one takes it: dense if required, with known names."""
    if not isinstance(taker, Estimator) or not (isinstance(X, np.ndarray) or sp.issparse(X)):
        learner = _first(taker)
        return _formed(X, as_fitted(learner) if isinstance(learner, Estimator) else learner)
    X = in_form(X, as_fitted(taker).need)
    names = taker.__dict__.get("feature_names_in_")
    if names is None or X.shape[1] != len(names):
        return X
    if X.dtype.hasobject:  # text beside numbers
        return _table(X, names)
    rows = ArraySource(X, names=names)
    rows.lazy = False
    return rows


def _learns_more(step: Any) -> bool:
    """Whether a last step can be fitted to more rows: by `partial_fit`, from its own model, or as a pipeline."""
    if isinstance(step, Pipeline):
        return hasattr(step, "update")
    return hasattr(step, "partial_fit") or (isinstance(step, Continues) and step.remembers)


def _learn_more(step: Any, X: Any, y: Any, weighted: dict[str, Any], preprocessing: str) -> None:
    """Let a step learn from more rows; the steps of a pipeline within the pipeline too, if they are to merge."""
    X, y, weighted = _rows_for(step, X, y, weighted)
    if isinstance(step, Pipeline):
        step.update(X, y, **weighted, preprocessing=preprocessing)
    elif hasattr(step, "partial_fit"):
        step.partial_fit(X, y, **weighted)
    else:
        step.fit(X, y, **weighted, start=step)


def _rows_for(step: Any, X: Any, y: Any, given: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
    """Return rows, target and weights as the fit of a step takes them that goes on from a model."""
    named = "feature_names_in_" in step.__dict__
    if isinstance(X, ArraySource) and not X.lazy:  # rows in memory under names, which bring their target along
        rows = as_source(X.X, y, given.get("sample_weight"), as_fitted(_thawed(step)).need)
        rows.names, rows.named = X.names, True
        X, y, given = rows, None, {name: value for name, value in given.items() if name != "sample_weight"}
    elif isinstance(X, Mapped) and not named and getattr(step, "n_features_in_", 0) == len(X.names):
        X = copy(X)  # the step was fitted to an array, whose columns have places
        X.names = tuple(f"x{j}" for j in range(len(X.names)))
    return X, y, given


def _of_first_steps(model: Pipeline) -> dict[str, Any]:
    """The parameters of the steps before the last."""
    name = model.steps[-1][0]
    return {
        key: value
        for key, value in model.get_params().items()
        if key not in ("steps", name) and not key.startswith(f"{name}__")
    }


def _updated(name: str, step: Any, X: Any, y: Any) -> Any:
    """Let a step before the last learn from more rows, and return them as it makes them.

    Weights given beside the rows are for the last step alone, as in a fit. One that encodes rows by their target makes
    these as it has learned before: their own target is not in their encodings.
    """
    if isinstance(step, FrozenEstimator):
        return step.transform(X)
    if not hasattr(step, "partial_fit"):
        why, remedy = "", "preprocessing='keep', or one fit to all rows"
        if members := step.many_pass_members() if isinstance(step, Estimator) else []:
            why = f", since {members} read their rows several times, as pipelines do"
            remedy += f"; or, of each of these pipelines, the later steps as steps of their own after {name!r}"
        raise MergeError(
            f"step {name!r} is {type(step).__name__}, which cannot learn from more rows{why}. Remedy: {remedy}"
        )
    columns = _columns_out(step)
    before = step.transform(X) if getattr(step, "cross_fits", False) else None
    _learn_more(step, X, y, {}, "merge")
    if _columns_out(step) != columns:
        raise MergeError(
            f"step {name!r} makes other columns once it has learned from these rows, and later steps have learned from "
            "those that it made before. Remedy: preprocessing='keep', or one fit to all rows"
        )
    return step.transform(X) if before is None else before


def _columns_out(step: Any, names: list[str] | None = None) -> list[str] | None:
    """The names of the columns that a step makes of columns with these names, if it knows them."""
    try:
        return list(step.get_feature_names_out() if names is None else step.get_feature_names_out(names))
    except (AttributeError, TypeError, ValueError):
        return None


def _renamed(text: str, names: list[str]) -> str:
    """An error whose columns have their numbers in place of names, with these names."""

    def name_of(found: re.Match[str]) -> str:
        return f"column {names[int(found[1])]!r}" if int(found[1]) < len(names) else found[0]

    return _NUMBERED.sub(name_of, text)


def _new_names(step: Any, names: list[str] | None) -> dict[str, str]:
    """The names of the columns of a step that was fitted to an array, by the names that it has for them."""
    schema = getattr(step, "schema_", None) if isinstance(step, Estimator) else None
    if names is None or schema is None or schema.named or len(names) != len(schema.columns):
        return {}
    return dict(zip(schema.names, map(str, names), strict=True))


def _under_names(step: Any, names: list[str] | None) -> Any:
    """A copy of a fitted step whose columns have these names, if it has none."""
    if not (new := _new_names(step, names)):
        return step
    found = copy(step)
    columns = tuple(replace(column, name=new[column.name]) for column in step.schema_.columns)
    found.__dict__["schema_"] = replace(step.schema_, columns=columns, named=True)
    return found


def _certificate(step: Any, names: list[str] | None) -> Certificate | None:
    """The certificate of a fitted step, which names columns as the steps before it do."""
    step = _thawed(step)
    found: Certificate | None = getattr(step, "certificate_", None)
    if found is None or not (new := _new_names(step, names)):
        return found
    return replace(found, claims=tuple(claim.renamed(new) for claim in found.claims))


def _thawed(step: Any) -> Any:
    """The learner of a step, which may be frozen."""
    return step.estimator if isinstance(step, FrozenEstimator) else step


def _claims(each: list[tuple[str, Any]]) -> tuple[Claim, ...]:
    """The claims of the last step, and those of the others under their names."""
    *before, (_, last) = [(name, one) for name, one in each if one is not None]
    return (*last.claims, *(c._replace(kind=f"{name}: {c.kind}") for name, one in before for c in one.claims))


def _provenance(each: list[Any]) -> Provenance | None:
    """Where the rows of the last step came from: those of the first step, read by all of them."""
    some = [one.provenance for one in each if one is not None and one.provenance is not None]
    if not some:
        return None
    workers = tuple(sorted({worker for one in some for worker in one.workers}))
    return replace(some[-1], source=some[0].source, passes=sum(one.passes for one in some), workers=workers)


def _added(a: Pipeline, b: Pipeline) -> Pipeline:
    """Return the pipeline of both models' rows, or raise MergeError with the step that cannot be merged."""
    for model in (a, b):
        check_is_fitted(model)
    ends = [_thawed(model.steps[-1][1]) for model in (a, b)]
    if type(ends[0]) is type(ends[1]) and isinstance(ends[0], Estimator) and ends[0].passes != ONE:
        ends[0] + ends[1]  # raises, with a remedy, whatever the steps before have learned
    if said := different(a.get_params(), b.get_params()):
        raise MergeError(f"pipelines with different parameters do not merge: {said}")
    last = max((at for at, (_, step) in enumerate(a.steps) if not passes_by(step)), default=-1)
    steps = []
    for at, ((name, mine), (_, theirs)) in enumerate(zip(a.steps, b.steps, strict=True)):
        if passes_by(mine):
            steps.append((name, mine))
        elif at == last and not isinstance(mine, FrozenEstimator):
            if not isinstance(mine, (Estimator, Pipeline)):
                raise MergeError(f"step {name!r} is {mine!r}, which is not of tenfold, so it does not merge")
            steps.append((name, mine + theirs))
        elif _learned(mine, name) != _learned(theirs, name):
            raise MergeError(
                f"step {name!r} has learned from other rows in each pipeline, and later steps learned from its "
                "outputs: merging cannot give the model of all rows. Remedy: fit the step first, "
                "sklearn.frozen.FrozenEstimator(step) in all pipelines; or one fit to all rows"
            )
        else:
            steps.append((name, mine))
    return type(a)(steps, **{k: v for k, v in a.get_params(deep=False).items() if k != "steps"})


def _learned(step: Any, name: str) -> Any:
    """Return a key that is equal for two steps with equal outputs."""
    if isinstance(step, FrozenEstimator):
        return _learned(step.estimator, name)
    if isinstance(step, sklearn.pipeline.Pipeline):
        return [_learned(one, f"{name}__{inner}") for inner, one in step.steps if not passes_by(one)]
    if not isinstance(step, Estimator):
        raise MergeError(f"step {name!r} is {step!r}, which is not of tenfold: what it has learned cannot be compared")
    return bits(step.model_), step.schema_.without_target
