"""Saving and loading of models. A file holds numbers and texts; loading it runs no code of the file.

What a file says is checked against the class it names and the schema it brings; its certificate is
the writer's claim until `verify()` has computed it again from the summary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Certificate, Claim, Column, DataError, MergeError, ModelFileError, Provenance, Schema
from tenfold.core.axes import starts_alike
from tenfold.core.certificate import About, Status
from tenfold.estimator.files import container
from tenfold.estimator.files.encoding import MAX_DEPTH, Reader, Writer, ordered, parts
from tenfold.estimator.files.registry import id_of, is_pipeline
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.sources.expressions.computed_columns import MAX_CALLS, Computed, read_expression

KIND_BY_LETTER: dict[str, Literal["numeric", "text", "date", "time", "unused"]] = {
    "-": "numeric", "T": "text", "D": "date", "H": "time", ".": "unused",
}  # fmt: skip
"""how columns without categories are written"""
LEARNED = ("schema", "model", "summary", "certificate")
"""keys of a file that hold a fitted model, or the model of each output"""


def save(model: Any, path: Any, *, summary: bool = True) -> None:
    """Save a fitted model to a file. A model that could not be loaded is refused."""
    check_is_fitted(model)
    to = Writer()
    document = _document(to, model, summary)
    _build(document, to.tensors)
    container.write(path, document, to.tensors)


def _document(to: Writer, model: Any, summary: bool) -> dict[str, Any]:
    """A model as a node; of a pipeline, one for each step with its name."""
    if is_pipeline(model):
        return {"pipeline": [[name, _step(to, name, step, summary)] for name, step in model.steps]}
    each = [
        {
            "schema": write_schema(to, one.schema_),
            "model": to.record(one.model_),
            "summary": write_summary(to, one.summary_ if summary else None),
            "certificate": write_certificate(to, one.certificate_),
        }
        for one in model.each_output()
    ]
    learned = each[0] if model.each_output()[0] is model else {"outputs": each}
    decided = {name: model.__dict__[name] for name in model.decided if name in model.__dict__}
    beside: dict[str, Any] = {"decided": decided} if decided else {}
    if model.computed:
        beside["computed"] = [[list(pair) for pair in made] for made in model.computed]
    return {"learner": id_of(type(model)), "params": to.params(model), **learned, **beside}


def _step(to: Writer, name: str, step: Any, summary: bool) -> dict[str, Any] | None:
    """Encode a step of a pipeline; None for a passthrough step."""
    if step is None or isinstance(step, str):
        return None
    if type(step).__name__ == "FrozenEstimator":
        return {"frozen": _step(to, name, step.estimator, summary)}
    if not is_pipeline(step) and not hasattr(step, "certificate_"):
        raise ModelFileError(
            f"step {name!r} is {step!r}, which is not of tenfold: a model file cannot hold it. Remedy: a learner of "
            "tenfold in its place"
        )
    return _document(to, step if is_pipeline(step) else as_fitted(step), summary)


def load(path: Any) -> Any:
    """Load a model that was saved to a file.

    Parameters
    ----------
    path : str or path
        Where the model file is.

    Returns
    -------
    model : learner
        Fitted model. Its certificate is read from the file; `model.verify()` recomputes it.

    Examples
    --------
    >>> import tempfile, os, tenfold as tn
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mean.tenfold")
    ...     tn.StandardScaler().fit([[1.0], [3.0]]).save(path)
    ...     tn.load(path).mean_.tolist()
    [2.0]
    """
    return _build(*container.read(path))


def _build(document: dict[str, Any], tensors: dict[str, Any]) -> Any:
    """The model that a document and its tensors describe, or ModelFileError."""
    reader = Reader(tensors)
    model = _model(reader, document, 0)
    reader.finish()
    return model


def _model(reader: Reader, document: Any, depth: int) -> Any:
    """The model that a node describes."""
    if isinstance(document, dict) and set(document) == {"pipeline"}:
        return _pipeline(reader, document["pipeline"], depth)
    reader.kinds = set()
    several = isinstance(document, dict) and "outputs" in document
    document, decided = _without_decided(document)
    document, computed = _without_computed(document)
    learner, params, *given = parts(document, "learner", "params", *(["outputs"] if several else LEARNED))
    model = reader.learner({"learner": learner, "params": params})
    if not {*decided} <= {*model.decided}:
        raise ModelFileError(f"the file holds decisions that {learner} does not make")
    if several:
        if not hasattr(model, "take_outputs") or not isinstance(given[0], list) or not given[0]:
            raise ModelFileError(f"the file has several outputs, and {learner} has one")
        each = [_learned(reader, model._blank(), *parts(node, *LEARNED)) for node in given[0]]
        if any(one.schema_.columns != each[0].schema_.columns for one in each):
            raise ModelFileError("the outputs are of different columns")
        model.take_outputs(each)
        model.certificate_ = model.certificate_.coming_from("claimed by the file")
    else:
        _learned(reader, model, *given)
    model.__dict__.update(decided)
    for one in (model, *model.each_output()):
        one.computed = computed
    return model


def _without_computed(document: Any) -> tuple[Any, Computed]:
    """Split a node into the expressions of computed columns, if the file has some, and the rest."""
    if not isinstance(document, dict) or "computed" not in document:
        return document, ()
    return {key: one for key, one in document.items() if key != "computed"}, read_computed(document["computed"])


def read_computed(node: Any) -> Computed:
    """The expressions of computed columns, for each call of `with_columns`."""
    try:
        if len(node) > MAX_CALLS:
            raise DataError(f"there are more than {MAX_CALLS} calls")
        found = tuple(tuple((str(name), read_expression(text).to_json()) for name, text in made) for made in node)
        "".join(name for made in found for name, _ in made).encode()  # which half of a letter is not
        return found
    except (DataError, TypeError, ValueError) as error:
        raise ModelFileError(f"the computed columns are malformed: {error}") from None


def _without_decided(document: Any) -> tuple[Any, dict[str, bool]]:
    """Split a node into the attributes that `fit` decided, if the file has them, and the rest."""
    if not isinstance(document, dict) or "decided" not in document:
        return document, {}
    decided = document["decided"]
    if not isinstance(decided, dict) or not all(type(one) is bool for one in decided.values()):
        raise ModelFileError("what the fit decided is malformed")
    return {key: one for key, one in document.items() if key != "decided"}, decided


def _learned(reader: Reader, model: Any, schema: Any, kept: Any, summary: Any, certificate: Any) -> Any:
    """Return a learner with the fitted state of one target, read from a file."""
    try:
        columns = read_schema(reader, schema, model)
        made = reader.record(kept, model.record_types.model, columns)
        read = read_summary(reader, summary, model, columns)
        check_start(model, made, columns)
        with refusing_parameters():
            fits = model.is_valid(made, read, columns)
    except MergeError as error:  # a type, shape or value that is not allowed
        raise ModelFileError(str(error)) from None
    if not fits:
        raise ModelFileError(f"the model does not fit the schema of this {type(model).__name__}")
    claimed = read_certificate(reader, certificate).coming_from("claimed by the file")
    model._set(columns, made, read, claimed)
    model.n_features_in_ = len(columns.columns)
    if columns.named:
        model.feature_names_in_ = np.array(columns.names, dtype=object)
    return model


def _pipeline(reader: Reader, node: Any, depth: int) -> Any:
    """A pipeline of steps that fit together: each takes as many columns as the one before it makes."""
    import tenfold

    if not isinstance(node, list) or not node or depth > MAX_DEPTH:
        raise ModelFileError("the pipeline is malformed")
    if not all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) for one in node):
        raise ModelFileError("the pipeline is malformed")
    found = tenfold.Pipeline([(name, _read_step(reader, step, depth + 1)) for name, step in node])
    with refusing_parameters():
        found._validate_steps()
        steps = [step for _, _, step in found._iter()]
        if not steps:
            raise ModelFileError("the pipeline is malformed: there is no step that learns")
        for before, after in pairwise(steps):
            if len(before.get_feature_names_out()) != after.n_features_in_:
                raise ModelFileError("the steps of the pipeline do not fit together")
            if "feature_names_in_" in vars(after):
                vars(after)["_named_by_step"] = True
    return found


def _read_step(reader: Reader, node: Any, depth: int) -> Any:
    """A step of a pipeline."""
    if node is None:
        return "passthrough"
    if isinstance(node, dict) and set(node) == {"frozen"}:
        from sklearn.frozen import FrozenEstimator

        return FrozenEstimator(_model(reader, node["frozen"], depth))
    return _model(reader, node, depth)


def check_start(learner: Any, record: Any, schema: Schema) -> None:
    """Refuse a model or a state that no fit of this learner leads to, and parameters that cannot start one."""
    with refusing_parameters():
        fits = learner.size_fits(record) and starts_alike(record, learner.start(schema))
    if not fits:
        raise ModelFileError(f"it does not fit the schema of this {type(learner).__name__}")


@contextmanager
def refusing_parameters() -> Iterator[None]:
    """Raise ModelFileError if the learner rejects the parameters of the file on use."""
    try:
        yield
    except ModelFileError:
        raise
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"a parameter in the file is not allowed: {error}") from None


def write_schema(to: Writer, schema: Schema) -> dict[str, Any]:
    """The labels of all columns together: the header stays small however many there are."""
    groups: dict[str, list[Any]] = {}
    kinds = [_kind(c) for c in schema.columns]
    for kind, column in zip(kinds, schema.columns, strict=True):
        groups.setdefault(kind, []).append(column.categories)
    return {
        "names": to.texts(schema.names, "the names of the columns"),
        "kinds": to.texts(kinds, "the kinds of the columns"),
        "counts": to.tensor(np.array(schema.n_values, dtype=np.int64), "the numbers of categories"),
        "categories": {
            kind: (to.texts if kind == "O" else to.tensor)(np.concatenate(some), "a column's categories")
            for kind, some in groups.items()
            if kind not in KIND_BY_LETTER
        },
        "target": schema.target,
        "classes": None if schema.classes is None else to.labels(schema.classes, "the classes"),
        "named": schema.named,
    }


def _kind(column: Column) -> str:
    """How a column's categories are written: `O` text, else their dtype; a word of `BARE` if it has none."""
    if column.kind in KIND_BY_LETTER.values():
        return next(word for word, kind in KIND_BY_LETTER.items() if kind == column.kind)
    dtype = column.categories.dtype
    return "O" if dtype.hasobject else dtype.newbyteorder("<").str


