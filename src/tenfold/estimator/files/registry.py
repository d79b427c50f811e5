"""Which classes a model file may name: ours, and those this process registered. Never an import path."""

from __future__ import annotations

from typing import Any, TypeVar

from sklearn.base import BaseEstimator

import tenfold
from tenfold.core import ModelFileError
from tenfold.core.axes import fields, is_record
from tenfold.core.contract import record_types
from tenfold.core.value import Parameter

T = TypeVar("T", bound=Any)
_registered: dict[str, type] = {}


def register(cls: T) -> T:
    """Let this process load model files of a learner, or with a kernel, of your own. Use it as a decorator.

    Parameters
    ----------
    cls : class
        A learner, whose methods are annotated with the classes of its records, or a kernel. Its file id is its name.

    Returns
    -------
    cls : class
        The same class.
    """
    if _is_learner(cls):
        for kind in record_types(cls).all:
            _check_fields(kind)
    elif not _is_parameter(cls):
        raise TypeError(f"{cls!r} is not a learner: it has no methods `ask` and `update`")
    name = cls.__name__
    if name in tenfold._WHERE or _registered.get(name, cls) is not cls:
        raise ValueError(f"the name {name!r} is taken; rename the class")
    _registered[name] = cls
    return cls


def id_of(cls: type) -> str:
    """Return the id under which a class is written, or raise with the way to register it."""
    name = cls.__name__
    if _registered.get(name) is cls or (name in tenfold._WHERE and tenfold._find(name) is cls):
        return name
    if cls.__module__.startswith("tenfold."):
        raise ModelFileError(f"{name} cannot be saved: name it in `_PLACES` of src/tenfold/__init__.py")
    raise ModelFileError(f"{name} cannot be saved: it is not registered. Put @tenfold.register above its class")


def class_of(name: Any) -> Any:
    """The learner with an id, or ModelFileError."""
    if not isinstance(name, str):
        raise ModelFileError("the file does not name its learner")
    cls = _registered.get(name) or (tenfold._find(name) if name in tenfold._WHERE else None)
    if not _is_learner(cls):
        raise ModelFileError(f"the file names the class {name[:80]!r}, which this process does not know")
    return cls


def parameter_of(name: Any) -> type[Parameter]:
    """The class of values that are parameters, kernels among them, with an id; or ModelFileError."""
    cls = None
    if isinstance(name, str):
        cls = _registered.get(name) or (tenfold._find(name) if name in tenfold._WHERE else None)
    if not _is_parameter(cls):
        raise ModelFileError("the file names a parameter that this process does not know")
    found: type[Parameter] = cls  # type: ignore[assignment]
    return found


def is_pipeline(model: Any) -> bool:
    """Whether a model is a pipeline, of tenfold or scikit-learn; their slow modules are not imported for it."""
    return isinstance(model, BaseEstimator) and hasattr(model, "steps") and hasattr(type(model), "named_steps")


def _is_parameter(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, Parameter)


def _is_learner(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, BaseEstimator) and hasattr(cls, "ask") and hasattr(cls, "update")


def _check_fields(kind: Any) -> None:
    """Refuse a field without a usable annotation, by name; in records within records too."""
    for field in fields(kind).values():
        if is_record(field.type) and field.type is not kind:  # a bundle may hold anything, bundles too
            _check_fields(field.type)
