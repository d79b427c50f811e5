"""What every learner answers, as digests: whether a change of the code has changed an answer.

    python benchmarks/digests.py --record digests.json      before a change
    python benchmarks/digests.py --check digests.json       after it; exits with 1 if an answer is another

Every learner, as it is and with other parameters, is fitted to the same rows in memory, from a Parquet file and on a
Dask cluster of two processes, in the same parts. Kept are digests of its public attributes, of its predictions, of the
values of its claims and of the arrays in its summary. Those are told by value: a field may be renamed or moved. A fit
from another place must predict the same bits, or the command fails whatever is on file. Fits with weights, of rows in
memory only, are kept too.

Digests hold for one machine: another BLAS or another numpy may round otherwise, and then nothing is compared.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone

import fuzzing
import tenfold as tn
from tenfold.engine.row_counts import this_machine
from tenfold.sources import part_rows

ROWS, PART, ASKED = 1000, 250, 200
ANSWERS = ("predict", "predict_proba", "decision_function", "transform")
LEFT = frozenset({"certificate_", "model_", "summary_", "schema_", "feature_names_in_", "history_"})
"""attributes that are looked at otherwise, differ by where rows come from, or tell the time"""

Digests = dict[str, Any]


# ---- digests -------------------------------------------------------------------------------------


def digest(value: Any) -> str:
    """Of a value, whatever holds it."""
    seen = hashlib.blake2b(digest_size=6)
    for part in spelled(value):
        seen.update(part)
    return seen.hexdigest()


def spelled(value: Any) -> Iterator[bytes]:
    """A value in bytes: numbers to the last bit; tuples, lists and records by what they hold."""
    if sp.issparse(value):
        value = value.toarray()
    if isinstance(value, (np.ndarray, np.generic, pd.DataFrame, pd.Series)):
        a = np.asarray(value)
        yield f"array {a.shape} {a.dtype.kind}".encode()
        yield repr(a.tolist()).encode() if a.dtype.kind in "OU" else np.ascontiguousarray(a).tobytes()
    elif isinstance(value, float):
        yield value.hex().encode()
    elif value is None or isinstance(value, (str, int, bool, bytes)):
        yield f"{value!r}".encode()
    elif isinstance(value, dict):
        for key in sorted(value, key=str):
            yield f"{key}:".encode()
            yield from spelled(value[key])
    elif isinstance(value, (list, tuple, frozenset)) and not hasattr(value, "_fields"):
        yield f"{len(value)} of".encode()
        for one in sorted(value) if isinstance(value, frozenset) else value:
            yield from spelled(one)
    elif hasattr(value, "fit"):
        yield f"{type(value).__name__}".encode()
        yield from spelled(attributes(value))
    elif parts(value) is not None:
        for one in parts(value):
            yield from spelled(one)
    else:
        yield repr(value).encode()


def parts(record: Any) -> Any:
    """What a tuple, a list or a dataclass holds; None for anything else."""
    if isinstance(record, (list, tuple)):
        return record
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return [getattr(record, field.name) for field in dataclasses.fields(record)]
    return None


def arrays(record: Any) -> Iterator[Any]:
    """The arrays in a summary, wherever they are; its numbers count as one each."""
    if isinstance(record, np.ndarray) or sp.issparse(record):
        yield record
    elif parts(record) is not None:
        for one in parts(record):
            yield from arrays(one)
    elif isinstance(record, (float, int, str, frozenset, dict)):
        yield record


def attributes(model: Any) -> Digests:
    """The public attributes of a fitted model, by name."""
    names = [name for name in dir(model) if name.endswith("_") and not name.startswith("_") and name not in LEFT]
    found = {}
    for name in names:
        try:
            found[name] = digest(getattr(model, name))
        except (AttributeError, ValueError) as error:  # of a kind of model that has none
            found[name] = type(error).__name__
    return found


def digests(model: Any, X: Any) -> Digests:
    """Of all that a fitted model says."""
    said = {}
    for name in ANSWERS:
        if hasattr(model, name):
            said[name] = digest(getattr(model, name)(X))
    claims = {claim.kind: digest(float(claim.value)) for claim in model.certificate_.claims}
    values = sorted(digest(a) for a in arrays(model.summary_))
    return {"attributes": attributes(model), "predictions": said, "claims": claims, "summary": values}


# ---- where rows come from --------------------------------------------------------------------------


def table(X: Any, y: Any) -> tuple[Any, dict[str, str]]:
    """Columns and target side by side, and which is the target."""
    wide = 1 if np.ndim(X) == 1 else X.shape[1]  # documents are a list
    rows = X.copy() if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=[f"x{j}" for j in range(wide)])
    if y is None:
        return rows, {}
    rows["the target"] = y
    return rows, {"target": "the target"}


def in_memory(learner: Any, X: Any, y: Any, folder: Path, **given: Any) -> Any:
    """Rows of a frame."""
    with part_rows(PART):
        return learner.fit(X if np.ndim(X) == 1 else table(X, None)[0], y, **given)


def weighted(learner: Any, X: Any, y: Any, folder: Path) -> Any:
    """The same, with weights of which some are zero; rows of a sequence, and here all are one, have the same."""
    weight = np.arange(len(X)) % 7 / 4 if learner.need.sequence is None else np.full(len(X), 0.75)
    return in_memory(learner, X, y, folder, sample_weight=weight)


def parquet(learner: Any, X: Any, y: Any, folder: Path) -> Any:
    """The row groups of a file."""
    rows, roles = table(X, y)
    if learner.need.sequence is not None:  # all rows are one, as they are in memory
        rows["the sequence"] = 1
        roles["sequence"] = "the sequence"
    path = folder / "rows.parquet"
    rows.to_parquet(path, row_group_size=PART)
    return learner.fit(tn.scan(str(path), **roles))


def ways(client: Any) -> dict[str, Callable[[Any, Any, Any, Path], Any]]:
    """How a learner is fitted, by name."""

    def dask(learner: Any, X: Any, y: Any, folder: Path) -> Any:
        with tn.on(tn.Dask(client)):
            return parquet(learner, X, y, folder)

    return {"memory": in_memory, "parquet": parquet, "dask": dask, "weighted": weighted}


# ---- the command -----------------------------------------------------------------------------------


def record(only: str) -> tuple[dict[str, Digests], list[str]]:
    """The digests of every case, and where ways do not agree."""
    from dask.distributed import Client, LocalCluster

    found: dict[str, Digests] = {}
    unlike = []
    data = fuzzing.data(ROWS)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        for name, learner, X, y in fuzzing.sets(data):
            if only not in name:
                continue
            asked = (X if np.ndim(X) == 1 else table(X, None)[0])[:ASKED]
            each = {way: digests(fit(clone(learner), X, y, Path(folder)), asked) for way, fit in ways(client).items()}
            first = each["memory"]
            for way, some in each.items():
                if way == "weighted":
                    continue
                for what in ("predictions", "summary"):
                    if some[what] != first[what]:
                        unlike.append(f"{name}: {what} from {way} are not those from memory")
            found[name] = {"memory": first} | {w: d for w, d in each.items() if d != first}
    return found, unlike


def changes(old: Digests, new: Digests) -> Iterator[str]:
    """What one case says otherwise than before, in words."""
    for way in sorted({*old, *new}):
        a, b = old.get(way, old["memory"]), new.get(way, new["memory"])
        for what in ("attributes", "predictions", "claims"):
            for name in sorted({*a[what], *b[what]}):
                if a[what].get(name) != b[what].get(name):
                    how = "is gone" if name not in b[what] else "is new" if name not in a[what] else "is another"
                    yield f"{way}: {what}, {name} {how}"
        gone, more = Counter(a["summary"]) - Counter(b["summary"]), Counter(b["summary"]) - Counter(a["summary"])
        if gone or more:
            yield f"{way}: summary, {gone.total()} values are gone and {more.total()} are new"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--record", type=Path, metavar="FILE")
    what.add_argument("--check", type=Path, metavar="FILE")
    parser.add_argument("--only", default="", help="a part of the name of a case")
    options = parser.parse_args()
    began = time.perf_counter()
    if options.check:
        old = json.loads(options.check.read_text())
        if old["machine"] != this_machine():
            print(f"recorded on {old['machine']}\nthis is     {this_machine()}: nothing to compare")
            return 2
    found, unlike = record(options.only)
    for line in unlike:
        print(line)
    if options.record:
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())
        options.record.write_text(f'{{"machine": {json.dumps(this_machine())}, "cases": {{\n{lines}\n}}}}\n')
        print(f"{len(found)} cases recorded in {time.perf_counter() - began:.0f} s; {len(unlike)} differ between ways")
        return int(bool(unlike))
    before = {name: one for name, one in old["cases"].items() if options.only in name}
    count = 0
    for name in sorted({*before, *found}):
        if name not in found or name not in before:
            lines = ["there is none any more" if name not in found else "there was none before"]
        else:
            lines = list(changes(before[name], found[name]))
        count += bool(lines)
        for line in lines:
            print(f"{name}: {line}")
    print(
        f"{len(found)} cases in {time.perf_counter() - began:.0f} s; {count} have changed, {len(unlike)} differ by way"
    )
    return int(bool(count or unlike))


if __name__ == "__main__":
    sys.exit(main())
