"""Which rows belong together and are not independent."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Codes, DataError, Need
from tenfold.engine.group_keys import Key, Shuffled
from tenfold.engine.runner import Session
from tenfold.model_selection.cross_validation.folds import FILE, numbering, units_of
from tenfold.sources import Source
from tenfold.sources.label_codes import code, levels

MAX_UNITS = 512
"""maximum number of units: more groups are joined, more rows are dealt into this many units"""


def group_codes(groups: ArrayLike) -> Codes:
    """Encode groups as integers from 0."""
    values = np.asarray(groups)
    if values.ndim != 1:
        raise ValueError(f"groups must be one value for each row, but has the shape {values.shape}")
    known = levels(values, "groups")
    codes = code(values, known, "groups")
    if np.isnan(codes).any():
        row = int(np.flatnonzero(np.isnan(codes))[0])
        raise DataError(f"groups has a missing value in row {row}. Remedy: the group of the row")
    return codes.astype(np.int64)


def unit_key(
    groups: str | Codes | None, source: Source, need: Need, session: Session, seed: int
) -> tuple[Key, tuple[str, ...], int]:  # fmt: skip
    """The unit of each row, the columns that identify it, and the number of groups.

    A unit is a group, or several groups joined. If rows are independent, they are dealt to units by chance.
    """
    if groups is None:
        _, starts = numbering(source, need.without_target(), session)  # wherever they come from
        return Shuffled(MAX_UNITS, seed, starts=starts), (), 0
    key, side, count = units_of(groups, MAX_UNITS, source, need, session)
    if count < 2:
        what = "there is one file only" if isinstance(groups, str) and groups == FILE else "groups has one group only"
        raise DataError(f"{what}, which does not show how groups differ. Remedy: rows of more groups")
    return key, side, count
