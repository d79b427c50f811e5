"""Fits during which their files change: `python benchmarks/chaos_files.py --fits 1000 --seed 0 --processes 2`.

A case is a drawn learner over drawn files (Parquet, CSV, Feather; one or several, plain or compressed, with more or
fewer row groups), scanned and fitted in a process of its own, on threads or on a Dask cluster of two processes. At a
drawn moment of it another process rewrites a file in place, cuts it off, deletes it, renames another over it, takes it
away and brings it back, or appends to it. The fit must end with the model of the old files or of the new ones, bit for
bit as a fit of a copy gives it, or with a `DataError` that names the file. A crash, a hang, any other model and any
other error are violations: each is printed with its number, and the command exits with 1.

A case depends on the seed and its number alone, but for the time: `--first NUMBER --fits 1` draws it again. A reader
cannot know that a file is half written if its writer pauses for as long as the fit takes; such cases, and those whose
fit was over before the change, are counted apart.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq

import tenfold as tn
from tenfold.testing import bits

PATIENCE = 600.0
"""seconds after which a fit hangs"""
NUMBERS = [f"x{j}" for j in range(6)]
GROUP = 2_000
"""rows of the smallest row group; files of the same footer have other rows in each"""

# ---- files ---------------------------------------------------------------------------------------


class Files(NamedTuple):
    """How the rows of a case are written."""

    ending: str
    files: int
    rows: int
    """of each file"""
    groups: int
    """rows of a row group"""
    compression: str


STOCK = (
    Files("parquet", 1, 60_000, GROUP, "none"),
    Files("parquet", 1, 60_000, 20_000, "zstd"),
    Files("parquet", 3, 24_000, GROUP, "none"),
    Files("parquet", 4, 16_000, 2 * GROUP, "snappy"),
    Files("csv", 1, 24_000, GROUP, "none"),
    Files("csv.gz", 2, 12_000, GROUP, "none"),
    Files("feather", 1, 60_000, GROUP, "none"),
    Files("arrow", 2, 30_000, GROUP, "lz4"),
)


def table(rows: int, seed: int) -> pa.Table:
    """Numbers, a category as text, a class and a number to predict."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, len(NUMBERS)))
    columns: dict[str, Any] = dict(zip(NUMBERS, X.T, strict=True))
    columns["shop"] = np.array(["bern", "oslo", "rome"])[random.integers(0, 3, rows)]
    columns["label"] = (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=rows) > 0).astype(np.int64)
    columns["y"] = X @ np.arange(1.0, 7.0) + random.normal(size=rows)
    return pa.table(columns)


def shuffled(rows: pa.Table, groups: int) -> pa.Table:
    """The same rows in another order in each row group: a Parquet file of them has the same size and footer."""
    places = np.arange(len(rows))
    for start in range(0, len(rows), groups):
        places[start : start + groups] = places[start : start + groups][::-1]
    return rows.take(places)


def write(path: Path, rows: pa.Table, how: Files) -> None:
    """Write rows in the format of a case."""
    if how.ending == "parquet":
        plain = how.compression == "none"
        options = {"row_group_size": how.groups, "compression": how.compression, "use_dictionary": not plain}
        pq.write_table(rows, path, **options)
    elif how.ending.startswith("csv"):
        with pa.output_stream(path, compression="gzip" if how.ending.endswith("gz") else None) as sink:
            pyarrow.csv.write_csv(rows, sink)
    else:
        compression = "lz4" if how.compression == "lz4" else "uncompressed"
        pyarrow.feather.write_feather(rows, path, compression=compression, chunksize=how.groups)


VERSIONS = ("old", "shuffled", "other", "more")
"""what a file may hold: shuffled has the size and the footer of the old, other its number of rows, more has more"""


