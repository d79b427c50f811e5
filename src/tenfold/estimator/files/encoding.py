"""Values as JSON nodes and tensors, and back: every bit is kept, and nothing is executable.

A node is an object whose single key names its type. Floats are written in hexadecimal and
integers as text, so that none is rounded.
"""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from typing import Any

import numpy as np

import tenfold
from tenfold.core import ModelFileError, Schema
from tenfold.core.axes import Bundle, check, fields, is_record, values, with_schema
from tenfold.core.value import Parameter
from tenfold.estimator.files.container import STORED
from tenfold.estimator.files.registry import class_of, id_of, is_pipeline, parameter_of
from tenfold.estimator.score_functions import SCORE_NAMES, score_function, score_name
from tenfold.stats.optimize.loss_functions import LOSSES, Loss

MAX_DEPTH = 16
MAX_DIGITS = 40
DTYPES = {kind.__name__: kind for kind in (np.int32, np.int64, np.float32, np.float64)}
"""kinds of numbers that a parameter may name"""
TEXTS_PER_READ = 1 << 14
"""texts that are read at a time"""
MAX_MEMBER_OUTPUTS = 1 << 16
"""numbers that the members of a team may make of a row"""
MAX_LABEL_PADDING = 1 << 24
"""bytes by which labels of fixed width may exceed the length of their texts"""


FUNCTION_REMEDY = (
    "a kernel made of those of tenfold, a function of NumPy such as numpy.log1p, or a class of your own with "
    "@tenfold.register"
)
FUNCTION_REMEDIES = {"hypotheses": "hypotheses as lists of values (conjunctions)"}
"""what to do about functions that are parameters of such a name"""


def params_digest(learner: Any) -> str:
    """A digest of a learner's kind and all its parameters: equal only if a file of them is."""
    to = Writer()
    params = json.dumps([id_of(type(learner)), to.params(learner)], sort_keys=True)
    digest = hashlib.blake2b(params.encode(), digest_size=12)
    for name in sorted(to.tensors):
        digest.update(to.tensors[name].tobytes())
    return digest.hexdigest()


