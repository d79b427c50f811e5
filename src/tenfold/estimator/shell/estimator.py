"""The scikit-learn shell: everything about a learner that is not mathematics.

A learner brings `start`, `ask`, `update`, `model`, `certify` and how to apply its model; this class
brings `fit`, `partial_fit`, `+`, `save`, tags and validation. Fitted attributes are the fields of
the model: `coef_` is `model_.coef`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import lru_cache, partial
from typing import Any, ClassVar, Generic, Literal, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tenfold.core import MANY, ONE, Certificate, MergeError, Need, Never, Rounds, Schema, Stop
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.axes import freeze, is_record, values
from tenfold.core.contract import RecordTypes, for_users, record_types
from tenfold.core.errors import from_here
from tenfold.core.learner import ModelT, StateT, SummaryT
from tenfold.engine import Fit, Watcher, current, fit, one_blas_thread
from tenfold.engine.progress import progress
from tenfold.estimator.files import model_file
from tenfold.estimator.files.checkpoint import Checkpoint
from tenfold.estimator.lazy_output import Mapped, joined
from tenfold.estimator.shell.callbacks import CallbackSupportMixin, History, Reporting, with_callbacks
from tenfold.estimator.shell.constraints import refuse_splitter
from tenfold.estimator.shell.diagram import diagram
from tenfold.estimator.shell.fitted_params import (
    IMMUTABLE_TYPES,
    as_fitted,
    fitted,
    frozen_params,
    is_for_users,
    param_names,
    plain_kind,
    refusing_rows,
    remembered,
)
from tenfold.estimator.shell.keywords import has_no_effect, refuse_keywords
from tenfold.estimator.shell.parameters import Parameters
from tenfold.estimator.shell.sparse_interface import aligned
from tenfold.estimator.updating import merging
from tenfold.estimator.updating.capabilities import remedy_for_more_rows
from tenfold.sources import Source, as_source, part_rows
from tenfold.sources.inputs import check_names, computed_of

FITTED_ATTRIBUTES = frozenset({"model_", "schema_", "summary_", "certificate_"})
"""attributes that every learner keeps, whatever fields its model has"""


class Estimator(Parameters, CallbackSupportMixin, BaseEstimator, Generic[StateT, SummaryT, ModelT]):
    """A learner that scikit-learn knows how to use."""

    __metadata_request__fit: ClassVar[dict[str, Any]] = {"checkpoint": UNUSED}

    passes: ClassVar[str] = ONE
    merges_if: ClassVar[str] = ""
    """the condition on which models merge, in words, if it depends on parameters or rows; empty: `passes` says it"""
    learning: ClassVar[Literal["eager", "lazy"]] = "eager"
    """when it generalises from the rows: eager, while it is fitted; lazy, when it is asked about others"""
    rows_at_once: ClassVar[int | None] = None
    """rows in memory to which the model is applied at once, if each is slow enough to share among threads"""
    hidden: ClassVar[frozenset[str]] = frozenset()
    """fields of the model that are needed to apply, certify or merge it, and are no attributes"""
    costly: ClassVar[bool] = False
    """whether the outputs are held, in memory or files, for an iterative learner that follows"""
    draws_rows: ClassVar[bool] = False
    """whether rows are drawn by their places, so that the model depends on their order and on where they are cut"""
    expected_failed_checks: ClassVar[dict[str, str]] = {}
    """checks of scikit-learn that fail, with the reason, as `check_estimator` takes them"""
    law_params: ClassVar[tuple[dict[str, Any], ...]] = ({},)
    """parameter sets for the laws: small where defaults are slow, and one for each algorithm"""
    decided: ClassVar[tuple[str, ...]] = ()
    """boolean attributes that `fit` decides beside the model; a sum has one if both models have it"""
    usual_scans: ClassVar[int | None] = None
    """about how many times an iterative learner reads its rows, if that depends little on them, for progress"""
    sparse_relative: ClassVar[str] = ""
    """a learner for the same purpose that takes sparse rows, for the error of one that does not"""
    scans_of_transformed: ClassVar[int | None] = None
    """the same after transformers, if it differs: a share of the rows that is read again and again is then held"""
    chooses_columns: ClassVar[bool] = False
    """whether parameters select columns, so that `bound` must see the rows before `need` is used"""
    wants_names: ClassVar[bool] = False
    """whether parameters name columns: a pipeline then hands on rows in memory with the names of their columns"""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if "certify" in vars(cls):
            cls.certify = refusing_rows(cls.certify)

    @property
    def need(self) -> Need:
        """Return the requirements of the learner on the rows."""
        return Need()

    @property
    def record_types(self) -> RecordTypes:
        """The record classes that files may hold of it; one made of other learners adds theirs."""
        return record_types(type(self))

    def model(self, state: StateT) -> ModelT | None:
        """Return the model of a state; by default the state itself."""
        return cast(ModelT, state)

    def stop(self) -> Stop:
        """When the loop is to end although the learner would go on."""
        return Rounds(self.max_iter) if _uses(self.__class__, "max_iter") else Never()

    @property
    def most_rounds(self) -> int | None:
        """Rounds of a fit at the most, if a parameter limits them; 0 if nobody counts them. For progress alone."""
        return self.max_iter if _uses(self.__class__, "max_iter") else None

    @property
    def exact_rounds(self) -> bool:
        """Whether a fit makes so many rounds, and no fewer; for progress alone."""
        return False

    @property
    def seeded(self) -> bool:
        """Whether the learner has a seed."""
        return _uses(self.__class__, "random_state")

    def seed(self) -> int | None:
        """The seed, if the learner has one: 0 to 2³² - 1, drawn once if `random_state` is None."""
        if not self.seeded:
            return None
        from sklearn.utils import check_random_state

        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    # ---- fitting -------------------------------------------------------------------------------

    @with_callbacks
    @for_users
    def fit(
        self,
        X: MatrixLike,
        y: VectorLike = None,
        sample_weight: VectorLike = None,
        *,
        checkpoint: Any = None,
        stop: Stop | None = None,
    ) -> Any:
        """Fit to arrays, a frame, or a Source.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
            The rows. A Source brings its own target and weights.
        y : array, optional
            The target; of learners with several outputs, also a table with a column for each.
        sample_weight : array, optional
            A weight for each row. A row of weight 2 counts as two rows, one of weight 0 as none.
        checkpoint : str, path or Checkpoint, optional
            Folder for checkpoints; an interrupted fit resumes from the last one.
        stop : Gap, Rounds, Seconds or a rule of your own, optional
            When to stop early, `Gap(1e-3) | Seconds(60)`: looked at after each round that leaves a certified model.
            Limits of the learner itself, such as `max_iter`, hold as well. Networks and SGD end after an epoch, and one
            more pass certifies them; one of a single pass, or whose model is certified at the end only otherwise, is
            not stopped. `certificate_.provenance.stopped` says why a fit ended.

        Returns
        -------
        self : object
        """
        return self._fit(X, y, sample_weight, checkpoint=checkpoint, stop=stop)

    def _fit(
        self,
        X: Any,
        y: Any,
        weight: Any,
        classes: Any = None,
        checkpoint: Any = None,
        at: Any = None,
        first: int = 0,
        stop: Stop | None = None,
        lengths: Any = None,
        solved: bool = True,
        watchers: Sequence[Watcher] = (),
        seed: int | None = None,
    ) -> Any:
        """Fit to rows whose parts are numbered from `first` on, if random draws depend on row ids.

        If not `solved`, the rows are summarized and no model is made: what is merged with other rows need not be enough
        for a model of its own. Each of the watchers looks at every turn of the loop. A seed that is given is used
        instead of one that would be drawn.
        """
        if not isinstance(stop, Stop | None):
            raise TypeError(f"stop is {stop!r}, which is not a rule. Remedy: Gap(1e-3) | Seconds(60)")
        fresh, learner = self._blank(), self._blank()
        fresh._validate_params()
        source = as_source(X, y, weight, fresh.need, model=fresh, classes=classes, lengths=lengths)
        source = source.numbered_from(first) if first else source
        if checkpoint is not None and not isinstance(checkpoint, Checkpoint):
            checkpoint = Checkpoint(checkpoint)
        watching: list[Any] = [history := History()]
        if Reporting.wanted(self):
            watching.append(Reporting(self, *((source, None) if source.lazy else (X, y))))
        with (
            progress(type(self).__name__),
            nullcontext() if checkpoint is None else checkpoint.of(learner, source, at) as saving,
        ):
            resume = None if saving is None else saving.resume
            if saving is not None and resume is not None:
                seed = saving.seed
            elif seed is None:
                seed = learner.seed()
            if seed is not None:
                learner.__dict__["random_state"] = seed
            if saving is not None:
                saving.seed = seed
                watching.append(saving)
            rule = learner.stop() if stop is None or learner.passes == ONE else learner.stop() | stop
            done = fit(
                learner, source, runner=current(), stop=rule, watchers=[*watching, *watchers], resume=resume or at,
                solved=solved,
            )  # fmt: skip
        if Reporting.wanted(self):
            watching[1].end(done.at)
        fresh.__dict__["_history"] = history
        fresh._learned(done, source, seed)
        return self._become(fresh)

    def _learned(self, done: Fit, source: Source, seed: int | None) -> None:
        """Set the fitted attributes from the result of a fit."""
        self.__dict__["n_features_in_"] = len(done.at.schema.columns)
        if done.at.schema.named:
            self.__dict__["feature_names_in_"] = np.array(done.at.schema.names, dtype=object)
        if source.named_by_step:
            self.__dict__["_named_by_step"] = True
        print_of, parts, first = source.fingerprint_later(), len(source), source.first_part
        bare = Fit(done.at._replace(state=None, model=None, summary=None, asked=None, certificate=None), done.reason)
        summary = self.kept_summary(done.at.model, done.at.summary)
        found = Certificate() if done.at.certificate is None else done.at.certificate
        if summary is not done.at.summary:  # what claims are made of is not kept
            found = found.now()
        certificate = found.made_from(lambda: bare.provenance(print_of(), parts, seed, first))
        self._set(done.at.schema, done.at.model, summary, certificate)
        self.computed = source.computed
        if done.at.model is not None:
            self._after_fit(source)

    def bound(self, X: Any, y: Any = None, target: Any = None) -> Any:
        """Return an unfitted copy with resolved columns and target kind, if the learner resolves any."""
        return self._blank()

    def kept_summary(self, model: ModelT, summary: SummaryT) -> SummaryT:
        """Return the summary that a model keeps: the one that it was made from."""
        return summary

    def members_of(self, model: ModelT) -> Sequence[tuple[Any, Any]]:
        """The learners that this one is made of, each with its model."""
        return ()

    def with_listed_categories(self, schema: Schema) -> Schema:
        """The schema of the rows, with the categories that parameters name."""
        return schema

    def is_valid(self, model: ModelT, summary: SummaryT | None, schema: Schema) -> bool:
        """Whether a model from a file is consistent, beyond the rules of its single fields."""
        return True

    def each_output(self) -> list[Any]:
        """The models of each column of the target: itself, of a target that is one column."""
        return [self]

    def table_row(self, schema: Schema, model: ModelT) -> dict[str, Any]:
        """Return the values of a model as a row of a table: single numbers, and those of each column or feature."""
        found: dict[str, Any] = {}
        for name, field, value in values(model):
            if name in self.hidden or is_record(field.type):
                continue
            if isinstance(value, (bool, int, float)):
                found[name] = value
            elif field.axes in (("feature",), ("column",)):
                names = schema.feature_names if field.axes == ("feature",) else schema.names
                found |= {f"{name}_{one}": number for one, number in zip(names, value.tolist(), strict=True)}
        return found

    @property
    def does_not_merge(self) -> str:
        """Return why this model cannot merge with others of its kind, beyond `passes`; empty if it can."""
        return ""

    def many_pass_members(self) -> list[str]:
        """Return the names of the members that read their rows several times; here there are no members."""
        return []

    def size_fits(self, model: ModelT) -> bool:
        """Whether a fit begins with no more memory than this model has, so that a file cannot demand more."""
        return True

    def resumable(self, state: StateT, summary: SummaryT, schema: Schema) -> bool:
        """Whether a state and its summary, from a file, can be resumed by this learner."""
        return True

    @property
    def merges_unsolved(self) -> bool:
        """Whether the summary of more rows is merged before a model is made: a batch may be too small for one."""
        return False

    def _after_fit(self, source: Source) -> None:
        """Do work at the end of a fit; kinds of learners override it."""

    def _blank(self) -> Any:
        """Return an unfitted copy with the current parameters, copied so that nobody changes them during the fit."""
        fresh = object.__new__(type(self))
        fresh.__dict__.update(frozen_params(self))
        return fresh

    def _set(self, schema: Schema, model: Any, summary: Any, certificate: Certificate) -> None:
        """Set the fitted attributes, with the current parameters as those of the fit."""
        self.__dict__.update(
            schema_=schema,
            model_=None if model is None else freeze(model),
            summary_=None if summary is None else freeze(summary),
            certificate_=certificate.named(schema),
            _fitted_params=frozen_params(self),
        )

    def _become(self, fresh: Any) -> Any:
        """Take over the fitted state of another estimator: all of it, or nothing if that failed earlier."""
        for name in list(self.__dict__):
            if name in ("_history", "_computed", "_named_by_step") or (name.endswith("_") and not name.startswith("_")):
                del self.__dict__[name]
        learned = dict(fresh.__dict__)
        for name in param_names(self.__class__):
            learned.pop(name, None)
        self.__dict__.update(learned)
        return self

    @property
    def may_pass_categories(self) -> bool:
        """Whether it is a transformer by which categories that go in may come out again."""
        return False

    def _validate_params(self) -> None:
        if self._parameter_constraints is None:
            return
        cls: Any = type(self)
        names = tuple(param_names(cls))
        values = tuple(map(self.__dict__.__getitem__, names))
        kinds: tuple[Any, ...] = tuple(map(type, values))
        if not IMMUTABLE_TYPES.issuperset(kinds):
            kinds = tuple(map(plain_kind, values))
        if None not in kinds:
            _check_params(cls, names, kinds, values)
        else:
            refuse_splitter(type(self), self.__dict__.get("cv"))
            refuse_keywords(type(self), dict(zip(names, values)))
            super()._validate_params()

    # ---- merging -------------------------------------------------------------------------------

    @available_if(lambda self: as_fitted(self).passes != MANY)
    @for_users
    def partial_fit(self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None) -> Any:
        """Fit to more rows: equal to adding the model of these rows. On an error, the model is unchanged.

        A sequential learner walks once over them, from where it is. One that draws rows by their places goes on
        numbering them after those it has seen, so that each is drawn by itself.

        Parameters
        ----------
        X : array, CSR matrix or frame
        y : array, optional
        sample_weight : array, optional

        Returns
        -------
        self : object
        """
        return self._partial_fit(X, y, sample_weight)

    @from_here
    def _partial_fit(self, X: Any, y: Any, weight: Any, classes: Any = None) -> Any:
        return self._grow(X, y, weight, classes=classes)

    def _grow(self, X: Any, y: Any, weight: Any, **given: Any) -> Any:
        """Return the sum of this model and that of more rows, with further arguments of `_fit`."""
        if "model_" not in self.__dict__:
            return self._fit(X, y, weight, **given)
        check_names(as_fitted(self), X)
        X, y, weight = self._completed(X, y, weight, self.need, given.get("classes"))
        where: Any = self.certificate_.provenance
        first, solved = where.first_part + where.parts, not as_fitted(self).merges_unsolved
        more = self._blank()._fit(X, y, weight, first=first, solved=solved, **given)
        more.computed = self.computed  # also those that these rows lack, as a computed target
        return self._become(merging.add(as_fitted(self), as_fitted(more), again=True))

    def _completed(self, X: Any, y: Any, weight: Any, need: Need, classes: Any = None) -> tuple[Any, Any, Any]:
        """Return more rows with the columns that the model computes, as a source; rows as they are if it has none."""
        if not self.computed:
            return X, y, weight
        return as_source(X, y, weight, need, model=as_fitted(self), reset=False, classes=classes), None, None

    def __add__(self, other: Any) -> Any:
        """The model of both models' rows, without the rows."""
        return merging.add(as_fitted(self), as_fitted(other)) if type(other) is type(self) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        """Refused: rows cannot be taken out of a model."""
        if not isinstance(other, Estimator):
            return NotImplemented
        raise MergeError(
            "models add up, but a model cannot be subtracted: rounding and what a summary forgets would stay behind. "
            "Remedy: add the models of all the other rows"
        )

    def __radd__(self, other: Any) -> Any:
        """Return the model itself for `0 + model`, so that `sum(models)` works."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    # ---- applying ------------------------------------------------------------------------------

    def _apply(self, function: Any, X: Any, names: Any, read: tuple[Need, Schema] | None = None) -> Any:
        """Apply a function of (learner, model, columns) part by part, in order; to a source, lazily.

        The learner it is given has parameters, model and schema, and nothing else: what it says may be computed
        elsewhere, and the summary can be large. Rows are read as in fitting, unless a need and a schema say otherwise.
        """
        if "model_" not in self.__dict__:
            check_is_fitted(self)
        model = self._bare()
        need, known = (self.need.without_target(), self.schema_.without_target) if read is None else read
        with nullcontext() if self.rows_at_once is None else part_rows(self.rows_at_once):
            source = as_source(X, None, None, need, model=self, reset=False)
        if source.lazy:
            return Mapped(source, model, partial(function, model, self.model_), names(), need, known)
        output = partial(_apply_to_part, function, model, source, need, known)
        if len(source) == 1:  # the rows are in this process, and so few that sending them takes longer
            with one_blas_thread():
                return aligned(output(0), X)
        done = list(current().map(output, range(len(source)), source))
        return aligned(joined(done), X)

    def taken_by_name(self, X: Any) -> Any:
        """Return the columns that this fitted learner takes of a frame by their names; None: all, as in the fit."""
        return None

    def _html_repr(self) -> str:
        return diagram(self)

    @property
    def computed(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Names and expressions of the computed columns of the rows that the model was fitted to."""
        return computed_of(self)

    @computed.setter
    def computed(self, found: tuple[tuple[tuple[str, str], ...], ...]) -> None:
        if found:
            self.__dict__["_computed"] = found

    def _bare(self) -> Any:
        """Return a copy with parameters, model and schema only: enough to apply the model on workers."""
        model = self._blank()
        model.model_, model.schema_ = self.model_, self.schema_
        return model

    def _compare(self, X: Any, y: Any, weight: Any, function: Any) -> tuple[Any, Any, Any]:
        """Target, outputs and weights of those rows that have a weight; a function of (learner, model, columns)."""
        check_is_fitted(self)
        model, source = self._bare(), as_source(X, y, weight, self.need, model=self, reset=False)
        parts = current().map(partial(_compared, function, model, source), range(len(source)), source)
        done = [piece for part in parts for piece in part]
        y, found, weight = zip(*done, strict=True)
        return None if y[0] is None else np.concatenate(y), np.concatenate(found), np.concatenate(weight)

    @property
    @fitted
    def history_(self) -> list[dict[str, Any]]:
        """The statistic of each turn of the fit, its duration, and its claims."""
        turns: list[dict[str, Any]] = self._history.turns
        return turns

    # ---- certificate and file --------------------------------------------------------------------

    @for_users
    def verify(self) -> Certificate:
        """Recompute the certificate from the summary and compare it with the one the model has.

        Returns
        -------
        certificate : Certificate
            The same claims, marked as verified. A difference is an error that lists it.
        """
        self.certificate_ = merging.verify(as_fitted(self))
        return self.certificate_

    @fitted
    def save(self, path: Any, *, summary: bool = True) -> None:
        """Write a model file, which runs no code when it is loaded.

        Parameters
        ----------
        path : str or path
        summary : bool
            Whether to write the summary too. Without it the model predicts, but can no longer be
            merged or verified.
        """
        model_file.save(self, path, summary=summary)

    # ---- scikit-learn --------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        model = self.__dict__.get("model_")
        if model is not None and name.endswith("_") and name[:-1] in set(model._fields) - self.hidden:
            return getattr(model, name[:-1])
        text = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name == "partial_fit" and self._parameters.keys() <= self.__dict__.keys():
            text += f", since it reads its rows several times. Remedy: {remedy_for_more_rows(self)}"
        raise AttributeError(text)

    def __setattr__(self, name: str, value: Any) -> None:
        if name[-1] == "_" and name not in FITTED_ATTRIBUTES and self._has_learned(name):
            raise AttributeError(
                f"{name} belongs to the fitted {type(self).__name__} and cannot be set: predictions, certificate and "
                f"merging come from the whole model. Remedy: change a copy, np.array(model.{name}), and compute with "
                "it, or fit with other parameters or rows"
            )
        object.__setattr__(self, name, value)

    def _has_learned(self, name: str) -> bool:
        """Whether an attribute is a field of the fitted model."""
        model = self.__dict__.get("model_")
        return model is not None and name[:-1] in model._fields and name[:-1] not in self.hidden

    def __dir__(self) -> list[str]:
        model = self.__dict__.get("model_")
        shown = [] if model is None else [name for name in model._fields if name not in self.hidden]
        there = (name for name in object.__dir__(self) if self._shows(name))
        return sorted({*there, *param_names(type(self)), *(f"{name}_" for name in shown)})

    def _shows(self, name: str) -> bool:
        """Whether an attribute is for users, and there for these parameters."""
        if name.startswith("_"):
            return True
        cls: Any = type(self)
        if not is_for_users(cls, name):
            return False
        try:
            return hasattr(self, name)
        except (TypeError, ValueError):  # it is, but not of this model
            return False

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in self.__dict__

    @fitted
    def __sklearn_tags__(self) -> Any:
        tags, need = super().__sklearn_tags__(), self.need  # once: of a team it is that of all members
        tags.input_tags.sparse = need.sparse
        tags.input_tags.allow_nan = need.missing
        tags.input_tags.categorical = need.kinds == "categorical"
        tags.input_tags.string = need.kinds not in ("numeric", "date")
        tags.input_tags.two_d_array = need.kinds not in ("text", "date") and need.sequence is None
        tags.input_tags.positive_only = need.counts
        tags.target_tags.positive_only = need.positive
        return tags


@remembered
def _uses(cls: Any, name: str) -> bool:
    """Whether a learner has a parameter, and it has an effect."""
    return name in param_names(cls) and not has_no_effect(cls, name)


@lru_cache(maxsize=256)
def _check_params(cls: Any, names: tuple[str, ...], kinds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    """Raise if parameters are invalid; valid ones are checked once."""
    model: Any = object.__new__(cls)
    model.__dict__.update(zip(names, values))
    refuse_keywords(cls, model.__dict__)
    BaseEstimator._validate_params(model)


def _apply_to_part(function: Any, learner: Any, source: Source, need: Need, known: Schema, part: int) -> Any:
    """Apply a function of a fitted learner to one part. It is a module-level function, to be picklable."""
    return function(learner, learner.model_, source.load(part, need, known).X)


def _compared(function: Any, learner: Any, source: Source, part: int) -> list[tuple[Any, Any, Any]]:
    """Return target, output of the function, and weights of the chunks of one part."""
    chunks = source.chunks(part, learner.need, learner.schema_)
    return [(chunk.y, function(learner, learner.model_, chunk.X), chunk.weight) for chunk in chunks]
