"""Profile: what each column of some rows holds, learned in one pass by summaries that merge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from tenfold.core import Array, Claim, Codes, DataError, Letters, Need, Schema
from tenfold.core.axes import Bundle
from tenfold.core.contract import RecordTypes, record_types
from tenfold.core.field_values import ANYTHING, COUNTS, NOT_NEGATIVE
from tenfold.core.rows.texts import are_texts, pack
from tenfold.estimator import OnePass, check_is_fitted, for_users
from tenfold.estimator.shell.constraints import choice, integer
from tenfold.estimator.target_kind import target_kind
from tenfold.inspection.profile.description import Description
from tenfold.inspection.profile.profile_summary import ProfileByColumn, ProfileSummary, is_of_values
from tenfold.inspection.profile.value_table import ValueTable
from tenfold.sources import Source, arrow
from tenfold.sources.frames import materialized
from tenfold.sources.inputs import as_named_source, has_target
from tenfold.stats.counts.distribution import KEY_BITS, Distribution, ValueGroups

SHARES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
"""of the values that lie below the quantiles of a profile"""
MAX_CLASSES = 50
"""classes of the target whose share is found for each value"""
KINDS = ("number", "text", "date", "ignored")


class ProfileModel(NamedTuple):
    """Statistics of each column, and a table of its parts: its most frequent values, or intervals of numbers."""

    weight: Annotated[Array, "layer", NOT_NEGATIVE]
    missing: Annotated[Array, "column", NOT_NEGATIVE]
    missing_by_layer: Annotated[Array, "column", "layer", NOT_NEGATIVE]
    distinct: Annotated[Array, "column", NOT_NEGATIVE]
    distinct_error: Annotated[Array, "column", ANYTHING]
    mean: Annotated[Array, "column", ANYTHING]
    std: Annotated[Array, "column", ANYTHING]
    quantiles: Annotated[Array, "column", "share", ANYTHING]
    rank_error: Annotated[Array, "column", NOT_NEGATIVE]
    letters: Annotated[Letters, "byte"]
    ends: Annotated[Codes, "entry", COUNTS]
    """of the texts of the parts, empty for intervals"""
    first: Annotated[Codes, "boundary", COUNTS]
    """where the parts of each column begin, and the last end"""
    low: Annotated[Array, "entry", ANYTHING]
    high: Annotated[Array, "entry", ANYTHING]
    part_weight: Annotated[Array, "entry", "layer", NOT_NEGATIVE]
    count_error: Annotated[Array, "column", NOT_NEGATIVE]
    """weight that may be missing from the count of a value"""


class Profile(OnePass):
    """Describe each column in one pass: missing values, quantiles, frequent values, and the target by value.

    Two profiles merge: those of two days are added up to that of both. Numbers and dates are described by minimum,
    maximum, mean, standard deviation and quantiles; text and categories by their most frequent values. With a target,
    the share of its classes, or its mean, is there for each frequent value and for intervals of numbers.

    Everything is exact for a column of numbers with at most 65,536 distinct values, and for one of text with at most
    `max_values`. Beyond these, quantiles and counts have an error bound, and the number of distinct values of text is
    an estimate with an interval of 95 %.

    Parameters
    ----------
    target : {"auto", "class", "number", "none"}, default="auto"
        How the target enters: floats are numbers, other values are classes; "none" ignores it.
    top : int, default=10
        Values of a column that are listed, or intervals of about equal weight into which numbers are cut.
    max_values : int, default=1000
        Values of a column of text that are counted at most: the most frequent.
    kinds : dict of str to {"number", "text", "date", "ignored"}, optional
        How single columns are described; the others go by their types. With None all do.

    Attributes
    ----------
    missing_ : array of shape (columns,)
        Weight of the rows without a value.
    distinct_ : array of shape (columns,)
        Number of distinct values.
    distinct_error_ : array of shape (columns,)
        Half the width of an interval of 95 % for it, as a share; 0: exact; inf: it is a lower bound.
    mean_, std_ : array of shape (columns,)
        NaN for text.
    quantiles_ : array of shape (columns, 7)
        Below which 0, 5, 25, 50, 75, 95 and 100 % of the values lie; NaN for text.
    rank_error_ : array of shape (columns,)
        Bound of the error of the quantiles, as a share of the rows; 0: exact.
    certificate_ : Certificate

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> frame = pd.DataFrame({"size": [1.0, 2.0, 4.0, None], "shop": ["a", "b", "a", "a"], "back": [0, 1, 0, 0]})
    >>> profile = tn.Profile().fit(tn.scan(frame, target="back"))
    >>> profile.mean_[0].round(3), profile.missing_.tolist(), profile.distinct_.tolist()
    (np.float64(2.333), [1.0, 0.0], [3.0, 2.0])
    >>> profile.describe()["shop"].parts[0]
    Part(label='a', share=0.75, target=(1.0, 0.0))
    """

    hidden = frozenset(
        {"weight", "missing_by_layer", "letters", "ends", "first", "low", "high", "part_weight", "count_error"}
    )
    chooses_columns = True
    law_params: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"top": 3, "max_values": 4, "target": "none"})

    target: Annotated[str, choice("auto", "class", "number", "none")] = "auto"
    top: Annotated[int, integer(1)] = 10
    max_values: Annotated[int, integer(1)] = 1000
    kinds: Annotated[Mapping[str, str] | None, dict, None] = None

    @property
    def need(self) -> Need:
        target: Any = self.target if self.target in ("class", "number") else None
        words: dict[str, Any] = {"number": "numeric", "text": "text", "date": "date"}
        each = tuple((name, words[kind]) for name, kind in (self.kinds or {}).items() if kind != "ignored")
        return Need("mixed", missing=True, target=target, each=each)

    @property
    def record_types(self) -> RecordTypes:
        own = record_types(type(self))
        return own._replace(within=(*own.within, Bundle, Distribution, ValueTable))

    def _validate_params(self) -> None:
        super()._validate_params()
        for name, kind in (self.kinds or {}).items():
            if kind not in KINDS:
                raise ValueError(f"kinds: {name!r} is {kind!r}, not one of {', '.join(map(repr, KINDS))}")

    # ---- which columns, and which target ---------------------------------------------------------

    def bound(self, X: Any, y: Any = None, target: Any = None) -> Profile:
        found: Profile = self._blank()
        if (rows := as_named_source(X)) is not None:
            found.kinds = _kinds_of(rows, dict(self.kinds or {}))
        if self.target == "auto":
            found.target = (target or target_kind(X, y)) if has_target(X, y) else "none"
        return found

    def _fit(self, X: Any, y: Any, *args: Any, **given: Any) -> Any:
        X = materialized(X)
        fresh = self._blank()
        fresh._validate_params()
        fresh = fresh.bound(X, y)
        super(Profile, fresh)._fit(X, y if fresh.need.target else None, *args, **given)
        return self._become(fresh)

    # ---- the fit -----------------------------------------------------------------------------------

    def statistic(self, schema: Schema) -> ProfileByColumn:
        classes = 0 if schema.classes is None else len(schema.classes)
        if classes > MAX_CLASSES:
            raise DataError(
                f"the target has {classes} classes, and a profile shows the share of each for every value. Remedy: "
                "Profile(target='number') for its mean, or target='none'"
            )
        return ProfileByColumn(schema.columns, classes, schema.target is not None, self.max_values)

    def solve(self, schema: Schema, s: ProfileSummary) -> ProfileModel:
        whole, tables = s.numbers.each[0], iter(s.texts.each)
        spread, present = s.spread, s.spread.weight > 0
        variance = np.divide(spread.square, spread.weight, out=np.full_like(spread.square, np.nan), where=present)
        mean, std = np.where(present, spread.mean, np.nan), np.sqrt(variance)
        p = len(schema.columns)
        distinct, error, off, rank = np.zeros((4, p))
        missing = np.zeros((p, len(s.weight)))
        quantiles = np.full((p, len(SHARES)), np.nan)
        labels: list[str] = []
        parts: list[tuple[Array, Array, Array]] = []
        for j, column in enumerate(schema.columns):
            if column.kind == "unused":
                parts.append((np.zeros(0), np.zeros(0), np.zeros((0, len(s.weight)))))
                continue
            if is_of_values(column):
                table: ValueTable = next(tables)
                order = np.argsort(-table.count[:, 0], kind="stable")[: self.top]
                values, none = table.values, np.full(len(order), np.nan)
                labels += [values[at] for at in order.tolist()]
                parts.append((none, none, table.count[order]))
                missing[j], off[j] = table.missing, table.error
                distinct[j], error[j] = table.distinct
                continue
            groups = whole.column(j)
            missing[j], rank[j] = [layer.missing[j] for layer in s.numbers.each], groups.rank_error
            coarse = groups.bits < KEY_BITS
            distinct[j], error[j] = len(groups.low), np.inf if coarse else 0.0
            quantiles[j] = groups.quantiles(np.array(SHARES))
            parts.append(_intervals(s.numbers.each, j, groups, self.top))
            labels += [""] * len(parts[-1][0])
        low, high, count = (np.concatenate([part[k] for part in parts]) for k in range(3))
        first = np.cumsum([0, *(len(part[0]) for part in parts)], dtype=np.int64)
        return ProfileModel(
            s.weight, missing[:, 0].copy(), missing, distinct, error, mean, std, quantiles, rank, *pack(labels), first,
            low, high, count, off,
        )  # fmt: skip

    def certify(self, model: ProfileModel, s: ProfileSummary) -> tuple[Claim, ...]:
        """How far quantiles and counts may be off."""
        whole: Distribution = s.numbers.each[0]
        off = float(model.count_error.max(initial=0.0)) / max(float(model.weight[0]), 1e-300)
        why = "share of the rows that the count of a value of text may lack, because it was dropped once"
        exact = "every value of text was counted"
        return whole.claim(), Claim("count error", off, "proved", why if off else exact, "data")

    def table_row(self, schema: Schema, model: ProfileModel) -> dict[str, Any]:
        # Of each column what `describe` shows; of text the most frequent value in place of numbers.
        found: dict[str, Any] = {}
        for column in Description.of(schema, model, None).columns:
            found |= {f"missing_{column.name}": column.missing, f"distinct_{column.name}": column.distinct}
            if column.kind == "text":
                found[f"top_{column.name}"] = column.parts[0].label if column.parts else None
                continue
            ends = {name: column.quantiles[name] for name in ("min", "median", "max")}
            numbers: dict[str, Any] = {"mean": column.mean, "std": column.std, **ends}
            if column.kind != "number":  # a moment reads as such
                numbers = {name: column.value(end) for name, end in ends.items()}
            found |= {f"{name}_{column.name}": number for name, number in numbers.items()}
        return found

    def is_valid(self, model: ProfileModel, summary: ProfileSummary | None, schema: Schema) -> bool:
        return are_texts(model.letters, model.ends, distinct=False) and int(model.first[-1]) == len(model.ends)

    # ---- shown ---------------------------------------------------------------------------------------

    @for_users
    def describe(self) -> Description:
        """Return the profile as a table, shown as text, in notebooks as HTML, and drawn by `ProfileDisplay`.

        Returns
        -------
        description : Description
        """
        check_is_fitted(self)
        schema, model = self.schema_, self.model_
        return Description.of(schema, model, self.certificate_.provenance)


def _kinds_of(rows: Source, given: dict[str, str]) -> dict[str, str]:
    """How each feature of a source is described: as the user says, or by its type."""
    if unknown := sorted(set(given) - set(rows.names)):
        raise DataError(f"kinds names columns that are not there: {unknown}; there are {list(rows.names)[:20]}")
    types = rows.schema
    return {name: given.get(name) or _kind_of(types.field(name).type) for name in rows.names}


def _kind_of(kind: pa.DataType) -> str:
    """How a column of an Arrow type is described."""
    if pa.types.is_null(kind) or arrow.is_text(kind):
        return "text"
    if arrow.is_date(kind):
        return "date"
    return "number" if arrow.is_number(kind) else "ignored"


def _intervals(layers: tuple[Distribution, ...], j: int, groups: ValueGroups, top: int) -> tuple[Array, Array, Array]:
    """Values of a column, if they are few, or intervals of about equal weight: their ends, and weights by layer."""
    if not len(groups.low):
        return np.zeros(0), np.zeros(0), np.zeros((0, len(layers)))
    if len(groups.low) <= top:
        starts = np.arange(len(groups.low))
    else:
        upto = groups.weight.cumsum()
        middle = (upto - 0.5 * groups.weight) / upto[-1]
        starts = np.unique(np.append(0, np.searchsorted(middle, np.arange(1, top) / top)))
        starts = starts[starts < len(middle)]
    low, high = groups.low[starts], groups.high[np.append(starts[1:], len(groups.low)) - 1]
    count = np.zeros((len(starts), len(layers)))
    for k, layer in enumerate(layers):
        some = layer.column(j)
        at = np.searchsorted(low, some.middle, side="right") - 1
        count[:, k] = np.bincount(np.maximum(at, 0), some.weight, len(starts))
    return low, high, count