class Writer:
    """Turns values into nodes, putting arrays aside as tensors."""

    def __init__(self) -> None:
        self.tensors: dict[str, Any] = {}

    def tensor(self, array: Any, where: str) -> str:
        """Put an array aside; its name."""
        dtype = array.dtype.newbyteorder("<")
        if dtype not in STORED:
            raise ModelFileError(f"{where}: type {array.dtype} cannot be written to a model file")
        name = str(len(self.tensors))
        self.tensors[name] = np.asarray(array, dtype, order="C")
        return name

    def texts(self, words: Any, where: str) -> dict[str, str]:
        """Many texts as two tensors: their bytes, and where each begins."""
        try:
            raw = [str(v).encode() for v in words]
        except UnicodeEncodeError as error:
            raise ModelFileError(f"{where}: {error.object!r} is not a valid text") from None
        ends = np.cumsum([0, *map(len, raw)], dtype=np.int64)
        joined = np.frombuffer(b"".join(raw), np.uint8)
        return {"bytes": self.tensor(joined, where), "ends": self.tensor(ends, where)}

    def labels(self, labels: Any, where: str) -> dict[str, Any]:
        """A 1-D array of labels in its own type; `fixed` is the width of text that has one."""
        if labels.dtype.kind in "OU":
            fixed = labels.dtype.itemsize // 4 if labels.dtype.kind == "U" else None
            return {"texts": self.texts(labels, where), "fixed": fixed}
        return {"tensor": self.tensor(labels, where)}

    def record(self, record: Any) -> dict[str, Any]:
        """A state or a summary, field by field as annotated; of a bundle, each with the name of its type."""
        if isinstance(record, Bundle):
            each = [{"type": type(one).__name__, "record": self.record(one)} for one in record.each]
            of = {"columns": [list(some) for some in record.columns]} if record.columns else {}
            return {"each": each, "width": record.width, "beside": record.beside, **of}
        return {
            name: {"record": self.record(value)} if is_record(field.type) else self.value(value, name)
            for name, field, value in values(record)
        }

    def value(self, value: Any, where: str, depth: int = 0) -> dict[str, Any]:
        """Encode a parameter or a field, or raise with the name of a value that cannot be written."""
        if depth > MAX_DEPTH:
            raise ModelFileError(f"{where} is nested too deeply for a model file")
        if value is None or isinstance(value, (bool, str)):
            return {"is": value}
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, (bool, str)):
            return {"is": value}
        if isinstance(value, int) and abs(value) < 10 ** (MAX_DIGITS - 1):
            return {"int": str(int(value))}
        if isinstance(value, float):
            return {"float": value.hex()}
        if isinstance(value, np.ndarray) and value.dtype.kind in "OU":
            value = value.tolist()
        if isinstance(value, np.ndarray):
            return {"tensor": self.tensor(value, where)}
        if is_pipeline(value):
            return {"pipeline": self.value(list(value.steps), where, depth + 1)}
        if hasattr(value, "get_params") and not isinstance(value, type):
            return {"learner": id_of(type(value)), "params": self.params(value, depth + 1)}
        if isinstance(value, Loss):
            with_ = {k: self.value(v, k, depth + 1) for k, v in vars(value).items()}
            return {"loss": value.name, "params": with_}
        if isinstance(value, Parameter):
            with_ = {k: self.value(getattr(value, k), f"{where}.{k}", depth + 1) for k in value.names}
            return {"parameter": id_of(type(value)), "params": with_}
        if isinstance(value, (list, tuple)) and not is_record(value):
            kind = "list" if isinstance(value, list) else "tuple"
            return {kind: [self.value(v, where, depth + 1) for v in value]}
        if isinstance(value, dict):
            return {"dict": [[self.value(x, where, depth + 1) for x in pair] for pair in value.items()]}
        if isinstance(value, np.ufunc) and _ufunc(name := str(value.__name__)) is value:
            return {"ufunc": name}
        if callable(value) and (score := score_name(value)) is not None:
            return {"score": score}
        if isinstance(value, type) and value in DTYPES.values():
            return {"dtype": value.__name__}
        if callable(value):
            remedy = FUNCTION_REMEDIES.get(where, FUNCTION_REMEDY)
            raise ModelFileError(
                f"{where} is a function, and a model file holds no code, so it cannot be written. Remedy: {remedy}"
            )
        raise ModelFileError(f"{where} = {value!r} cannot be written to a model file")

    def params(self, model: Any, depth: int = 0) -> dict[str, Any]:
        """The parameters of a learner."""
        return {k: self.value(v, k, depth) for k, v in model.get_params(deep=False).items()}


