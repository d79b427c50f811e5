"""Choosing parameters by cross-validation: a grid of a one-pass learner costs one scan, the best model included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from tenfold.evaluate.cross_validation.candidates import Entry, entries_of
from tenfold.evaluate.cross_validation.fit_and_score import Run
from tenfold.evaluate.cross_validation.result import CrossValidation
from tenfold.evaluate.frame_columns import without_column


@dataclass(frozen=True, eq=False)
class Tuned:
    """What tuning found.

    Attributes
    ----------
    best_estimator_ : learner
        Fitted to all rows with the best parameters.
    best_params_ : dict
    best_score_ : float
        Mean over the folds. It is the best of many, so it is too good: judge the model on rows of their own.
    params : list of dict
        All that were tried.
    results : CrossValidation
        Their scores.
    """

    best_estimator_: Any
    best_params_: dict[str, Any]
    best_score_: float
    params: list[dict[str, Any]]
    results: CrossValidation

    @property
    def scans(self) -> int:
        """How many times the rows were read to try the parameters.

        The best model of a learner of one pass costs nothing more; any other is fitted once more, which is not counted.
        """
        return self.results.scans

    def predict(self, X: Any) -> Any:
        """What the best model says.

        Parameters
        ----------
        X : array, frame or Source
        """
        return self.best_estimator_.predict(X)

    def __str__(self) -> str:
        return f"{self.results}\nbest parameters: {self.best_params_}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.results._repr_html_()

    def plot(self, score: int | str = 0, ax: Any = None) -> Any:
        """The scores of all that were tried.

        Parameters
        ----------
        score : int or str
        ax : matplotlib axes, optional
        """
        return self.results.plot(score, ax)


def tune(
    learner: Any,
    grid: Any,
    X: Any,
    y: Any = None,
    *,
    folds: Any = 10,
    shuffle: bool = False,
    random_state: int | None = None,
    groups: Any = None,
    scoring: Any = None,
    pos_label: Any = None,
    trials: int = 30,
    batch: int = 10,
) -> Tuned:
    """Try parameters of a learner by cross-validation, and fit the best to all rows.

    Parameters
    ----------
    learner : learner, or pipeline of learners
    grid : dict, list of dict, or optuna Study
        A dict of lists: all combinations. A list: these. A study of Optuna proposes, `batch` at a time, so that a
        batch shares its scans; give the distributions as `(study, {name: distribution})`.
    X : array, frame or Source
    y : array, optional
    folds, shuffle, random_state, groups, scoring, pos_label
        As in `cross_validate`; the first score decides.
    trials : int, default=30
        How many proposals of a study to try.
    batch : int, default=10
        How many of them at a time.

    Returns
    -------
    tuned : Tuned

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.arange(40.0)[:, None] % 7
    >>> found = tn.tune(tn.Ridge(), {"alpha": [0.1, 10.0, 1000.0]}, X, X[:, 0] ** 2, folds=4)
    >>> found.best_params_, found.scans
    ({'alpha': 0.1}, 1)
    """
    options = (folds, shuffle, random_state or 0, groups, scoring, pos_label)
    if isinstance(grid, tuple):
        study, space = grid
        done = _proposed(learner, study, space, X, y, options, trials, batch)
    else:
        tried = list(ParameterGrid(grid)) if isinstance(grid, Mapping) else [dict(one) for one in grid]
        if not tried:
            raise ValueError("there are no parameters to try")
        done = [(tried, *_run(learner, tried, X, y, options))]
    params = [one for some, _, _ in done for one in some]
    entries = [entry for _, found, _ in done for entry in found]
    results = _join([r for _, _, r in done], params)
    best = results.best_index
    column = next((c for c in (folds, groups) if isinstance(c, str)), None)
    model = _refit(entries[best], clone(learner).set_params(**params[best]), X, y, column)
    return Tuned(model, params[best], float(results.mean[best, 0]), params, results)


def _run(
    learner: Any, tried: list[dict[str, Any]], X: Any, y: Any, options: Any
) -> tuple[list[Entry], CrossValidation]:
    entries = entries_of([clone(learner).set_params(**one) for one in tried])
    folds, shuffle, seed, groups, scoring, pos_label = options
    run = Run(entries, X, y, folds, shuffle, seed, groups, scoring, whole=True, pos_label=pos_label)
    return entries, run.results()


def _proposed(
    learner: Any, study: Any, space: Mapping[str, Any], X: Any, y: Any, options: Any, trials: int, batch: int
) -> list[tuple[list[dict[str, Any]], list[Entry], CrossValidation]]:
    """Ask, try together, tell."""
    done = []
    for start in range(0, trials, batch):
        asked = [study.ask(dict(space)) for _ in range(min(batch, trials - start))]
        tried = [trial.params for trial in asked]
        entries, results = _run(learner, tried, X, y, options)
        sign = 1.0 if study.direction.name == "MAXIMIZE" else -1.0
        for trial, value in zip(asked, results.mean[:, 0], strict=True):
            study.tell(trial, sign * float(value))
        done.append((tried, entries, results))
    return done


def _join(some: list[CrossValidation], params: list[dict[str, Any]]) -> CrossValidation:
    names = [", ".join(f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in p.items()) for p in params]
    return CrossValidation(
        given=list(names),
        learners=[one for r in some for one in r.learners],
        scoring=some[0].scoring,
        scores=np.concatenate([r.scores for r in some]),
        sizes=some[0].sizes,
        scans=sum(r.scans for r in some),
        seconds=sum(r.seconds for r in some),
        fit_seconds=[s for r in some for s in r.fit_seconds],
        pos_label=some[0].pos_label,
    )


def _refit(entry: Entry, learner: Any, X: Any, y: Any, column: str | None) -> Any:
    """The model of all rows: made from the merge of all folds where that is the model, else fitted."""
    if entry.whole is None or entry.whole.done is None:
        return learner.fit(entry.source) if entry.source.lazy else learner.fit(without_column(X, column), y)
    model = learner._blank()
    seed = entry.stages[0].seed()
    model._learned(entry.whole.done, entry.source, seed)
    model.history_ = getattr(entry.whole.watchers[0], "turns", [])
    return model
