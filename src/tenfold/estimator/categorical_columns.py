"""`categorical_features`: which columns of a learner are categories, by name, number or mask, whatever their type."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tenfold.core import Need
from tenfold.estimator.ensembles.parallel_transformers import numbers
from tenfold.estimator.shell.estimator import Estimator
from tenfold.sources.column_choice import first_rows
from tenfold.sources.frames import materialized

NAME = "categorical_features"


class ListsCategories(Estimator):
    """Base of learners with a parameter `categorical_features`, listed before the class that learns.

    "from_dtype": columns of text and categorical columns are categories. None: all columns are numbers. Else those that
    are listed are categories, and the others are numbers.
    """

    @property
    def _listed(self) -> list[Any] | None:
        """The columns that are listed; None, if none is."""
        given = getattr(self, NAME)
        return None if given is None or isinstance(given, str) else np.asarray(given).tolist()

    @property
    def chooses_columns(self) -> bool:  # type: ignore[override]
        # Numbers of columns are resolved before they are read.
        return self._listed is not None

    @property
    def wants_names(self) -> bool:  # type: ignore[override]
        # If columns are listed by their names.
        return any(isinstance(one, str) for one in self._listed or ())

    @property
    def need(self) -> Need:
        # By its own type, or as it is listed.
        plain: Need = super().need
        if isinstance(getattr(self, NAME), str):
            return plain
        listed = self._listed or []
        if all(isinstance(one, bool) for one in listed):
            listed = np.flatnonzero(listed).tolist()
        names = [one if isinstance(one, str) else f"x{one}" for one in listed]
        if not names:
            return replace(plain, kinds="numeric")
        return replace(plain, each=tuple((name, "categorical") for name in names), remainder="numeric")

    def bound(self, X: Any, y: Any = None, target: Any = None) -> Any:
        found = super().bound(X, y, target)
        if self._listed is not None:
            first = first_rows(X)
            setattr(found, NAME, [first.names[j] for j in numbers(first, self._listed, NAME)])
        return found

    def _fit(self, X: Any, y: Any, *args: Any, **given: Any) -> Any:
        base: Any = super()
        if self._listed is None:
            return base._fit(X, y, *args, **given)
        X = materialized(X)
        blank = self._blank()
        blank._validate_params()
        mine = self.__dict__[NAME]
        try:  # the fitted parameters have the names, those of the user stay as they are
            self.__dict__[NAME] = getattr(blank.bound(X, y), NAME)
            return base._fit(X, y, *args, **given)
        finally:
            self.__dict__[NAME] = mine
