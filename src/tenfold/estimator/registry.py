"""Which classes a model file may name: ours, and those this process registered. Never an import path."""

from __future__ import annotations

from typing import Any, TypeVar

import tenfold
from tenfold.core import ModelFileError
from tenfold.core.axes import fields

T = TypeVar("T", bound=type)
_registered: dict[str, type] = {}


def register(cls: T) -> T:
    """Let this process load model files of a learner of your own. Use it as a decorator.

    Parameters
    ----------
    cls : class
        A learner, with `state_type` and `summary_types`. Its file id is its name.

    Returns
    -------
    cls : class
        The same class.
    """
    for kind in (cls.state_type, *cls.summary_types):
        fields(kind)  # refuses a field without a usable annotation, by name
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
    from tenfold.estimator.base import Estimator

    cls = None
    if isinstance(name, str):
        cls = _registered.get(name) or (getattr(tenfold, name) if name in tenfold.__all__ else None)
    if not (isinstance(cls, type) and issubclass(cls, Estimator)):
        raise ModelFileError(f"the file names the class {str(name)[:80]!r}, which this process does not know")
    return cls
