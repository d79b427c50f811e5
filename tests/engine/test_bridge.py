"""Every learner of the first contract, unchanged, asks for statistics and comes to the bits of its own fit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import faults
import fuzzing
import tenfold as tn
from tenfold.core import Certificate
from tenfold.core.axes import bits
from tenfold.engine import Local
from tenfold.engine.bridge import statistic_of
from tenfold.engine.loop import fit, opened, schema_of
from tenfold.engine.plan import Onward
from tenfold.sources import as_source, part_rows
from tenfold.stats.combinators import As, View

SETS = {name: (learner, X, y) for name, learner, X, y in fuzzing.sets(fuzzing.data(400))}


def bridged(learner, session, schema):
    """A learner's last state, from reduces of statistics."""
    view, stop = View(learner.need, schema), learner.stop()
    state, asked, summary = learner.start(schema), None, None
    while True:
        statistic = statistic_of(learner, state)
        if statistic is not None and (asked is None or statistic.ask != asked.ask):
            summary = session.answer(As(view, Onward("this fit", statistic))).summary
            asked = statistic
        claims = learner.certify(state, summary)
        if statistic is None:
            return state
        if claims is not None and stop(state.step, Certificate(claims), 0.0):
            return state
        state = learner.update(state, summary)


@pytest.mark.parametrize("name", SETS)
def test_same_bits(name):
    learner, X, y = SETS[name]
    learner = clone(learner)
    with part_rows(100):
        source = as_source(X, y, None, learner.need)
        learner = learner._blank()
        known = fit(learner, source, runner=Local(1), stop=learner.stop())
        for threads, memory in ((1, None), (2, 0)):
            with opened(Local(threads, memory), source) as session:
                found = bridged(learner, session, schema_of(source, learner.need, session))
            assert bits(found) == bits(known.at.state)


def test_members_that_share_are_one_leaf():
    from tenfold.engine.plan import Plan
    from tenfold.stats.combinators import Each

    X, y = np.random.default_rng(0).normal(size=(50, 3)), np.arange(50.0)
    with part_rows(20):
        source = as_source(X, y, None, tn.Ridge().need)
        with opened(Local(1), source) as session:
            schema = schema_of(source, tn.Ridge().need, session)
    ridges = [tn.Ridge(alpha) for alpha in (0.1, 1.0, 10.0)]
    view = View(ridges[0].need, schema)
    plan = Plan(Each(tuple(As(view, statistic_of(r, r.start(schema))) for r in ridges)))
    assert (plan.asked, len(plan.leaves)) == (3, 1)


ON_WORKERS = {
    "read": tn.Ridge(),
    "many rounds": tn.KMeans(3),
    "a share of the parts": tn.LogisticRegression(),
    "held, and its scratch kept twice": tn.GradientBoostingRegressor(max_iter=12, max_leaf_nodes=4),
    "in order": tn.SGDRegressor(max_iter=3),
    "drawn": tn.BaggingRegressor(tn.Ridge(), n_estimators=3),
}


@pytest.fixture(scope="module")
def runner():
    with faults.Cluster(2) as started:
        yield started.runner


@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", ON_WORKERS)
def test_same_bits_on_workers(name, runner, tmp_path):
    learner = ON_WORKERS[name]
    random = np.random.default_rng(0)
    X = random.normal(size=(2400, 3))
    y = X[:, 0] - X[:, 1] + random.normal(size=2400)
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=y > 0 if isinstance(learner, tn.LogisticRegression) else y)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=60)
    source = tn.scan(str(tmp_path / "rows.parquet"), target="y")
    known = fit(learner, source, runner=Local(1), stop=learner.stop())
    with opened(runner, source) as session:
        assert bits(bridged(learner, session, known.at.schema)) == bits(known.at.state)
