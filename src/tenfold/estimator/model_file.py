"""Saving and loading models. A file holds numbers and texts; loading it runs no code of the file.

What a file says is checked against the class it names and the schema it brings; its certificate is
the writer's claim until `verify()` has computed it anew from the summary.
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Certificate, Claim, Column, MergeError, ModelFileError, Provenance, Schema
from tenfold.core.certificate import About, Status
from tenfold.estimator import container
from tenfold.estimator.encoding import Reader, Writer, _parts
from tenfold.estimator.registry import id_of


def save(model: Any, path: Any, *, summary: bool = True) -> None:
    """Write a fitted model to a file."""
    check_is_fitted(model)
    to = Writer()
    kept = model.summary_ if summary else None
    document = {
        "learner": id_of(type(model)),
        "params": to.params(model),
        "schema": _write_schema(to, model.schema_),
        "state": to.record(model.state_),
        "summary": None if kept is None else {"type": type(kept).__name__, "record": to.record(kept)},
        "certificate": _write_certificate(to, model.certificate_),
    }
    container.write(path, document, to.tensors)


def load(path: Any) -> Any:
    """Load a model that was saved to a file.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    model : learner
        Fitted. Its certificate is what the file claims; `model.verify()` recomputes it.

    Examples
    --------
    >>> import tempfile, os, tenfold as tn
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mean.tenfold")
    ...     tn.StandardScaler().fit([[1.0], [3.0]]).save(path)
    ...     tn.load(path).mean_.tolist()
    [2.0]
    """
    document, tensors = container.read(path)
    names = ("learner", "params", "schema", "state", "summary", "certificate")
    learner, params, schema, state, summary, certificate = _parts(document, *names)
    reader = Reader(tensors)
    model = reader.learner({"learner": learner, "params": params})
    try:
        model.schema_ = _read_schema(reader, schema, model)
        model.state_ = reader.record(state, model.state_type, model.schema_)
        model.summary_ = _read_summary(reader, summary, model)
        fits = model.sound(model.state_, model.schema_)
    except MergeError as error:  # a type or shape that the schema does not allow
        raise ModelFileError(str(error)) from None
    if not fits:
        raise ModelFileError(f"the state does not fit the schema of this {learner}")
    model.certificate_ = _read_certificate(reader, certificate).coming_from("claimed by the file")
    model.n_features_in_ = len(model.schema_.columns)
    if model.schema_.named:
        model.feature_names_in_ = np.array(model.schema_.names, dtype=object)
    return model


def _write_schema(to: Writer, schema: Schema) -> dict[str, Any]:
    """The labels of all columns together: the header stays small however many there are."""
    groups: dict[str, list[Any]] = {}
    kinds = [_kind(c) for c in schema.columns]
    for kind, column in zip(kinds, schema.columns, strict=True):
        groups.setdefault(kind, []).append(column.categories)
    return {
        "names": to.texts(schema.names),
        "kinds": to.texts(kinds),
        "counts": to.tensor(np.array(schema.n_values, dtype=np.int64)),
        "categories": {
            kind: to.texts(np.concatenate(some)) if kind in "UO" else to.tensor(np.concatenate(some))
            for kind, some in groups.items()
            if kind != "-"
        },
        "target": schema.target,
        "classes": None if schema.classes is None else to.labels(schema.classes),
        "named": schema.named,
    }


def _kind(column: Column) -> str:
    """How a column's categories are written: `-` none, `U` and `O` text, else their dtype."""
    if column.categories is None:
        return "-"
    return column.categories.dtype.kind if column.categories.dtype.kind in "UO" else column.categories.dtype.str


def _read_schema(reader: Reader, node: Any, model: Any) -> Schema:
    keys = ("names", "kinds", "counts", "categories", "target", "classes", "named")
    names, kinds, counts, categories, target, classes, named = _parts(node, *keys)
    names, kinds, counts = reader.texts(names), reader.texts(kinds), reader.tensor(counts)
    if counts.dtype != np.int64 or counts.shape != (len(names),) or len(kinds) != len(names):
        raise ModelFileError("the schema is malformed")
    if target != model.need.target or type(named) is not bool or not isinstance(categories, dict):
        raise ModelFileError("the schema is not one of this learner")
    if (target == "class") != (classes is not None) or not names:
        raise ModelFileError("the schema is not one of this learner")
    pools = {
        kind: np.array([*reader.texts(some), None], dtype=object)[:-1] if kind in "UO" else reader.tensor(some)
        for kind, some in categories.items()
    }
    used = dict.fromkeys(pools, 0)
    columns = []
    for name, kind, count in zip(names, kinds, counts.tolist(), strict=True):
        if (kind == "-") != (model.need.kinds == "numeric") and model.need.kinds != "mixed":
            raise ModelFileError("the schema is not one of this learner")
        if kind == "-":
            columns.append(Column(name, "numeric"))
            continue
        if kind not in pools or not 0 <= count <= len(pools[kind]) - used[kind]:
            raise ModelFileError("the schema is malformed")
        some = pools[kind][used[kind] : used[kind] + count]
        used[kind] += count
        if some.ndim != 1 or (len(some) > 1 and not (some[1:] > some[:-1]).all()):
            raise ModelFileError(f"the categories of column {name[:80]!r} are not sorted")
        columns.append(Column(name, "categorical", some))
    labels = None if classes is None else reader.labels(classes)
    if labels is not None and (not len(labels) or (model.need.binary and len(labels) > 2)):
        raise ModelFileError("the schema is not one of this learner")
    return Schema(tuple(columns), target, labels, named)


def _read_summary(reader: Reader, node: Any, model: Any) -> Any:
    if node is None:
        return None
    name, record = _parts(node, "type", "record")
    kinds = {kind.__name__: kind for kind in model.summary_types}
    if not isinstance(name, str) or name not in kinds:
        raise ModelFileError("the file has a summary of another learner")
    return reader.record(record, kinds[name], model.schema_)


def _write_certificate(to: Writer, certificate: Certificate) -> dict[str, Any]:
    where = certificate.provenance
    return {
        "claims": [[to.value(v, "claim") for v in claim] for claim in certificate.claims],
        "provenance": None
        if where is None
        else {name: to.value(value, name) for name, value in vars(where).items()},
    }


def _read_certificate(reader: Reader, node: Any) -> Certificate:
    claims, where = _parts(node, "claims", "provenance")
    if not isinstance(claims, list) or not all(isinstance(c, list) and len(c) == 6 for c in claims):
        raise ModelFileError("the certificate is malformed")
    found = tuple(Claim(*(reader.value(v) for v in claim)) for claim in claims)
    for claim in found:
        texts = (claim.kind, claim.because, claim.assumptions)
        if not (
            all(isinstance(t, str) for t in texts)
            and isinstance(claim.value, float)
            and claim.status in get_args(Status)
            and claim.about in get_args(About)
        ):
            raise ModelFileError("the certificate is malformed")
    return Certificate(found, None if where is None else _read_provenance(reader, where))


def _read_provenance(reader: Reader, node: Any) -> Provenance:
    names = list(Provenance.__dataclass_fields__)
    kinds = (str, int, int, int, float, str, tuple, (int, type(None)))
    values = [reader.value(v) for v in _parts(node, *names)]
    if not all(isinstance(v, kind) for v, kind in zip(values, kinds, strict=True)):
        raise ModelFileError("the provenance is malformed")
    if not all(isinstance(worker, str) for worker in values[6]):
        raise ModelFileError("the provenance is malformed")
    return Provenance(*values)
