"""The job by tenfold on a cluster of Dask, of which a worker is killed while the four learners are compared."""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
from pathlib import Path

from distributed import Client, LocalCluster

import tenfold as tn
from orders.by_tenfold import run
from orders.steps import Steps

SECONDS_TO_DEATH = 0.5
"""of a worker, from the begin of the comparison on"""


def main() -> None:
    """Do the job on a cluster of this machine, whose workers are processes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=100)
    given = parser.parse_args()

    def kill() -> None:
        first = min(workers.workers)
        while steps.begun[-1:] != ["compare four learners by days"]:
            time.sleep(0.01)
        time.sleep(SECONDS_TO_DEATH)
        os.kill(workers.workers[first].pid, signal.SIGKILL)

    steps = Steps("on Dask")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers, Client(workers) as client:
        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        with tn.on(tn.Dask(client)):
            run(given.folder, given.days, given.rounds, steps)
        assert not killer.is_alive(), "no worker was killed"
    steps.write(given.folder)


if __name__ == "__main__":
    main()
