"""The weights of the rows after each round of AdaBoost: they follow from the members, their errors and their votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tenfold.core import Array, Flags, Labels
from tenfold.core.certificate import number_of
from tenfold.ensemble.ada_boost.ada_boost_classifier import AdaBoostClassifier
from tenfold.inspection.traces.step_table import StepTable

MAX_EXPONENT = 600.0
"""of the factor of a row; more votes has only a member that is wrong about none"""


@dataclass(frozen=True, eq=False, repr=False)
class AdaBoostTrace(StepTable):
    """The weights of the rows after each round of AdaBoost: times exp(α) where the member is wrong, and normalised.

    Attributes
    ----------
    model : AdaBoostClassifier
        Fitted.
    weights : array of shape (rounds + 1, rows)
        The weights before the first round and after each; they sum to 1.
    wrong : array of bool of shape (rounds, rows)
        Which rows the member of each round is wrong about.
    errors, alphas : array of shape (rounds,)
        The weighted error ε of each member, and its votes α = log((1 - ε)/ε) + log(K - 1), times the learning rate.
    vote_wrong : array of bool of shape (rounds, rows)
        Which rows the vote of the members so far is wrong about.
    y : array of shape (rows,)
        The class of each row.

    Examples
    --------
    >>> from tenfold import AdaBoostClassifier, trace
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "a"]
    >>> print(trace(AdaBoostClassifier(n_estimators=3), X, y))
    round  error   alpha  vote wrong  row 0   row 1   row 2   row 3
    0                                 0.25    0.25    0.25    0.25
    1      0.25    1.099  1           0.1667  0.1667  0.1667  0.5
    2      0.1667  1.609  1           0.5     0.1     0.1     0.3
    3      0.2     1.386  0           0.3125  0.25    0.25    0.1875
    3 rounds; the vote is wrong about 0 of 4 rows
    """

    model: AdaBoostClassifier
    weights: Array
    wrong: Flags
    errors: Array
    alphas: Array
    vote_wrong: Flags
    y: Labels

    @property
    def table(self) -> dict[str, list[Any]]:
        """The columns of the table by name."""
        found: dict[str, list[Any]] = {"round": list(range(len(self.weights)))}
        found |= {"error": [None, *self.errors.tolist()], "alpha": [None, *self.alphas.tolist()]}
        found["vote wrong"] = [None, *self.vote_wrong.sum(axis=1).tolist()]
        return found | {f"row {i}": column for i, column in enumerate(self.weights.T.tolist())}

    def _note(self) -> str:
        wrong, rows = self.vote_wrong[-1].sum(), number_of(len(self.y), "row")
        return f"{number_of(len(self.errors), 'round')}; the vote is wrong about {wrong} of {rows}"


def trace_ada_boost(model: AdaBoostClassifier, X: Any, y: Any, sample_weight: Any) -> AdaBoostTrace:
    """Fit AdaBoost, and return the weights of the rows after each round.

    Parameters
    ----------
    model : AdaBoostClassifier
        Not fitted; it will be.
    X, y, sample_weight
        As for `fit`.

    Returns
    -------
    trace : AdaBoostTrace
    """
    model.fit(X, y, sample_weight)
    target = np.asarray(y)
    wrong = np.array([member.predict(X) != target for member in model.estimators_])
    first = np.ones(len(target)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    weights = [first / first.sum()]
    for missed, alpha in zip(wrong, model.estimator_weights_, strict=True):
        raised = weights[-1] * np.exp(np.where(missed, min(alpha, MAX_EXPONENT), 0.0))
        weights.append(raised / raised.sum())
    vote_wrong = np.array([said != target for said in model.staged_predict(X)])
    return AdaBoostTrace(
        model, np.array(weights), wrong, model.estimator_errors_, model.estimator_weights_, vote_wrong, target
    )
