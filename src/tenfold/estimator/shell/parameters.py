"""Parameters of a learner, each declared once as an annotated field of its class.

The field has the type, what the parameter may be in scikit-learn's terms, what becomes of a keyword of scikit-learn's,
and the default; all after `_: KW_ONLY` are keyword-only. `__init__`, `_parameter_constraints` and the tables of the
documentation are made from the fields.
"""

from __future__ import annotations

import re
import sys
from dataclasses import KW_ONLY, MISSING
from functools import reduce
from inspect import get_annotations
from typing import Any, ClassVar, NamedTuple, dataclass_transform, get_args

from tenfold.estimator.shell.constraints import anything
from tenfold.estimator.shell.keywords import Decision, NoEffect, together


class Behind(NamedTuple):
    """The place of a subclass's keyword: behind another, None: before all; without it, behind those of the bases."""

    name: str | None


class ParameterField(NamedTuple):
    """A parameter of a learner."""

    type: Any
    default: Any
    """the default, or `dataclasses.MISSING`"""
    keyword_only: bool
    allowed: tuple[Any, ...]
    """constraint in scikit-learn's terms; empty: any value"""
    decision: Decision | None
    """decision about scikit-learn's keyword of this name, unless it is the same"""
    place: Behind | None
    """position among the keywords of the bases; default: after all of them"""

    @classmethod
    def of(cls, annotation: Any, default: Any, keyword_only: bool) -> ParameterField:
        """Read `Annotated[type, ...]`, in which constraints and decisions may come in any order."""
        kind, *rest = get_args(annotation)
        decisions = [one for one in rest if isinstance(one, Decision)]
        allowed = tuple(one for one in rest if not isinstance(one, Decision | Behind))
        place = next((one for one in rest if isinstance(one, Behind)), None)
        return cls(kind, default, keyword_only, allowed, reduce(together, decisions) if decisions else None, place)

    @property
    def constraints(self) -> Any:
        """The entry of scikit-learn's `_parameter_constraints`."""
        if isinstance(self.decision, NoEffect) and not self.allowed:
            return list(self.decision.takes)
        return anything if self.allowed in ((), (anything,)) else list(self.allowed)


def fixed(value: Any) -> Any:
    """A value in the place of a parameter that a class has not, but a subclass may have.

    It needs no call, `missing = "learned"`, unless that would have another type than the parameter.
    """
    return value


@dataclass_transform(eq_default=False)
class Parameters:
    """Base of learners: a subclass lists its parameters as annotated fields.

    A subclass may declare a parameter of its bases again, with another default or another constraint; what it assigns
    without an annotation is fixed, and no parameter. One that writes its own `__init__` and `_parameter_constraints`,
    as any estimator of scikit-learn does, is left as it is.

    Examples
    --------
    `FisherDiscriminant` has one field, `n_components: Annotated[int | None, integer(1), None] = None`:

    >>> import inspect
    >>> from tenfold import FisherDiscriminant
    >>> print(inspect.signature(FisherDiscriminant))
    (n_components: int | None = None) -> None
    >>> FisherDiscriminant(2).n_components
    2
    """

    _parameters: ClassVar[dict[str, ParameterField]] = {}
    """all parameters, in the order of the signature"""
    _declared: ClassVar[dict[str, ParameterField]] = {}
    """those of the class itself"""
    _parameter_constraints: ClassVar[Any] = None
    """constraint of each parameter, in scikit-learn's terms"""

    _init_is_made: ClassVar[bool] = False
    """whether the class that this is in has an `__init__` that was made from fields"""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        written = "__init__" in vars(cls)
        cls._declared = {} if written else _take_fields(cls)
        cls._parameters = _in_order(cls)
        made, by_hand = not written and cls._differs(), vars(cls).get("_parameter_constraints")
        if made:
            cls.__init__ = _make_init(cls)  # type: ignore[method-assign]
            cls._init_is_made = True
        if made or by_hand is not None:
            allowed = {name: one.constraints for name, one in cls._parameters.items()}
            cls._parameter_constraints = {**allowed, **(by_hand or {})}

    @classmethod
    def _differs(cls) -> bool:
        """Whether the class has other parameters than the `__init__` that it inherits."""
        base: Any = next(base for base in cls.__mro__ if "__init__" in vars(base))
        made = not issubclass(base, Parameters) or vars(base).get("_init_is_made", False)
        if cls._declared and not made:
            raise TypeError(
                f"{cls.__name__} declares {', '.join(cls._declared)}, but {base.__name__} writes its own `__init__`. "
                f"Remedy: write one for {cls.__name__} too"
            )
        inherited = list(getattr(base, "_parameters", {}).items())
        return made and (bool(cls._declared) or list(cls._parameters.items()) != inherited)  # a default False equals 0


