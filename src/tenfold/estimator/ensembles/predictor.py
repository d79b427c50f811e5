"""Fitted learner as a predictor: its outputs for rows, after the transformers of its pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any, Self

import numpy as np

from tenfold.core import Chunk, Codes
from tenfold.core.value import ByIdentity
from tenfold.engine.stages import Before, stages_of
from tenfold.estimator.shell.kinds import GroupScored, winners
from tenfold.stats.combinators import Stage
from tenfold.stats.predictor_scores import Outputs, Predictor


class Model(Predictor):
    """A fitted learner, and the fitted transformers before it."""

    learner: ByIdentity
    model: ByIdentity
    stages: tuple[Stage, ...]
    by_decision: bool = field(default=False, kw_only=True)
    """whether scores are those of `decision_function` where the learner has it, as scorers of scikit-learn want them"""
    identity = ("learner", "model", "stages", "by_decision", "n_classes", "known")

    @classmethod
    def of(cls, learner: Any, model: Any, before: Before, classes: Any, **more: Any) -> Self:
        """Create the predictor of a learner and its model, for rows with their own classes."""
        gives = {"prediction"} if classes is None else {"prediction", "score"}
        if classes is not None and learner.has_probabilities:
            gives.add("probability")
        stages = stages_of(before, learner.need)
        what = (type(learner).__name__, frozenset(gives), classes)
        return cls(*what, ByIdentity(learner), ByIdentity(model), stages, **more).for_classes(classes)

    def own_outputs(self, chunk: Chunk, wanted: frozenset[str]) -> Outputs:
        X, learner = self.staged(chunk).X, self.learner.it
        if self.classes is None:
            return {"prediction": learner.predict_from(self.model.it, X)}
        if not self._decides(wanted):
            return self._read(learner.scores_from(self.model.it, X), wanted)
        more = wanted - {"score"}
        found = self._read(learner.scores_from(self.model.it, X), more) if more else {}
        decision = learner.decision_from(self.model.it, X)
        return {**found, "score": np.column_stack([-decision, decision]) if decision.ndim == 1 else decision}

    def _decides(self, wanted: frozenset[str]) -> bool:
        """Whether the requested output is `decision_function`."""
        return (
            self.by_decision and "score" in wanted and self.learner.it.has_decision_function and len(self.classes) > 1
        )

    def staged(self, chunk: Chunk) -> Chunk:
        """The rows as the transformers make them."""
        for stage in self.stages:
            chunk = stage.stage(chunk)
        return chunk

    def outputs_by(self, each: Sequence[Predictor], chunk: Chunk, codes: Codes, wanted: Iterable[str]) -> Outputs:
        # What several say: in one go, if they are models of one learner that can.
        learner, models = self.learner.it, [p.model.it for p in each if isinstance(p, Model) and p._joins(self)]
        alone = not isinstance(learner, GroupScored) or self._decides(frozenset(wanted))
        if alone or len(models) < len(each):
            return super().outputs_by(each, chunk, codes, wanted)
        return self.placed(self._read(learner.scores_by(models, chunk.X, codes), frozenset(wanted)))

    def _joins(self, other: Model) -> bool:
        """Whether two predictors differ in their models only, and take rows untransformed."""
        return not self.stages and self.learner == other.learner and self.known is other.known is None

    def _read(self, scores: Any, wanted: frozenset[str]) -> Outputs:
        scores = scores[:, : len(self.classes)]  # of one class there may be two scores
        found: Outputs = {"prediction": winners(scores)} if "prediction" in wanted else {}
        if wanted & {"probability", "score"}:
            probable = "probability" in self.gives
            found["probability"] = found["score"] = self.learner.it.probability_from(scores) if probable else scores
        return found
