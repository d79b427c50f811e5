"""A find made small, and printed as code that runs alone."""

from __future__ import annotations

import inspect
import time
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from adversary.case import Case, Problem
from adversary.judging import CHECKS, Verdict, judge
from adversary.pipelines import fitted
from adversary.ways import array, as_array, frame, plain

PACKAGE = "adversary"
SEEDS = 12
"""draws of each smaller size"""


def shrunk(case: Any, verdict: Verdict, seconds: float = 20.0) -> tuple[Any, Verdict]:
    """A smaller case with the same fault: plainer way, form, parameters, fewer rows and columns, rounder numbers."""
    end = time.perf_counter() + seconds
    better = True
    while better:
        better = False
        for candidate in _simpler(case):
            if time.perf_counter() > end:
                return case, verdict
            found = _tried(candidate)
            if found.outcome == "find" and (found.kind, found.words[:25]) == (verdict.kind, verdict.words[:25]):
                case, verdict, better = candidate, found, True
                break
    return case, verdict


def _tried(case: Any) -> Verdict:
    try:
        if isinstance(case, Problem):
            return judge(case)
        speaks = CHECKS[case.check.__name__][1]
        return judge(case) if speaks(case) else Verdict("skipped", "the check does not speak of it")
    except Exception:
        return Verdict("skipped", "cannot be built")


def _simpler(case: Any) -> Iterator[Any]:
    if isinstance(case, Problem):
        for size in range(1, case.size):
            for number in range(SEEDS):
                yield case._replace(size=size, seed=(number,))
        return
    piped = hasattr(case.learner, "steps")
    way = fitted if piped else plain
    if case.way is not way:
        yield case._replace(way=way)
    for form in (frame,) if piped else (array, frame):
        if case.form is form:
            break
        yield case._replace(form=form)
    if case.target is not as_array:
        yield case._replace(target=as_array)
    if case.weight is not None:
        yield case._replace(weight=None)
    step = case.n // 2
    while step:
        for start in range(0, case.n, step):
            keep = np.ones(case.n, dtype=bool)
            keep[start : start + step] = False
            if keep.any():
                yield case.rows(keep)
        step //= 2
    for name in list(case.columns):
        if len(case.columns) > 1:
            yield case._replace(columns={n: v for n, v in case.columns.items() if n != name})
    for learner in _plainer(case.learner):
        yield case._replace(learner=learner)
    for name, values in case.columns.items():
        if values.dtype.kind == "f":
            for digits in (0, 1, 3):
                rounder = np.round(values, digits)
                if not np.array_equal(rounder, values, equal_nan=True):
                    yield case._replace(columns={**case.columns, name: rounder})
    if case.y is not None and case.y.dtype.kind == "f" and not np.array_equal(np.round(case.y, 1), case.y):
        yield case._replace(y=np.round(case.y, 1))


def _plainer(learner: Any) -> Iterator[Any]:
    """The same learner with one parameter less, or with one of the steps before it less."""
    if hasattr(learner, "steps"):
        transformer = learner.steps[0][1]
        for at in range(len(transformer.transformers)):
            left = transformer.transformers[:at] + transformer.transformers[at + 1 :]
            if left:
                yield clone(learner).set_params(columns__transformers=left)
        for model in _plainer(learner.steps[-1][1]):
            yield clone(learner).set_params(model=model)
        if len(learner.steps) > 2:
            yield type(learner)([learner.steps[0], learner.steps[-1]])
        return
    plainer = type(learner)()
    for name, value in learner.get_params(deep=False).items():
        usual = getattr(plainer, name)
        if repr(usual) != repr(value) and name != "estimators":
            yield clone(learner).set_params(**{name: usual})


def code(case: Any, verdict: Verdict) -> str:
    """The case as a program that fails as it did."""
    if isinstance(case, Problem):
        return _code_of_problem(case, verdict)
    imports: dict[str, str] = {"array": "from numpy import array as array_", "inf": "from numpy import inf, nan"}
    pieces: dict[str, str] = {}
    for thing in (Case, case.form, case.target, case.way, case.check):
        _collect(thing, imports, pieces)
    for cls in _classes(case.learner):
        _collect(cls, imports, pieces)
    lines = [f"# {verdict.kind}: {' '.join(verdict.why.split())[:300]}", "import warnings"]
    lines += sorted({line for name, line in imports.items() if name != "array"})
    lines += ['warnings.simplefilter("error", RuntimeWarning)', "", ""]
    lines += ["\n\n".join(pieces.values()), "", ""]
    columns = ", ".join(f"{name!r}: {_literal(values)}" for name, values in case.columns.items())
    learner = case.learner.__repr__(N_CHAR_MAX=10**9)
    lines += ["case = Case(", f"    learner={learner},", f"    columns={{{columns}}},"]
    lines += [f"    y={_literal(case.y)},", f"    weight={_literal(case.weight)},"]
    lines += [f"    {part}={getattr(case, part).__name__}," for part in ("form", "target", "way", "check")]
    return "\n".join([*lines, ")", "case.check(case)"])


