"""Limits that a container puts on memory and processors: control groups of Linux, of both versions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple


class Limits(NamedTuple):
    """What a process may use; None where there is no limit."""

    memory: int | None = None
    """bytes"""
    processors: int | None = None


@lru_cache(maxsize=8)
def limits(root: str = "/") -> Limits:
    """The limits of this process's control groups and of all above them.

    Parameters
    ----------
    root : str
        The folder that has `proc` and `sys`.
    """
    memory: list[int] = []
    processors: list[int] = []
    for controllers, folder in _groups(Path(root)):
        if controllers is None or "memory" in controllers:
            names = ("memory.max", "memory.high") if controllers is None else ("memory.limit_in_bytes",)
            memory += [int(word) for name in names for word in _words(folder / name) if word.isdigit() and word != "0"]
        if controllers is None or "cpu" in controllers:
            processors += _quota(folder, new=controllers is None)
        if controllers is None or "cpuset" in controllers:
            processors += _set(folder, new=controllers is None)
    return Limits(min(memory, default=None), min(processors, default=None))


def _groups(root: Path) -> Iterator[tuple[set[str] | None, Path]]:
    """Folders of the control groups that hold for this process, with their controllers; None: all of version 2."""
    mine: dict[str | None, str] = {}
    for line in _lines(root / "proc/self/cgroup"):
        number, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if names or number == "0":
            mine.update((name or None, path) for name in names.split(","))
    for line in _lines(root / "proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) < 5 or len(right) < 3 or right[0] not in ("cgroup", "cgroup2"):
            continue
        controllers = None if right[0] == "cgroup2" else set(right[2].split(","))
        known: list[str | None] = [None] if controllers is None else [*sorted(controllers)]
        found = [mine[name] for name in known if name in mine]
        if not found:
            continue
        path = found[0]
        mounted, place = _unescaped(left[3]), root / _unescaped(left[4]).lstrip("/")
        # seen from within a container, its own group may be what is mounted
        below = path[len(mounted.rstrip("/")) :] if f"{path}/".startswith(f"{mounted.rstrip('/')}/") else ""
        parts = [part for part in below.split("/") if part not in ("", "..")]
        for k in range(len(parts), -1, -1):
            yield controllers, place.joinpath(*parts[:k])


def _quota(folder: Path, *, new: bool) -> list[int]:
    """How many processors a share of their time amounts to, rounded up."""
    if new:
        words = _words(folder / "cpu.max")
    else:
        words = [*_words(folder / "cpu.cfs_quota_us"), *_words(folder / "cpu.cfs_period_us")]
    if len(words) != 2 or not all(word.isdigit() and int(word) for word in words):
        return []
    return [math.ceil(int(words[0]) / int(words[1]))]


def _set(folder: Path, *, new: bool) -> list[int]:
    """How many processors a list such as `0-3,8` names."""
    names = ("cpuset.cpus.effective", "cpuset.cpus") if new else ("cpuset.effective_cpus", "cpuset.cpus")
    for name in names:
        if said := re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", "".join(_words(folder / name))):
            ends = [[int(n) for n in one.split("-")] for one in said[0].split(",")]
            return [sum(end[-1] - end[0] + 1 for end in ends)]
    return []


def _words(path: Path) -> list[str]:
    return [word for line in _lines(path) for word in line.split()]


def _lines(path: Path) -> list[str]:
    """Return the lines of a system file, or none if it does not exist or cannot be read."""
    try:
        return path.read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def _unescaped(path: str) -> str:
    """A path of `mountinfo`, where a blank is written \\\\040."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), path)