class Reader:
    """Turns nodes back into values, believing none of them."""

    def __init__(self, tensors: dict[str, Any]) -> None:
        self.tensors = dict(tensors)
        self.kinds: set[type] = set()
        """of records that a bundle may hold"""

    def tensor(self, name: Any) -> Any:
        """A tensor by its name. Each serves once."""
        if not isinstance(name, str) or name not in self.tensors:
            raise ModelFileError("a tensor is missing, or used twice")
        return self.tensors.pop(name)

    def finish(self) -> None:
        """Refuse tensors that nothing speaks of."""
        if self.tensors:
            raise ModelFileError("the file holds tensors that do not belong to the model")

    def texts(self, node: Any) -> list[str]:
        """Many texts, stored as the bytes of all of them and where each ends."""
        raw, ends = (self.tensor(x) for x in parts(node, "bytes", "ends"))
        if raw.dtype != np.uint8 or ends.dtype != np.int64 or raw.ndim != 1 or ends.ndim != 1:
            raise ModelFileError("texts are malformed")
        if not len(ends) or ends[0] != 0 or ends[-1] != len(raw) or (ends[1:] < ends[:-1]).any():
            raise ModelFileError("texts are malformed")
        found: list[str] = []
        try:
            for start in range(0, len(ends) - 1, TEXTS_PER_READ):
                at = ends[start : start + TEXTS_PER_READ + 1].tolist()
                found += [str(raw.data[a:b], "utf-8") for a, b in pairwise(at)]
        except UnicodeDecodeError:
            raise ModelFileError("a text is not readable") from None
        return found

    def words(self, node: Any) -> Any:
        """Many texts as an array of objects."""
        texts = self.texts(node)
        found = np.empty(len(texts), dtype=object)
        found[:] = texts
        return found

    def labels(self, node: Any) -> Any:
        """Labels: one axis, sorted, each once."""
        if isinstance(node, dict) and set(node) == {"tensor"}:
            return ordered(self.tensor(node["tensor"]), "the classes")
        texts, fixed = parts(node, "texts", "fixed")
        found = self.words(texts)
        if fixed is not None:
            longest, total = max(map(len, found), default=0), sum(map(len, found))
            if type(fixed) is not int or fixed < max(longest, 1):
                raise ModelFileError("the classes are malformed")
            if 4 * fixed * len(found) <= MAX_LABEL_PADDING + 8 * total:  # else it is not worth the memory
                found = found.astype(f"U{fixed}")
        return ordered(found, "the classes")

    def record(self, node: Any, cls: type, schema: Schema) -> Any:
        """A record of a class: its fields, each of the annotated type, of the schema's shape, with values allowed."""
        found = self._record(node, cls, schema, 0)
        check(found, schema)
        return found

    def _record(self, node: Any, cls: type, schema: Schema, depth: int) -> Any:
        """A record whose fields are still to be checked."""
        if depth > MAX_DEPTH:
            raise ModelFileError(f"{cls.__name__} is nested too deeply")
        if cls is Bundle:
            return self.bundle(node, schema, depth)
        spec = fields(cls)
        if not isinstance(node, dict) or set(node) != set(spec):
            raise ModelFileError(f"{cls.__name__} has different fields in the file")
        found = {}
        for name, field in spec.items():
            if is_record(field.type):
                found[name] = self._record(parts(node[name], "record")[0], field.type, schema, depth + 1)
            else:
                found[name] = self.value(node[name])
        return _construct(cls, found | dict.fromkeys(with_schema(cls), schema))

    def know(self, learner: Any) -> None:
        """Register the records of a learner, and of its members, as allowed contents of bundles."""
        self.kinds |= set(learner.record_types.all)

    def bundle(self, node: Any, schema: Schema, depth: int) -> Bundle:
        """Several records, each of a class that is known by then."""
        chosen = ["columns"] if isinstance(node, dict) and "columns" in node else []
        each, width, beside, *some = parts(node, "each", "width", "beside", *chosen)
        if (
            not isinstance(each, list)
            or type(width) is not int
            or not 0 <= width <= MAX_MEMBER_OUTPUTS
            or type(beside) is not bool
        ):
            raise ModelFileError("a bundle is malformed")
        columns = tuple(_columns(one, schema) for one in _listed(some[0], len(each))) if some else ()
        found: list[Any] = []
        for one, inner in zip(each, Bundle(tuple(each), width, beside, columns).schemas(schema), strict=True):
            name, record = parts(one, "type", "record")
            named = [k for k in self.kinds if k.__name__ == name and isinstance(record, dict)]
            kinds = [k for k in named if k is Bundle or set(fields(k)) == set(record)]
            if len(kinds) != 1:
                raise ModelFileError("the file has a record of another learner")
            found.append(self._record(record, kinds[0], inner, depth + 1))
        return Bundle(tuple(found), width, beside, columns)

    def value(self, node: Any, depth: int = 0) -> Any:
        """A parameter or a field."""
        if depth > MAX_DEPTH or not isinstance(node, dict):
            raise ModelFileError("a value is malformed")
        kind, content = next(iter(node.items()), ("", None))
        if kind == "learner":
            return self.learner(node, depth)
        if kind == "loss":
            return self.loss(node, depth)
        if kind == "parameter":
            return self.parameter(node, depth)
        if len(node) != 1:
            raise ModelFileError("a value is malformed")
        if kind == "pipeline":
            return tenfold.Pipeline(self.value(content, depth + 1))
        if kind == "ufunc" and _ufunc(content) is not None:
            return _ufunc(content)
        if kind == "score" and isinstance(content, str) and content in SCORE_NAMES:
            return score_function(content)
        if kind == "dtype" and isinstance(content, str) and content in DTYPES:
            return DTYPES[content]
        if kind == "is" and (content is None or isinstance(content, (bool, str))):
            return content
        if kind in ("list", "tuple") and isinstance(content, list):
            items = [self.value(v, depth + 1) for v in content]
            return items if kind == "list" else tuple(items)
        if kind == "dict" and isinstance(content, list):
            return self.mapping(content, depth)
        if kind == "tensor":
            return self.tensor(content)
        if kind in ("int", "float") and isinstance(content, str) and len(content) <= MAX_DIGITS:
            return _number(kind, content)
        raise ModelFileError("a value is malformed")

    def mapping(self, content: list[Any], depth: int) -> dict[Any, Any]:
        """Keys that are numbers or texts, each once, with their values."""
        found = {}
        for pair in content:
            if not isinstance(pair, list) or len(pair) != 2:
                raise ModelFileError("a value is malformed")
            key, value = (self.value(x, depth + 1) for x in pair)
            if not isinstance(key, (str, int, float)) or key in found:
                raise ModelFileError("a value is malformed")
            found[key] = value
        return found

    def loss(self, node: Any, depth: int = 0) -> Loss:
        """A loss by its name, with its parameters."""
        name, params = parts(node, "loss", "params")
        if not isinstance(name, str) or name not in LOSSES or not isinstance(params, dict):
            raise ModelFileError("the file names a loss that this version does not know")
        found: Loss = _construct(LOSSES[name], {k: self.value(v, depth + 1) for k, v in params.items()})
        return found

    def parameter(self, node: Any, depth: int = 0) -> Parameter:
        """A value that is a parameter, such as a kernel, by the name of its class, with its fields."""
        name, params = parts(node, "parameter", "params")
        cls = parameter_of(name)
        if not isinstance(params, dict) or set(params) != set(cls.names):
            raise ModelFileError(f"{name} has different fields in the file")
        found: Parameter = _construct(cls, {k: self.value(v, depth + 1) for k, v in params.items()})
        return found

    def learner(self, node: Any, depth: int = 0) -> Any:
        """A learner with its parameters, not fitted."""
        name, params = parts(node, "learner", "params")
        cls = class_of(name)
        if not isinstance(params, dict) or set(params) != set(cls._get_param_names()):
            raise ModelFileError(f"{name} has different parameters in the file")
        model = _construct(cls, {k: self.value(v, depth + 1) for k, v in params.items()})
        try:
            model._validate_params()
            self.know(model)
        except (ValueError, TypeError) as error:
            raise ModelFileError(f"a parameter in the file is not allowed: {error}") from None
        return model