def _code_of_problem(case: Problem, verdict: Verdict) -> str:
    """The same of a check that draws what it needs."""
    imports: dict[str, str] = {}
    pieces: dict[str, str] = {}
    for thing in (Problem, case.check):
        _collect(thing, imports, pieces)
    lines = [
        f"# {verdict.kind}: {' '.join(verdict.why.split())[:300]}",
        "import warnings",
        *sorted(set(imports.values())),
    ]
    lines += ['warnings.simplefilter("error", RuntimeWarning)', "", "", "\n\n".join(pieces.values()), "", ""]
    name = case.check.__name__
    return "\n".join([*lines, f"{name}(Problem({name}, {case.seed}, {case.size}, {case.kind!r}))"])


def _literal(values: Any) -> str:
    if values is None:
        return "None"
    if values.dtype.kind == "M":
        return f"np.array({values.astype(str).tolist()!r}, dtype={values.dtype.str!r})"
    kind = "object" if values.dtype.kind == "O" else values.dtype.str
    return f"np.array({values.tolist()!r}, dtype={kind!r})"


def _classes(value: Any) -> list[type]:
    """The classes of learners that a learner's parameters hold, and its own."""
    if isinstance(value, BaseEstimator):
        return [type(value), *(c for v in value.get_params(deep=False).values() for c in _classes(v))]
    return [c for v in value for c in _classes(v)] if isinstance(value, (list, tuple)) else []


def _collect(thing: Any, imports: dict[str, str], pieces: dict[str, str]) -> None:
    """The source of a function or class of this package with all it names, or the import of anything else."""
    module, name = getattr(thing, "__module__", ""), getattr(thing, "__name__", "")
    if not module.startswith(PACKAGE):
        home = "tenfold" if module.startswith("tenfold.") and hasattr(__import__("tenfold"), name) else module
        imports[name] = f"from {home} import {name}"
        return
    if name in pieces:
        return
    pieces[name] = ""
    space = vars(inspect.getmodule(thing))
    for used in _names(thing):
        value = space.get(used)
        if used in pieces or used in imports or value is None:
            continue
        if isinstance(value, types.ModuleType):
            imports[used] = f"import {value.__name__}" + ("" if value.__name__.split(".")[0] == used else f" as {used}")
            for sub in vars(value).values() if value.__name__ == "sklearn" else ():
                if isinstance(sub, types.ModuleType) and sub.__name__.startswith("sklearn."):
                    imports[sub.__name__] = f"import {sub.__name__}"
        elif inspect.isclass(value) or inspect.isfunction(value):
            _collect(value, imports, pieces)
        elif used.isupper():
            pieces[used] = _constant(used, value, imports, pieces)
    inner = inspect.unwrap(thing) if inspect.isfunction(thing) else thing
    source = inspect.getsource(inner)
    while source.startswith("@") and inspect.isfunction(inner):  # what publishes a check is not part of it
        source = source[source.index("\ndef ") + 1 :]
    del pieces[name]
    pieces[name] = source


def _constant(name: str, value: Any, imports: dict[str, str], pieces: dict[str, str]) -> str:
    if isinstance(value, tuple) and any(inspect.isfunction(v) for v in value):
        for function in value:
            _collect(function, imports, pieces)
        return f"{name} = ({', '.join(f.__name__ for f in value)},)\n"
    return f"{name} = {value!r}\n"


def _names(thing: Any) -> list[str]:
    """Every name that a function or class uses."""
    if inspect.isclass(thing):
        bases = [base.__name__ for base in thing.__bases__]
        values = (getattr(v, "fget", v) for v in vars(thing).values())
        noted = [n for v in values if inspect.isfunction(v) for n in _names(v)]
        return [*(b for b in bases if b != thing.__name__), *noted, "Any", "Callable", "NamedTuple", "tn"]
    thing = inspect.unwrap(thing)
    found, stack = [], [thing.__code__]
    while stack:
        at = stack.pop()
        found += at.co_names
        stack += [c for c in at.co_consts if isinstance(c, types.CodeType)]
    return [*found, "Any", "Callable"]
