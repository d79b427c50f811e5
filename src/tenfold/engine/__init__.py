"""The loop, the fixed tree and the runners."""

from tenfold.engine.current_runner import current, on
from tenfold.engine.executors.executor import Executor, TaskSession
from tenfold.engine.executors.local import Local
from tenfold.engine.executors.tasks import reduce_parts
from tenfold.engine.executors.threads import one_blas_thread
from tenfold.engine.loop import Member, Watcher, check_sequences, fit, opened, run, schema_of
from tenfold.engine.merge_tree import MergeTree, merge, runs
from tenfold.engine.runner import Runner, Session
from tenfold.engine.snapshot import Fit, Snapshot

__all__ = [
    "Executor",
    "Fit",
    "Local",
    "Member",
    "MergeTree",
    "Runner",
    "Session",
    "Snapshot",
    "TaskSession",
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
