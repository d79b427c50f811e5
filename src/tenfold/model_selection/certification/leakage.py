"""Whether rows were seen before: by the model, when it was made, or by other models, when they were scored.

Neither can be known for sure. The first is detected by fingerprints of whole sources and by hashes of some rows, the
second by what this process has scored: a model counts once for each set of rows and score, and is distinguished
from others by its score.
"""

from __future__ import annotations

import hashlib

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from tenfold.core import MatrixLike, Schema
from tenfold.core.rows.row_sketch import RowSketch, row_hashes
from tenfold.estimator import Estimator, as_fitted
from tenfold.sources import Source

MAX_SKETCHED_PARTS = 32
"""of a source that are read to recognise rows, at most"""
_judged: dict[tuple[str, str], set[str]] = {}
"""by rows and score, the values of the models that were scored"""


def made_from(first: Estimator, source: Source, y: ArrayLike | None, weight: ArrayLike | None) -> float:
    """Estimated share of these rows that are training rows of a model, from fingerprints and row hashes."""
    first = as_fitted(first)
    certificate = vars(first).get("certificate_")
    made = certificate and certificate.provenance
    if made is None:
        return 0.0
    prints = {source.fingerprint()}
    if y is not None:  # the first of a pipeline was fitted without them
        prints = source.fingerprints(np.asarray(y, dtype=float if first.need.target == "number" else None), weight)
    if {*made.source.split(" + ")} & prints:
        return 1.0
    need = first.need.without_target()
    schema = Schema(first.schema_.columns, None, None, first.schema_.named)
    parts = np.unique(np.linspace(0, len(source) - 1, MAX_SKETCHED_PARTS).astype(int)).tolist()
    chunks = (chunk for part in parts for chunk in source.chunks(part, need, schema))
    hashes = np.concatenate([np.zeros(0, np.uint64), *(row_hashes(chunk.X, schema) for chunk in chunks)])
    return RowSketch.read(made.marks).overlap(hashes, made.rows)


def print_of(X: MatrixLike, y: ArrayLike | None, weight: ArrayLike | None) -> str:
    """A fingerprint of rows in memory, independent of their container, from up to 64 rows."""
    n = _num_samples(X)
    at = np.unique(np.linspace(0, n - 1, 64).astype(int))
    some = [_safe_indexing(one, at) for one in (X, y, weight) if one is not None]
    text = repr([(one.toarray() if sp.issparse(one) else np.asarray(one)).tolist() for one in some])
    digest = hashlib.blake2b(text.encode(errors="backslashreplace"), digest_size=8).hexdigest()
    return f"rows in memory, {n}, {digest}"


def count_other_models(rows: str, score: str, value: float) -> int:
    """How many other models were scored by a score on the rows of a print; this one is remembered."""
    known = _judged.setdefault((rows, score), set())
    known.add(f"{value:.12g}")
    return len(known) - 1


def forget() -> None:
    """Forget the rows that were scored before."""
    _judged.clear()