def write_stock(folder: Path, how: Files, seed: int) -> None:
    """Write every version of every file of a case."""
    for k in range(how.files):
        old = table(how.rows, 1_000 * seed + k)
        each = {
            "old": old,
            "shuffled": shuffled(old, how.groups),
            "other": table(how.rows, 1_000 * seed + 100 + k),
            "more": table(how.rows * 3 // 2, 1_000 * seed + 200 + k),
        }
        for version, rows in each.items():
            (folder / version).mkdir(parents=True, exist_ok=True)
            write(folder / version / f"f{k}.{how.ending}", rows, how)


# ---- learners ------------------------------------------------------------------------------------


def _scaled() -> Any:
    return tn.make_pipeline(tn.StandardScaler(), tn.LogisticRegression(max_iter=20))


def _encoded() -> Any:
    columns = [("number", tn.StandardScaler(), NUMBERS), ("shop", tn.OneHotEncoder(), ["shop"])]
    return tn.make_pipeline(tn.ColumnTransformer(columns), tn.Ridge())


LEARNERS: dict[str, tuple[str | None, Callable[[], Any]]] = {
    "Ridge": ("y", tn.Ridge),
    "LogisticRegression": ("label", lambda: tn.LogisticRegression(max_iter=20)),
    "DecisionTreeClassifier": ("label", lambda: tn.DecisionTreeClassifier(max_depth=4)),
    "RandomForestClassifier": ("label", lambda: tn.RandomForestClassifier(n_estimators=4, max_depth=4, random_state=0)),
    "HistGradientBoostingClassifier": ("label", lambda: tn.HistGradientBoostingClassifier(max_iter=5)),
    "KMeans": (None, lambda: tn.KMeans(4, max_iter=8, tol=0.0, random_state=0)),
    "GaussianNB": ("label", tn.GaussianNB),
    "QuantileTransformer": (None, tn.QuantileTransformer),
    "Pipeline of numbers": ("label", _scaled),
    "Pipeline with an encoder": ("y", _encoded),
    "cross_validate": ("label", lambda: None),
}


def fit(name: str, place: str) -> str:
    """Scan files and fit a learner to them; return a digest of every bit of what was learned."""
    target, make = LEARNERS[name]
    used = [*NUMBERS, "shop"] if name == "Pipeline with an encoder" else NUMBERS
    rows = tn.scan(place, target=target, columns=used)
    if name == "cross_validate":
        found = tn.cross_validate([tn.GaussianNB(), tn.LogisticRegression(max_iter=5)], rows, folds=3)
        return str(found.scores.tobytes().hex())
    model = make().fit(rows)
    steps = [model] if hasattr(model, "model_") else [step for _, step in model.steps]
    digest = hashlib.sha256()
    for step in steps:
        digest.update(bits(step.model_).encode())
    return digest.hexdigest()


# ---- changes -------------------------------------------------------------------------------------


def overwrite(path: Path, new: Path) -> None:
    """Write into a file from its first byte, and cut it off where the new content ends."""
    content = new.read_bytes()
    with path.open("r+b") as file:
        for start in range(0, len(content), 1 << 16):
            file.write(content[start : start + (1 << 16)])
        file.truncate(len(content))


def write_again(path: Path, new: Path) -> None:
    """Empty a file and write it, as `to_parquet` does."""
    path.write_bytes(new.read_bytes())


def rename_over(path: Path, new: Path) -> None:
    """Write another file and rename it, as a job that replaces a file should."""
    beside = path.with_name(f"_{path.name}")
    beside.write_bytes(new.read_bytes())
    os.replace(beside, path)


def with_old_time(path: Path, new: Path) -> None:
    """Rename a file over another of the same time, to the nanosecond."""
    beside, then = path.with_name(f"_{path.name}"), path.stat()
    beside.write_bytes(new.read_bytes())
    os.utime(beside, ns=(then.st_atime_ns, then.st_mtime_ns))
    os.replace(beside, path)


def cut_off(path: Path, new: Path) -> None:
    """Cut a file off in the middle."""
    os.truncate(path, path.stat().st_size * 2 // 5)


def delete(path: Path, new: Path) -> None:
    """Delete a file."""
    path.unlink()


def bring_back(path: Path, new: Path) -> None:
    """Rename a file away, and back."""
    away = path.with_name(f"_{path.name}")
    path.rename(away)
    time.sleep(0.01)
    away.rename(path)


def swap_and_back(path: Path, new: Path) -> None:
    """Rename another file over it and the first one back, again and again."""
    away, beside = path.with_name(f"_old_{path.name}"), path.with_name(f"_{path.name}")
    for _ in range(20):
        beside.write_bytes(new.read_bytes())
        os.link(path, away)
        os.replace(beside, path)
        time.sleep(0.002)
        os.replace(away, path)


def delete_and_copy_back(path: Path, new: Path) -> None:
    """Delete a file, and copy it back with its time."""
    content, then = path.read_bytes(), path.stat()
    path.unlink()
    path.write_bytes(content)
    os.utime(path, ns=(then.st_atime_ns, then.st_mtime_ns))


def append(path: Path, new: Path) -> None:
    """Append the bytes of another file to it."""
    with path.open("ab") as file:
        file.write(new.read_bytes())


def add_file(path: Path, new: Path) -> None:
    """Put one more file into the folder, after all others by its name."""
    beside = path.with_name(f"_z.{path.name}")
    beside.write_bytes(new.read_bytes())
    os.replace(beside, path.with_name(f"z.{path.name}"))


class Change(NamedTuple):
    """What is done to a file."""

    name: str
    call: Callable[[Path, Path], None]
    version: str
    """what it holds then"""


CHANGES = (
    Change("overwritten, same footer", overwrite, "shuffled"),
    Change("overwritten, other rows", overwrite, "other"),
    Change("written again, same size", write_again, "shuffled"),
    Change("written again, larger", write_again, "more"),
    Change("replaced, same footer", rename_over, "shuffled"),
    Change("replaced, same footer and time", with_old_time, "shuffled"),
    Change("replaced, larger", rename_over, "more"),
    Change("cut off", cut_off, "old"),
    Change("deleted", delete, "old"),
    Change("taken away and brought back", bring_back, "old"),
    Change("swapped with another and back", swap_and_back, "shuffled"),
    Change("deleted and copied back", delete_and_copy_back, "old"),
    Change("appended to", append, "more"),
    Change("another file added", add_file, "more"),
)


# ---- cases ---------------------------------------------------------------------------------------


class Case(NamedTuple):
    """What is fitted, and what happens meanwhile."""

    number: int
    stock: int
    learner: str
    change: int
    file: int
    folder: bool
    """whether the folder is scanned, or a list of its files"""
    dask: bool
    moment: float
    """of the time that the fit takes without a change"""


def draw(seed: int, number: int, dask: float) -> Case:
    """The case of a number."""
    random = np.random.default_rng((seed, number))
    stock = int(random.choice(len(STOCK), p=np.array([3, 2, 3, 2, 1, 1, 1, 1]) / 14))
    learner = str(random.choice(list(LEARNERS)))
    change, file = int(random.integers(len(CHANGES))), int(random.integers(STOCK[stock].files))
    folder = CHANGES[change].call is add_file or bool(random.random() < 0.5)
    return Case(number, stock, learner, change, file, folder, bool(random.random() < dask), float(random.uniform(0, 1)))


class Outcome(NamedTuple):
    """What became of a case."""

    word: str
    hit: bool = False
    """whether the change began while the fit was under way"""
    detail: str = ""

    @property
    def is_violation(self) -> bool:
        """Whether it is none of what a fit may end with."""
        return self.word not in ("old model", "new model", "refused", "half written", "no change")


def place_of(folder: Path, case: Case) -> Any:
    """What is given to `scan`: a folder, or the files in it."""
    return str(folder) if case.folder else sorted(str(p) for p in folder.iterdir() if p.name.startswith("f"))


# ---- the process that fits -----------------------------------------------------------------------


def serve(pipe: Any, address: str | None, threads: int) -> None:
    """Fit whatever comes through a pipe: send when a fit begins, then its digest or error and when it ended."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    client = None
    while (asked := pipe.recv()) is not None:
        name, place, on_dask = asked
        if on_dask and client is None:
            from distributed import Client

            client = Client(address)
        runner = tn.Dask(client) if on_dask else tn.Local(threads=threads)
        with tn.on(runner):
            pipe.send(time.perf_counter())
            try:
                said = ("model", fit(name, place))
            except tn.DataError as error:
                said = ("refused", str(error))
            except Exception as error:
                said = ("error", f"{type(error).__name__}: {error}")
            pipe.send((*said, time.perf_counter()))
    if client is not None:
        client.close()


class Gone(Exception):
    """The process that fits crashed, or hangs."""


class Fitter:
    """A process that fits, started again when it is gone."""

    def __init__(self, address: str | None, threads: int) -> None:
        self.given = address, threads
        self.process: Any = None

    def start(self) -> None:
        """Start the process, if there is none."""
        if self.process is None:
            context = multiprocessing.get_context("spawn")
            self.pipe, there = context.Pipe()
            self.process = context.Process(target=serve, args=(there, *self.given), daemon=True)
            self.process.start()
            there.close()

    def receive(self) -> Any:
        """What the process sends next."""
        try:
            if self.pipe.poll(PATIENCE):
                return self.pipe.recv()
            word = "hang"
        except (EOFError, ConnectionError):
            word = "crash"
        self.process.join(1 if word == "hang" else 10)
        detail = f"no answer in {PATIENCE:.0f} s" if word == "hang" else f"exit code {self.process.exitcode}"
        self.process.kill()
        self.process = None
        raise Gone(word, detail)

    def fit(self, case: Case, folder: Path, meanwhile: Callable[[float], None] | None = None) -> tuple[Any, ...]:
        """When a fit began; how it ended, with what, and when."""
        self.start()
        self.pipe.send((case.learner, place_of(folder, case), case.dask))
        began = self.receive()
        if meanwhile is not None:
            meanwhile(began)
        return began, *self.receive()

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.pipe.send(None)
            self.process.join(10)
            self.process.kill()
            self.process = None


class Runs:
    """Cases one after another, in one process that fits: what fits without a change give is kept."""

    def __init__(self, stock: Path, work: Path, address: str | None, threads: int) -> None:
        self.stock, self.work = stock, work
        self.fitter = Fitter(address, threads)
        self.known: dict[tuple[Any, ...], tuple[str, str, float]] = {}

    def plain(self, case: Case, folder: Path, key: tuple[Any, ...]) -> tuple[str, str, float]:
        """How a fit of a folder ends that nobody changes, with what, and the seconds it takes."""
        if key not in self.known:
            began, word, detail, ended = self.fitter.fit(case, folder)  # loads kernels, too
            began, word, detail, ended = self.fitter.fit(case, folder)
            self.known[key] = word, detail, ended - began
        return self.known[key]

    def run(self, case: Case) -> Outcome:
        """What becomes of one case."""
        try:
            return self._run(case)
        except Gone as gone:
            return Outcome(gone.args[0], True, gone.args[1])

    def _run(self, case: Case) -> Outcome:
        how, change = STOCK[case.stock], CHANGES[case.change]
        stock = self.stock / str(case.stock)
        kind = case.stock, case.learner, case.dask, case.folder
        word, old, seconds = self.plain(case, stock / "old", kind)
        if word != "model":
            return Outcome("error", False, f"without a change: {old}")
        with tempfile.TemporaryDirectory(dir=self.work) as name:
            folder = Path(name)
            for path in (stock / "old").iterdir():
                shutil.copy(path, folder)
            path = folder / f"f{case.file}.{how.ending}"
            time.sleep(0.03)  # not written a moment ago
            times: list[float] = []

            def meanwhile(began: float) -> None:
                time.sleep(max(0.0, began + case.moment * seconds - time.perf_counter()))
                times.append(time.perf_counter())
                change.call(path, stock / change.version / path.name)
                times.append(time.perf_counter())

            began, word, found, ended = self.fitter.fit(case, folder, meanwhile)
            hit = times[0] < ended
            if word == "refused":
                return Outcome("refused" if path.name in found else "error without the file", hit, found)
            if word == "error":
                return Outcome("error", hit, found)
            if found == old:
                return Outcome("old model" if hit else "no change", hit)
            if change.call is swap_and_back:  # it is the old file again
                rename_over(path, stock / change.version / path.name)
            new = self.plain(case, folder, (*kind, case.change, case.file))
            if new[:2] == ("model", found):
                return Outcome("new model", hit)
            if times[0] < began + 0.05 and ended < times[1]:
                return Outcome("half written", hit)
            return Outcome("another model", hit, f"change from {times[0] - began:.3f} to {times[1] - began:.3f} s")


# ---- the command ---------------------------------------------------------------------------------


@contextmanager
def cluster(wanted: bool) -> Iterator[Any]:
    """A Dask cluster of two processes, or none."""
    if not wanted:
        yield None
        return
    from distributed import LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**options, silence_logs=50) as found:
        yield found


def run(fits: int, seed: int, first: int = 0, processes: int = 1, dask: float = 0.25) -> list[tuple[Case, Outcome]]:
    """Draw cases and run them, in some processes at once; print violations as they are found."""
    done: list[tuple[Case, Outcome]] = []
    lock = threading.Lock()
    with tempfile.TemporaryDirectory(prefix="chaos-") as name, cluster(dask > 0) as there:
        folder = Path(name)
        drawn = [draw(seed, first + k, dask) for k in range(fits)]
        for k in {case.stock for case in drawn}:
            write_stock(folder / "stock" / str(k), STOCK[k], k)
        work = folder / "work"
        work.mkdir()
        alive = {} if there is None else {w: there.workers[w].pid for w in there.workers}
        cases = iter(drawn)

        def work_off() -> None:
            runs = Runs(folder / "stock", work, None if there is None else there.scheduler_address, threads=2)
            try:
                while True:
                    with lock:
                        case = next(cases, None)
                    if case is None:
                        return
                    outcome = runs.run(case)
                    with lock:
                        if there is not None and (now := {w: there.workers[w].pid for w in there.workers}) != alive:
                            alive.clear()
                            alive.update(now)
                            outcome = Outcome("crash", True, "a worker of the cluster was started again")
                        done.append((case, outcome))
                        if len(done) % 100 == 0:
                            print(f"{len(done)} fits", file=sys.stderr, flush=True)
                        if outcome.is_violation:
                            print(f"{outcome.word}: {outcome.detail[:400]}\n  {described(case)}", flush=True)
            finally:
                runs.fitter.stop()

        driver_threads = [threading.Thread(target=work_off) for _ in range(processes)]
        for thread in driver_threads:
            thread.start()
        for thread in driver_threads:
            thread.join()
    if len(done) < fits:
        print(f"{fits - len(done)} cases were not run: a thread of this command ended early")
    return done


def described(case: Case) -> str:
    """A case in one line."""
    how = STOCK[case.stock]
    where = "Dask" if case.dask else "threads"
    files = f"{how.files} x {how.ending} ({how.compression}, row groups of {how.groups})"
    change = CHANGES[case.change].name
    return f"number {case.number}: {case.learner} on {where}, {files}, {change} at {case.moment:.0%} of the fit"


def report(done: list[tuple[Case, Outcome]], seconds: float) -> int:
    """Print how many cases of each kind of change ended how; return the number of violations."""
    words = ["old model", "new model", "refused", "half written", "no change"]
    words += sorted({outcome.word for _, outcome in done if outcome.is_violation})
    print(f"\n{'change':34s}" + "".join(f"{word:>14s}" for word in words) + f"{'hit':>8s}")
    groups = [(change.name, [o for c, o in done if c.change == k]) for k, change in enumerate(CHANGES)]
    groups += [("on threads", [o for c, o in done if not c.dask]), ("on Dask", [o for c, o in done if c.dask])]
    for name, some in [*groups, ("all", [outcome for _, outcome in done])]:
        counts = Counter(outcome.word for outcome in some)
        hits = sum(outcome.hit for outcome in some) / max(1, len(some))
        print(f"{name:34s}" + "".join(f"{counts[word]:14d}" for word in words) + f"{hits:8.0%}")
    wrong = sum(outcome.is_violation for _, outcome in done)
    print(f"\n{len(done)} fits in {seconds:.0f} s, {wrong} violations")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fits", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--dask", type=float, default=0.25, help="share of the fits on a cluster; 0 starts none")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # files are removed then, too
    began = time.perf_counter()
    done = run(given.fits, given.seed, given.first, given.processes, given.dask)
    wrong = report(done, time.perf_counter() - began)
    return int(wrong > 0 or len(done) < given.fits)


if __name__ == "__main__":
    sys.exit(main())