def read_schema(reader: Reader, node: Any, model: Any) -> Schema:
    """A schema that the learner can have."""
    keys = ("names", "kinds", "counts", "categories", "target", "classes", "named")
    names, kinds, counts, categories, target, classes, named = parts(node, *keys)
    names, kinds, counts = reader.texts(names), reader.texts(kinds), reader.tensor(counts)
    if counts.dtype != np.int64 or counts.shape != (len(names),) or len(kinds) != len(names):
        raise ModelFileError("the schema is malformed")
    if target != model.need.target or type(named) is not bool or not isinstance(categories, dict):
        raise ModelFileError("the schema does not belong to this learner")
    if (target == "class") != (classes is not None) or not names:
        raise ModelFileError("the schema does not belong to this learner")
    allowed = {"numeric": {"-"}, "categorical": {*categories}, "mixed": {"-", *categories}, "text": {"T"}}
    allowed["date"] = {"D", "H"}
    each = [allowed.get(model.need.kind_of(name), {"."}) for name in names]
    if any(kind not in some for kind, some in zip(kinds, each, strict=True)):
        raise ModelFileError("the schema does not belong to this learner")
    columns = _read_columns(reader, names, kinds, counts.tolist(), categories)
    labels = None if classes is None else reader.labels(classes)
    if labels is not None and (not len(labels) or (model.need.binary and len(labels) > 2)):
        raise ModelFileError("the schema does not belong to this learner")
    return Schema(columns, target, labels, named)


