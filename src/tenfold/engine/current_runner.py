"""Which runner is in force: `with tn.on(runner):`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from tenfold.core.errors import warn_user
from tenfold.engine import progress
from tenfold.engine.executors.local import Local
from tenfold.engine.runner import Runner

IMPORTED_SCRIPT = "__mp_main__"
"""the name under which a new process of Python's imports the script of its parent"""

_current: ContextVar[Runner | None] = ContextVar("runner", default=None)


@contextmanager
def on(runner: Runner, *, verbose: bool | None = None) -> Iterator[Runner]:
    """Run every fit and predict in this block on a runner.

    Parameters
    ----------
    runner : Local or Dask
        What computes: `Local()`, or `Dask(client)` for a cluster.
    verbose : bool, optional
        Whether to show a progress bar for what takes longer than two seconds. By default on a terminal and in a
        notebook.

    Examples
    --------
    >>> import tenfold as tn
    >>> with tn.on(tn.Local(threads=1)):
    ...     model = tn.LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.coef_.round(6)
    array([2.])
    """
    if not isinstance(runner, Runner):
        raise TypeError(
            f"tenfold.on takes a runner, not {runner!r}. Remedy: tenfold.on(tenfold.Local(threads=2)) for this "
            "machine, tenfold.on(tenfold.Dask(client)) for a cluster, where client is a distributed.Client"
        )
    _warn_of_import()
    token = _current.set(runner)
    try:
        with progress.verbose(progress.wish() if verbose is None else verbose):
            yield runner
    finally:
        _current.reset(token)


def current() -> Runner:
    """The runner in force: the innermost `on`, or all processors of this process."""
    return _current.get() or _local()


@cache
def _local() -> Local:
    """The runner on all processors of this process, which are counted once: a small fit would feel it."""
    _warn_of_import()
    return Local()


@cache
def _warn_of_import() -> None:
    """Warn a script that does its work while a new worker process imports it: the work is done once by each of them."""
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == IMPORTED_SCRIPT:
            warn_user(
                "a new worker process imports this script, and runs all of it once more. Remedy: put what the script "
                "does below if __name__ == '__main__':"
            )
            return
        frame = frame.f_back
