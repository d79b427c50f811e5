"""Damage model files at random and load them: nothing but ModelFileError may come of it.

Half of the mutants get the checksum that fits them, so that the checks behind it are met; some of those
are changed as JSON, not as bytes. One whose change is harmless (a number inside a tensor, a letter of a
text) may then load; it must also predict.

    python benchmarks/mutants.py [--count 10000] [--seed 0]
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import re
import struct
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tenfold as tn
from tenfold.core import ModelFileError

SPARE = 64 << 20
"""bytes that loading may take beyond the size of the file"""
CHECKSUM = re.compile(rb'\\"sha256\\":\\"([0-9a-f]{64})')
UNSIGNED = "0" * 64
NONSENSE = (
    None, True, 0, 1, -1, 3, 8, 2**31, 2**62, 0.5, "", "0", "1", "-", "Ridge", "nan", "F32", [], [0], [0, 8],
    {}, {"is": None}, {"int": "0"}, {"int": "-7"}, {"float": "inf"}, {"tensor": "0"}, {"tensor": "3"},
)  # fmt: skip


def models() -> dict[str, tuple[Any, Any]]:
    """A fitted model of each learner, and a few rows to apply it to."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    near = np.column_stack([X[:, 0], X[:, 0] + 1e-7 * X[:, 1], X[:, 2] + 1e6])
    y = X @ [1.0, -2.0, 0.5] + random.normal(size=60)
    words = np.array(["a", "bb", "größe", "漢"], dtype=object)[random.integers(0, 4, (60, 3))]
    codes = random.integers(-2, 3, (60, 3))
    label = np.array(["no", "yes"])[random.integers(0, 2, 60)]
    fitted = {
        "LinearRegression": (tn.LinearRegression().fit(X, y), X),
        "LinearRegression, R-factor": (tn.LinearRegression().fit(near, y), near),
        "Ridge": (tn.Ridge(alpha=0.5).fit(X, y), X),
        "GaussianNB": (tn.GaussianNB(priors=[0.25, 0.75]).fit(X, label), X),
        "CategoricalNB, text": (tn.CategoricalNB().fit(words, label), words),
        "CategoricalNB, int": (tn.CategoricalNB().fit(codes, label == "yes"), codes),
        "StandardScaler": (tn.StandardScaler().fit(X), X),
        "KMeans": (tn.KMeans(n_clusters=3).fit(X), X),
        "FindS": (tn.FindS().fit(words, label), words),
    }
    return {name: (model, rows[:5]) for name, (model, rows) in fitted.items()}


def mutant(raw: bytes, random: np.random.Generator) -> bytes:
    """The bytes of a file, changed somewhere: one to three flips, or a piece put in, cut, moved or added."""
    while True:
        a, b = sorted(int(n) for n in random.integers(0, len(raw) + 1, 2))
        few = random.bytes(int(random.integers(1, 9)))
        kind = int(random.integers(8))
        if kind <= 2:
            changed = bytearray(raw)
            for at in random.integers(0, len(raw), kind + 1):
                changed[at] ^= 1 << int(random.integers(8))
        elif kind == 3:
            changed = bytearray(raw[:a] + few + raw[a:])
        elif kind == 4:
            changed = bytearray(raw[:a] + raw[a + len(few) :])
        elif kind == 5:
            changed = bytearray(raw[:a])
        elif kind == 6:
            middle = (a + b) // 2
            changed = bytearray(raw[:a] + raw[middle:b] + raw[a:middle] + raw[b:])
        else:
            changed = bytearray(raw + few)
        if changed != raw:
            return bytes(changed)


def tampered(raw: bytes, random: np.random.Generator) -> bytes:
    """One character of the header or one byte of the body replaced: often still well formed."""
    (length,) = struct.unpack("<Q", raw[:8])
    changed = bytearray(raw)
    if random.random() < 0.5:
        at = 8 + int(random.integers(length))
        changed[at] = int(random.choice(list(b'0123456789-"[]{}:,.aefilnrstux')))
    else:
        at = 8 + length + int(random.integers(len(raw) - 8 - length))
        changed[at] = int(random.choice([0, 1, 127, 128, 255]))
    return bytes(changed)


