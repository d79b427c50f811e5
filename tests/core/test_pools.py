"""Pools of threads: shared while they are in use, one is kept, others are closed."""

import threading
import time

import numpy as np

import tenfold as tn
from tenfold.core.driver_threads import driver_threads, run_all
from tenfold.core.pools import Pools
from tenfold.sources import part_rows


def alive(prefix):
    return [thread for thread in threading.enumerate() if thread.name.startswith(prefix)]


def left(prefix, most):
    """How many threads there are once all that end have ended, or at most so many are left."""
    stop = time.monotonic() + 5
    while len(alive(prefix)) > most and time.monotonic() < stop:
        time.sleep(0.005)
    return len(alive(prefix))


def test_only_the_last_pool_is_kept():
    pools = Pools("pool-a")
    for threads in (2, 5, 3, 2, 4):
        with pools.of(threads) as pool:
            barrier = threading.Barrier(threads)
            for future in [pool.submit(barrier.wait, 5) for _ in range(threads)]:
                future.result()
    assert left("pool-a", 4) == 4
    with pools.of(4) as again:
        assert again is pool


def test_a_pool_in_use_stays_while_others_come_and_go():
    pools = Pools("pool-b")
    with pools.of(2) as mine:
        with pools.of(3) as other:
            assert other.submit(int, "3").result() == 3
        with pools.of(2) as same:
            assert same is mine
        with pools.of(5):
            pass
        assert mine.submit(int, "2").result() == 2
    with pools.of(3) as new:
        assert new is not other


def test_fits_on_other_numbers_of_threads_leave_no_threads():
    X = np.random.default_rng(0).normal(size=(400, 2))
    with part_rows(20):
        for threads in (*range(2, 12), 2):
            with tn.on(tn.Local(threads=threads)):
                tn.StandardScaler().fit(X)
            with driver_threads(threads):
                assert run_all([lambda k=k: k for k in range(4)]) == [0, 1, 2, 3]
    assert left("tenfold", 2 + 1) <= 2 + 1
