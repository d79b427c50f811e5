"""A file of a folder appears at once or not at all, to one writer; and no power cut, kill or race changes that."""

from __future__ import annotations

import multiprocessing
import os

import pytest

from tenfold.core import DataError
from tenfold.models.ledger import kept_merges
from tenfold.models.ledger.folder_store import TEMPORARY, FolderStore, LocalFiles

from .kills import kill_writers
from .ledger_rows import day, ledger_at, rows_of
from .power_cuts import Cuts


def test_the_four_verbs(tmp_path):
    store = FolderStore(tmp_path / "new" / "folder")
    assert dict(store.names()) == {}
    assert store.put("a.leaf", b"one")
    assert not store.put("a.leaf", b"two")
    assert store.get("a.leaf") == b"one"
    first = store.names()["a.leaf"]
    assert store.names()["a.leaf"] == first
    store.delete("a.leaf", "b.leaf")
    with pytest.raises(FileNotFoundError):
        store.get("a.leaf")
    assert store.put("a.leaf", b"two")
    assert store.names()["a.leaf"] != first
    assert os.listdir(store.folder) == ["a.leaf"]


def test_another_file_of_a_name_has_another_tag(tmp_path):
    store = FolderStore(tmp_path)
    tags = set()
    for _ in range(100):  # of the same size, as fast as it goes, so that numbers of files come again
        store.put("a", b"x")
        tags.add(store.names()["a"])
        store.delete("a")
    assert len(tags) == 100


def test_deleting_removes_what_dead_writers_left_and_the_living_write_again(tmp_path):
    class Swept(LocalFiles):
        times = 0

        def sync(self, name):
            super().sync(name)
            self.times += 1
            if self.times < 4:
                FolderStore(tmp_path).delete("other")

    (tmp_path / f"{TEMPORARY}dead").write_bytes(b"secret")
    store = FolderStore(tmp_path, Swept(tmp_path))
    assert store.put("a", b"x")
    assert store.files.times == 4
    assert os.listdir(tmp_path) == ["a"]


def test_a_drive_without_hard_links_is_refused(tmp_path):
    class Without(LocalFiles):
        def link(self, name, other):
            raise PermissionError(1, "Operation not permitted")

    with pytest.raises(DataError, match="without hard links.*Remedy"):
        FolderStore(tmp_path, Without(tmp_path)).put("a", b"x")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("seed", range(2))
def test_power_cuts_leave_the_old_state_or_the_new(monkeypatch, seed):
    monkeypatch.setattr(kept_merges, "MIN_LEAVES", 2)
    cuts = Cuts()
    for fuse in range(cuts.calls(seed) + 1):
        cuts.check(seed, fuse)


class NeverFlushed(FolderStore):
    """Files whose bytes are not flushed before they are linked."""

    def __init__(self, folder, files):
        files.sync = lambda name: None
        super().__init__(folder, files)


class NamesNotFlushed(FolderStore):
    """Names that are not flushed before `put` and `delete` return."""

    def __init__(self, folder, files):
        files.sync_folder = lambda: None
        super().__init__(folder, files)


@pytest.mark.parametrize("store", [NeverFlushed, NamesNotFlushed])
def test_power_cuts_find_a_store_that_does_not_flush(monkeypatch, store):
    monkeypatch.setattr(kept_merges, "MIN_LEAVES", 2)
    cuts, found = Cuts(store), 0
    for fuse in range(cuts.calls(0) + 1):
        try:
            cuts.check(0, fuse)
        except (AssertionError, ValueError):
            found += 1
    assert found > 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")
def test_a_writer_that_is_killed_leaves_the_old_state_or_the_new(tmp_path):
    assert kill_writers(tmp_path, 25) > 5
    ledger = ledger_at(tmp_path, ("price",))
    ledger.append(rows_of(50))
    for key in ledger.keys_:
        ledger.drop(key)
    assert os.listdir(tmp_path) == []


def _races(folder, number, start, results):
    ledger = ledger_at(folder, ("price",))
    start.wait()
    won = []
    for key in range(5):
        try:
            if ledger.append(rows_of(number, keyed=False), key=day(key)):
                won.append(key)
        except ValueError:
            pass
    won += ["own"] if ledger.append(rows_of(number, keyed=False), key=f"own {number}") else []
    results.put((number, won))


def test_of_eight_writers_exactly_one_wins_a_key(tmp_path):
    context = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
    start, results = context.Barrier(8), context.Queue()
    processes = [context.Process(target=_races, args=(tmp_path, number, start, results)) for number in range(8)]
    for process in processes:
        process.start()
    found = dict(results.get(timeout=120) for _ in processes)
    for process in processes:
        process.join()
    won = [key for some in found.values() for key in some]
    assert sorted(key for key in won if key != "own") == list(range(5))
    assert won.count("own") == 8
    ledger = ledger_at(tmp_path, ("price",))
    ledger.verify()
    assert len(ledger.keys_) == 13
    for number, some in found.items():  # the leaf of a key is the winner's
        for key in some:
            name = f"own {number}" if key == "own" else day(key)
            found = ledger.model(since=name, until=name)
            wanted = ledger.model(since=f"own {number}", until=f"own {number}")
            assert found.coef_.tobytes() == wanted.coef_.tobytes()
