"""Several learners fitted over shared scans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tenfold.engine import Member, Snapshot, current, opened, run, schema_of
from tenfold.engine.progress import progress
from tenfold.estimator.base import Estimator
from tenfold.estimator.callbacks import History
from tenfold.sources.frames import settled
from tenfold.sources.inputs import as_source, form_of, is_lazy


def fit_together(learners: Sequence[Any], X: Any, y: Any = None) -> list[Any]:
    """Fit several learners while the rows are read once: as often as the one that needs most.

    Learners whose summaries are the same share them: thirty ridge regressions cost one.

    Parameters
    ----------
    learners : list of learners
        Of tenfold. They are not changed.
    X : array, frame or Source
        A Source brings its own target and weights.
    y : array, optional

    Returns
    -------
    models : list
        The learners, fitted, in the same order.

    Examples
    --------
    >>> import tenfold as tn
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> line, scaler = tn.fit_together([tn.LinearRegression(), tn.StandardScaler()], X, y)
    >>> line.coef_.round(6), scaler.mean_
    (array([2.]), array([1.]))
    """
    if not learners:
        return []
    for learner in learners:
        if not isinstance(learner, Estimator):
            raise TypeError(f"{learner!r} is not a learner of tenfold: it cannot share a scan")
    models: list[Any] = [learner._blank() for learner in learners]
    for model in models:
        model._validate_params()
    X = settled(X)
    batches: dict[tuple[Any, ...], list[int]] = {}
    for at, model in enumerate(models):
        batches.setdefault(() if is_lazy(X) else form_of(X, model.need), []).append(at)
    with progress(f"{len(models)} learners"):
        for places in batches.values():
            _fit(places, learners, models, X, y)
    return models


def _fit(places: list[int], learners: Sequence[Any], models: list[Any], X: Any, y: Any) -> None:
    """Fit some of the models, which take the rows in the same form."""
    sources = [as_source(X, y, None, models[at].need, model=models[at]) for at in places]
    source = sources[-1]
    with opened(current(), source) as session:
        members: list[Any] = []
        seeds: list[Any] = []
        for at in places:
            learner = learners[at]._blank()
            seeds.append(learner.seed())
            if seeds[-1] is not None:
                learner.random_state = seeds[-1]
            schema = schema_of(source, learner.need, session)
            members.append(Member(learner, Snapshot(schema, learner.start(schema)), learner.stop(), [History()]))
        run(members, source, session)
    for at, member, seed in zip(places, members, seeds, strict=True):
        assert member.done is not None
        models[at]._learned(member.done, source, seed)
        models[at].history_ = member.watchers[0].turns
