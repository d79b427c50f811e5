"""The boundaries of a version space after each example: candidate elimination, one row at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tenfold.concept.candidate_elimination import CandidateElimination
from tenfold.concept.conjunction import Conjunction
from tenfold.concept.version_space import VersionSpace
from tenfold.core import Array, DataError, Flags
from tenfold.inspection.traces.step_table import StepTable, rows_in_memory


@dataclass(frozen=True, eq=False, repr=False)
class VersionSpaceTrace(StepTable):
    """The boundaries S and G of a version space, before the first example and after each.

    Attributes
    ----------
    model : CandidateElimination or VersionSpace
        Fitted; the last version space.
    rows : tuple of tuples
        The examples.
    labels : array of bool
        Whether each is a positive.
    spaces : tuple of VersionSpace
        Before the first example and after each; `specific`, `general` and `size` of each can be asked for.

    Examples
    --------
    >>> from tenfold import CandidateElimination, trace
    >>> X = [["sun", "warm"], ["sun", "cold"], ["rain", "warm"]]
    >>> print(trace(CandidateElimination(), X, ["yes", "yes", "no"]))
    step  example     label  S                   G         size
    0                        <nothing, nothing>  <?, ?>    10
    1     sun, warm   +      <sun, warm>         <?, ?>    4
    2     sun, cold   +      <sun, ?>            <?, ?>    2
    3     rain, warm  -      <sun, ?>            <sun, ?>  1
    S and G after 3 examples: 1 hypothesis is left
    """

    model: Any
    rows: tuple[tuple[Any, ...], ...]
    labels: Flags
    spaces: tuple[VersionSpace, ...]

    @property
    def table(self) -> dict[str, list[Any]]:
        """The columns of the table by name."""
        return {
            "step": list(range(len(self.spaces))),
            "example": [None, *(", ".join(map(str, row)) for row in self.rows)],
            "label": [None, *("+" if label else "-" for label in self.labels)],
            "S": [_words(space.specific) for space in self.spaces],
            "G": [_words(space.general) for space in self.spaces],
            "size": [_size(space) for space in self.spaces],
        }

    @property
    def emptied_by(self) -> int | None:
        """The position of the example that no hypothesis was left with, or None if some are left."""
        empty = [space.is_empty for space in self.spaces]
        return empty.index(True) - 1 if any(empty) else None

    def _note(self) -> str:
        if self.emptied_by is not None:
            return f"example {self.emptied_by} (from 0 on) left no hypothesis"
        left = _size(self.spaces[-1])
        many = "hypothesis is" if left == 1 else "hypotheses are"
        return f"S and G after {len(self.rows)} examples: {'many' if left is None else left} {many} left"


def trace_version_space(model: CandidateElimination, X: Any, y: Any, sample_weight: Any) -> VersionSpaceTrace:
    """Fit candidate elimination, and return the boundaries after each row.

    Parameters
    ----------
    model : CandidateElimination
        Not fitted; it will be.
    X, y, sample_weight
        As for `fit`.

    Returns
    -------
    trace : VersionSpaceTrace
    """
    model.fit(X, y, sample_weight)
    chunk, _ = rows_in_memory(model, X, y, sample_weight)
    codes = np.concatenate([np.array(block) for _, block in chunk.X.blocks()]).astype(np.int64)
    words = [column.categories[codes[:, j]].tolist() for j, column in enumerate(model.schema_.columns)]
    space = VersionSpace(model.version_space_.attributes)
    rows = list(zip(*words, strict=True))
    return _steps(model, space, rows, np.asarray(chunk.y == model.model_.positive))


def trace_from_space(space: VersionSpace, X: Any, y: Any) -> VersionSpaceTrace:
    """Return the boundaries after each row, from a version space on.

    Parameters
    ----------
    space : VersionSpace
        That of no examples, or of some.
    X : sequence of rows
    y : sequence of bool
        Whether each row is a positive.

    Returns
    -------
    trace : VersionSpaceTrace
    """
    labels: Array = np.asarray(y)
    if labels.dtype != bool:
        raise ValueError("a version space learns whether rows are positives: y must be of bool. Remedy: y == 'Yes'")
    rows = X.to_numpy().tolist() if hasattr(X, "to_numpy") else X
    return _steps(None, space, [tuple(row) for row in rows], labels.astype(bool))


def _steps(model: Any, space: VersionSpace, rows: list[tuple[Any, ...]], labels: Flags) -> VersionSpaceTrace:
    """Let the space learn row after row."""
    spaces = [space]
    for row, label in zip(rows, labels.tolist(), strict=True):
        spaces.append(spaces[-1].learn(row, label))
    return VersionSpaceTrace(spaces[-1] if model is None else model, tuple(rows), labels, tuple(spaces))


def _words(boundary: tuple[Conjunction, ...]) -> str:
    """The members of a boundary as text."""
    return " ".join(map(str, boundary)) or "empty"


def _size(space: VersionSpace) -> int | None:
    """The number of hypotheses, or None if they are too many to count."""
    try:
        return space.size
    except DataError:
        return None