def rewritten(raw: bytes, random: np.random.Generator) -> bytes:
    """One or two nodes of the header or of the document replaced, dropped or exchanged: always JSON."""
    (length,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + length])
    document = json.loads(head.pop("__metadata__")["tenfold"])
    document["sha256"] = UNSIGNED
    for _ in range(int(random.integers(1, 3))):
        places = list(nodes(head if random.random() < 0.3 else document))
        holder, key = places[int(random.integers(len(places)))]
        other, where = places[int(random.integers(len(places)))]
        kind = int(random.integers(3))
        if kind == 0:
            holder[key] = NONSENSE[int(random.integers(len(NONSENSE)))]
        elif kind == 1:
            del holder[key]
        else:
            holder[key] = json.loads(json.dumps(other[where]))
    text = json.dumps(document, separators=(",", ":"))
    header = json.dumps({"__metadata__": {"tenfold": text}, **head}, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + raw[8 + length :]


def nodes(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a tree of objects and lists: what holds it, and under which key."""
    for key, value in list(tree.items()) if isinstance(tree, dict) else list(enumerate(tree)):
        yield tree, key
        if isinstance(value, (dict, list)):
            yield from nodes(value)


def signed(raw: bytes) -> bytes:
    """The file with the checksum that fits it, if it still has a place for one."""
    found = CHECKSUM.search(raw)
    if found is None:
        return raw
    start, stop = found.span(1)
    digest = hashlib.sha256(raw[:start] + b"0" * 64 + raw[stop:]).hexdigest()
    return raw[:start] + digest.encode() + raw[stop:]


def apply(model: Any, rows: Any) -> None:
    """Predict; with senseless numbers it may warn."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        model.transform(rows) if hasattr(model, "transform") else model.predict(rows)


def outcome(path: Path, rows: Any) -> tuple[str, int]:
    """What came of loading a file, and the memory it took beyond the file's size."""
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    model = None
    try:
        model = tn.load(path)
        what = "loaded"
    except ModelFileError:
        what = "refused"
    except BaseException as error:
        what = f"load: {type(error).__name__}: {error}"
    extra = tracemalloc.get_traced_memory()[1] - before - path.stat().st_size
    if model is not None:
        try:
            apply(model, rows)
        except BaseException as error:
            what = f"predict: {type(error).__name__}: {error}"
    return what, extra


def main() -> int:
    """Make and load the mutants; 1 if something else was raised or memory went beyond its bound."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    faulthandler.enable()
    random = np.random.default_rng(options.seed)
    began, largest, strange = time.perf_counter(), 0, []
    table: dict[tuple[str, bool], Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.tenfold"
        files = {}
        for name, (model, rows) in models().items():
            model.save(path)
            files[name] = path.read_bytes(), rows
            apply(tn.load(path), rows)  # kernels are compiled before memory is watched
        tracemalloc.start()
        for k in range(options.count):
            name = list(files)[k // 2 % len(files)]
            raw, rows = files[name]
            anew = bool(k % 2)
            changed = raw
            while changed == raw:
                how = (mutant, tampered, rewritten)[int(random.integers(3))] if anew else mutant
                changed = signed(how(raw, random)) if anew else how(raw, random)
            path.write_bytes(changed)
            what, extra = outcome(path, rows)
            largest = max(largest, extra)
            if what not in ("refused", "loaded") or (what == "loaded" and not anew):
                strange.append(f"mutant {k} of {name}, checksum {'new' if anew else 'old'}: {what}")
                what = "else"
            table.setdefault((name, anew), Counter())[what] += 1
        tracemalloc.stop()
    report(table, strange, largest, time.perf_counter() - began)
    return int(bool(strange) or largest > SPARE)


def report(table: dict[Any, Counter[str]], strange: list[str], largest: int, seconds: float) -> None:
    """Print what came of it."""
    print(f"{'learner':28}{'checksum':>9}{'refused':>9}{'loaded':>9}{'else':>7}")
    for (name, anew), found in sorted(table.items()):
        counts = f"{found['refused']:9,}{found['loaded']:9,}{found['else']:7,}"
        print(f"{name:28}{'new' if anew else 'old':>9}{counts}")
    total = sum(table.values(), Counter())
    print(f"{'all':37}{total['refused']:9,}{total['loaded']:9,}{total['else']:7,}")
    print(f"{sum(total.values()):,} mutants in {seconds:.0f} s")
    print(f"most memory beyond the file's size: {largest / 1e6:.3f} MB (bound {SPARE / 1e6:.1f} MB)")
    for line in strange[:20]:
        print(line)


if __name__ == "__main__":
    sys.exit(main())
