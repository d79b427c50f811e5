"""Every piece is done once, by whoever comes: alone, with threads that help, and with threads that come too late."""

from threading import Thread

import numpy as np
import pytest
from numba import njit

from tenfold.compiled import work_queue as ds


@njit(nogil=True)
def lead(queue, pieces, rounds, had, by):
    for turn in range(rounds):
        had[:] = 0
        ds.publish(queue)
        k = ds.take(queue, pieces)
        while k >= 0:
            had[k] += turn
            by[0] += 1
            ds.fetch_add(queue, ds.DONE, 1)
            k = ds.take(queue, pieces)
        ds.wait_for_all(queue, pieces)
        for k in range(pieces):
            if had[k] != turn:
                return False
    ds.store(queue, ds.CLOSED, 1)
    return True


@njit(nogil=True)
def help_(queue, pieces, had, by, who):
    rests = 0
    while not ds.load(queue, ds.CLOSED):
        k = ds.take(queue, pieces)
        if k < 0:
            rests = ds.back_off(rests)
            continue
        had[k] += ds.load(queue, ds.NEXT) // ds.MAX_PIECES - 1
        by[who] += 1
        ds.fetch_add(queue, ds.DONE, 1)


@pytest.mark.parametrize("helpers", [0, 1, 3])
def test_every_piece_is_done_once(helpers):
    pieces, rounds = 7, 2000
    queue, had, by = ds.empty_queue(), np.zeros(7, np.int64), np.zeros(4 * 8, np.int64)
    threads = [Thread(target=help_, args=(queue, pieces, had, by, 8 * (1 + i))) for i in range(helpers)]
    for t in threads:
        t.start()
    assert lead(queue, pieces, rounds, had, by)
    for t in threads:
        t.join(10)
        assert not t.is_alive()
    assert by.sum() == pieces * rounds
    late = Thread(target=help_, args=(queue, pieces, had, by, 8))
    late.start()
    late.join(10)
    assert not late.is_alive()
    assert by.sum() == pieces * rounds
