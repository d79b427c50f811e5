"""What files may hold of a learner is read off the annotations of its methods."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Generic, NamedTuple

import pytest

import tenfold as tn
from tenfold.core.contract import RecordTypes, record_types
from tenfold.core.learner import Done, Initial, ModelT, StateT, SummaryT


class Looking(NamedTuple):
    step: int


class Going(NamedTuple):
    step: int


class Sums(NamedTuple):
    total: float


class Counts(NamedTuple):
    rows: int


class Level(NamedTuple):
    value: float


class Rounds:
    def ask(self, state: Looking | Going) -> None: ...
    def update(self, state: Looking | Going, summary: Sums) -> Going | Done[Level]: ...
    def model(self, state: Looking | Going | Done[Level]) -> Level | None: ...
    def certify(self, model: Level, summary: Sums | Counts) -> None: ...


class Twice(Generic[StateT, SummaryT, ModelT]):
    def ask(self, state: StateT | Initial) -> None: ...
    def update(self, state: StateT | Initial, summary: SummaryT | Counts) -> StateT: ...
    def model(self, state: StateT | Initial) -> ModelT | None: ...


def test_unions_are_read_off_all_methods_that_name_them():
    assert record_types(Rounds) == RecordTypes(Level, (Looking, Going, Done), (Sums, Counts))


def test_a_type_variable_stands_for_what_the_next_class_says():
    class Both(Twice, Rounds):
        pass

    assert record_types(Both) == RecordTypes(Level, (Initial, Looking, Going, Done), (Counts, Sums))


def test_a_method_without_annotations_keeps_those_of_its_base():
    class Loud(Rounds):
        def update(self, state, summary):
            return super().update(state, summary)

    assert record_types(Loud) == record_types(Rounds)


def test_a_state_is_the_model_where_no_method_names_another():
    class Still:
        def ask(self, state: Level) -> None: ...
        def update(self, state: Level, summary: Sums) -> Level: ...

    assert record_types(Still) == RecordTypes(Level, (Level,), (Sums,))


def test_solve_says_the_summary_and_the_model_of_one_pass():
    found = record_types(tn.GaussianNB)
    assert found.states == (Initial, Done)
    assert [kind.__name__ for kind in (found.model, *found.summaries)] == ["GaussianModel", "ClassSpread"]


def test_an_error_names_the_method():
    class Unsaid(tn.GaussianNB.__mro__[1]):  # OnePass
        pass

    with pytest.raises(TypeError, match=r"Unsaid\.solve does not say of which classes its summaries are"):
        record_types(Unsaid)

    class Vague(Rounds):
        def update(self, state: object, summary: Sums) -> Going: ...

    with pytest.raises(TypeError, match=r"Vague\.update is annotated <class 'object'>, which is no record"):
        record_types(Vague)

    class Local(NamedTuple):
        value: float

    class Hidden(Rounds):
        def model(self, state: Looking) -> Local | None: ...

    with pytest.raises(TypeError, match=r"Hidden\.model is annotated with what its module does not define: .*'Local'"):
        record_types(Hidden)

    class Either(Rounds):
        def model(self, state: Looking) -> Level | Counts | None: ...

    with pytest.raises(TypeError, match=r"Either\.model makes one of Level, Counts"):
        record_types(Either)


def test_a_learner_of_learners_adds_their_records():
    mine, theirs = tn.BaggingClassifier(tn.GaussianNB()).record_types, tn.GaussianNB().record_types
    assert set(theirs.all) <= set(mine.within)
    assert mine.model.__name__ == "EnsembleModel"
    assert tn.AdaBoostClassifier().record_types.model.__name__ == "Stumps"
    assert tn.AdaBoostClassifier(tn.GaussianNB()).record_types.model.__name__ == "Members"


CONTRACT = {"start", "ask", "update", "model", "certify", "statistic", "solve"}


def test_no_method_of_the_contract_takes_or_returns_any():
    vague = []
    for path in Path(tn.__file__).parent.rglob("*.py"):
        for cls in ast.walk(ast.parse(path.read_text())):
            for one in cls.body if isinstance(cls, ast.ClassDef) else ():
                if isinstance(one, ast.FunctionDef) and one.name in CONTRACT and one.args.args:
                    said = [argument.annotation for argument in one.args.args[1:]] + [one.returns]
                    names = {n.id for each in said if each for n in ast.walk(each) if isinstance(n, ast.Name)}
                    if None in said[:-1] or "Any" in names:
                        vague.append(f"{path.name}: {cls.name}.{one.name}")
    assert not vague
