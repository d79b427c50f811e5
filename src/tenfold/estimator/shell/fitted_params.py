"""A fitted model uses the parameters it was fitted with, whatever is set afterwards.

`set_params` after `fit` is for the next fit: `get_params` shows the new values, and `fit` takes them. Everything that
speaks of the model (predictions, attributes, `verify`, `save`, `+`) needs the old ones, since state and summary were
made by them. So `fit` keeps a copy, and what users call on a fitted model is marked `@fitted`: it runs on a view of the
model that has these. All else (`start`, `ask`, `update` and the hooks of a family) is the contract of whoever writes a
learner, and runs on the learner that it is called on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from tenfold.core import Learner
from tenfold.core.contract import for_users, is_marked
from tenfold.core.errors import EDGE

Function = TypeVar("Function", bound=Callable[..., Any])

IMMUTABLE_TYPES = frozenset({bool, int, float, str, type, type(None)})
"""types of most parameters: nothing to copy"""


def remembered(function: Function) -> Function:
    """`functools.cache`, typed as the function: mypy takes the class of an estimator for something without a hash."""
    return cast(Function, cache(function))


def plain_kind(value: Any) -> Any:
    """The type of a plain parameter, or the types within a tuple of such; None of any other: it may change."""
    kind = type(value)
    if kind is not tuple:
        return kind if kind in IMMUTABLE_TYPES else None
    each = tuple(map(type, value))
    return each if IMMUTABLE_TYPES.issuperset(each) else None


@remembered
def param_names(cls: Any) -> frozenset[str]:
    """The names of a learner's parameters; looking them up takes longer than a small fit."""
    return frozenset(cls._get_param_names())


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


def frozen_params(model: Any) -> dict[str, Any]:
    """The parameters of a learner as they are now, by name: copies that nobody else can change."""
    names = param_names(model.__class__)
    values = tuple(map(model.__dict__.__getitem__, names))
    if IMMUTABLE_TYPES.issuperset(map(type, values)):
        return dict(zip(names, values))
    return dict(zip(names, map(frozen, values)))


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


def fitted(function: Function) -> Function:
    """Mark a method that users call on a fitted model: it runs with the parameters of the fit, and `dir()` shows it.

    Of a property it stands below `@property`.

    Examples
    --------
    >>> from tenfold.estimator import Regressor, fitted
    >>> class Scaled(Regressor):
    ...     def __init__(self, unit=1.0):
    ...         self.unit = unit
    ...     @property
    ...     @fitted
    ...     def unit_(self):
    ...         return self.unit
    """

    @wraps(function)
    def method(self: Any, *args: Any, **given: Any) -> Any:
        with EDGE:
            return function(as_fitted(self), *args, **given)

    return for_users(cast(Function, method))


def fitted_if(check: Callable[[Any], Any]) -> Callable[[Function], Any]:
    """Mark a method as `fitted` that is there if a function of the model, with the parameters of the fit, holds."""
    return lambda function: available_if(lambda model: check(as_fitted(model)))(fitted(function))


@remembered
def is_for_users(cls: type, name: str) -> bool:
    """Whether a public name of a learner is marked, is scikit-learn's own, or is a method that only its writer knows.

    Such a method, of a learner that is written elsewhere and marks none, is taken to be for users, unless the loop
    calls it or its name is that of a hook: `predict_from`, `scores_from`.
    """
    if name.endswith("_request"):  # of scikit-learn's metadata routing, which makes them in each class
        return True
    there = [base for base in cls.__mro__ if name in vars(base)]
    if any(base.__module__.startswith("sklearn.") or is_marked(vars(base)[name]) for base in there):
        return True
    ours = any(base.__module__.partition(".")[0] == __name__.partition(".")[0] for base in there)
    return not ours and not name.endswith("_from") and not hasattr(Learner, name)


def refusing_rows(certify: Callable[..., Any]) -> Callable[..., Any]:
    """The method that makes claims of a model and its summary; whoever gives it rows means the function."""

    @wraps(certify)
    def method(self: Any, model: Any, *args: Any, **given: Any) -> Any:
        if hasattr(model, "shape") or isinstance(model, list):
            raise TypeError(
                "the method certify is called by the library itself, with a model and its summary. "
                "Remedy: tenfold.certify(model, X, y) bounds the error on unseen rows; model.certificate_ has the "
                "claims from training"
            )
        return certify(self, model, *args, **given)

    return method
