"""The learners of a cross-validation: their stages, needs and results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor

from tenfold.core import Array, MatrixLike, Need, Schema
from tenfold.core.errors import naming
from tenfold.core.value import ByParams
from tenfold.engine import Member
from tenfold.engine.stages import kinds_before
from tenfold.estimator import Estimator
from tenfold.estimator.ensembles.pipeline import learned_steps
from tenfold.estimator.shell.callbacks import History
from tenfold.metrics.predictors import learners_of
from tenfold.metrics.scoring import Summary
from tenfold.sources import Source
from tenfold.sources.column_choice import first_rows
from tenfold.stats.combinators import View
from tenfold.stats.metrics import Ranking, Scorer

Learners: TypeAlias = BaseEstimator | Sequence[BaseEstimator] | Mapping[str, BaseEstimator]
LONGEST_NAME = 100
"""letters of a repr by which messages name a learner"""
RANKING_BINS = 4096
"""bins of a ranking that is kept: enough for any picture"""


@dataclass
class Candidate:
    """One learner of a cross-validation: its stages and results."""

    given_name: str | None
    given: BaseEstimator
    stages: list[Estimator]
    """learners of tenfold, one after the other; empty for an estimator of scikit-learn"""
    need: Need
    schema: Schema = field(default_factory=lambda: Schema(()))
    """of the rows, for this need"""
    scorers: tuple[Scorer, ...] = ()
    members: list[list[Member]] = field(default_factory=list)
    """by stage and split"""
    whole: Member | None = None
    """the model of all rows, which costs nothing more"""
    scores: Array = field(default_factory=lambda: np.empty((0, 0)))
    """scorers x splits"""
    learned: Array = field(default_factory=lambda: np.empty((0, 0)))
    """the same on the training rows, if it is asked for"""
    summaries: dict[int, dict[str, Summary]] = field(default_factory=dict)
    """by split, the summaries that the scores were read off, by kind"""
    source: Source = field(init=False)
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """The candidate, as messages name it: a long repr is cut to the classes of the steps."""
        if self.given_name or len(said := " ".join(repr(self.given).split())) <= LONGEST_NAME:
            return self.given_name or said
        return f"{type(self.given).__name__} of {', '.join(type(one).__name__ for one in learned_steps(self.given))}"

    @property
    def short_name(self) -> str:
        """The name that was given, or the class of the last step."""
        return self.given_name or type(self.stages[-1] if self.stages else self.given).__name__

    @property
    def view(self) -> View:
        """Lens through which its rows are read."""
        return View(self.need, self.schema)

    def bind(self, X: MatrixLike, column: str | None = None) -> None:
        """Bind the first stage to the columns of the rows, without the fold column."""
        if self.stages:
            first, last = self.stages[0], self.stages[-1]
            if first.chooses_columns:
                rows = X if column is None else first_rows(X).without(column)
                first = self.stages[0] = first.bound(rows, target=last.need.target)
            kinds = kinds_before(self.stages)
            self.need = replace(first.need, target=last.need.target, binary=last.need.binary, kinds=kinds)

    def before(self, split: int) -> tuple[tuple[Estimator, Any], ...]:
        """The steps of a split that are fitted so far, each with its model."""
        return tuple((members[split].learner, members[split].at.model) for members in self.members)

    def learns_alike(self, other: Candidate, stage: int) -> bool:
        """Whether another candidate has the same learner at a stage, of the same rows: one model serves both."""
        if (self.need, self.schema) != (other.need, other.schema) or self.whole is not None:
            return False
        if any(mine is not theirs for mine, theirs in zip(self.members[:stage], other.members, strict=False)):
            return False
        return ByParams(self.stages[stage]) == ByParams(other.stages[stage])

    def fill(self, split: int, splits: int, values: list[float], learned: bool = False) -> None:
        """Take the scores of one of some splits: on the training rows, or on others."""
        if not self.scores.size:
            self.scores, self.learned = np.full((2, len(values), splits), np.nan)
        (self.learned if learned else self.scores)[:, split] = values

    def keep(self, split: int, summaries: Iterable[Summary]) -> None:
        """Hold the summaries of a split, for pictures: rankings in few bins."""
        few = Ranking.of([], [], most=RANKING_BINS)
        self.summaries[split] = {type(s).__name__: s + few if isinstance(s, Ranking) else s for s in summaries}


def candidates_of(learners: Learners) -> list[Candidate]:
    """The learners with their names and stages; what cannot be scored is refused."""
    named: list[tuple[str | None, BaseEstimator]]
    if isinstance(learners, Mapping):
        named = list(learners.items())
    else:
        named = [(None, one) for one in (learners if isinstance(learners, (list, tuple)) else [learners])]
    if not named:
        raise ValueError("there is no learner to score")
    out = []
    for name, given in named:
        if not hasattr(given, "__sklearn_tags__"):
            raise TypeError(f"{name or 'what is to be scored'} is {given!r}, not a learner")
        if not (is_classifier(given) or is_regressor(given)):
            raise TypeError(f"{name or repr(given)} is neither a regressor nor a classifier: it has no scores")
        need = Need(target="class" if is_classifier(given) else "number")
        candidate = Candidate(name, given, [], need)
        with naming(candidate.name if len(named) > 1 else ""):
            candidate.stages = [unfitted(step) for step in learners_of(given)]
        out.append(candidate)
    return out


def learned(model: Estimator, member: Member, source: Source, seed: int | None) -> Estimator:
    """A model, with what a member of a run has learned, and the history of it."""
    assert member.done is not None
    model._learned(member.done, source, seed)
    model._history = next(w for w in member.watchers if isinstance(w, History))
    return model


def unfitted(learner: Estimator) -> Estimator:
    """A learner without what it has learned, its parameters checked and its seed drawn."""
    blank: Estimator = learner._blank()
    blank._validate_params()
    if (seed := blank.seed()) is not None:
        blank.random_state = seed
    return blank
