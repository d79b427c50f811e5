"""Transformers side by side: each is fitted on its own columns, all over shared scans.

What they make of a row stands one after the other. Named members, as scikit-learn has them: (name, transformer), or
(name, transformer, columns).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.compose import make_column_selector
from sklearn.pipeline import _name_estimators
from sklearn.utils import Bunch
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metaestimators import _BaseComposition

from tenfold.core import MANY, SEQUENTIAL, Certificate, Claim, Codes, Column, Columns, DataError, Matrix, Need, Schema
from tenfold.core.arrays import MatrixLike
from tenfold.core.need import Kinds
from tenfold.core.rows.hstack import hstack
from tenfold.core.schema import is_text, plain_columns
from tenfold.engine.loop import usual_scans
from tenfold.estimator.column_selector import chosen_columns
from tenfold.estimator.ensembles.ensemble import Ensemble, EnsembleModel
from tenfold.estimator.ensembles.output_frame import output_frame
from tenfold.estimator.ensembles.passthrough import Passthrough
from tenfold.estimator.ensembles.transformer_chain import (
    Chain,
    as_pipeline,
    chained,
    check_steps,
    learns_target,
    named_steps,
    steps_of,
    with_target,
)
from tenfold.estimator.files.registry import is_pipeline
from tenfold.estimator.shell.diagram import side_by_side
from tenfold.estimator.shell.fitted_params import fitted
from tenfold.estimator.shell.kinds import Transformer
from tenfold.estimator.target_kind import target_kind
from tenfold.sources.column_choice import FirstRows, first_rows, places_of
from tenfold.sources.frames import is_frame, materialized
from tenfold.sources.inputs import columns_of_fit, named_columns
from tenfold.stats.combinators import Among
from tenfold.stats.member_summaries import Joint

ALL_COLUMNS = slice(None)
AS_KIND = {
    "numeric": "as numbers",
    "categorical": "as categories",
    "mixed": "unchanged",
    "text": "as text",
    "date": "as dates",
    "unused": "unread",
}
"""how columns enter, as messages say it"""


class Branch(NamedTuple):
    """Transformer with its name and the columns it takes, as passed by the user."""

    name: str
    transformer: Any
    columns: Any


class Branches(_BaseComposition, Ensemble, Transformer):
    """A subclass writes `branches()`, and which parameter holds them: `listed`."""

    listed: ClassVar[str]
    """the parameter that has the named transformers"""
    chooses_columns = True
    most_rounds = 0
    by_name: ClassVar[bool] = False
    """whether columns are chosen: `transform` then takes them by their names, in any order, whatever else is there"""

    def branches(self) -> list[Branch]:
        """Return all branches, including dropped ones."""
        raise NotImplementedError

    def _by_name(self) -> Bunch:
        """Return the transformers as passed by the user, by name."""
        return Bunch(**{b.name: b.transformer for b in self.branches()})

    def going(self) -> list[Branch]:
        """Return the branches that have output columns."""
        return [b for b in self.branches() if not _is(b.transformer, "drop") and not _empty(b.columns)]

    def _validate_params(self) -> None:
        super()._validate_params()
        branches = self.branches()
        self._validate_names([b.name for b in branches if b.name != "remainder"])
        for b in branches:
            if is_pipeline(b.transformer):
                remedy = f"its transformers beside {b.name!r}, each with its columns"
                check_steps(repr(b.name), named_steps(b.transformer), remedy)
                continue
            if not (isinstance(b.transformer, Transformer) or b.transformer in ("drop", "passthrough")):
                raise TypeError(
                    f"{b.name!r} is {b.transformer!r}, not a transformer of tenfold, so it cannot share a scan. "
                    "Remedy: a transformer of tenfold, a pipeline of such, 'passthrough' or 'drop'; scikit-learn's own "
                    f"{type(self).__name__} takes any, of rows in memory"
                )
            if isinstance(b.transformer, Transformer) and b.transformer.passes == SEQUENTIAL:
                raise TypeError(f"{b.name!r} reads one row after another: it cannot share a scan")
            if isinstance(b.transformer, Transformer):
                b.transformer._validate_params()
        if not self.going():
            raise ValueError("no transformer selects any column. Remedy: name columns, or 'passthrough'")

    def team(self) -> list[Any]:
        return [_member(b.transformer) for b in self.going()]

    def many_pass_members(self) -> list[str]:
        return [b.name for b, member in zip(self.going(), self.team(), strict=True) if member.passes == MANY]

    @property
    def usual_scans(self) -> int | None:  # type: ignore[override]
        # As many as the transformer that needs most.
        each = [usual_scans(member) for member in self.team()]
        return None if None in each else max(filter(None, each), default=0)

    @property
    def need(self) -> Need:
        # What each transformer takes of its columns; columns that none takes are not read.
        going = self.going()
        needs = [_member(b.transformer).need for b in going]
        targets = {need.target for need in needs} - {None}
        if len(targets) > 1:
            raise ValueError("some transformers take the target as classes, others as numbers: no rows serve both")
        each = list(zip(going, (need.kinds for need in needs), strict=True))
        kinds = {kind for _, kind in each}
        kind: Any = kinds.pop() if len(kinds) == 1 else "mixed" if self.by_name else _kind_of_all(each)
        return Need(
            kind,
            missing=any(need.missing for need in needs),
            target=targets.pop() if targets else None,
            binary=any(need.binary for need in needs),
            each=_column_kinds(each) if all(are_names(b.columns) for b in going) else (),
        )

    def columns(self, schema: Schema) -> tuple[tuple[int, ...], ...]:
        return tuple(places_of(b.columns, schema.names, repr(b.name)) for b in self.going())

    def schemas(self, schema: Schema) -> list[Schema]:
        found = [schema.select(some) for some in self.columns(schema)]
        for b, member, some in zip(self.going(), self.team(), found, strict=True):
            if member.passes_categories(some) and isinstance(member, Chain):
                raise DataError(
                    f"{b.name!r} makes text, but the outputs must be numbers. Remedy: an encoder instead, "
                    "OneHotEncoder() or OrdinalEncoder(), which take missing values; or one after it"
                )
        return found

    def passes_categories(self, schema: Schema) -> bool:
        each = zip(self.team(), self.schemas(schema), strict=True)
        return any(member.passes_categories(some) for member, some in each)

    def columns_out(self, schema: Schema, model: EnsembleModel) -> tuple[Column, ...] | None:
        # What each transformer makes, under its own names; None if all are numbers.
        if not self.passes_categories(schema):
            return None
        fitted, found = self._blank(), list[Column]()
        fitted._set(schema, model, None, Certificate())
        for at, (member, some) in enumerate(zip(self.team(), self.schemas(schema), strict=True)):
            names = tuple(fitted.fitted(at).names_out(list(some.names)))
            found += member.columns_out(some, model.members.each[at]) or plain_columns(names)
        names_out = fitted.names_out(list(schema.names))
        return tuple(Column(name, c.kind, c.categories) for name, c in zip(names_out, found, strict=True))

    def output_view(self) -> tuple[Need, Schema] | None:
        # Text that only passes is read as it is, since it may be such that no row had in fitting.
        known = self.schema_.without_target
        if not self.passes_categories(known):
            return None
        each = list(zip(self.team(), self.columns(known), self.schemas(known), strict=True))
        coded = {j for member, some, mine in each if not member.passes_categories(mine) for j in some}
        need, columns = self.need.without_target(), list(known.columns)
        kinds = dict(need.each)
        for j, column in enumerate(columns):
            if column.categories is not None and j not in coded and is_text(column.categories):
                kinds[column.name], columns[j] = "text", Column(column.name, "text")
        return replace(need, each=tuple(kinds.items())), Schema(tuple(columns), None, None, known.named)

    def output_from(self, model: EnsembleModel, X: Columns) -> Any:
        # The outputs side by side: an array of objects if there is text.
        return self._outputs_from(model, X, lambda member, at, rows: member.transform_from(at, rows))

    def training_output_from(self, model: EnsembleModel, X: Columns) -> Any:
        return self._outputs_from(model, X, lambda member, at, rows: member.training_from(at, rows))

    def _outputs_from(self, model: EnsembleModel, X: Columns, make: Callable[[Any, Any, Columns], Matrix]) -> Any:
        """The outputs side by side; what text passes is read as `output_view` defines."""
        known = self.schema_.without_target
        if not self.passes_categories(known):
            return self._side_by_side(model, X, make)
        made: list[Any] = []
        for member, at, some, mine in zip(
            self.team(), model.members.each, model.members.columns, self.schemas(known), strict=True
        ):
            rows = Among(some, member.need.missing).of(X)
            if member.passes_categories(mine):
                member._set(mine, at, None, Certificate())
                made.append(member.output_from(at, rows))
            else:
                made.append(_array(make(member, at, rows)).astype(object))
        return np.hstack(made)

    def in_frame(self, found: Any, X: MatrixLike) -> Any:
        # Columns that pass keep their types, and numbers beside text are numbers.
        library = _get_output_config("transform", self)["dense"]
        if library == "default" or sp.issparse(found):
            return found
        return output_frame(library, found, self.get_feature_names_out().tolist(), self._passed(), X)

    def _passed(self) -> dict[int, str]:
        """The numbers of the outputs that are columns of the rows as they are, with the names of these."""
        names, found, start = self.schema_.names, dict[int, str](), 0
        for at, (member, some) in enumerate(zip(self.team(), self.columns(self.schema_), strict=True)):
            mine = [names[j] for j in some]
            if isinstance(member, Passthrough):
                found.update(enumerate(mine, start))
            start += len(self.fitted(at).names_out(mine))
        return found

    def with_listed_categories(self, schema: Schema) -> Schema:
        for member, some in zip(self.team(), self.columns(schema), strict=True):
            known = dict(zip(some, member.with_listed_categories(schema.select(some)).columns, strict=True))
            columns = tuple(known.get(j, column) for j, column in enumerate(schema.columns))
            schema = Schema(columns, schema.target, schema.classes, schema.named)
        return schema

    def certify(self, model: EnsembleModel, s: Joint) -> tuple[Claim, ...] | None:
        """Return the claims of the transformers, each under its name."""
        each = self.certified(model, s)
        if each is None:
            return None
        return tuple(
            claim.of_columns(columns)._replace(kind=f"{branch.name}: {claim.kind}")
            for branch, claims, columns in zip(self.going(), each, model.members.columns, strict=True)
            for claim in claims
        )

    def transform_from(self, model: EnsembleModel, X: Columns) -> Matrix:
        """Return the outputs of all branches side by side; CSR if any of them is CSR."""
        return self._side_by_side(model, X, lambda member, at, some: member.transform_from(at, some))

    def training_from(self, model: EnsembleModel, X: Columns) -> Matrix:
        return self._side_by_side(model, X, lambda member, at, some: member.training_from(at, some))

    def _blocks(self, model: EnsembleModel, X: Columns, make: Callable[[Any, Any, Columns], Matrix]) -> list[Matrix]:
        each = zip(self.team(), model.members.each, model.members.columns, strict=True)
        return [make(member, at, Among(some, member.need.missing).of(X)) for member, at, some in each]

    def _side_by_side(self, model: EnsembleModel, X: Columns, make: Callable[[Any, Any, Columns], Matrix]) -> Matrix:
        made = self._blocks(model, X, make)
        if self._dense(made):
            return np.hstack([_array(one) for one in made])
        return hstack(made)

    def _dense(self, made: list[Matrix]) -> bool:
        """Whether the outputs are an array."""
        return not any(map(sp.issparse, made))

    def origins(self, model: EnsembleModel, width: int) -> Codes | None:
        # Those of each transformer among its own columns.
        found: list[Codes] = []
        for member, at, some in zip(self.team(), model.members.each, model.members.columns, strict=True):
            mine = member.origins(at, len(some))
            if mine is None:
                return None
            found.append(np.array(some, np.int64)[mine])
        return np.concatenate(found)

    def code_counts(self) -> Codes | None:
        # Those of each transformer.
        names, found = list(self.schema_.names), list[Codes]()
        for at, some in enumerate(self.columns(self.schema_)):
            one = self.fitted(at)
            mine = one.code_counts()
            width = len(one.names_out([names[j] for j in some])) if mine is None else 0
            found.append(np.zeros(width, np.int64) if mine is None else mine)
        return np.concatenate(found)

    def names_out(self, names: list[str]) -> list[str]:
        each = [
            (b.name, self.fitted(at).names_out([names[j] for j in some]))
            for at, (b, some) in enumerate(zip(self.going(), self.columns(self.schema_), strict=True))
        ]
        if self.verbose_feature_names_out:
            return [f"{name}__{one}" for name, some in each for one in some]
        found = [one for _, some in each for one in some]
        if twice := sorted({one for one in found if found.count(one) > 1} if len({*found}) < len(found) else ()):
            raise ValueError(
                f"Output feature names: {twice[:5]} are not unique. Please set verbose_feature_names_out=True to add "
                "prefixes to feature names"
            )
        return found

    # ---- columns that are meant ------------------------------------------------------------------

    @property
    def cross_fits(self) -> bool:
        # Whether one of the transformers does; what is none, and a parameter that is no list, is refused by `fit`.
        given = getattr(self, self.listed)
        if given is not None and not isinstance(given, (list, tuple)):
            return False
        each = [step for b in self.branches() for step in steps_of(b.transformer)]
        return any(isinstance(one, Transformer) and one.cross_fits for one in each)

    def bound(self, X: Any, y: Any = None, target: Any = None) -> Any:
        found = self._blank()
        if self.by_name:
            first = first_rows(X)
            if not first.labels:
                shape = first.rows.shape
                raise DataError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
            found = self.bound_to(first)
        if any(learns_target(b.transformer) for b in self.branches()):
            kind = target_kind(X, y) if target is None else target
            found._named = [(name, with_target(one, kind)) for name, one in found._named]
        return found

    def bound_to(self, first: FirstRows) -> Any:
        """The same for rows whose first are these, whatever the target is, if columns have names."""
        return self._blank()

    def _fit(self, X: Any, y: Any, *args: Any, **given: Any) -> Any:
        X = materialized(X)
        fresh = self._blank()
        fresh._validate_params()
        fresh = fresh.bound(X, y)
        super(Branches, fresh)._fit(X, y, *args, **given)
        return self._become(fresh)

    def _apply(self, function: Any, X: Any, names: Any, read: Any = None) -> Any:
        X = materialized(X)
        if self._takes_by_name(X):
            X = named_columns(X, self._taken)
        return super()._apply(function, X, names, read)

    def taken_by_name(self, X: Any) -> Any:
        # As `transform` takes them: other columns may be there.
        return columns_of_fit(materialized(X), self._taken) if self._takes_by_name(X) else None

    def _takes_by_name(self, X: Any) -> bool:
        """Whether columns of rows to transform are found by their names."""
        return self.by_name and "feature_names_in_" in self.__dict__ and is_frame(X) and not self.computed

    @property
    def _taken(self) -> list[str]:
        """Names of the columns that some transformer takes."""
        return [column.name for column in self.schema_.columns if column.kind != "unused"]

    # ---- as scikit-learn has it ------------------------------------------------------------------

    def _sk_visual_block_(self) -> Any:
        # The transformers beside each other; fitted, if this is.
        branches = self.branches()
        known = self.fitted_by_name() if "model_" in self.__dict__ else {}
        parts = [(b.name, known.get(b.name, b.transformer)) for b in branches]
        return side_by_side(parts, [b.columns for b in branches] if self.by_name else None)

    @property
    def _named(self) -> list[tuple[str, Any]]:
        """Names and transformers, for parameters of transformers."""
        given = getattr(self, self.listed)
        some = given if isinstance(given, (list, tuple)) else []
        return [(one[0], one[1]) for one in some if isinstance(one, (list, tuple))]  # others are refused by fit

    @_named.setter
    def _named(self, value: list[tuple[str, Any]]) -> None:
        given = getattr(self, self.listed)
        setattr(self, self.listed, [(name, one, *had[2:]) for (name, one), had in zip(value, given, strict=True)])

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters; those of the transformers too.

        Parameters
        ----------
        deep : bool, default=True

        Returns
        -------
        params : dict
        """
        found: dict[str, Any] = self._get_params("_named", deep=deep)
        return found

    def set_params(self, **params: Any) -> Any:
        """Set parameters, transformers by their names, or parameters of transformers.

        Parameters
        ----------
        **params : dict
            For instance `scale=MinMaxScaler()`, or `scale__with_mean=False`.

        Returns
        -------
        self : object
        """
        self._set_params("_named", **params)
        return self

    @property
    @fitted
    def named_transformers_(self) -> Any:
        """The fitted transformers by name."""
        if "model_" not in self.__dict__:
            raise AttributeError("named_transformers_")
        return Bunch(**self.fitted_by_name())

    def fitted_by_name(self) -> dict[str, Any]:
        """Return the fitted transformers by name."""
        going = [(b, self.fitted(at)) for at, b in enumerate(self.going())]
        return {b.name: as_pipeline(b.transformer, one) if is_pipeline(b.transformer) else one for b, one in going}


