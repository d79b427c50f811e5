"""Choosing parameters by cross-validation: a grid of a one-pass learner costs one scan, the best model included.

Combinations of a grid, some that are drawn from distributions, or those that a study of Optuna proposes. By successive
halving most of them are scored by models of few rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid, ParameterSampler

from tenfold.core import MatrixLike
from tenfold.core.errors import from_here
from tenfold.metrics.scoring import Scoring
from tenfold.model_selection.cross_validation.candidates import Candidate, candidates_of, learned
from tenfold.model_selection.cross_validation.cross_validation_result import CrossValidation
from tenfold.model_selection.cross_validation.fit_and_score import FitAndScore
from tenfold.model_selection.cross_validation.folds import Folds, Grouping, column_of, folds_of
from tenfold.model_selection.frame_columns import without_column
from tenfold.sources import Source
from tenfold.theory.checks import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from optuna import Study
    from optuna.distributions import BaseDistribution

Params = dict[str, Any]
"""of a learner, by name"""


class ScipyDistribution(Protocol):
    """What values are drawn from, as scikit-learn takes it: of `scipy.stats`, for one."""

    def rvs(self, *, random_state: Any) -> Any:
        """A value."""


Space = Mapping[str, Sequence[Any] | ScipyDistribution]
"""values of parameters, or distributions of them"""
Grid = Space | Sequence[Mapping[str, Any]] | tuple["Study", Mapping[str, "BaseDistribution"]]


@dataclass(frozen=True, eq=False)
class Tuned:
    """Result of `tune`: the candidates, their scores and the best one.

    Attributes
    ----------
    best_estimator_ : learner
        Fitted to all rows with the best parameters.
    best_params_ : dict
    best_score_ : float
        Mean over the folds. It is the best of many, so it is too good: score the model on rows of their own.
    params : list of dict
        All that were tried; by successive halving, those of the last round.
    results : CrossValidation
        Their scores.
    rounds : list of CrossValidation
        Of successive halving: the scores of each round, by models of more and more rows; the last is `results`.
    """

    best_estimator_: BaseEstimator
    best_params_: Params
    best_score_: float
    params: list[Params]
    results: CrossValidation
    rounds: list[CrossValidation] = field(default_factory=list)

    @property
    def scans(self) -> int:
        """How many times the rows were read to try the parameters.

        The best model of a learner of one pass costs nothing more; any other is fitted once more, which is not counted.
        """
        return sum(one.scans for one in self.rounds) if self.rounds else self.results.scans

    def predict(self, X: MatrixLike) -> NDArray[np.generic] | Source:
        """Prediction of the best model.

        Parameters
        ----------
        X : array, frame or Source
        """
        found: NDArray[np.generic] | Source = self.best_estimator_.predict(X)
        return found

    def __str__(self) -> str:
        return f"{self.results}\nbest parameters: {self.best_params_}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.results._repr_html_()

    def plot(self, score: int | str = 0, ax: Axes | None = None) -> Axes:
        """The scores of all that were tried.

        Parameters
        ----------
        score : int or str
        ax : matplotlib axes, optional
        """
        return self.results.plot(score, ax)


@from_here
def tune(
    learner: BaseEstimator,
    grid: Grid,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    folds: Folds | None = None,
    shuffle: bool | None = None,
    random_state: int | None = None,
    groups: Grouping | None = None,
    scoring: Scoring | None = None,
    pos_label: object = None,
    trials: int = 30,
    batch: int = 10,
    cv: Folds | None = None,
    factor: int | None = None,
) -> Tuned:
    """Try parameters of a learner by cross-validation, and fit the best to all rows.

    Parameters
    ----------
    learner : learner, or pipeline of learners
        The learner to fit, with its parameters; it is cloned.
    grid : dict, list of dict, or optuna Study
        A dict of lists: all combinations. A dict with distributions of `scipy.stats`, or others that have `rvs`: as
        many combinations as `trials`, drawn as `RandomizedSearchCV` draws them with this `random_state`. A list: these.
        A study of Optuna proposes, `batch` at a time, so that a batch shares its scans; give the distributions as
        `(study, {name: distribution})`.
    X : array, frame or Source
        The rows: an array, a frame or a Source.
    y : array, optional
        The target of each row; None if a Source names it.
    folds, shuffle, random_state, groups, scoring, pos_label
        As in `cross_validate`; the first score decides.
    trials : int, default=30
        How many combinations to draw from distributions, or proposals of a study to try.
    batch : int, default=10
        How many of them at a time.
    cv : as folds, optional
        The name that scikit-learn has for `folds`.
    factor : int, optional
        Successive halving, as `HalvingGridSearchCV` has it: all combinations are scored by models of a share of the
        training rows, the best 1/factor of them by models of factor times as many, and so on; the last few by models of
        all. It costs the scans of each round, and spares work of learners whose work grows with the rows.

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
    folds = folds_of(folds, cv)
    search = partial(_try, learner, X, y, folds, shuffle, random_state or 0, groups, scoring, pos_label)
    rounds: list[CrossValidation] = []
    if isinstance(grid, tuple):
        if factor is not None:
            raise ValueError("factor= goes with a grid or with distributions: a study says itself what it drops")
        study, space = grid
        done = _proposed(search, study, space, trials, batch)
    else:
        tried = _drawn(grid, trials, random_state or 0) if isinstance(grid, Mapping) else [dict(one) for one in grid]
        if not tried:
            raise ValueError("there are no parameters to try")
        if factor is None:
            done = [search(tried)]
        else:
            *rest, last = _halved(search, tried, whole("factor", factor, 2))
            rounds, done = [_join([one.results], one.params) for one in (*rest, last)], [last]
    candidates = [one for some in done for one in some.candidates]
    params = [one for some in done for one in some.params]
    results = _join([some.results for some in done], params)
    best = results.best_index
    model = refit(candidates[best], clone(learner).set_params(**params[best]), X, y, column_of(folds, groups))
    return Tuned(model, params[best], float(results.mean[best, 0]), params, results, rounds)


