"""Chain of transformers and a predictor as one learner: a pipeline among the members of an ensemble.

Its steps learn one after the other, in scans that it shares with the members beside it: while the scaler of one
pipeline learns, so does that of another.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tenfold.core import Array, Columns, Need
from tenfold.estimator.ensembles.members import check_member, check_seed
from tenfold.estimator.ensembles.transformer_chain import Chained, ChainModel, check_steps, named_steps, with_target
from tenfold.estimator.shell.kinds import Classifier, Regressor


class PredictorChain(Chained):
    """Transformers one after the other, and a learner that predicts from what they make of the rows."""

    @property
    def need(self) -> Need:
        # What the first step takes, and the target of the last.
        return replace(super().need, target=self.last.need.target)

    @property
    def last(self) -> Any:
        """The step that predicts, not fitted."""
        return self.steps[-1][1]._blank()


class ChainedClassifier(PredictorChain, Classifier):
    """Transformers one after the other, and a classifier.

    Parameters
    ----------
    steps : list of (str, learner)
    """

    @property
    def has_probabilities(self) -> bool:
        return bool(self.last.has_probabilities)

    @property
    def has_decision_function(self) -> bool:  # type: ignore[override]
        # Whether the last step has one.
        return bool(self.last.has_decision_function)

    def scores_from(self, model: ChainModel, X: Columns) -> Array:
        """The scores of the last step, of rows that went through the others."""
        last, at, X = self.before_last(model, X)
        found: Array = last.scores_from(at, X)
        return found

    def probability_from(self, scores: Array) -> Any:
        return self.last.probability_from(scores)

    def log_probability_from(self, scores: Array) -> Any:
        return self.last.log_probability_from(scores)


class ChainedRegressor(PredictorChain, Regressor):
    """Transformers one after the other, and a regressor.

    Parameters
    ----------
    steps : list of (str, learner)
    """

    def predict_from(self, model: ChainModel, X: Columns) -> Array:
        """The predictions of the last step, of rows that went through the others."""
        last, at, X = self.before_last(model, X)
        found: Array = last.predict_from(at, X)
        return found


def check_pipeline(name: str, pipeline: Any, target: str) -> None:
    """Raise if a pipeline cannot be a member of an ensemble that predicts this kind of target."""
    steps = named_steps(with_target(pipeline, target))
    if not steps:
        raise TypeError(f"{name} is a pipeline without a learner. Remedy: one that ends it")
    *before, (last, predictor) = steps
    remedy = "it comes before the ensemble, make_pipeline(ColumnTransformer(...), ...); or, of rows in memory, "
    check_steps(name, before, f"{remedy}scikit-learn's own ensemble, which takes pipelines of tenfold")
    for step, transformer in before:
        check_seed(f"step {step!r} of {name}", transformer)
    check_member(f"step {last!r} of {name}", predictor, target)


def chained_predictor(pipeline: Any, target: str) -> Any:
    """The steps of a pipeline as one learner, not fitted; of one step, that step."""
    steps = [(name, step._blank()) for name, step in named_steps(with_target(pipeline, target))]
    if len(steps) == 1:
        return steps[0][1]
    return (ChainedClassifier if target == "class" else ChainedRegressor)(steps)
