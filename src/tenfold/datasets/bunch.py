"""Small tables as scikit-learn's loaders return them: a `Bunch`, a pair of data and target, or frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from tenfold.core import Array, Labels


def loaded(
    columns: Mapping[str, Sequence[Any]],
    target: tuple[str, Sequence[Any]],
    description: str,
    *,
    return_X_y: bool,
    as_frame: bool,
    target_names: Sequence[str] | None = None,
    **more: Any,
) -> Any:
    """A table in the form that was asked for.

    Parameters
    ----------
    columns : dict of str to sequence
        The features by name.
    target : tuple
        The name of the target, and its values.
    description : str
        The text of `DESCR`.
    return_X_y, as_frame : bool
        As in scikit-learn's loaders.
    target_names : list of str, optional
        The names of the classes; by default the values of the target, sorted.
    **more
        Further entries of the Bunch.
    """
    data: Any = _table(list(columns.values()))
    name, values = target
    classes: Any = np.asarray(values)
    frame: Any = None
    if as_frame:
        import pandas as pd

        data, classes = pd.DataFrame(dict(columns)), pd.Series(values, name=name)
        frame = data.assign(**{name: classes})
    if return_X_y:
        return data, classes
    known = sorted(set(values)) if target_names is None else target_names
    return Bunch(
        data=data, target=classes, frame=frame, feature_names=list(columns), target_names=np.array(known),
        DESCR=description, **more,
    )  # fmt: skip


def _table(columns: list[Sequence[Any]]) -> Array | Labels:
    """The columns side by side: numbers, or objects if some hold text."""
    each = [np.asarray(column) for column in columns]
    if any(column.dtype.kind in "UO" for column in each):
        return np.array([list(column) for column in columns], dtype=object).T
    return np.column_stack(each)
