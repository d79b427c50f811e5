"""The loop, the fixed tree and the runners."""

from tenfold.engine.executor import Executor, TaskSession
from tenfold.engine.local import Local
from tenfold.engine.loop import Member, Watcher, check_sequences, fit, opened, run, schema_of
from tenfold.engine.runner import Runner, Session
from tenfold.engine.running import current, on
from tenfold.engine.snapshot import Fit, Snapshot
from tenfold.engine.tasks import reduce_parts
from tenfold.engine.threads import one_blas_thread
from tenfold.engine.tree import Tree, merge, runs

__all__ = [
    "Executor",
    "Fit",
    "Local",
    "Member",
    "Runner",
    "Session",
    "Snapshot",
    "TaskSession",
    "Tree",
    "Watcher",
    "check_sequences",
    "current",
    "fit",
    "merge",
    "on",
    "one_blas_thread",
    "opened",
    "reduce_parts",
    "run",
    "runs",
    "schema_of",
]
