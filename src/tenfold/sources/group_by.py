"""Rows by the values of some columns: the way from a source to a model for each key."""

from __future__ import annotations

from typing import Any

from tenfold.core.contract import for_users


class GroupedRows:
    """Rows by the values of some columns: `rows.group_by("store").fit(Ridge())` is a `Cube`.

    Parameters
    ----------
    rows : Source
    by : tuple of str
    """

    def __init__(self, rows: Any, by: tuple[str, ...]) -> None:
        self.rows, self.by = rows, by

    @for_users
    def fit(self, learner: Any, **parameters: Any) -> Any:
        """Fit a model to the rows of each key.

        Parameters
        ----------
        learner : learner, list or dict of learners
            Unfitted.
        **parameters
            Of the cube: `levels`, `missing`, `cv`, `gather`, ...

        Returns
        -------
        cube : Cube
        """
        import tenfold

        return tenfold.Cube(learner, list(self.by), **parameters).fit(self.rows)

    def __repr__(self) -> str:
        return f"<GroupedRows by {', '.join(self.by)}: {self.rows!r}>"
