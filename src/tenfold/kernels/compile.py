"""Compile all kernels for this numba and this Python: `python -m tenfold.kernels.compile`.

Wheels bring compiled kernels. This makes them where none were brought: for another numba, or while a container image is
built. `--check` says whether compiled kernels are in use, and if not, why.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

UIDS = 1_000_000
"""numba numbers the functions of a process in the names of their symbols: numbers from here on are ours"""


def compile_line(job: tuple[int, str, str]) -> str | None:
    """One line of the list, into a folder; what went wrong, if anything did."""
    from numba.core.bytecode import FunctionIdentity

    from tenfold.kernels.shipped import Kernel, KernelCache
    from tenfold.kernels.signatures import read

    number, line, folder = job
    KernelCache.write_to = Path(folder)
    FunctionIdentity._unique_ids = itertools.count(UIDS + 1000 * number)  # not those of a process that loads them
    name, *given = line.split()
    try:
        import_module(f"tenfold.kernels.{name.partition('.')[0]}")
        Kernel.named[name].compile(tuple(map(read, given)))
    except Exception as error:
        return f"{line}: {type(error).__name__}: {error}"
    return None


def compile_all(level: str, base: Path, jobs: int) -> list[str]:
    """All that is on the list, for a level, into the folder of that level below `base`; what went wrong."""
    from tenfold.kernels.shipped import sources, tag
    from tenfold.kernels.signatures import lines

    base.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=base))  # it gets its name when it is done
    here = Path(__file__).parent
    size = {name: (here / f"{name.partition('.')[0]}.py").stat().st_size for name in lines()}
    todo = [f"{name} {given}" for name in sorted(size, key=lambda n: (-size[n], n)) for given in lines()[name]]
    how = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}
    with _environment(how), multiprocessing.get_context("spawn").Pool(jobs) as pool:  # numba is imported there
        work = ((number, line, str(folder)) for number, line in enumerate(todo))
        wrong = [said for said in pool.imap_unordered(compile_line, work) if said is not None]
    for file in {file.name for file in folder.glob("*.z")} - _files():  # a part of others, which hold it
        (folder / file).unlink()
    (folder / "SOURCES").write_text(sources())
    folder.chmod(0o755)
    shutil.rmtree(base / tag(level), ignore_errors=True)
    folder.rename(base / tag(level))
    return wrong


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _files() -> set[str]:
    """The files of all that is on the list."""
    from tenfold.kernels.shipped import file_name
    from tenfold.kernels.signatures import lines, listed

    return {file_name(name, signature) for name in lines() for signature in listed(name)}


def ready(level: str) -> Path | None:
    """The folder with all kernels of a level as they are now, if it is there."""
    from tenfold.kernels.shipped import base, sources, tag

    folder = base() / tag(level)
    try:
        known = (folder / "SOURCES").read_text() == sources()
    except OSError:
        return None
    return folder if known and _files() <= {file.name for file in folder.iterdir()} else None


def collect(records: Path) -> None:
    """Make the list of signatures of what was recorded: the environment variable TENFOLD_RECORD names the file."""
    from tenfold.kernels.signatures import LIST, joined, line, read

    found: dict[str, set[tuple[object, ...]]] = {}
    for one in set(records.read_text().splitlines()):
        name, *given = one.split()
        found.setdefault(name, set()).add(tuple(map(read, given)))
    text = sorted(line(name, signature) for name, some in found.items() for signature in joined(some))
    LIST.write_text("\n".join(text) + "\n")
    print(f"{len(text)} signatures of {len(found)} kernels in {LIST}")


def check() -> int:
    """Say whether compiled kernels are in use, and why not: 0 if they are, else 1."""
    from tenfold.kernels.shipped import folder, levels_here, why_not

    found = folder()
    if found is not None:
        files = [file.stat().st_size for file in found.glob("*.z")]
        print(f"{len(files)} compiled kernels are in use: {found}, {sum(files) / 1e6:.1f} MB")
        return 0
    for level in levels_here():
        print(f"none for {level}: {why_not(level)}")
    print("kernels are compiled at first use, and kept in numba's cache. Remedy: python -m tenfold.kernels.compile")
    return 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tenfold.kernels.compile", description=__doc__)
    parser.add_argument("--check", action="store_true", help="say whether compiled kernels are in use, and why not")
    parser.add_argument("--level", action="append", help="of the processor, x86-64-v2 say; default: the best here")
    parser.add_argument("--to", type=Path, help="the folder; default: in the package")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that compile")
    parser.add_argument("--collect", type=Path, metavar="RECORDS", help="make the list of signatures of a recording")
    given = parser.parse_args(arguments)
    from tenfold.kernels.shipped import base, levels_here

    if given.check:
        return check()
    if given.collect:
        collect(given.collect)
        return 0
    wrong: list[str] = []
    for level in given.level or levels_here()[:1]:
        there, to = ready(level), given.to or base()
        if there is None:
            began = time.perf_counter()
            wrong += compile_all(level, to, given.jobs)
            print(f"kernels compiled for {level} in {time.perf_counter() - began:.0f} s")
            continue
        print(f"kernels are compiled for {level}")
        if given.to:
            shutil.copytree(there, to / there.name, dirs_exist_ok=True)
    for said in wrong:
        print("not compiled:", said, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
