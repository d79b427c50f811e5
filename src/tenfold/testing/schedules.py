"""Laws of schedules: whatever happens on a cluster, the answer is that of one thread, or an error with the cause."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tenfold.core.axes import bits
from tenfold.engine import Local, fit
from tenfold.engine.executors.executor import MAX_ATTEMPTS
from tenfold.engine.executors.simulated import Hazards, Memo, Simulated, SimulatedExecutor, WorkerLost
from tenfold.sources import Source

MAX_WORKERS = 5


def check_schedules(
    learner: Any,
    source: Source,
    seeds: Iterable[int],
    *,
    hazards: Hazards | None = None,
    memo: Memo | None = None,
    executor: type[SimulatedExecutor] = SimulatedExecutor,
) -> Counter[str]:
    """Fit a learner on simulated clusters, one for each seed.

    Parameters
    ----------
    learner : Learner
    source : Source
        Rows that workers can read: of files, or of at most 32 MiB.
    seeds : iterable of int
        Each draws the number of workers, the schedule, and what happens to workers and tasks.
    hazards : Hazards, optional
        How often what happens.
    memo : Memo, optional
        Outputs of earlier schedules of the same learner and source, so that a task runs once for all of them. Without
        one, every task of every schedule runs, and its inputs and output are pickled.
    executor : type, default=SimulatedExecutor
        The engine: one of your own, to see whether a fault in it is found.

    Returns
    -------
    outcomes : Counter
        How many fits had the model of one thread, how many of them after a round that was computed again, and how many
        ended with which error.

    Raises
    ------
    AssertionError
        The message names the seed and the law: another model, other claims, other counts of rows, another error, a fit
        that waits for ever, an output that is left on the cluster, or workers given up too soon.

    Examples
    --------
    >>> import numpy as np
    >>> import tenfold as tn
    >>> from tenfold.testing import check_schedules
    >>> rows = tn.scan(np.array([[0.0], [1.0], [2.0], [4.0]]), np.array([1.0, 3.0, 5.0, 9.5]))
    >>> check_schedules(tn.Ridge(), rows, range(20))["same"]
    20
    """
    here = fit(learner, source, runner=Local(1), stop=learner.stop()).at
    wanted, found = bits(here.model), Counter[str]()
    for seed in seeds:
        runner = Simulated(seed, 1 + seed % MAX_WORKERS, hazards=hazards, memo=memo)
        runner.executor_type = executor
        outcome = ""
        try:
            there = fit(learner, source, runner=runner, stop=learner.stop()).at
        except WorkerLost:
            outcome = "WorkerLost"
        except OSError:
            outcome = "OSError"
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
        if outcome == "WorkerLost":
            attempts = runner.executors[-1].losses
            assert attempts >= MAX_ATTEMPTS, f"seed {seed}: given up after {attempts} of {MAX_ATTEMPTS} attempts"
        elif not outcome:
            assert bits(there.model) == wanted, f"seed {seed}: another model"
            assert there.certificate == here.certificate, f"seed {seed}: other claims"
            assert (there.rows, there.dropped) == (here.rows, here.dropped), f"seed {seed}: other counts of rows"
            outcome = "same"
            found["computed again"] += runner.repeated > 0
        if runner.handles_left:
            gc.collect()  # an error's traceback may have kept some
        assert not runner.handles_left, f"seed {seed}: {runner.handles_left} outputs are left on the cluster"
        found[outcome] += 1
    return found
