"""The learners of a cross-validation: their stages, their needs, their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from tenfold.core import Need, Schema
from tenfold.engine import Member
from tenfold.estimator.base import Estimator
from tenfold.estimator.kinds import Classifier, Regressor, Transformer
from tenfold.stats.combinators import View
from tenfold.stats.metrics import Ranking, Scorer, scorers, with_positive

KEPT = 4096
"""bins of a ranking that is kept: enough for any picture"""


@dataclass
class Entry:
    """One of the learners: its stages, and what is found about it."""

    given_name: str | None
    given: Any
    stages: list[Any]
    """learners of tenfold, one after the other; empty for an estimator of scikit-learn"""
    need: Need = field(default_factory=Need)
    schema: Schema = field(default_factory=lambda: Schema(()))
    """of the rows, for this need"""
    scorers: tuple[Scorer, ...] = ()
    members: list[list[Member]] = field(default_factory=list)
    """by stage and split"""
    whole: Member | None = None
    """the model of all rows, which costs nothing more"""
    scores: Any = None
    """scorers x splits"""
    learned: Any = None
    """the same on the rows that were learned from, if it is asked for"""
    kept: dict[int, dict[str, Any]] = field(default_factory=dict)
    """by split, the summaries that the scores were read off, by kind"""
    source: Any = None
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """For errors."""
        return self.given_name or " ".join(repr(self.given).split())

    @property
    def view(self) -> View:
        """How its rows are read."""
        return View(self.need, self.schema)

    def fill(self, split: int, splits: int, values: list[float], learned: bool = False) -> None:
        """Take the scores of one of some splits: on the rows that were learned from, or on others."""
        if self.scores is None:
            self.scores, self.learned = np.full((2, len(values), splits), np.nan)
        (self.learned if learned else self.scores)[:, split] = values

    def keep(self, split: int, summaries: Any) -> None:
        """Hold the summaries of a split, for pictures: rankings in few bins."""
        few = Ranking.of([], [], most=KEPT)
        some = {type(s).__name__: s + few if isinstance(s, Ranking) else s for s in summaries}
        self.kept[split] = some

    @property
    def classifies(self) -> bool:
        """Whether it predicts classes."""
        return bool(is_classifier(self.given))


def entries_of(learners: Any) -> list[Entry]:
    """The learners with their names and stages; what cannot be judged is refused."""
    if isinstance(learners, Mapping):
        named: list[tuple[Any, Any]] = list(learners.items())
    else:
        some = list(learners) if isinstance(learners, (list, tuple)) else [learners]
        named = [(None, one) for one in some]
    if not named:
        raise ValueError("there is no learner to judge")
    out = []
    for name, given in named:
        if not (is_classifier(given) or is_regressor(given)):
            raise TypeError(f"{name or repr(given)} is neither a regressor nor a classifier: it has no scores")
        entry = Entry(name, given, _stages(given))
        if entry.stages:
            first, last = entry.stages[0], entry.stages[-1]
            entry.need = replace(first.need, target=last.need.target, binary=last.need.binary)
        else:
            entry.need = Need(target="class" if entry.classifies else "number")
        out.append(entry)
    return out


def _stages(given: Any) -> list[Any]:
    """A learner of tenfold, or the steps of a pipeline of such, without what they have learned."""
    steps = [step for _, step in given.steps] if isinstance(given, Pipeline) else [given]
    if not all(isinstance(step, Estimator) for step in steps) or not isinstance(steps[-1], (Regressor, Classifier)):
        return []
    if not all(isinstance(step, Transformer) for step in steps[:-1]):
        return []
    stages = []
    for step in steps:
        blank = step._blank()
        blank._validate_params()
        if (seed := blank.seed()) is not None:
            blank.random_state = seed
        stages.append(blank)
    return stages


def scorers_of(names: Any, entry: Entry, pos_label: Any = None) -> tuple[Scorer, ...]:
    """The scores by their names, with the positive class that was asked for."""
    names = ["accuracy" if entry.classifies else "r2"] if names is None else names
    out = []
    for name in names:
        if name not in scorers:
            raise ValueError(f"there is no score {name!r}; there are {sorted(scorers)}")
        if (scorers[name].kind == "class") != entry.classifies:
            raise ValueError(f"{name!r} is no score of {entry.name}")
        out.append(scorers[name])
    return with_positive(out, pos_label)