class Tried(NamedTuple):
    """Parameters that were tried together, over the same scans."""

    params: list[Params]
    candidates: list[Candidate]
    results: CrossValidation


def _try(
    learner: BaseEstimator, X: MatrixLike, y: ArrayLike | None, folds: Folds, shuffle: bool | None, seed: int,
    groups: Grouping | None, scoring: Scoring | None, pos_label: object, params: list[Params], share: float = 1.0,
) -> Tried:  # fmt: skip
    """Cross-validate a learner with each of some parameters, by models of a share of the training rows."""
    candidates = candidates_of([clone(learner).set_params(**one) for one in params])
    run = FitAndScore(
        candidates, X, y, folds=folds, shuffle=shuffle, seed=seed, groups=groups, scoring=scoring,
        whole=share == 1, pos_label=pos_label, shares=None if share == 1 else np.array([share]),
    )  # fmt: skip
    return Tried(params, candidates, run.results())


def _drawn(grid: Space, trials: int, seed: int) -> list[Params]:
    """All combinations of a grid; if there are distributions among its values, some that are drawn."""
    if any(hasattr(values, "rvs") for values in grid.values()):
        return list(ParameterSampler(grid, whole("trials", trials, 1), random_state=seed))
    return list(ParameterGrid(grid))


def _halved(search: Callable[..., Tried], params: list[Params], factor: int) -> list[Tried]:
    """Score parameters by models of few rows, the best of them by models of `factor` times as many, and so on."""
    rounds = 1
    while factor**rounds <= len(params):
        rounds += 1
    done = []
    for left in reversed(range(rounds)):
        done.append(search(params, share=1 / factor**left))
        means = np.nan_to_num(done[-1].results.mean[:, 0], nan=-np.inf)
        best = np.argsort(-means, kind="stable")[: -(-len(params) // factor)]
        params = [params[at] for at in sorted(best.tolist())]
    return done


def _proposed(
    search: Callable[[list[Params]], Tried], study: Study, space: Mapping[str, BaseDistribution], trials: int,
    batch: int,
) -> list[Tried]:  # fmt: skip
    """Ask a study for a batch of candidates, score them together, and report the scores to it."""
    done = []
    sign = 1.0 if study.direction.name == "MAXIMIZE" else -1.0
    for start in range(0, trials, batch):
        asked = [study.ask(dict(space)) for _ in range(min(batch, trials - start))]
        done.append(search([trial.params for trial in asked]))
        for trial, value in zip(asked, done[-1].results.mean[:, 0], strict=True):
            study.tell(trial, sign * float(value))
    return done


def _join(some: list[CrossValidation], params: list[Params]) -> CrossValidation:
    return replace(
        some[0],
        given=list(names_of(params)),
        learners=[one for r in some for one in r.learners],
        scores=np.concatenate([r.scores for r in some]),
        scans=sum(r.scans for r in some),
        seconds=sum(r.seconds for r in some),
        fit_seconds=[s for r in some for s in r.fit_seconds],
        summaries=None,
        classes=None,
    )


def names_of(params: Sequence[Params]) -> list[str]:
    """Names of combinations of parameters: what varies between them, without the steps if that is clear."""
    keys = list(dict.fromkeys(key for one in params for key in one))
    written = {key: _written([one.get(key) for one in params]) for key in keys}
    varying = [k for k in keys if len(set(written[k])) > 1 or 0 < sum(k in one for one in params) < len(params)] or keys
    names = _without_steps(varying)
    each = ([f"{names[k]}={written[k][at]}" for k in varying if k in one] for at, one in enumerate(params))
    return [", ".join(some) for some in each]


def _written(values: Sequence[object]) -> list[str]:
    """Values on one line each; numbers with four digits, if that keeps them apart."""
    whole = [" ".join(str(value).split()) for value in values]
    few = [f"{value:.4g}" if isinstance(value, float) else text for value, text in zip(values, whole, strict=True)]
    return few if len(set(few)) == len(set(whole)) else whole


def _without_steps(keys: Sequence[str]) -> dict[str, str]:
    """The last words of each path `step__parameter`: as few as no other path ends with."""
    paths = {key: key.split("__") for key in keys}
    found = dict(zip(keys, keys, strict=True))
    for key, path in paths.items():
        others = [other for name, other in paths.items() if name != key]
        for n in range(1, len(path)):
            if all(other[-n:] != path[-n:] for other in others):
                found[key] = "__".join(path[-n:])
                break
    return found


def refit(
    candidate: Candidate, learner: BaseEstimator, X: MatrixLike, y: ArrayLike | None, column: str | None
) -> BaseEstimator:  # fmt: skip
    """The model of all rows: made from the merge of all folds where that is the model, else fitted."""
    member, source = candidate.whole, candidate.source
    if member is None or member.done is None:
        return learner.fit(source) if source.lazy else learner.fit(without_column(X, column), y)
    return learned(learner._blank(), member, source, candidate.stages[0].seed())
