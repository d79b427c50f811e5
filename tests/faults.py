"""Faults on purpose: real worker processes that are killed, stopped, slowed, sent away or joined in mid-fit.

Used by the tests and by `benchmarks/faults.py`. A fault is fired by the scheduler itself when it has seen so many
tasks of a fit end, so it always falls into the middle of it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import dask
from distributed import Client, LocalCluster
from distributed.diagnostics.plugin import SchedulerPlugin

import tenfold as tn
from tenfold.sources import Source

PATIENCE = 120.0
"""seconds until a cluster that does not get well is given up"""


class Cluster:
    """Worker processes of one thread each on this machine, watched by nannies that start dead ones again.

    Parameters
    ----------
    workers : int
    ttl : float, optional
        Seconds without a sign of life after which the scheduler gives a worker up (it takes 5 at least).
    """

    def __init__(self, workers: int = 3, ttl: float | None = None) -> None:
        self.workers = workers
        quiet: dict[str, Any] = {"distributed.admin.tick.limit": "1h"}
        if ttl is not None:
            quiet["distributed.scheduler.worker-ttl"] = f"{ttl}s"
        for name in ["distributed", *(n for n in logging.root.manager.loggerDict if n.startswith("distributed."))]:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # it logs what is done to it here
        os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"  # for the workers
        with dask.config.set(quiet):
            self.cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=":0",
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # its web server wants a port all the same
                silence_logs=logging.CRITICAL,
            )
        self.client = Client(self.cluster, set_as_default=False)
        self.scheduler = self.cluster.scheduler
        self.runner = tn.Dask(self.client)
        self._bursts: list[threading.Thread] = []
        self._stopped: set[int] = set()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self.wake()
        self.client.close()
        self.cluster.close()

    # ---- who is there ------------------------------------------------------------------------------

    def pids(self) -> list[int]:
        """The worker processes, in the order of their names."""
        nannies = sorted(self.cluster.workers.items(), key=lambda item: str(item[0]))
        return [nanny.pid for _, nanny in nannies if nanny.pid]

    def ready(self, workers: int | None = None) -> Cluster:
        """Wait until so many workers (as there were, by default) are there and answer."""
        self.wake()
        self.workers = self.workers if workers is None else workers
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for name, nanny in list(self.cluster.workers.items()):
                if nanny.status.name == "closed":  # sent away: make room for others
                    self.cluster.workers.pop(name, None)
                    self.cluster.worker_spec.pop(name, None)
            if len(self.cluster.worker_spec) != self.workers or len(self.cluster.workers) != self.workers:
                self.cluster.scale(self.workers)
            there = {ws.pid for ws in self.scheduler.workers.values()}
            if len(there) == self.workers and there == set(self.pids()):
                with suppress(OSError, TimeoutError):
                    if {*self.client.run(os.getpid, on_error="ignore").values()} == there:
                        return self
            time.sleep(0.05)
        raise TimeoutError(f"{len(self.scheduler.workers)} of {self.workers} workers after {PATIENCE:.0f} s")

    # ---- faults ------------------------------------------------------------------------------------

    def kill(self, *which: int) -> None:
        """SIGKILL."""
        pids = self.pids()
        for i in which or (0,):
            os.kill(pids[i], signal.SIGKILL)

    def stop(self, which: int = 0) -> None:
        """SIGSTOP: the process is there and says nothing, until the scheduler gives it up or `wake`."""
        pid = self.pids()[which]
        self._stopped.add(pid)
        os.kill(pid, signal.SIGSTOP)

    def wake(self) -> None:
        """Let stopped workers go on, and end all bursts."""
        for thread in self._bursts:
            thread.join()
        self._bursts.clear()
        for pid in self._stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        self._stopped.clear()

    def slow(self, which: int = 0, seconds: float = 2.0) -> None:
        """A worker that runs a quarter of the time, for a while."""
        pid = self.pids()[which]

        def burst() -> None:
            end = time.monotonic() + seconds
            with suppress(ProcessLookupError):
                while time.monotonic() < end:
                    os.kill(pid, signal.SIGSTOP)
                    time.sleep(0.15)
                    os.kill(pid, signal.SIGCONT)
                    time.sleep(0.05)

        self._bursts.append(threading.Thread(target=burst, daemon=True))
        self._bursts[-1].start()

    def retire(self, which: int = 0) -> None:
        """A worker leaves in peace: what it holds goes to the others first."""
        pid = self.pids()[which]
        names = [ws.address for ws in self.scheduler.workers.values() if ws.pid == pid]
        self._soon(self.scheduler.retire_workers(names, close_workers=True, remove=True))

    def join(self, more: int = 1) -> None:
        """Others join."""
        self.cluster.scale(len(self.cluster.workers) + more)

    def _soon(self, what: Any) -> None:
        """Run a coroutine in the scheduler's loop, from any thread."""
        asyncio.run_coroutine_threadsafe(what, self.scheduler.loop.asyncio_loop)

    # ---- in mid-fit --------------------------------------------------------------------------------

    def watched(self) -> Any:
        """See what happens in this block, and do nothing."""
        return self.after(sys.maxsize, None)

    @contextmanager
    def after(self, tasks: int, fault: Any, prefix: str = "") -> Any:
        """In this block, call `fault()` once, when so many tasks (whose key has the prefix) have ended.

        Yields what happened: `fired`; workers `lost` and `joined`; tasks `ended`, and the `most` the scheduler knew.
        """
        seen = Seen(self.scheduler, tasks, fault, prefix)
        name = f"seen-{id(seen)}"
        self.scheduler.add_plugin(seen, name=name)
        try:
            yield seen
        finally:
            self.scheduler.remove_plugin(name=name)


