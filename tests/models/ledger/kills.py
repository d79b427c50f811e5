"""A writer that appends and drops without end, and is killed at any moment."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time

from .ledger_rows import day, ledger_at
from .power_cuts import Cuts


def kill_writers(folder, kills, seconds=0.05):
    """Kill one writer after the other; after each the ledger has the state before its last step, or after it.

    Returns how many were killed within a step.
    """
    there, within = set(), 0
    cuts = Cuts()
    for trial in range(kills):
        read, said = os.pipe()
        process = multiprocessing.get_context("fork").Process(target=_writes, args=(cuts, folder, trial, said))
        process.start()
        os.close(said)
        begun = os.read(read, 1)
        time.sleep(random.Random(trial).random() * seconds)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        with os.fdopen(read, "rb") as pipe:
            lines = (begun + pipe.read()).decode().splitlines()
        pending = None
        for line in lines:
            if line == "done":
                there, pending = _moved(there, pending), None
            else:
                pending = line.split()
        ledger = ledger_at(folder, ("price",))
        found = {*ledger.keys_}
        assert found in ([there] if pending is None else [there, _moved(there, pending)]), (trial, found, there)
        ledger.verify()
        within += pending is not None
        there = found
    return within


def _writes(cuts, folder, seed, said):
    """Append and drop without end, saying what begins and what is done."""
    draw, ledger = random.Random(seed), ledger_at(folder, ("price",))
    while True:
        number = draw.randrange(len(cuts.known))
        step = ("drop" if day(number) in ledger.keys_ else "append", (number,))
        os.write(said, f"{step[0]} {number}\n".encode())
        cuts.run(step, ledger)
        os.write(said, b"done\n")


def _moved(there, step):
    what, number = step
    return there | {day(int(number))} if what == "append" else there - {day(int(number))}