def _read_columns(
    reader: Reader, names: list[str], kinds: list[str], counts: list[int], categories: dict[str, Any]
) -> tuple[Column, ...]:
    """Return the columns, each with its own labels; raise if labels are missing or left over."""
    pools = {kind: _pool(reader, kind, some) for kind, some in categories.items()}
    used = dict.fromkeys(pools, 0)
    columns = []
    for name, kind, count in zip(names, kinds, counts, strict=True):
        if kind in KIND_BY_LETTER:
            columns.append(Column(name, KIND_BY_LETTER[kind]))
            continue
        some = pools[kind][used[kind] : used[kind] + max(count, 0)]
        used[kind] += len(some)
        if len(some) != count:
            raise ModelFileError("the schema is malformed: categories are missing")
        where = f"the categories of column {name[:80]!r}"
        columns.append(Column(name, "categorical", ordered(some, where)))
    if any(used[kind] != len(pool) for kind, pool in pools.items()):
        raise ModelFileError("the schema is malformed: categories are left over")
    return tuple(columns)


def _pool(reader: Reader, kind: str, node: Any) -> Any:
    """The labels of all columns of a kind, one after the other."""
    found = reader.words(node) if kind == "O" else reader.tensor(node)
    if found.ndim != 1 or (kind != "O" and found.dtype.str != kind):
        raise ModelFileError("the schema is malformed: categories of another type")
    return found


