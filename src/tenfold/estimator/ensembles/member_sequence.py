"""Ensembles as collections of their fitted members: `len(model)`, `model[i]` and `for member in model`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.fitted_params import fitted


class MemberSequence(Estimator):
    """A fitted ensemble has its members as a list has them, as scikit-learn's BaseEnsemble has."""

    @property
    @fitted
    def estimators_(self) -> list[Any]:
        """The members as fitted models; without a fit, an AttributeError."""
        raise AttributeError("estimators_")

    def __len__(self) -> int:
        """How many members there are."""
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        """A member by its number, or some by a slice."""
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        """The members, one after the other."""
        return iter(self.estimators_)
