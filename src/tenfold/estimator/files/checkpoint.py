"""Checkpoints: an interrupted fit resumes where it was, with the same bits.

A checkpoint is a snapshot of the loop in the container of the model file: loading it runs no code. What is held
and followed is not in it; it is made again from the rows and the state.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from tenfold.core import Chunk, Columns, MergeError, ModelFileError
from tenfold.core.axes import same_axes
from tenfold.core.statistic import Expression, Ordered
from tenfold.engine import Snapshot
from tenfold.engine.loop import summarized
from tenfold.estimator.files import container
from tenfold.estimator.files.encoding import Reader, Writer, params_digest, parts
from tenfold.estimator.files.model_file import check_start, read_schema, read_summary, write_schema, write_summary
from tenfold.estimator.files.registry import id_of
from tenfold.sources import Source
from tenfold.stats.combinators import View, statistics

COMPARED_ROWS = 1 << 16
"""rows that are looked at together"""


@dataclass(frozen=True)
class Checkpoint:
    """Where to save how far a fit is, and how often.

    Give it, or just the folder, to `fit(..., checkpoint=)`. A fit of the same learner to the same data with the
    same folder goes on from there; when a fit is done its file is removed.

    Parameters
    ----------
    folder : str or path
        Made if it is not there. Several fits may share it.
    every : float, default=5.0
        Seconds between two saves at least. A fit that is interrupted saves before it ends.

    Examples
    --------
    >>> import tempfile, tenfold as tn
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = tn.KMeans(2).fit([[0.0], [1.0], [9.0]], checkpoint=tn.Checkpoint(folder, every=60))
    >>> model.inertia_
    0.5
    """

    folder: Any
    every: float = 5.0

    def of(self, learner: Any, source: Source, at: Snapshot | None = None) -> Saving:
        """The file of one fit: that of this learner to this source, from a snapshot on if one is given."""
        digest = hashlib.blake2b(digest_size=12)
        for text in (params_digest(learner), source.fingerprint()):
            digest.update(text.encode() + b"\0")
        if at is not None:
            _add_record(digest, at.state)
        _add_rows(digest, source)
        path = Path(self.folder) / f"{type(learner).__name__}-{digest.hexdigest()}.checkpoint"
        return Saving(path, self.every, learner, source)


def _add_record(digest: Any, record: Any) -> None:
    """Add a record as a file would have it."""
    to = Writer()
    digest.update(json.dumps(to.record(record)).encode())
    _add(digest, tuple(to.tensors.values()))


def _add_rows(digest: Any, source: Source) -> None:
    """Add all rows in memory to the digest: their fingerprint samples only a few."""
    for values in source.arrays():
        _add(digest, values)


def _add(digest: Any, values: Any) -> None:
    if isinstance(values, tuple):
        for some in values:
            _add(digest, some)
    elif sp.issparse(values):
        _add(digest, (values.data, values.indices, values.indptr))
    elif isinstance(values, pa.Table):
        with pa.ipc.new_stream(pa.PythonFile(_Sink(digest), "w"), values.schema) as stream:
            stream.write_table(values)
    elif values is not None:
        values = np.asarray(values)
        for start in range(0, len(values), COMPARED_ROWS):  # in the order of the rows, however they lie in memory
            some = values[start : start + COMPARED_ROWS]
            digest.update(
                repr(some.tolist()).encode(errors="backslashreplace") if some.dtype.hasobject else some.tobytes()
            )


class _Sink(io.RawIOBase):
    """File-like object that computes the digest of the written bytes."""

    def __init__(self, digest: Any) -> None:
        self.digest = digest

    def writable(self) -> bool:
        return True

    def write(self, some: Any) -> int:
        self.digest.update(some)
        return len(some)


class Saving:
    """A watcher that saves the loop now and then, and before an error or an interrupt ends it."""

    def __init__(self, path: Path, every: float, learner: Any, source: Source) -> None:
        self.path, self.every, self.learner, self.source = path, every, learner, source
        self.seed: int | None = None
        self.resume: Snapshot | None = None
        self._last: Snapshot | None = None
        self._when = time.monotonic()

    def __enter__(self) -> Saving:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            try:
                self.resume, self.seed = read(self.path, self.learner, self.source)
            except ModelFileError as error:
                raise ModelFileError(f"{self.path} cannot be resumed: {error}. Remedy: remove it") from None
        return self

    def __call__(self, at: Snapshot) -> None:
        if self.learner.ask(at.state) is None:  # it is done, and the file is removed in a moment
            return
        self._last = at
        if time.monotonic() - self._when >= self.every:
            self._save()

    def _save(self) -> None:
        if self._last is not None:
            write(self.path, self.learner, self._last, self.seed)
            self._last, self._when = None, time.monotonic()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.path.unlink(missing_ok=True)
        elif self.resume is not None and isinstance(error, ArithmeticError):
            why = f"it holds numbers that no rows give ({kind.__name__}: {error})"
            raise ModelFileError(f"{self.path} cannot be resumed: {why}. Remedy: remove it") from error
        else:
            self._save()


def write(path: Path, learner: Any, at: Snapshot, seed: int | None) -> None:
    """Write a snapshot: the whole file, or none of it."""
    to = Writer()
    facts = {"rows": at.rows, "dropped": at.dropped, "passes": at.passes, "seed": seed, "marks": str(at.marks)}
    document = {
        "learner": id_of(type(learner)),
        "schema": write_schema(to, at.schema),
        "state": {"type": type(at.state).__name__, "record": to.record(at.state)},
        "summary": write_summary(to, at.summary),
        "asked": None if at.asked is None else to.value(at.asked.digest.hex(), "asked"),
        "facts": {name: to.value(v, name) for name, v in facts.items()},
        "machines": [to.value(m, "machines") for m in sorted(at.machines)],
    }
    container.write(path, document, to.tensors)


def read(path: Path, learner: Any, source: Source) -> tuple[Snapshot, int | None]:
    """The snapshot and the seed that a file holds, checked against the learner and the rows it is for."""
    document, tensors = container.read(path)
    names = ("learner", "schema", "state", "summary", "asked", "facts", "machines")
    said, schema, state, summary, about, facts, machines = parts(document, *names)
    if said != id_of(type(learner)):
        raise ModelFileError(f"it is a checkpoint of {said!r}")
    reader = Reader(tensors)
    reader.know(learner)
    try:
        found = read_schema(reader, schema, learner)
        record = reader.record(*_state(state, learner), found)
        kept = read_summary(reader, summary, learner, found)
    except MergeError as error:
        raise ModelFileError(str(error)) from None
    counts = parts(facts, "rows", "dropped", "passes", "seed", "marks")
    rows, dropped, passes, seed, marks = (reader.value(v) for v in counts)
    question = None if about is None else reader.value(about)
    if not (isinstance(machines, list) and isinstance(question, (str, type(None))) and isinstance(marks, str)):
        raise ModelFileError("it is malformed")
    workers = frozenset(str(reader.value(m)) for m in machines)
    if [type(v) for v in (rows, dropped, passes)] != [int, int, float] or type(seed) not in (int, type(None)):
        raise ModelFileError("it is malformed")
    if min(rows, dropped, 0 if seed is None else seed) < 0 or not 0 <= passes < math.inf or (seed or 0) >> 32:
        raise ModelFileError("it is malformed")
    reader.finish()
    at = Snapshot(found, record, None, kept, None, None, rows, dropped, passes, workers, marks)
    mine = learner._blank()
    if seed is not None:
        mine.random_state = seed
    return at._replace(asked=_check_fit(at, mine, source, question)), seed


def _state(node: Any, learner: Any) -> tuple[Any, type]:
    """Return the type and values of a state in a file."""
    name, record = parts(node, "type", "record")
    kinds = {kind.__name__: kind for kind in learner.record_types.states}
    if not isinstance(name, str) or name not in kinds:
        raise ModelFileError("its state does not belong to this learner")
    return record, kinds[name]


def _check_fit(at: Snapshot, learner: Any, source: Source, question: str | None) -> Any:
    """Return the expression of the summary. Raise if the fit cannot resume from the snapshot with these rows.

    The summary must be of the kind and form that the learner makes of no rows at this state, and add up with it.
    """
    known = source.known(learner.need)
    try:
        united = at.schema + (source.schema_of(0, learner.need) if known is None else known)
    except MergeError as error:
        raise ModelFileError(f"it was made from other rows: {error}") from None
    if at.schema != united:
        raise ModelFileError("it was made from other rows: these have categories or classes that it does not know")
    try:
        wanted = learner.ask(at.state)
        check_start(learner, at.state, at.schema)
        fits = wanted is not None and wanted.digest.hex() == question
        fits = fits and type(at.summary) in learner.record_types.summaries
        fits = fits and learner.resumable(at.state, at.summary, at.schema) and _adds_up(learner, at, wanted)
    except ModelFileError:
        raise
    except Exception as error:  # whatever a state makes the learner do wrong is the fault of the file
        raise ModelFileError(f"its state does not belong to a fit ({type(error).__name__}: {error})") from None
    if not fits:
        raise ModelFileError("its state and its summary are not those of a fit of these rows")
    return wanted


def _adds_up(learner: Any, at: Snapshot, wanted: Expression) -> bool:
    """Whether the summary has the form of that of no rows at this state, and adds up with it."""
    kinds = {"number": np.float64, "class": np.int64}
    y = None if at.schema.target is None else np.zeros(0, kinds[at.schema.target])
    X = Columns(np.zeros((0, len(at.schema.columns))), at.schema.names, missing=learner.need.missing)
    starts = None if learner.need.sequence is None else np.zeros(0, np.int64)
    none = Chunk(X, y, np.zeros(0), True, 0, 0, starts=starts)
    empty = summarized(wanted, none, View(learner.need, at.schema))
    if not same_axes(at.summary, empty):
        return False
    ordered = any(isinstance(statistic, Ordered) for statistic in statistics(wanted))
    return ordered or at.summary + empty is not None
