"""Values as JSON nodes and tensors, and back: every bit, and nothing that could run.

A node is an object with one key that says what it is. Floats are written in hexadecimal and
integers as text, so that none is rounded.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import ModelFileError, Schema
from tenfold.core.axes import check_shape, fields, is_record
from tenfold.estimator.registry import class_of, id_of

MAX_DEPTH = 16


class Writer:
    """Turns values into nodes, putting arrays aside as tensors."""

    def __init__(self) -> None:
        self.tensors: dict[str, Any] = {}

    def tensor(self, values: Any) -> str:
        """Put an array aside; its name."""
        name = str(len(self.tensors))
        self.tensors[name] = np.ascontiguousarray(values)
        return name

    def texts(self, values: Any) -> dict[str, str]:
        """Many texts as two tensors: their bytes, and where each begins."""
        raw = [str(v).encode() for v in values]
        ends = np.cumsum([0, *map(len, raw)], dtype=np.int64)
        return {"bytes": self.tensor(np.frombuffer(b"".join(raw), np.uint8)), "ends": self.tensor(ends)}

    def labels(self, values: Any) -> dict[str, Any]:
        """A 1-D array of labels in its own type."""
        if values.dtype.kind in "OU":
            return {"texts": self.texts(values), "fixed": values.dtype.kind == "U"}
        return {"tensor": self.tensor(values)}

    def record(self, value: Any) -> dict[str, Any]:
        """A state or a summary, field by field as annotated."""
        return {name: self.value(getattr(value, name), name) for name in fields(type(value))}

    def value(self, value: Any, where: str) -> dict[str, Any]:
        """A parameter or a field; what cannot be written is named."""
        if value is None or isinstance(value, (bool, str)):
            return {"is": value}
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, (bool, str)):
            return {"is": value}
        if isinstance(value, int):
            return {"int": str(value)}
        if isinstance(value, float):
            return {"float": value.hex()}
        if isinstance(value, np.ndarray):
            if value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
                return {"tensor": self.tensor(value)}
        elif isinstance(value, (list, tuple)):
            kind = "list" if isinstance(value, list) else "tuple"
            return {kind: [self.value(v, where) for v in value]}
        elif hasattr(value, "get_params") and not isinstance(value, type):
            return {"learner": id_of(type(value)), "params": self.params(value)}
        elif is_record(value):
            return {"record": self.record(value)}
        raise ModelFileError(f"{where} = {value!r} cannot be written to a model file")

    def params(self, model: Any) -> dict[str, Any]:
        """The parameters of a learner."""
        return {k: self.value(v, k) for k, v in model.get_params(deep=False).items()}


class Reader:
    """Turns nodes back into values, believing none of them."""

    def __init__(self, tensors: dict[str, Any]) -> None:
        self.tensors = tensors

    def tensor(self, name: Any) -> Any:
        """A tensor by its name."""
        if not isinstance(name, str) or name not in self.tensors:
            raise ModelFileError("a tensor is missing")
        return self.tensors[name]

    def texts(self, node: Any) -> list[str]:
        """Many texts."""
        raw, ends = (self.tensor(x) for x in _parts(node, "bytes", "ends"))
        if raw.dtype != np.uint8 or ends.dtype != np.int64 or raw.ndim != 1 or ends.ndim != 1:
            raise ModelFileError("texts are malformed")
        if not len(ends) or ends[0] != 0 or ends[-1] != len(raw) or (np.diff(ends) < 0).any():
            raise ModelFileError("texts are malformed")
        whole, at = raw.tobytes(), ends.tolist()
        try:
            return [whole[a:b].decode() for a, b in zip(at, at[1:], strict=False)]
        except UnicodeDecodeError:
            raise ModelFileError("a text is not readable") from None

    def labels(self, node: Any) -> Any:
        """Labels: one axis, sorted, each once."""
        if isinstance(node, dict) and set(node) == {"tensor"}:
            found = self.tensor(node["tensor"])
        else:
            texts, fixed = _parts(node, "texts", "fixed")
            words = self.texts(texts)
            found = np.array([*words, None], dtype=object)[:-1]
            longest = max(map(len, words), default=0)
            if fixed is True and 4 * longest * len(words) <= (1 << 20) + 8 * sum(map(len, words)):
                found = found.astype(str) if words else np.empty(0, "U1")
        if found.ndim != 1 or (len(found) > 1 and not (found[1:] > found[:-1]).all()):
            raise ModelFileError("categories are not sorted")
        return found

    def record(self, node: Any, cls: type, schema: Schema) -> Any:
        """A record of a class: its fields, each of the annotated type and the schema's shape."""
        free: dict[str, int] = {}
        spec = fields(cls)
        if not isinstance(node, dict) or set(node) != set(spec):
            raise ModelFileError(f"{cls.__name__} has other fields in the file")
        found = {}
        for name, field in spec.items():
            where = f"{cls.__name__}.{name}"
            if is_record(field.type):
                found[name] = self.record(_parts(node[name], "record")[0], field.type, schema)
                continue
            value = self.value(node[name])
            if field.axes is None:
                if type(value) is not field.type:
                    raise ModelFileError(f"{where} is not a {field.type.__name__}")
            elif not isinstance(value, np.ndarray):
                raise ModelFileError(f"{where} is not an array")
            else:
                check_shape(where, field, value.dtype, value.shape, schema, free)
            found[name] = value
        return cls(**found)

    def value(self, node: Any, depth: int = 0) -> Any:
        """A parameter or a field."""
        if depth > MAX_DEPTH or not isinstance(node, dict):
            raise ModelFileError("a value is malformed")
        kind, content = next(iter(node.items()), ("", None))
        if kind == "learner":
            return self.learner(node, depth)
        if len(node) != 1:
            raise ModelFileError("a value is malformed")
        if kind == "is" and (content is None or isinstance(content, (bool, str))):
            return content
        if kind in ("list", "tuple") and isinstance(content, list):
            items = [self.value(v, depth + 1) for v in content]
            return items if kind == "list" else tuple(items)
        if kind == "tensor":
            return self.tensor(content)
        if kind in ("int", "float") and isinstance(content, str) and len(content) <= 40:
            try:
                return int(content) if kind == "int" else float.fromhex(content)
            except (ValueError, OverflowError):
                pass
        raise ModelFileError("a value is malformed")

    def learner(self, node: Any, depth: int = 0) -> Any:
        """A learner with its parameters, not fitted."""
        name, params = _parts(node, "learner", "params")
        cls = class_of(name)
        if not isinstance(params, dict) or set(params) != set(cls._get_param_names()):
            raise ModelFileError(f"{name} has other parameters in the file")
        model = cls(**{k: self.value(v, depth + 1) for k, v in params.items()})
        try:
            model._validate_params()
        except (ValueError, TypeError) as error:
            raise ModelFileError(f"a parameter in the file is not allowed: {error}") from None
        return model


def _parts(node: Any, *names: str) -> list[Any]:
    """The values of a node that has just these keys."""
    if not isinstance(node, dict) or set(node) != set(names):
        raise ModelFileError(f"a node is malformed: {', '.join(names)} expected")
    return [node[name] for name in names]