class Seen(SchedulerPlugin):
    """Counts tasks as they end, in the scheduler's own loop, and fires a fault at one of them."""

    def __init__(self, scheduler: Any, tasks: int, fault: Any, prefix: str) -> None:
        self.scheduler, self.tasks, self.fault, self.prefix = scheduler, tasks, fault, prefix
        self.ended = self.lost = self.joined = self.most = 0
        self.fired = False

    def transition(self, key: Any, start: str, finish: str, *args: Any, **more: Any) -> None:
        """A task goes from one state to another."""
        key = str(key)
        self.most = max(self.most, len(self.scheduler.tasks))
        if finish != "memory" or key.startswith(("job-", "source-")) or not key.startswith(self.prefix):
            return
        self.ended += 1
        if self.ended >= self.tasks and not self.fired:
            self.fired = True
            self.fault()

    def add_worker(self, scheduler: Any, worker: str) -> None:
        """Somebody came."""
        self.joined += 1

    def remove_worker(self, scheduler: Any, worker: str, **more: Any) -> None:
        """Somebody went."""
        self.lost += 1


# ---- sources --------------------------------------------------------------------------------------


class Around(Source):
    """A source that passes everything on to another. Workers can import it."""

    def __init__(self, base: Source) -> None:
        super().__init__()
        self.base = base
        self.names, self.named = base.names, base.named

    def __len__(self) -> int:
        return len(self.base)

    def check_columns(self, schema):
        self.base.check_columns(schema)

    def read(self, part, need, schema):
        self.reads(part)
        yield from self.base.chunks(part, need, schema)

    def once(self, part, needs, columns=()):
        return self.base.once(part, needs, columns)

    def schema_of(self, part, need):
        return self.base.schema_of(part, need)

    def scans_for(self, need):
        return self.base.scans_for(need)

    def fingerprint(self):
        return self.base.fingerprint()

    def reads(self, part: int) -> None:
        """A part is about to be read."""


class Slow(Around):
    """Every part takes a while, so that a fit is long enough to go wrong in the middle; each read is a line in a log.

    Parameters
    ----------
    base : Source
    seconds : float
        For each part.
    log : path, optional
    """

    def __init__(self, base: Source, seconds: float = 0.0, log: Any = None) -> None:
        super().__init__(base)
        self.seconds, self.log = seconds, None if log is None else str(log)

    def reads(self, part: int) -> None:
        if self.log is not None:
            with open(self.log, "a") as log:  # short lines, appended: whole, whoever else writes
                log.write(f"{part}\n")
        time.sleep(self.seconds)


class Shaky(Around):
    """Some parts cannot be read the first time: once over all processes, which is known from files.

    Parameters
    ----------
    base : Source
    folder : path
        Where it is noted which parts have failed.
    parts : set of int
    """

    def __init__(self, base: Source, folder: Any, parts: set[int], seconds: float = 0.0) -> None:
        super().__init__(base)
        self.folder, self.parts, self.seconds = str(folder), set(parts), seconds

    def reads(self, part: int) -> None:
        time.sleep(self.seconds)
        if part not in self.parts:
            return
        try:
            os.close(os.open(Path(self.folder) / f"failed-{part}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        raise OSError(f"part {part} cannot be read just now")


# ---- drivers --------------------------------------------------------------------------------------


class Driver:
    """A program in a process group of its own, which can be killed or interrupted.

    Parameters
    ----------
    program : str
        Python; `faults` can be imported.
    arguments : list of str
    """

    def __init__(self, program: str, *arguments: Any) -> None:
        here = str(Path(__file__).parent)
        path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def until(self, ready: Any, seconds: float = PATIENCE) -> Driver:
        """Wait until something is so, while the program runs."""
        end = time.monotonic() + seconds
        while not ready():
            if self.process.poll() is not None:
                raise RuntimeError(f"it ended too early: {self.process.communicate()}")
            if time.monotonic() > end:
                self.signal(signal.SIGKILL)
                raise TimeoutError(f"nothing happened: {self.process.communicate()}")
            time.sleep(0.005)
        return self

    def signal(self, number: int) -> None:
        """To the program and all it started, as a terminal does."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def end(self, seconds: float = PATIENCE) -> tuple[int, str, str]:
        """Its code, and what it said."""
        try:
            out, err = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            raise TimeoutError(f"it hangs: {self.process.communicate()}") from None
        return self.process.returncode, out, err


def lines(path: Any) -> int:
    """How many lines a log has."""
    try:
        return Path(path).read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def wait_for(so: Any, seconds: float = PATIENCE) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not so():
        if time.monotonic() > end:
            raise TimeoutError(f"it is not so after {seconds:.0f} s")
        time.sleep(0.01)
