"""The classes of records that a learner has, read off the annotations of its methods.

`def update(self, state: Moving, summary: Lloyd) -> Moving | Done` declares the classes of states and summaries; nothing
else does. Model files and checkpoints hold records of these classes only. Methods and properties that users call are
marked `@for_users`, and `dir()` shows these.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from tenfold.core.axes import is_record

WRITTEN = {
    "ask": "def ask(self, state: State) -> Statistic | None",
    "update": "def update(self, state: State, summary: Summary) -> State",
    "solve": "def solve(self, schema: Schema, summary: Summary) -> Model",
    "model": "def model(self, state: State) -> Model | None",
    "certify": "def certify(self, model: Model, summary: Summary) -> tuple[Claim, ...] | None",
}
"""how each method is annotated, for whoever left it out"""


Function = TypeVar("Function")


def for_users(function: Function) -> Function:
    """Mark a method that users call; of a property it stands below `@property`."""
    function.for_users = True  # type: ignore[attr-defined]
    return function


def is_marked(value: object) -> bool:
    """Whether a method or property is marked as one that users call."""
    for inside in ("fget", "func", "fn", "__func__"):
        value = getattr(value, inside, value)
    return bool(getattr(value, "for_users", False))


class RecordTypes(NamedTuple):
    """The record classes of a learner: all that its model files and checkpoints may hold."""

    model: type
    states: tuple[type, ...]
    """those from which a fit can go on"""
    summaries: tuple[type, ...]
    within: tuple[type, ...] = ()
    """those that bundles in these hold"""

    @property
    def all(self) -> tuple[type, ...]:
        """All record classes of the learner, each once."""
        return tuple(dict.fromkeys((self.model, *self.states, *self.summaries, *self.within)))


def record_types(cls: type) -> RecordTypes:
    """Return the record classes that the methods of a learner's class are annotated with."""
    return _record_types(cls)


@cache
def _record_types(cls: type) -> RecordTypes:
    states = _once((*_named(cls, "ask", 0), *_named(cls, "update", 0), *_named(cls, "update", None)))
    if not states:
        raise _missing(cls, "update", "states")
    summaries = _named(cls, "update", 1) or _named(cls, "solve", 1)
    if not summaries:
        raise _missing(cls, "solve" if hasattr(cls, "solve") else "update", "summaries")
    models = _named(cls, "model", None) or _named(cls, "solve", None) or _named(cls, "certify", 0)
    if not models and hasattr(cls, "solve"):
        raise _missing(cls, "solve", "model")
    kept = models or states
    if len(kept) > 1:
        some = ", ".join(kind.__name__ for kind in kept)
        raise TypeError(f"{cls.__name__}.model makes one of {some}. Remedy: one class of models, {WRITTEN['model']}")
    return RecordTypes(kept[0], states, _once((*summaries, *_named(cls, "certify", 1))))


def _once(kinds: Iterable[type]) -> tuple[type, ...]:
    return tuple(dict.fromkeys(kinds))


def _missing(cls: type, method: str, what: str) -> TypeError:
    return TypeError(
        f"{cls.__name__}.{method} does not say of which classes its {what} are. Remedy: annotate it with them, as in "
        f"{WRITTEN[method]}"
    )


def _named(cls: type, method: str, place: int | None) -> tuple[type, ...]:
    """The classes with which an argument of a method is annotated, or what it returns (None).

    A type variable stands for what the next class in the order of inheritance says; so does a method that is not
    annotated.
    """
    found: list[type] = []
    for base in cls.__mro__:
        if method not in vars(base):
            continue
        kinds, goes_on = _annotation(cls, base, method, place)
        found += kinds
        if not goes_on:
            break
    return _once(found)


def _annotation(cls: type, base: type, method: str, place: int | None) -> tuple[list[type], bool]:
    """The classes that an annotation names, and whether it has a type variable too."""
    function = inspect.unwrap(vars(base)[method])
    name = "return" if place is None else function.__code__.co_varnames[1 + place]
    if name not in function.__annotations__:
        return [], True
    where = f"{cls.__name__}.{method}"
    try:
        hint = get_type_hints(function)[name]
    except NameError as error:
        raise TypeError(
            f"{where} is annotated with what its module does not define: {error}. Remedy: import it, not only "
            "`if TYPE_CHECKING`, and define classes of records in the module"
        ) from None
    kinds, goes_on = [], False
    for one in _members(hint):
        kind = get_origin(one) or one
        if isinstance(one, TypeVar):
            goes_on = True
        elif isinstance(kind, type) and is_record(kind):
            kinds.append(kind)
        elif one is not NoneType:
            raise TypeError(f"{where} is annotated {one!r}, which is no record. Remedy: {WRITTEN[method]}")
    return kinds, goes_on


def _members(hint: object) -> Iterator[object]:
    """The members of a union, of unions within it too; else the hint itself."""
    if get_origin(hint) in (Union, UnionType):
        for one in get_args(hint):
            yield from _members(one)
    else:
        yield hint