def _member(transformer: Any) -> Any:
    """A transformer as a member of the team, not fitted."""
    if _is(transformer, "passthrough"):
        return Passthrough()
    return chained(transformer) if is_pipeline(transformer) else transformer._blank()


def _column_kinds(each: list[tuple[Branch, Kinds]]) -> tuple[tuple[str, Any], ...]:
    """How each column enters: as numbers, categories, text or a date."""
    found: dict[str, tuple[str, Kinds]] = {}
    for b, kind in each:
        for name in b.columns:
            mine = (b.name, kind)
            how = (f"column {name!r} enters", "a copy of the column under another name")
            found[name] = _common_kind(found[name], mine, *how) if name in found else mine
    return tuple((name, kind) for name, (_, kind) in found.items())


def _kind_of_all(each: list[tuple[Branch, Kinds]]) -> Kinds:
    """How columns enter that all transformers take."""
    how = ("all columns enter", "ColumnTransformer, with a copy of the columns under other names")
    named = [(b.name, kind) for b, kind in each]
    return reduce(lambda mine, theirs: _common_kind(mine, theirs, *how), named)[1]


def _common_kind(mine: tuple[str, Kinds], theirs: tuple[str, Kinds], what: str, remedy: str) -> tuple[str, Kinds]:
    """How columns enter that two transformers take, with the name of one that says so."""
    (who, kind), (other, wanted) = (theirs, mine) if mine[1] in ("mixed", "unused") else (mine, theirs)
    if wanted in (kind, "unused") or (wanted == "mixed" and kind not in ("text", "date")):
        return who, kind
    raise ValueError(f"{what} {AS_KIND[kind]} for {who!r}, and {AS_KIND[wanted]} for {other!r}. Remedy: {remedy}")