def write_summary(to: Writer, summary: Any) -> dict[str, Any] | None:
    """A summary with the name of its type."""
    return None if summary is None else {"type": type(summary).__name__, "record": to.record(summary)}


def read_summary(reader: Reader, node: Any, model: Any, schema: Schema) -> Any:
    """A summary of one of the types that the learner has."""
    if node is None:
        return None
    name, record = parts(node, "type", "record")
    kinds = {kind.__name__: kind for kind in model.record_types.summaries}
    if not isinstance(name, str) or name not in kinds:
        raise ModelFileError("the file has a summary of another learner")
    return reader.record(record, kinds[name], schema)


def write_certificate(to: Writer, certificate: Certificate) -> dict[str, Any]:
    """Claims and provenance."""
    return {
        "claims": [[to.value(v, "claim") for v in claim] for claim in certificate.claims],
        "provenance": {name: to.value(v, name) for name, v in vars(certificate.provenance).items()},
    }


def read_certificate(reader: Reader, node: Any) -> Certificate:
    """A certificate whose claims and provenance have the types that they must have."""
    claims, where = parts(node, "claims", "provenance")
    if not isinstance(claims, list) or not all(isinstance(c, list) and len(c) == 6 for c in claims):
        raise ModelFileError("the certificate is malformed")
    found = tuple(Claim(*(reader.value(v) for v in claim)) for claim in claims)
    for claim in found:
        texts = (claim.kind, claim.status, claim.because, claim.about, claim.assumptions)
        if not all(isinstance(text, str) for text in texts) or not isinstance(claim.value, float):
            raise ModelFileError("the certificate is malformed: a claim has a field of another type")
        if claim.status not in get_args(Status) or claim.about not in get_args(About):
            raise ModelFileError("the certificate is malformed: a claim has an unknown status or subject")
    return Certificate(found, _read_provenance(reader, where))


def _read_provenance(reader: Reader, node: Any) -> Provenance:
    names = list(Provenance.__dataclass_fields__)
    kinds = (
        (str,), (int,), (int,), (int,), (float,), (str,), (tuple,), (int, type(None)), (str,), (int,), (int,), (str,),
    )  # fmt: skip
    values = [reader.value(v) for v in parts(node, *names)]
    if not all(type(v) in kind for v, kind in zip(values, kinds, strict=True)):
        raise ModelFileError("the provenance is malformed")
    found = Provenance(*values)
    marks = re.fullmatch(r"([0-9a-f]{1,16}\.[0-9a-f]{1,16}\.([0-9a-f]{12})+)?", found.marks)
    sources = re.fullmatch(r"([0-9a-f]{12})*", found.sources)
    if not (marks and sources and all(isinstance(worker, str) for worker in found.workers)):
        raise ModelFileError("the provenance is malformed")
    if min(found.parts, found.first_part, found.overlap, found.places) < 0:
        raise ModelFileError("the provenance is malformed: a count is negative")
    return found
