"""All training rows that are strings, sets or trees, for learners that need them at once: merging is concatenation."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Codes, DataError, Labels, Letters, Mergeable, Schema
from tenfold.core.field_values import COUNTS, POSITIVE
from tenfold.core.rows.joined_rows import too_many
from tenfold.core.rows.objects import OBJECT_KINDS, ObjectKind, objects_of
from tenfold.core.rows.texts import are_texts, pack, unpack
from tenfold.core.statistic import Gathered


class PackedObjects(NamedTuple):
    """Strings, sets or trees as the bytes of their texts, one after the other, and where each ends."""

    letters: Annotated[Letters, "byte"]
    ends: Annotated[Codes, "object", COUNTS]
    kind: str
    """ "strings", "sets" or "trees"; empty if there are none"""

    @classmethod
    def of(cls, texts: list[str], kind: str) -> PackedObjects:
        """Pack some texts."""
        return cls(*pack(texts), kind)

    def texts(self) -> list[str]:
        """The text of each object."""
        return unpack(self.letters, self.ends)

    def objects(self) -> Labels:
        """The objects, as kernels compare them."""
        return objects_of(self.texts(), self.kind)  # type: ignore[arg-type]

    def is_valid(self, schema: Schema) -> bool:
        """Whether they are texts, and the objects that they stand for can be read."""
        if self.kind not in ("", *OBJECT_KINDS) or not are_texts(self.letters, self.ends, distinct=False):
            return False
        try:
            return not len(self.ends) if not self.kind else len(self.objects()) == len(self.ends)
        except DataError:
            return False


NO_OBJECTS = PackedObjects.of([], "")


class TrainingObjects(Mergeable):
    """The object, the target and the weight of each row, and its number in the source."""

    letters: Annotated[Letters, "byte"]
    """the texts of the objects, one after the other"""
    ends: Annotated[Codes, "row", COUNTS]
    y: Annotated[Array, "row"]
    """numbers, or codes of the classes"""
    weight: Annotated[Array, "row", POSITIVE]
    place: Annotated[Codes, "row", COUNTS]
    kind: str = "strings"
    memory: Annotated[int, COUNTS] = 0
    """bytes that all rows may take; 0: any number"""
    relative: str = ""
    """the alternative for larger data, as the call to write"""

    def within_memory(self) -> TrainingObjects:
        """Themselves, unless they take more bytes than they may."""
        some = (self.letters, self.ends, self.y, self.weight, self.place)
        if 0 < self.memory < sum(each.nbytes for each in some):
            raise too_many(self.memory, self.relative)
        return self

    def __len__(self) -> int:
        return len(self.y)

    def __add__(self, other: TrainingObjects) -> TrainingObjects:
        if not len(self) or not len(other):
            return self if len(self) else other
        return TrainingObjects(
            np.concatenate([self.letters, other.letters]),
            np.concatenate([self.ends, self.ends[-1] + other.ends]),
            np.concatenate([self.y, other.y]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.place, other.place]),
            self.kind,
            *max((self.memory, self.relative), (other.memory, other.relative)),
        ).within_memory()

    @property
    def X(self) -> Labels:
        """The objects, as kernels compare them."""
        return PackedObjects(self.letters, self.ends, self.kind).objects()

    def packed(self, some: Codes) -> PackedObjects:
        """Some of the objects, by their places."""
        texts = unpack(self.letters, self.ends)
        return PackedObjects.of([texts[at] for at in some], self.kind)

    @property
    def label(self) -> Codes:
        """The class of each row, as its place among the classes."""
        return self.y.astype(np.int64)

    def recode(self, old: Schema, new: Schema) -> TrainingObjects:
        """The same with the codes of a schema that has more classes."""
        classes = old.places("class", new)
        y = self.y if classes is None else classes[self.label].astype(np.float64)
        rest = (self.weight, self.place, self.kind, self.memory, self.relative)
        return TrainingObjects(self.letters, self.ends, y, *rest)

    def is_valid(self, schema: Schema) -> bool:
        """Whether objects can be read, and codes of classes are such."""
        classes = 0 if schema.classes is None else len(schema.classes)
        coded = (self.y >= 0) & (self.y < classes) & (self.y == np.floor(self.y))
        fits = schema.target != "class" or bool(coded.all())
        return fits and bool(self.kind) and PackedObjects(self.letters, self.ends, self.kind).is_valid(schema)


class AllObjects(Gathered):
    """Statistic of all rows that are strings, sets or trees, with target and weight, within the runner's memory."""

    relative: str  # type: ignore[misc]  # each learner names its own
    """the alternative for rows that do not fit in memory, as the call to write"""
    kind: ObjectKind = "strings"
    learner: str = ""
    most: int = 0
    """rows; 0: any number"""

    def check_count(self, rows: int) -> None:
        if 0 < self.most < rows:
            raise DataError(
                f"{self.learner} has {rows:,} rows: it compares them with each other, so its time grows with the "
                f"square of their number. Remedy: {self.relative}, or a sample of them"
            )

    def summarize(self, chunk: Chunk) -> Any:
        # The `TrainingObjects` of one chunk; what a text stands for is read here, so that a wrong one is named early.
        texts = chunk.X.column(0).tolist()
        objects_of(texts, self.kind)
        return TrainingObjects(
            *pack(texts),
            chunk.y.astype(np.float64),
            np.array(chunk.weight, dtype=np.float64),
            chunk.X.numbers(),
            self.kind,
            self.memory,
            self.relative,
        ).within_memory()
