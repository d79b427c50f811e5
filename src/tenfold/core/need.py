"""Requirements of a learner on the rows; they belong to the learner, not to the source.

One integer target is a number for Ridge and a class for GaussianNB, from one read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from tenfold.core.rows.objects import ObjectKind

Kinds = Literal["numeric", "categorical", "mixed", "text", "date", "unused"]
Target = Literal["number", "class"]


@dataclass(frozen=True)
class Need:
    """Requirements of a learner on the rows.

    Parameters
    ----------
    kinds : {"numeric", "categorical", "mixed", "text", "date", "unused"}
        How columns enter: as numbers, as codes of categories, each by its own type as one of these, as text: strings as
        they are, which nobody enumerates; or as dates: seconds since 1970 by the clock of the column's time zone.
        Unused columns may be of any type, and are not read.
    missing : bool
        Whether a missing value may reach the learner: NaN, or None among text. Empty text is not missing.
    sparse : bool
        Whether a CSR matrix may reach the learner.
    target : {"number", "class"} or None
        How the target enters, or "none".
    binary : bool
        Whether the target must have at most two classes.
    positive : bool
        Whether a target of numbers must be above zero.
    counts : bool
        Whether numbers below zero are refused.
    side : tuple of str
        Columns that come along as `chunk.side[name]` although the learner does not learn from them: folds, groups.
    sequence : str, optional
        The column with the sequence id of each row. Rows then come in whole sequences, wherever parts are cut;
        `chunk.starts` holds where each begins. Empty: the column that the rows were scanned with, `scan(sequence=)`.
    windows : bool
        Whether a very long sequence may come in consecutive windows, which `chunk.window` then marks.
    each : tuple of (str, str)
        How single columns enter: a name, and a value of `kinds`. Those without a name enter as `remainder`.
        Empty: all columns enter as `kinds`.
    remainder : {"unused", "numeric", "mixed"}
        How columns enter that `each` does not name, if it names any; by default they are not read.
    per_sequence : bool
        Whether the target is one of a whole sequence: that which all its rows have.
    output : int, optional
        Which column of a target of several columns is meant.
    objects : {"strings", "sets", "trees"}, optional
        What the one column of text stands for, if it is written out of objects in memory (`core/rows/objects.py`).
    """

    kinds: Kinds = "numeric"
    missing: bool = False
    sparse: bool = False
    target: Target | None = None
    binary: bool = False
    positive: bool = False
    counts: bool = False
    side: tuple[str, ...] = ()
    sequence: str | None = None
    windows: bool = False
    each: tuple[tuple[str, Kinds], ...] = ()
    per_sequence: bool = False
    output: int | None = None
    objects: ObjectKind | None = None
    remainder: Literal["unused", "numeric", "mixed"] = "unused"

    def kind_of(self, name: str) -> Kinds:
        """How a column enters, by its name."""
        return dict(self.each).get(name, self.remainder) if self.each else self.kinds

    def plain(self, name: str) -> Literal["numeric", "text", "date", "unused"]:
        """The kind of a column that has no categories."""
        kind = self.kind_of(name)
        return "numeric" if kind == "mixed" or kind == "categorical" else kind

    @property
    def every_kind(self) -> frozenset[Kinds]:
        """The set of all ways in which columns enter."""
        if not self.each:
            return frozenset({self.kinds})
        rest: frozenset[Kinds] = frozenset() if self.remainder == "unused" else frozenset({self.remainder})
        return rest.union(kind for _, kind in self.each)

    def without_target(self) -> Need:
        """The need of `predict` and `transform`: the columns alone."""
        return _without_target(self)

    def of_schema(self) -> Need:
        """Return the fields on which a schema depends: not side columns, the cutting of rows, or sparsity."""
        if not self.side and self.sequence is None and not self.sparse:
            return self
        return _of_schema(self)

    def dense(self) -> Need:
        """How dense rows are read for it: whether it would take sparse ones makes no difference to that."""
        return _dense(self) if self.sparse else self

    def for_output(self, output: int | None) -> Need:
        """The same need of one column of a target of several columns; of None, of a target that is a single column."""
        return replace(self, output=output)


@cache
def _without_target(need: Need) -> Need:
    """Made once of each need, since every prediction asks for it."""
    return replace(need, target=None, output=None)


@cache
def _of_schema(need: Need) -> Need:
    """Made once of each need, as for the above."""
    return replace(need, sparse=False, side=(), sequence=None, windows=False, per_sequence=False)


@cache
def _dense(need: Need) -> Need:
    """Made once of each need, too."""
    return replace(need, sparse=False)