def _take_fields(cls: type) -> dict[str, ParameterField]:
    """The parameters among the annotations of a class; their defaults are taken out of it."""
    found: dict[str, ParameterField] = {}
    keyword_only = False
    names = getattr(sys.modules.get(cls.__module__), "__dict__", {})
    for name, annotation in get_annotations(cls).items():
        if isinstance(annotation, str) and re.match(r"(\w+\.)?(Annotated\[|KW_ONLY$)", annotation):
            annotation = eval(annotation, names)
        if annotation is KW_ONLY:
            keyword_only = True
        elif hasattr(annotation, "__metadata__"):  # of Annotated
            found[name] = one = ParameterField.of(annotation, vars(cls).get(name, MISSING), keyword_only)
            if isinstance(one.default, list | dict | set):
                raise TypeError(f"{cls.__name__}.{name}: all models would share this {type(one.default).__name__}")
            if name in vars(cls):
                delattr(cls, name)
        elif "ClassVar" not in str(annotation):
            raise TypeError(
                f"{cls.__name__}.{name} is annotated as {annotation}. Remedy: Annotated[type, constraint] for a "
                "parameter, ClassVar[type] for anything else"
            )
    return found


def _in_order(cls: type) -> dict[str, ParameterField]:
    """Return the parameters of a class and its bases: first position, last declaration; keywords at the end."""
    found: dict[str, ParameterField] = {}
    for base in reversed(cls.__mro__):
        declared = vars(base).get("_declared", {})
        found = {name: one for name, one in found.items() if name not in vars(base)} | declared
        names = sorted(found, key=lambda name: found[name].keyword_only)
        for name, one in ((name, one) for name, one in declared.items() if one.place is not None):
            names.remove(name)
            names.insert(0 if one.place.name is None else names.index(one.place.name) + 1, name)
        found = {name: found[name] for name in names}
    return dict(sorted(found.items(), key=lambda item: item[1].keyword_only))


def _make_init(cls: type[Parameters]) -> Any:
    """Return the `__init__` of a class, which assigns the parameters and does nothing else.

    It is what `dataclasses` would make, in a fraction of the time, which counts when a library is imported.
    """
    plain = {name: one for name, one in cls._parameters.items() if not one.keyword_only}
    keywords = {name: one for name, one in cls._parameters.items() if one.keyword_only}
    required = [one.default is MISSING for one in plain.values()]
    if required != sorted(required, reverse=True):
        raise TypeError(f"{cls.__name__}: a parameter without a default follows one with a default")
    signature = ", ".join(["self", *plain, *(("*", *keywords) if keywords else ())])
    made: dict[str, Any] = {}
    each = ", ".join(f"{name}={name}" for name in cls._parameters)
    exec(f"def __init__({signature}):\n    self.__dict__.update({each})", made)
    init = made["__init__"]
    init.__defaults__ = tuple(one.default for one in plain.values() if one.default is not MISSING)
    init.__kwdefaults__ = {name: one.default for name, one in keywords.items() if one.default is not MISSING}
    init.__annotations__ = {**{name: one.type for name, one in cls._parameters.items()}, "return": None}
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return init
