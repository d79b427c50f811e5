"""Decisions about the keywords of scikit-learn's learner of the same name: the same, renamed, inert or refused.

A parameter without a decision has the meaning that scikit-learn's has. One without effect takes every value that
scikit-learn takes, so that its programs run; one that is refused takes only the values of what is done anyway, and the
error of any other has a remedy: the call to write instead. Of a parameter that has an effect, some of scikit-learn's
values may be refused, in the same words. A decision stands among the constraints of its parameter
(`tenfold.estimator.shell.parameters`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, make_constraint

from tenfold.core.errors import ParameterError, Remedy


class Renamed(NamedTuple):
    """A keyword that sets another of our parameters; both are accepted."""

    to: str

    def __str__(self) -> str:
        return f"renamed: {self.to} (both accepted)"


class Refused(NamedTuple):
    """A keyword that only these values are accepted of."""

    because: str
    remedy: Remedy
    takes: tuple[Any, ...]
    """the accepted values: those that describe the actual computation"""

    def __str__(self) -> str:
        return f"refused: {self.because}. Remedy: {self.remedy}"


class RefusedValue(NamedTuple):
    """A value of a keyword that scikit-learn takes and that cannot be had."""

    value: Any
    """the value, or its constraint in scikit-learn's terms"""
    because: str
    remedy: Remedy

    def __str__(self) -> str:
        return f"refused: {self.because}. Remedy: {self.remedy}"

    def is_of(self, given: Any) -> bool:
        """Whether a parameter has this value, or is of this kind."""
        if isinstance(self.value, str) and self.value != "array-like":
            return isinstance(given, str) and given == self.value
        if isinstance(self.value, (Real, Interval)) and isinstance(given, (bool, np.bool_)):
            return False
        if isinstance(self.value, Real):
            return isinstance(given, Real) and bool(given == self.value)
        return bool(make_constraint(self.value).is_satisfied_by(given))


class NoEffect(NamedTuple):
    """A keyword that is accepted and changes nothing."""

    because: str
    takes: tuple[Any, ...]
    """constraint in scikit-learn's terms"""
    refuses: tuple[RefusedValue, ...] = ()
    """values of scikit-learn's that would have an effect"""

    def __str__(self) -> str:
        return f"accepted: no effect because {self.because}"


class RefusedValues(NamedTuple):
    """Parameter with the name of scikit-learn's keyword, of which these values are refused."""

    each: tuple[RefusedValue, ...]

    def __str__(self) -> str:
        names = {"array-like": "an array", callable: "a function", str: "text"}
        shown = [names.get(v, str(v) if isinstance(v, Interval) else repr(v)) for v in (one.value for one in self.each)]
        return "; ".join(f"{value} {one}" for value, one in zip(shown, self.each, strict=True))


def refused(because: str, remedy: Remedy, *values: Any) -> RefusedValues:
    """Values that are refused for one reason, with one remedy."""
    return RefusedValues(tuple(RefusedValue(value, because, remedy) for value in values))


Decision = Renamed | NoEffect | Refused | RefusedValues


def together(one: Decision, more: Decision) -> Decision:
    """One decision of two about the same keyword, the second of which refuses some values."""
    match one, more:
        case RefusedValues(), RefusedValues():
            return RefusedValues((*one.each, *more.each))
        case NoEffect(), RefusedValues():
            return one._replace(refuses=(*one.refuses, *more.each))
    raise TypeError(f"{type(one).__name__} and {type(more).__name__} are two decisions about one keyword")


@cache
def keywords_of(cls: Any) -> Mapping[str, Decision]:
    """Return the decisions about scikit-learn's keywords of a learner, with its name in the remedies."""
    ours = (base for base in cls.__mro__ if base.__module__.startswith("tenfold.") and vars(base).get("_parameters"))
    named = next(ours, cls).__name__
    kind, member = (
        ("Classifier", "tn.GaussianNB()") if issubclass(cls, ClassifierMixin) else ("Regressor", "tn.Ridge()")
    )
    words = {"{name}": named, "{kind}": kind, "{member}": member}
    return {name: _filled(one.decision, words) for name, one in cls._parameters.items() if one.decision is not None}


def _filled(given: Any, words: Mapping[str, str]) -> Any:
    """Return a decision with the name of the learner in place of its placeholder."""
    if isinstance(given, Remedy):
        call = given.call or ""
        for word, name in words.items():
            call = call.replace(word, name)
        return Remedy(call or None, given.remark)
    match given:
        case Refused() | RefusedValue():
            return given._replace(remedy=_filled(given.remedy, words))
        case RefusedValues():
            return RefusedValues(tuple(_filled(one, words) for one in given.each))
        case NoEffect():
            return given._replace(refuses=tuple(_filled(one, words) for one in given.refuses))
    return given


def refuse_keywords(cls: type, params: Mapping[str, Any]) -> None:
    """Raise for unsupported values of scikit-learn's keywords, with the remedy."""
    for name, one in keywords_of(cls).items():
        if name not in params:
            continue
        if isinstance(one, Refused) and not any(_equals(params[name], value) for value in one.takes):
            raise _error(cls, name, params[name], one)
        if isinstance(one, (RefusedValues, NoEffect)):
            for value in one.each if isinstance(one, RefusedValues) else one.refuses:
                if value.is_of(params[name]):
                    raise _error(cls, name, params[name], value)


def _error(cls: type, name: str, given: Any, one: Refused | RefusedValue) -> ParameterError:
    return ParameterError(f"{cls.__name__}: {name}={given!r} is refused: {one.because}", one.remedy)


def has_no_effect(cls: type, name: str) -> bool:
    """Whether a keyword is there for programs written for scikit-learn only."""
    return isinstance(keywords_of(cls).get(name), NoEffect)


def _equals(given: Any, value: Any) -> bool:
    """Whether a parameter has a value; an array is no single value, and a dtype has several names.

    True is not 1; nor is 1 the same as 1.0, a share: of columns or rows, 1 is one of them and 1.0 are all.
    """
    if isinstance(value, type) and isinstance(given, (type, str, np.dtype)):
        try:
            return bool(np.dtype(given) == value)
        except TypeError:
            return False
    if type(given).__name__ == "NAType":  # which is missing, as NaN is
        return isinstance(value, float) and value != value
    if isinstance(given, Integral) and isinstance(value, float) and value == 1:
        return False
    return (
        isinstance(given, bool) == isinstance(value, bool)
        and isinstance(given, (Real, str, type(None)))
        and (given == value or (given != given and value != value))
    )
