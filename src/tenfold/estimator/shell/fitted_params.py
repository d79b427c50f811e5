"""A fitted model uses the parameters it was fitted with, whatever is set afterwards.

`set_params` after `fit` is for the next fit: `get_params` shows the new values, and `fit` takes them. Everything that
speaks of the model (predictions, attributes, `verify`, `save`, `+`) needs the old ones, since state and summary were
made by them. So `fit` keeps a copy, and every public method and property of a learner runs on a view of the model
that has these. Methods that fit, or that read and set parameters, are named in `fitting` and run on the model itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from types import FunctionType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._available_if import _AvailableIfDescriptor
from sklearn.utils.metaestimators import available_if

IMMUTABLE_TYPES = frozenset({bool, int, float, str, type, type(None)})
"""types of most parameters: nothing to copy"""


def plain_kind(value: Any) -> Any:
    """The type of a plain parameter, or the types within a tuple of such; None of any other: it may change."""
    kind = type(value)
    if kind is not tuple:
        return kind if kind in IMMUTABLE_TYPES else None
    each = tuple(map(type, value))
    return each if IMMUTABLE_TYPES.issuperset(each) else None


_known_names: dict[type, frozenset[str]] = {}


def param_names(cls: Any) -> frozenset[str]:
    """The names of a learner's parameters; looking them up takes longer than a small fit."""
    if cls not in _known_names:
        _known_names[cls] = frozenset(cls._get_param_names())
    return _known_names[cls]


def frozen(value: Any) -> Any:
    """Return a copy of a parameter that shares no mutable object: arrays, collections, and learners among them."""
    if type(value) in IMMUTABLE_TYPES:
        return value
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, BaseEstimator):
        copied = object.__new__(type(value))
        copied.__dict__.update({name: frozen(getattr(value, name)) for name in param_names(type(value))})
        return copied
    if isinstance(value, dict):
        return {key: frozen(one) for key, one in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(frozen(one) for one in value)
    return value


def as_fitted(model: Any) -> Any:
    """The model with the parameters it was fitted with: itself, if they are the same or it is not fitted."""
    given = model.__dict__
    fitted = given.get("_fitted_params")
    if fitted is None:
        return model
    for name, value in fitted.items():
        if given[name] is not value:
            break
    else:
        return model
    view = object.__new__(type(model))
    view.__dict__.update(given)
    view.__dict__.update(fitted)
    return view


_done: set[type] = set()
"""classes whose methods are wrapped already: several learners inherit from them"""


def speak_as_fitted(cls: Any) -> None:
    """Wrap every public method and property of a learner's classes, to run with the parameters of the fit."""
    ours = {__name__.partition(".")[0], cls.__module__.partition(".")[0]}
    for base in cls.__mro__:
        if base in _done or base.__module__.partition(".")[0] not in ours:
            continue
        _done.add(base)
        for name, value in list(vars(base).items()):
            wrapped = None if name.startswith("_") or name in cls.fitting else _wrapped(value)
            if wrapped is not None:
                setattr(base, name, _refusing_rows(wrapped) if name == "certify" else wrapped)


def _wrapped(value: Any) -> Any:
    """Return a method or property that runs with the parameters of the fit, or None for other attributes."""
    if isinstance(value, FunctionType):
        return _method(value)
    if isinstance(value, property) and value.fget is not None:
        return property(_method(value.fget), value.fset, value.fdel, value.__doc__)
    if isinstance(value, cached_property):
        return property(lambda model: value.__get__(as_fitted(model)), doc=value.__doc__)
    if isinstance(value, _AvailableIfDescriptor):
        return available_if(lambda model: value.check(as_fitted(model)))(_method(value.fn))
    return None


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def method(self: Any, *args: Any, **given: Any) -> Any:
        return function(as_fitted(self), *args, **given)

    return method


def _refusing_rows(certify: Callable[..., Any]) -> Callable[..., Any]:
    """The method that makes claims of a model and its summary; whoever gives it rows means the function."""

    @wraps(certify)
    def method(self: Any, model: Any, *args: Any, **given: Any) -> Any:
        if hasattr(model, "shape") or isinstance(model, list):
            raise TypeError(
                "the method certify is what the library itself calls, with a model and its summary. Remedy: "
                "tenfold.certify(model, X, y) says what a model promises on unseen rows; model.certificate_ is what "
                "is known from training"
            )
        return certify(self, model, *args, **given)

    return method
