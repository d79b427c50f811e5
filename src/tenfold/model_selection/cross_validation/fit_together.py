"""Several learners fitted over shared scans."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from tenfold.core import MatrixLike
from tenfold.core.errors import from_here, naming
from tenfold.engine import Member, Snapshot, current, opened, run, schema_of
from tenfold.engine.progress import progress
from tenfold.estimator import Estimator
from tenfold.estimator.shell.callbacks import History
from tenfold.model_selection.cross_validation.candidates import learned, unfitted
from tenfold.model_selection.cross_validation.lookups import Lookups, schema_jobs
from tenfold.sources import Source
from tenfold.sources.frames import materialized
from tenfold.sources.inputs import as_source, form_of, is_lazy


@from_here
def fit_together(learners: Sequence[Estimator], X: MatrixLike, y: ArrayLike | None = None) -> list[Estimator]:
    """Fit several learners over shared scans: as many as the learner with the most passes needs.

    Learners whose summaries are the same share them: thirty ridge regressions cost one.

    Parameters
    ----------
    learners : list of learners
        Of tenfold. They are not changed.
    X : array, frame or Source
        A Source brings its own target and weights.
    y : array, optional
        The target of each row; None if a Source names it.

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
    for learner in learners:
        if not isinstance(learner, Estimator):
            raise TypeError(f"{learner!r} is not a learner of tenfold: it cannot share a scan")
    X = materialized(X)
    names = ["" if len(learners) == 1 else " ".join(repr(learner).split()) for learner in learners]
    models = []
    for learner, name in zip(learners, names, strict=True):
        with naming(name):
            models.append(learner.bound(X, y))
    fitting = [unfitted(model) for model in models]
    batches: dict[tuple[object, ...], list[int]] = {}
    for at, model in enumerate(models):
        batches.setdefault(() if is_lazy(X) else form_of(X, model.need), []).append(at)
    with progress(f"{len(models)} learners"):
        for places in batches.values():
            for at in places:
                with naming(names[at]):
                    source = as_source(X, y, None, models[at].need, model=models[at])
            members = _members([fitting[at] for at in places], [names[at] for at in places], source)
            for at, member in zip(places, members, strict=True):
                learned(models[at], member, source, fitting[at].seed())
    return [learner._blank()._become(model) for learner, model in zip(learners, models, strict=True)]


def _members(learners: list[Estimator], names: list[str], source: Source) -> list[Member]:
    """Learners, fitted to the same rows; errors have their names."""
    with opened(current(), source) as session:
        members, lookups = [], Lookups(session, schema_jobs(source, [learner.need for learner in learners]))
        for learner, name in zip(learners, names, strict=True):
            with naming(name):
                schema = learner.with_listed_categories(schema_of(source, learner.need, lookups))
                start = Snapshot(schema, learner.start(schema))
                members.append(Member(learner, start, learner.stop(), [History()], title=name))
        run(members, source, session)
    return members