def _listed(node: Any, length: int) -> list[Any]:
    """Return a list of n nodes."""
    if not isinstance(node, list) or len(node) != length:
        raise ModelFileError("a bundle is malformed")
    return node


def _columns(node: Any, schema: Schema) -> tuple[int, ...]:
    """Numbers of columns that the schema has."""
    if not isinstance(node, list) or not all(type(j) is int and 0 <= j < len(schema.columns) for j in node):
        raise ModelFileError("a bundle is malformed")
    return tuple(node)


def _ufunc(name: object) -> np.ufunc | None:
    """The function of NumPy, number by number, that has this name."""
    found = getattr(np, name, None) if isinstance(name, str) else None
    return found if isinstance(found, np.ufunc) else None


def _number(kind: str, text: str) -> int | float:
    """A number, if its text is the one the writer would have written."""
    try:
        number: int | float = int(text) if kind == "int" else float.fromhex(text)
    except (ValueError, OverflowError):
        raise ModelFileError("a number is malformed") from None
    if text != (str(number) if isinstance(number, int) else number.hex()):
        raise ModelFileError("a number is malformed")
    return number


def _construct(cls: Any, arguments: dict[str, Any]) -> Any:
    """Return an instance; errors of its constructor are reported as errors of the file."""
    try:
        return cls(**arguments)
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"{cls.__name__} cannot be made from the file: {error}") from None


def ordered(labels: Any, where: str) -> Any:
    """Return labels after checking that they are one-dimensional, finite, sorted and distinct."""
    fine = labels.ndim == 1 and (labels.dtype.kind != "f" or bool(np.isfinite(labels).all()))
    if not fine or (len(labels) > 1 and not (labels[1:] > labels[:-1]).all()):
        raise ModelFileError(f"{where} are not sorted, or not labels at all")
    return labels


def parts(node: Any, *names: str) -> list[Any]:
    """The values of a node that has just these keys."""
    if not isinstance(node, dict) or set(node) != set(names):
        raise ModelFileError(f"a node is malformed: {', '.join(names)} expected")
    return [node[name] for name in names]
