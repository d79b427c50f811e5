"""The classes that a model and the rows it is judged by know together."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import DataError


def united(known: Any, found: Any) -> Any:
    """The classes of a model and of the rows: a class that the model does not know is one that it gets wrong."""
    here, there = {*found.tolist()}, {*known.tolist()}
    more = here - there
    if not more:
        return known
    if not here & there:
        raise DataError(
            f"y has the classes {found.tolist()[:5]}, and the model knows {known.tolist()[:5]}: no row could be right. "
            "Remedy: give y as it was when the model was fitted"
        )
    try:
        return np.array(sorted(there | more), dtype=object if known.dtype.kind == "O" else None)
    except TypeError:
        raise DataError(
            f"y has classes {sorted(map(str, more))[:5]}, and the model's are {known.tolist()[:5]}: text in one, "
            "numbers in the other. Remedy: give y as it was when the model was fitted"
        ) from None
