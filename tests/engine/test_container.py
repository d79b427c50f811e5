"""Limits of containers, from trees of files as Linux has them."""

import os

import pytest

import tenfold as tn
from tenfold.engine.executors import container_limits, threads
from tenfold.engine.executors.container_limits import Limits, limits

GIB = 1 << 30
V2 = "29 23 0:26 {root} /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
V1 = "3{k} 23 0:3{k} {root} /sys/fs/cgroup/{name} rw,nosuid shared:9 - cgroup cgroup rw,{name}"


def tree(root, mine, mounts, files):
    """The files of a system: groups of the process, what is mounted, and what limits say."""
    for name, text in {"proc/self/cgroup": mine, "proc/self/mountinfo": "\n".join(mounts), **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return limits(str(root))


def v1(root="/"):
    mounts = enumerate(["memory", "cpu,cpuacct", "cpuset"])
    return [V1.format(k=k, root=root, name=name) for k, name in mounts]


def test_a_container_of_version_2_with_a_namespace_of_its_own(tmp_path):
    files = {"memory.max": f"{4 * GIB}", "cpu.max": "250000 100000", "cpuset.cpus.effective": "0-7,16"}
    files = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    assert tree(tmp_path, "0::/", [V2.format(root="/")], files) == Limits(4 * GIB, 3)


def test_the_least_limit_of_a_group_and_those_above_holds(tmp_path):
    there = "sys/fs/cgroup/jobs.slice"
    files = {
        f"{there}/memory.max": f"{2 * GIB}",
        f"{there}/cpu.max": "max 100000",
        f"{there}/job 1/memory.max": "max",
        f"{there}/job 1/memory.high": f"{3 * GIB}",
        f"{there}/job 1/cpu.max": "50000 100000",
        f"{there}/job 1/cpuset.cpus.effective": "2,4-6",
    }
    assert tree(tmp_path, "0::/jobs.slice/job 1", [V2.format(root="/")], files) == Limits(2 * GIB, 1)


def test_a_container_of_version_1_whose_group_is_mounted(tmp_path):
    mine = "5:memory:/docker/ab\n4:cpu,cpuacct:/docker/ab\n3:cpuset:/docker/ab\n1:name=systemd:/docker/ab\n0::/"
    files = {
        "memory/memory.limit_in_bytes": f"{GIB}",
        "cpu,cpuacct/cpu.cfs_quota_us": "150000",
        "cpu,cpuacct/cpu.cfs_period_us": "100000",
        "cpuset/cpuset.cpus": "0-3",
    }
    files = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    assert tree(tmp_path, mine, v1("/docker/ab"), files) == Limits(GIB, 2)


def test_version_1_without_limits(tmp_path):
    mine = "5:memory:/user\n4:cpu,cpuacct:/user\n3:cpuset:/user"
    files = {
        "memory/user/memory.limit_in_bytes": "9223372036854771712",
        "cpu,cpuacct/user/cpu.cfs_quota_us": "-1",
        "cpu,cpuacct/user/cpu.cfs_period_us": "100000",
        "cpuset/cpuset.cpus": "",
    }
    files = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    assert tree(tmp_path, mine, v1(), files) == Limits(9223372036854771712, None)


@pytest.mark.parametrize("mine", ["", "0::/gone", "nonsense", "0::/../.."])
def test_files_that_are_not_there_or_make_no_sense_are_no_limit(mine, tmp_path):
    files = {"sys/fs/cgroup/cpu.max": "a b", "sys/fs/cgroup/memory.max": "-5", "sys/fs/cgroup/cpuset.cpus": "x-y"}
    assert tree(tmp_path, mine, [V2.format(root="/"), "half a line"], files) == Limits()
    assert limits(str(tmp_path / "nowhere")) == Limits()


def test_runners_keep_to_the_limits(monkeypatch):
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for found, memory, processors in (
        (Limits(GIB // 4, 1), GIB // 4, 1),
        (Limits(GIB // 16, 1), GIB // 16, 1),
        (Limits(2**62, 10**6), machine, len(os.sched_getaffinity(0))),
        (Limits(), machine, len(os.sched_getaffinity(0))),
    ):
        monkeypatch.setattr(threads, "limits", lambda found=found: found)
        assert (threads.memory_of_this_machine(), threads.processors()) == (memory, processors)
        assert (tn.Local().memory, tn.Local().threads) == (memory // 4, processors)


def test_a_container_of_many_processors_works_on_as_many_parts_as_its_memory_holds(monkeypatch):
    monkeypatch.setattr(threads, "limits", lambda: Limits(GIB, 64))
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(64))
    assert (threads.processors(), tn.Local().threads) == (64, 4)
    assert tn.Local(threads=9).threads == 9


def test_limits_here_can_be_read():
    container_limits.limits.cache_clear()
    found = container_limits.limits()
    assert found.memory is None or found.memory > 0
    assert found.processors is None or found.processors > 0