def _is(transformer: Any, word: str) -> bool:
    return isinstance(transformer, str) and transformer == word


def are_names(columns: Any) -> bool:
    """Whether columns are a list of names."""
    return isinstance(columns, (list, tuple)) and all(isinstance(one, str) for one in columns)


def _empty(columns: Any) -> bool:
    """Whether no column is meant."""
    return isinstance(columns, (list, tuple, np.ndarray)) and not len(columns)


def numbers(first: FirstRows, chosen: Any, who: str) -> tuple[int, ...]:
    """The numbers of the columns that are meant: integers are positions, a selector gives labels, so does an Index."""
    selected = isinstance(chosen, make_column_selector)
    if selected:
        chosen = chosen_columns(chosen, first)
    elif callable(chosen):
        chosen = chosen(first.frame())
        selected = hasattr(chosen, "get_indexer")  # an Index of pandas: frame.columns[...]
    first.refuse_taken(chosen)
    labels = list(first.labels)
    if all(isinstance(label, str) for label in labels):
        return places_of(chosen, labels, who)
    return places_of(_places(chosen, labels, selected, who), first.names, who)


def _places(chosen: Any, labels: list[Any], selected: bool, who: str) -> Any:
    """Labels of a frame whose labels are no text as numbers of columns; integers are labels only if so selected."""
    if isinstance(chosen, (str, slice)) or not hasattr(chosen, "__iter__"):
        return chosen
    if selected and (unknown := [one for one in chosen if one not in labels]):
        raise ValueError(f"columns {unknown} of {who} are not in the frame. Remedy: labels of its columns")
    return [labels.index(one) if selected or _is_label(one, labels) else one for one in chosen]


def _is_label(one: Any, labels: list[Any]) -> bool:
    """Whether this is a label, and no number of a column nor an entry of a mask."""
    return not isinstance(one, (int, np.integer, np.bool_)) and one in labels


def named_after_classes(transformers: Any) -> list[tuple[str, Any]]:
    """Transformers with names, as scikit-learn makes them: of the class in small letters, numbered where it repeats."""
    return [(str(name), one) for name, one in _name_estimators(transformers)]


def _array(made: Any) -> Any:
    """Outputs of a transformer as a dense array."""
    return made.toarray() if sp.issparse(made) else made
