"""Errors of ours: each names the place and the remedy."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import sklearn

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
_SCIKIT_LEARN = Path(sklearn.__file__).parent
_WITHIN = tuple(f"{at}{os.sep}" for at in (Path(__file__).parents[1], _SCIKIT_LEARN, _SCIKIT_LEARN.with_name("joblib")))
"""folders of code that is not the user's own"""


class DataError(ValueError):
    """Error of unusable data; the message names the column and the remedy."""


class SparseDataError(DataError, TypeError):
    """Error of sparse rows for a learner of dense ones; scikit-learn raises a TypeError."""


class ColumnError(DataError):
    """One column cannot be used. A summary knows only its number among the features, the target last."""

    def __init__(self, number: int, says: str, name: str = "") -> None:
        super().__init__(number, says, name)
        self.number, self.says, self.name = number, says, name

    def named(self, features: Sequence[str]) -> ColumnError:
        """Return the error with the name of the column, if it is in `names`; the name after the last is the target."""
        names = [*(f"column {name!r}" for name in features), "the target"]
        return ColumnError(self.number, self.says, names[self.number]) if self.number < len(names) else self

    def __str__(self) -> str:
        return f"{self.name or f'column number {self.number}'} {self.says}"


@dataclass(frozen=True)
class Remedy:
    """Remedy of an error: a call that can be run, and a remark on it.

    Parameters
    ----------
    call : str or None
        An expression of `tn` (tenfold), `np`, `pd`, `sklearn` and the rows `X`, `y` of the fit, or None.
    remark : str, default=""
        A remark in words, if any.

    Examples
    --------
    >>> import tenfold as tn
    >>> try:
    ...     tn.MaxAbsScaler(clip=True).fit([[1.0], [2.0]])
    ... except tn.ParameterError as error:
    ...     print(error.remedy.call)
    tn.MinMaxScaler(clip=True)
    """

    call: str | None
    remark: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.call, self.remark)))


class ParameterError(ValueError):
    """A learner does not take a value of a parameter; the attribute `remedy` has the call to write instead."""

    def __init__(self, problem: str, remedy: Remedy) -> None:
        super().__init__(problem, remedy)
        self.problem, self.remedy = problem, remedy

    def __str__(self) -> str:
        return f"{self.problem}. Remedy: {self.remedy}"


@contextmanager
def naming(who: str) -> Iterator[None]:
    """Begin errors of data and parameters with a name, such as that of the learner among several that raised them."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if not who or str(error).startswith(f"{who}: "):
            raise
        if isinstance(error, DataError):
            kind = SparseDataError if isinstance(error, SparseDataError) else DataError
            raise kind(f"{who}: {error}") from error.__cause__
        if isinstance(error, ParameterError):
            raise ParameterError(f"{who}: {error.problem}", error.remedy) from error.__cause__
        if len(error.args) != 1:
            raise
        raise type(error)(f"{who}: {error}").with_traceback(error.__traceback__) from error.__cause__


def enumerated(values: Iterable[object], most: int = 5) -> str:
    """Return the first of the values, and how many there are in all if there are more."""
    each = list(map(str, values))
    return ", ".join(each) if len(each) <= most + 1 else f"{', '.join(each[:most])}, ... ({len(each):,} in all)"


def short_repr(value: object, most: int = 80) -> str:
    """Return the representation of a value in one line, cut if it is long, so that what is said of it is read."""
    text = " ".join(repr(value).split())
    return text if len(text) <= most else f"{text[: most - 4].rstrip()} ..."


class MergeError(ValueError):
    """Two models or summaries do not add up; the message lists the difference."""


class ModelFileError(ValueError):
    """A model file is damaged, forged, or of a version this tenfold does not read."""


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the line of the user's own call: the first frame outside of tenfold and scikit-learn."""
    frame, level = inspect.currentframe(), 2
    while (frame := frame and frame.f_back) and frame.f_code.co_filename.startswith(_WITHIN):
        level += 1
    warnings.warn(text, category, stacklevel=level)


class _Edge:
    """Where errors leave the library: those that name a remedy lose the frames they have gathered within."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # On the way out the interpreter goes on with what is left here, and adds the frames of the callers alone.
        if isinstance(error, (DataError, ParameterError, MergeError, ModelFileError)):
            if os.environ.get("TENFOLD_TRACEBACK") == "full":
                return
            seen: set[int] = set()
            while error is not None and id(error) not in seen:
                seen.add(id(error))
                error.__traceback__ = None
                error = error.__cause__ or error.__context__


EDGE = _Edge()


def from_here(function: FunctionT) -> FunctionT:
    """Show users an error of the library as one of their own call: the last frame is the call of this function.

    The environment variable TENFOLD_TRACEBACK=full shows all frames.
    """

    @wraps(function)
    def edge(*args: Any, **kwargs: Any) -> Any:
        with EDGE:
            return function(*args, **kwargs)

    return cast(FunctionT, edge)
