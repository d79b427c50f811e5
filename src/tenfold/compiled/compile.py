"""Compile all kernels for this numba and this Python: `python -m tenfold.compiled.compile`.

Wheels bring compiled kernels. This makes them where none were brought: for another numba, or while a container image is
built. `--check` prints whether compiled kernels are in use, and if not, why. Kernels whose sources did not change are
not compiled again; with `--cache`, a folder outside the checkout, neither are those that another checkout has compiled.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

UIDS = 1_000_000
"""numba numbers the functions of a process in the names of their symbols: numbers from here on are ours"""

PROGRESS_EVERY = 20
"""kernels after which a line says how many are compiled"""


def compile_line(job: tuple[str, str]) -> str | None:
    """Compile one line of the list into a folder; return what went wrong, or None."""
    from numba.core.bytecode import FunctionIdentity

    from tenfold.compiled.shipped import Kernel, KernelCache, digest, module_of
    from tenfold.compiled.signatures import read

    line, folder = job
    name, *given = line.split()
    module = name.partition(".")[0]
    number = int(hashlib.sha256(f"{line} {digest(module)}".encode()).hexdigest()[:12], 16)
    KernelCache.write_to = Path(folder)
    FunctionIdentity._unique_ids = itertools.count(UIDS + 1000 * number)  # not those of a process that loads them
    try:
        import_module(module_of(name))
        Kernel.named[name].compile(tuple(map(read, given)))
    except Exception as error:
        return f"{line}: {type(error).__name__}: {error}"
    return None


def compile_all(level: str, base: Path, jobs: int, cache: Path | None = None) -> tuple[int, list[str]]:
    """Compile all that is on the list, for a level, into the folder of that level below `base`.

    Files of the same sources that this folder or the cache has are taken from there. Returns the number of kernels that
    were compiled, and what went wrong.
    """
    from tenfold.compiled.shipped import tag

    base.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=base))  # it gets its name when it is done
    wanted = _files()
    for known in (base, *([cache] if cache else [])):
        _copy(known / tag(level), folder, wanted)
    todo = [line for file, line in wanted.items() if not (folder / file).exists()]
    how = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}
    wrong: list[str] = []
    if todo:
        with _environment(how), multiprocessing.get_context("spawn").Pool(jobs) as pool:  # numba is imported there
            work = ((line, str(folder)) for line in todo)
            for done, said in enumerate(pool.imap_unordered(compile_line, work), 1):
                wrong += [] if said is None else [said]
                if done % PROGRESS_EVERY == 0 or done == len(todo):
                    print(f"kernels for {level}: {done} of {len(todo)}", flush=True)
    for file in {file.name for file in folder.glob("*.z")} - wanted.keys():  # a part of others, which hold it
        (folder / file).unlink()
    if cache:
        _copy(folder, cache / tag(level), wanted)
    folder.chmod(0o755)
    shutil.rmtree(base / tag(level), ignore_errors=True)
    folder.rename(base / tag(level))
    return len(todo), wrong


def _copy(start: Path, end: Path, names: Iterable[str]) -> None:
    """Copy files of these names that one folder has and the other has not; each is copied whole or not at all."""
    end.mkdir(parents=True, exist_ok=True)
    for name in names:
        if (start / name).is_file() and not (end / name).exists():
            unfinished = end / f"{name}.{os.getpid()}"
            shutil.copyfile(start / name, unfinished)
            unfinished.replace(end / name)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _files() -> dict[str, str]:
    """The file of each line of the list, those of large modules first: they take longest."""
    from tenfold.compiled.shipped import file_name, files
    from tenfold.compiled.signatures import line, lines, listed

    size = {name: files()[name.partition(".")[0]].stat().st_size for name in lines()}
    names = sorted(size, key=lambda name: (-size[name], name))
    return {file_name(name, one): line(name, one) for name in names for one in listed(name)}


def missing(folder: Path) -> list[str]:
    """Lines of the list that a folder has not compiled from the sources as they are now."""
    return [line for file, line in _files().items() if not (folder / file).is_file()]


def collect(records: Path) -> None:
    """Make the list of signatures of what was recorded: the environment variable TENFOLD_RECORD names the file."""
    from tenfold.compiled.signatures import SIGNATURE_FILE, joined, line, read

    found: dict[str, set[tuple[object, ...]]] = {}
    for one in set(records.read_text().splitlines()):
        name, *given = one.split()
        found.setdefault(name, set()).add(tuple(map(read, given)))
    text = sorted(line(name, signature) for name, some in found.items() for signature in joined(some))
    SIGNATURE_FILE.write_text("\n".join(text) + "\n")
    print(f"{len(text)} signatures of {len(found)} kernels in {SIGNATURE_FILE}")


def check() -> int:
    """Print whether compiled kernels are in use, and why not: 0 if all are, else 1."""
    from tenfold.compiled.shipped import folder, levels_here, why_not

    found = folder()
    if found is None:
        for level in levels_here():
            print(f"none for {level}: {why_not(level)}")
    elif lacking := missing(found):
        print(f"{found} lacks {len(lacking)} kernels, or has them of other sources: {lacking[0]}, ...")
    else:
        files = [(found / file).stat().st_size for file in _files()]
        print(f"{len(files)} compiled kernels are in use: {found}, {sum(files) / 1e6:.1f} MB")
        return 0
    print("kernels are compiled at first use, and kept in numba's cache. Remedy: python -m tenfold.compiled.compile")
    return 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tenfold.compiled.compile", description=__doc__)
    parser.add_argument("--check", action="store_true", help="print whether compiled kernels are used; if not, why")
    parser.add_argument("--level", action="append", help="of the processor, x86-64-v2 say; default: the best here")
    parser.add_argument("--to", type=Path, help="the folder; default: in the package")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that compile")
    parser.add_argument("--cache", type=Path, help="a folder of compiled kernels that several checkouts share")
    parser.add_argument("--collect", type=Path, metavar="RECORDS", help="make the list of signatures of a recording")
    given = parser.parse_args(arguments)
    from tenfold.compiled.shipped import base, levels_here, tag

    if given.check:
        return check()
    if given.collect:
        collect(given.collect)
        return 0
    wrong: list[str] = []
    for level in given.level or levels_here()[:1]:
        to, began = given.to or base(), time.perf_counter()
        if given.to:
            _copy(base() / tag(level), to / tag(level), _files())
        if not missing(to / tag(level)):
            if given.cache:
                _copy(to / tag(level), given.cache / tag(level), _files())
            print(f"kernels are compiled for {level}")
            continue
        made, failed = compile_all(level, to, given.jobs, given.cache)
        wrong += failed
        print(f"kernels compiled for {level}: {made} in {time.perf_counter() - began:.0f} s")
    for said in wrong:
        print("not compiled:", said, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
