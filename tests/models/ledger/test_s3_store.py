"""A ledger in a store that speaks as S3 does, which now and then fails a request or answers one twice."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import tenfold as tn
from servers import KEYS, Failing, bucket_server, environment, failing
from tenfold.core import DataError
from tenfold.models.ledger import kept_merges
from tenfold.models.ledger.s3_store import S3Store

from .ledger_rows import day, filled, ledger_at, rows_of


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bucket")
    (folder / "other").write_bytes(b"x")
    with bucket_server(folder, "shop") as address, environment(**KEYS, AWS_ENDPOINT_URL=address):
        yield address


def options(address):
    return {"client_kwargs": {"endpoint_url": address}, "skip_instance_cache": True}


def test_the_four_verbs(server):
    store = S3Store("s3://shop/verbs", options(server))
    assert store.names() == {}
    assert store.put("a.leaf", b"one")
    assert not store.put("a.leaf", b"two")
    assert store.put("a.leaf", b"one")  # an answer was lost, and it is asked again
    assert store.get("a.leaf") == b"one"
    tag = store.names()["a.leaf"]
    assert store.names() == {"a.leaf": tag}
    store.delete("a.leaf", "b.leaf")
    with pytest.raises(FileNotFoundError):
        store.get("a.leaf")
    assert store.put("a.leaf", b"two")
    assert store.names()["a.leaf"] != tag


def test_a_ledger_in_a_store_is_that_in_a_folder(server, tmp_path, monkeypatch):
    monkeypatch.setattr(kept_merges, "MIN_LEAVES", 3)
    there, here = filled("s3://shop/ledger", range(6)), filled(tmp_path, range(6))
    assert there.append(rows_of(2)) == []
    assert there.digest_ == here.digest_
    for name in ("price", "sold"):
        assert there.model(name).certificate_.to_dict() == here.model(name).certificate_.to_dict()
        assert ledger_at("s3://shop/ledger").model(name).model_[0].tobytes() == here.model(name).model_[0].tobytes()
    assert any(name.endswith(".node") for name in there.store.names())
    there.drop(day(1)).check()
    assert there.digest_ == filled(tmp_path / "never", [0, 2, 3, 4, 5]).digest_
    assert there.verify()["leaves"].value == 5


def test_exactly_one_of_eight_writers_wins_a_key(server):
    start = threading.Barrier(8)

    def write(number):
        store = S3Store("s3://shop/race", options(server))
        start.wait()
        return [store.put(f"{key}.leaf", f"{number}".encode()) for key in range(4)]

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(write, range(8)))
    assert [sum(some) for some in zip(*won, strict=True)] == [1] * 4
    store = S3Store("s3://shop/race", options(server))
    for key in range(4):
        assert won[int(store.get(f"{key}.leaf"))][key]


class Twice(Failing):
    """Hands every request on; of each tenth the answer is lost, so that it is sent again."""

    def _hand_on(self):
        with self.counts["lock"]:
            puts = self.counts["puts"] = self.counts.get("puts", 0) + (self.command == "PUT")
            lost = self.command == "PUT" and puts % self.every == 0
            self.counts["failed"] += lost
        if not lost:
            self._answered()
            return
        real, self.wfile = self.wfile, open("/dev/null", "wb")  # noqa: SIM115
        try:
            self._answered()
        finally:
            self.wfile.close()
            self.wfile = real
        self.close_connection = True
        self.connection.close()

    def _answered(self):
        every, self.every = self.every, 10**9
        try:
            Failing._hand_on(self)
        finally:
            self.every = every

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _hand_on


@pytest.mark.parametrize("how", ["failing", "twice"])
def test_requests_that_fail_or_are_answered_twice_change_nothing(server, tmp_path, how, monkeypatch):
    import servers

    if how == "twice":
        monkeypatch.setattr(servers, "Failing", Twice)
    else:
        monkeypatch.setattr(Failing, "do_DELETE", Failing._hand_on, raising=False)
    with failing(server, every=4 if how == "twice" else 10) as (address, counts):
        store = S3Store(f"s3://shop/{how}", options(address))
        ledger = ledger_at(store, ("price",))
        for number in range(14):
            assert ledger.append(rows_of(number)) == [day(number)]
        assert counts["failed"] > 0
        ledger.drop(day(3))
        ledger.verify()
    wanted = filled(tmp_path, [0, 1, 2, *range(4, 14)], ("price",))
    assert ledger_at(f"s3://shop/{how}", ("price",)).digest_ == wanted.digest_


def test_places_that_are_none_are_refused_with_what_helps(server, tmp_path):
    with pytest.raises(ValueError, match="'s3://bucket/folder'"):
        tn.Ledger("s3://shop", tn.Ridge())
    with pytest.raises(DataError, match=r"known of folders and of s3:// alone. Remedy"):
        tn.Ledger("gs://shop/ledger", tn.Ridge())
    with pytest.raises(DataError, match="a folder of this machine"):
        tn.Ledger(tmp_path, tn.Ridge(), storage_options={"key": "a"})
    with pytest.raises(DataError, match=r"s3://nobody/x: .*Remedy: create the bucket 'nobody'"):
        ledger_at("s3://nobody/x", ("price",)).append(rows_of(1))


def test_without_the_package_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['s3fs'] = None; import tenfold as tn\n"
        "try: tn.Ledger('s3://shop/x', tn.Ridge()).keys_\n"
        "except tn.DataError as error: print(error)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'tenfold[remote]'" in found.stdout
