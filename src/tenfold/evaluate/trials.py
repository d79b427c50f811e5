"""Scoring models on rows they have not seen: each row by the model of its split, the scores merge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tenfold.core import Ask, Chunk, Codes
from tenfold.core.chunk import segments
from tenfold.engine.keys import Key
from tenfold.engine.plan import Groups
from tenfold.engine.stages import transformed
from tenfold.engine.tally import Counted, this_machine
from tenfold.estimator.kinds import winners
from tenfold.stats.metrics import Confusion, Scorer
from tenfold.stats.metrics.scorers import confusion


class Scores:
    """The summaries of several scores, merged side by side."""

    __slots__ = ("each",)

    def __init__(self, each: dict[Any, Any]) -> None:
        self.each = each

    def __add__(self, other: Scores) -> Scores:
        return Scores({name: found + other.each[name] for name, found in self.each.items()})


@dataclass(frozen=True, eq=False)
class Trial:
    """One learner's models, each to be judged on the groups of its split."""

    learner: Any
    need: Any
    schema: Any
    key: Key
    models: dict[int, tuple[Any, tuple[tuple[Any, Any], ...]]]
    """for a group, the state that judges it and the transformers before it"""
    scorers: tuple[Scorer, ...]
    n_classes: int
    ask: ClassVar[Ask] = Ask("score")
    name: ClassVar[str] = ""

    def summarize(self, chunk: Chunk, codes: Codes) -> Groups:
        """The scores of each group's rows."""
        wanted = np.zeros(self.key.groups + 1, bool)
        wanted[list(self.models)] = True
        outputs = self._outputs(chunk, codes, wanted)
        here = frozenset([this_machine()])
        if {scorer.summarize for scorer in self.scorers} == {confusion}:
            found = self._confusions(chunk, codes, outputs)
            return Groups({g: Counted(s, n, 0, here) for g, (s, n) in found.items() if wanted[g]}, chunk.dropped)
        each = {}
        for g in np.flatnonzero(np.bincount(codes[wanted[codes]], minlength=self.key.groups)).tolist():
            rows = np.flatnonzero(codes == g)
            weight = None if chunk.uniform else chunk.weight[rows]
            each[g] = Counted(self._score(chunk.y[rows], outputs[rows], weight), len(rows), 0, here)
        return Groups(each, chunk.dropped)

    def _confusions(self, chunk: Chunk, codes: Codes, outputs: Any) -> dict[int, tuple[Scores, int]]:
        """What classes are taken for, of all groups in one count."""
        k, groups = self.n_classes, self.key.groups
        place = ((codes + 1) * k + chunk.y) * k + winners(outputs)
        shape = (groups + 1, k, k)
        rows = np.bincount(place, minlength=(groups + 1) * k * k).reshape(shape)
        count = rows if chunk.uniform else np.bincount(place, chunk.weight, (groups + 1) * k * k).reshape(shape)
        sums = rows.sum(axis=(1, 2))
        return {
            g: (Scores({confusion: Confusion(int(sums[g + 1]), count[g + 1].astype(np.float64))}), int(sums[g + 1]))
            for g in range(groups)
            if sums[g + 1]
        }

    def _outputs(self, chunk: Chunk, codes: Codes, wanted: Any) -> Any:
        """Scores of classes, or predicted numbers, for the rows in their order."""
        classes = self.n_classes > 0
        apply = self.learner.scores_from if classes else self.learner.predict_from
        together = getattr(self.learner, "scores_by", None) if classes else None
        if together is not None and not any(before for _, before in self.models.values()):
            some = next(iter(self.models.values()))[0]
            states = [self.models.get(g, (some, ()))[0] for g in range(self.key.groups)]
            return together(states, chunk.X, np.maximum(codes, 0))
        out = np.empty((chunk.n, self.n_classes) if classes else chunk.n)
        numbers = chunk._replace(y=np.arange(chunk.n))
        for g, some in segments(numbers, np.where(wanted[codes], codes, -1)):
            state, before = self.models[g]
            found = apply(state, transformed(before, some, self.learner.need).X)
            out[some.y] = found[:, : self.n_classes] if classes else found  # of one class there may be two scores
        return out

    def _score(self, truth: Any, outputs: Any, weight: Any) -> Scores:
        found: dict[Any, Any] = {}
        for scorer in self.scorers:
            if scorer.summarize in found:
                continue
            if scorer.needs == "prediction":
                said = winners(outputs) if self.n_classes else outputs
            else:
                said = self.learner.probability_from(outputs)
            found[scorer.summarize] = scorer.summarize(truth, said, weight, self.n_classes)
        return Scores(found)
