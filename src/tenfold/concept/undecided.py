"""Classifiers whose hypotheses vote, and may abstain where they disagree."""

from __future__ import annotations

from numbers import Real
from typing import Annotated, Any

import numpy as np

from tenfold.core import Codes, Columns, Labels
from tenfold.core.arrays import MatrixLike
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import boolean
from tenfold.estimator.shell.probability_scored import ProbabilityScored


class Undecided(ProbabilityScored):
    """A subclass writes `unanimous_from`; `undecided` is predicted where hypotheses disagree."""

    pos_label: Annotated[float | str | bool | None, Real, str, boolean, None] = None
    undecided: Annotated[float | str | bool | None, Real, str, boolean, None] = None

    def unanimous_from(self, model: Any, X: Columns) -> Codes:
        """The number of the class that all hypotheses agree on, -1 where they do not."""
        raise NotImplementedError

    @fitted
    def predict(self, X: MatrixLike) -> Any:
        """The class of each row: that of the majority, or `undecided` where they disagree, if that is given.

        Parameters
        ----------
        X : array or frame or Source

        Returns
        -------
        y : array of shape (rows,)
        """
        return super().predict(X) if self.undecided is None else self._apply(_unanimous, X, lambda: ["prediction"])


def _unanimous(learner: Any, model: Any, X: Columns) -> Labels:
    """The class that all hypotheses agree on; `undecided` where they disagree."""
    classes, other = learner.schema_.classes, np.asarray(learner.undecided)
    numbers = classes.dtype.kind in "iuf" and other.dtype.kind in "iuf"
    kind = np.result_type(classes, other) if numbers else np.dtype(object)
    codes = learner.unanimous_from(model, X)
    out: Labels = classes.astype(kind)[np.maximum(codes, 0)]
    out[codes < 0] = learner.undecided
    return out
