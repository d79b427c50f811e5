"""Which classes a model file may name: ours, and those this process registered. Never an import path."""

from __future__ import annotations

from typing import Any, TypeVar

from sklearn.base import BaseEstimator

import tenfold
from tenfold.core import ModelFileError
from tenfold.core.axes import fields, is_record

T = TypeVar("T", bound=Any)
_registered: dict[str, type] = {}


def register(cls: T) -> T:
    """Let this process load model files of a learner of your own. Use it as a decorator.

    Parameters
    ----------
    cls : class
        A learner, with `model_type` and `summary_types`. Its file id is its name.

    Returns
    -------
    cls : class
        The same class.
    """
    if not _is_learner(cls):
        raise TypeError(f"{cls!r} is not a learner with `model_type` and `summary_types`")
    for kind in (cls.model_type, *cls.state_types, *cls.summary_types):
        _check_fields(kind)
    name = cls.__name__
    if name in tenfold.__all__ or _registered.get(name, cls) is not cls:
        raise ValueError(f"the name {name!r} is taken; rename the class")
    _registered[name] = cls
    return cls


def id_of(cls: type) -> str:
    """The id under which a class is written, or an error that says how to get one."""
    name = cls.__name__
    if _registered.get(name) is cls or (name in tenfold.__all__ and getattr(tenfold, name) is cls):
        return name
    raise ModelFileError(f"{name} cannot be saved: it is not registered. Put @tenfold.register above its class")


def class_of(name: Any) -> Any:
    """The learner with an id, or ModelFileError."""
    if not isinstance(name, str):
        raise ModelFileError("the file does not name its learner")
    cls = _registered.get(name) or (getattr(tenfold, name) if name in tenfold.__all__ else None)
    if not _is_learner(cls):
        raise ModelFileError(f"the file names the class {name[:80]!r}, which this process does not know")
    return cls


def _is_learner(cls: Any) -> bool:
    named = hasattr(cls, "model_type") and hasattr(cls, "summary_types")
    return named and isinstance(cls, type) and issubclass(cls, BaseEstimator)


def _check_fields(kind: Any) -> None:
    """Refuse a field without a usable annotation, by name; in records within records too."""
    for field in fields(kind).values():
        if is_record(field.type) and field.type is not kind:  # a bundle may hold anything, bundles too
            _check_fields(field.type)
