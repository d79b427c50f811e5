"""Nodes and constants of an ONNX graph that is being made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

ML = "ai.onnx.ml"
"""the domain of trees and of encoders of labels"""


class GraphBuilder:
    """Nodes and constants of a graph, under names that no column has.

    Parameters
    ----------
    onnx : module
    dtype : {"float64", "float32"}
        Of numbers.
    taken : iterable of str
        Names of the inputs.
    """

    def __init__(self, onnx: Any, dtype: str, taken: Iterable[str] = ()) -> None:
        self.onnx, self.dtype = onnx, np.dtype(dtype)
        self.kind = self.kind_of(self.dtype)
        self.taken = {*taken}
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.domains = {""}

    def kind_of(self, dtype: Any) -> int:
        """Return the number that ONNX has for a type of numpy; text is a type too."""
        if dtype is str:
            return int(self.onnx.TensorProto.STRING)
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def tensor(self, values: Any) -> Any:
        """Return an array as a tensor, for an attribute."""
        return self.onnx.numpy_helper.from_array(np.ascontiguousarray(values))

    def constant(self, values: Any, exact: bool = False) -> str:
        """Return the name of an array that the graph keeps; floats get the graph's type unless they stay exact."""
        array = np.asarray(values)
        if array.dtype.kind == "f" and not exact:
            array = array.astype(self.dtype)
        name = self._unused("c", len(self.constants))
        self.constants.append(self.onnx.numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def node(self, operator: str, *inputs: str, name: str | None = None, domain: str = "", **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        out = name or self._unused("n", len(self.nodes))
        if name is not None and name in self.taken:
            raise ValueError(f"column {name!r} has the name of an output of the graph. Remedy: another name")
        self.domains.add(domain)
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [out], domain=domain, **attributes))
        return out

    def cast(self, z: str, dtype: Any) -> str:
        """Convert numbers to another type."""
        return self.node("Cast", z, to=self.kind_of(dtype))

    def floats(self, z: str) -> str:
        """Convert numbers to the type of the graph."""
        return self.cast(z, self.dtype)

    def pick(self, condition: str, z: str, otherwise: str) -> str:
        """Take values of one node where a condition holds, and of another elsewhere."""
        return self.node("Where", condition, z, otherwise)

    def total(self, z: str, axis: int) -> str:
        """Sum over one axis, which is left out."""
        return self.node("ReduceSum", z, self.constant([axis]), keepdims=0)

    def output(self, name: str, shape: list[int | None], kind: int | None = None) -> Any:
        """The description of an output of the graph."""
        return self.onnx.helper.make_tensor_value_info(name, self.kind if kind is None else kind, shape)

    def _unused(self, letter: str, number: int) -> str:
        """A name that no column has."""
        name = f"{letter}{number}"
        while name in self.taken:
            name = f"_{name}"
        return name
