"""What is held between rounds: kept within a budget, spilled, forgotten."""

import errno
from pathlib import Path

import numpy as np
import pytest

from tenfold.core import Columns
from tenfold.engine.executors.held_store import HeldStore, size
from tenfold.engine.merge_tree import merge, runs


def test_sizes():
    assert size(np.zeros(10)) == 80
    assert size([(np.zeros(10), 1), {"a": np.zeros(2, np.uint8)}]) == 80 + 64 + 2
    assert size(Columns(np.zeros((1000, 4)))) > 32_000


def test_within_the_budget_in_memory_the_rest_in_files():
    store = HeldStore(budget=1000)
    for part in range(5):
        store.put(("held", part), np.full(50, part))
    assert store.used == 800
    assert len(store._files) == 3
    for part in range(5):
        assert (store.get(("held", part)) == part).all()
    folder = store._folder
    store.put(("held", 4), np.full(1, 9.0))  # smaller now: back into memory
    assert store.get(("held", 4)).tolist() == [9.0]
    assert ("held", 4) not in store._files
    store.drop("held")
    assert store.used == 0
    assert store.get(("held", 0)) is None
    store.close()
    assert not folder.exists()


def test_a_full_disk_forgets(monkeypatch):
    store = HeldStore(budget=0)

    def full(self, data):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    store.put(("held", 0), np.ones(3))
    assert store.get(("held", 0)) is None
    store.close()


def test_a_broken_file_is_forgotten():
    store = HeldStore(budget=0)
    store.put(("held", 0), np.ones(3))
    store._files[("held", 0)].write_bytes(b"\x80")
    assert store.get(("held", 0)) is None
    store.close()


class Shape:
    def __init__(self, text):
        self.text = text

    def __add__(self, other):
        return Shape(f"({self.text}{other.text})")


@pytest.mark.parametrize("parts", [*range(1, 40), 64, 100, 127])
@pytest.mark.parametrize("most", [1, 2, 3, 5, 16])
def test_runs_merge_to_the_same_tree(parts, most):
    whole = merge(Shape(f"{i} ") for i in range(parts)).text
    some = runs(range(parts), most)
    assert [i for run in some for i in run] == list(range(parts))
    found = [merge(Shape(f"{i} ") for i in run) for run in some]
    assert merge(found).text == whole
    while len(found) > 1:  # as a cluster merges: eight at a time
        found = [merge(found[at : at + 8]) for at in range(0, len(found), 8)]
    assert found[0].text == whole
