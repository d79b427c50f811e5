"""What trees ask of the rows: values that hold no weights, so that rows may be drawn again, and that are small."""

import pickle

import numpy as np
import pytest

import tenfold as tn
from tenfold.core.statistic import Grouped, Held
from tenfold.engine import fit
from tenfold.engine.scan_part import for_statistic, through
from tenfold.sources import ArraySource
from tenfold.testing import bits
from tenfold.tree.growing import grower, levelwise

BOOST = {"max_iter": 2, "max_leaf_nodes": 4, "min_samples_leaf": 3}
LEARNERS = {
    "tree": tn.DecisionTreeClassifier(max_depth=3),
    "numbers": tn.DecisionTreeRegressor(max_depth=3),
    "held back": tn.DecisionTreeClassifier(prune="reduced_error"),
    "exact": tn.DecisionTreeRegressor(method="exact", max_depth=3, prune="best_cut"),
    "in parts": tn.C45(),
    "numbers in parts": tn.DecisionTreeRegressor(missing="fractional", max_depth=3),
    "by class": tn.DecisionTreeClassifier(missing="class_majority", max_depth=3),
    "rules": tn.RuleListClassifier(max_depth=2),
    "forest": tn.RandomForestClassifier(3, max_depth=3, class_weight="balanced"),
    "forest of numbers": tn.RandomForestRegressor(3, max_depth=3),
    "boosting": tn.HistGradientBoostingClassifier(**BOOST, subsample=0.7, early_stopping=True),
    "boosting numbers": tn.HistGradientBoostingRegressor(**BOOST),
    "boosting quantiles": tn.HistGradientBoostingRegressor("quantile", quantile=0.7, **BOOST),
    "stumps": tn.AdaBoostClassifier(n_estimators=3),
}


def rows(model, weight=None):
    random = np.random.default_rng(0)
    a, b, c, noise = random.normal(size=(4, 300))
    y = a + b * c + 0.5 * noise
    columns = (a, b, c)
    if not isinstance(model, tn.AdaBoostClassifier):
        columns = (np.where(np.arange(300) % 7, a, np.nan), b, c, random.choice(["p", "q", "r"], 300).astype(object))
    return ArraySource(columns, y if model.need.target == "number" else np.digitize(y, [-0.5, 0.5]), weight)


def asked(model, source):
    """The first statistic of each kind that a fit asks for, and the schema."""
    found = {}

    def watch(at):
        statistic = model.ask(at.state)
        if statistic is not None:
            found.setdefault(type(statistic), (statistic, at.schema))

    fit(model, source, runner=tn.Local(threads=1), stop=model.stop(), watchers=[watch])
    return list(found.values())


@pytest.fixture(autouse=True, params=["rows in one place", "level by level", "small nodes where their rows are"])
def way(request, monkeypatch):
    """All ways in which trees grow."""
    if request.param != "rows in one place":
        monkeypatch.setattr(grower, "MAX_GATHERED_BYTES", 0)
        if request.param == "level by level":
            monkeypatch.setattr(levelwise, "GATHER_BELOW_ROWS", 8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", LEARNERS)
def test_weights_may_be_drawn_anew_after_rows_were_held(name, weighted):
    """A lens does not look at weights, and a row of weight zero is no row."""
    model = LEARNERS[name]
    random = np.random.default_rng(1)
    drawn = random.integers(0, 3, 300) * (random.random(300) + 0.1 if weighted else 1.0)
    statistics = asked(model, rows(model, drawn))
    assert isinstance(statistics[0][0], Grouped), "the first is the same for all folds"
    held = 0
    for statistic, schema in statistics:
        if not isinstance(statistic, Held):
            continue
        held += 1
        whole = rows(model).load(0, model.need, schema)
        anew = through(statistic.lens, whole)._replace(weight=drawn, uniform=False)
        anew = anew._replace(scratch=statistic.follow(anew.held, None))
        some = whole._replace(weight=drawn, uniform=False).rows(np.flatnonzero(drawn))
        assert bits(statistic.summarize(anew)) == bits(statistic.summarize(for_statistic(statistic, some)))
    assert held or name == "exact"


@pytest.mark.parametrize("name", LEARNERS)
def test_statistics_are_values_that_travel(name):
    """What was sent to a worker is equal to what was sent, and says the same of rows."""
    model = LEARNERS[name]
    source = rows(model)
    for statistic, schema in asked(model, source):
        sent = pickle.loads(pickle.dumps(statistic))
        assert sent == statistic
        assert sent.digest == statistic.digest
        chunk = source.load(0, model.need, schema)
        assert bits(sent.summarize(for_statistic(sent, chunk))) == bits(
            statistic.summarize(for_statistic(statistic, chunk))
        )


def test_rows_in_one_place_are_asked_for_once():
    """However many rounds are grown from them: the ask is equal, and its summary is used again."""
    model = tn.HistGradientBoostingClassifier(**BOOST)
    source, seen_at = rows(model), []
    fit(model, source, runner=tn.Local(threads=1), stop=model.stop(), watchers=[seen_at.append])
    asks = [model.ask(at.state) for at in seen_at[:-1]]
    if grower.MAX_GATHERED_BYTES:
        assert [type(ask).__name__ for ask in asks[2:5]] == ["BinnedRows"] * 3
        assert asks[2] == asks[3] == asks[4]
    else:
        assert all(a != b for a, b in zip(asks, asks[1:]))
