"""How members share scans: who needs no rows goes first, and a pass for the certificate alone is left out in folds."""

import weakref
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
from sklearn.base import clone

import tenfold as tn
from tenfold.core import MANY, Need
from tenfold.core.statistic import Held, Lens, Statistic
from tenfold.engine import Local, Member, Snapshot, opened, run
from tenfold.sources import ArraySource, part_rows
from tenfold.testing import bits


class Rows(Lens):
    def __call__(self, chunk):
        return chunk.y


class Weight(Statistic):
    """Read in each round."""

    round: int

    def summarize(self, chunk):
        return float(chunk.weight.sum())


class HeldWeight(Held):
    """Read once, held from then on."""

    round: int

    def summarize(self, chunk):
        return float(chunk.weight.sum())


class At(NamedTuple):
    step: int


class Plays:
    """Asks in turn for rows that are read (r), or held (h), and at last for nothing."""

    passes = MANY
    need = Need(target="number")
    usual_scans = scans_of_transformed = most_rounds = None
    exact_rounds = False

    def __init__(self, plan):
        self.plan = plan

    def ask(self, state):
        if state.step == len(self.plan):
            return None
        return Weight(state.step) if self.plan[state.step] == "r" else HeldWeight(state.step, lens=Rows())

    def update(self, state, summary):
        assert summary == 40
        return At(state.step + 1)

    def model(self, state):
        return state

    def certify(self, model, summary):
        return None


class Read(ArraySource):
    scans = 0

    def chunks(self, part, need, schema):
        self.scans += part == 0
        return super().chunks(part, need, schema)


def rows():
    with part_rows(10):
        return Read(np.zeros((40, 1)), np.zeros(40))


@pytest.mark.parametrize(
    ("plans", "scans"),
    [
        (["r"], 1),
        (["hhhh"], 1),
        (["hhhr", "rr"], 2),  # the second waits for the first
        (["rr", "hhhr"], 2),
        (["rrr", "hhrhhr", "r"], 4),  # what is not asked for is held no more
        (["hr", "hr", "hhhhhhhr"], 2),
    ],
)
def test_who_needs_no_scan_goes_first(plans, scans):
    source = rows()
    schema = source.known(Plays.need)
    members = [Member(Plays(plan), Snapshot(schema, At(0))) for plan in plans]
    with opened(Local(threads=1), source) as session:
        assert run(members, source, session) == scans
    assert source.scans == scans
    assert [m.done.at.state.step for m in members] == [len(plan) for plan in plans]


class AllRows(Weight):
    """Sixty bytes."""

    @property
    def summary_bytes(self):
        return 60


class Gathers(Plays):
    """Asks for all rows (g), or for what is read (r)."""

    def ask(self, state):
        if state.step == len(self.plan):
            return None
        what = self.plan[state.step]
        return Weight(state.step) if what == "r" else AllRows(int(what))


@pytest.mark.parametrize(
    ("plans", "most", "scans"),
    [
        (["1", "2", "3"], 1000, 1),
        (["1", "2", "3"], 120, 2),
        (["1", "2", "3"], 100, 3),
        (["1", "2", "3"], 0, 3),  # one in any case
        (["1", "1", "1"], 60, 1),  # equal ones are gathered once
        (["1", "2", "rr", "r"], 60, 2),
    ],
)
def test_a_scan_gathers_few_rows_at_once(plans, most, scans, monkeypatch):
    monkeypatch.setattr("tenfold.engine.loop.MOST_GATHERED", most)
    source = rows()
    schema = source.known(Plays.need)
    members = [Member(Gathers(plan), Snapshot(schema, At(0))) for plan in plans]
    with opened(Local(threads=1), source) as session:
        assert run(members, source, session) == source.scans == scans
    assert [m.done.at.state.step for m in members] == [len(plan) for plan in plans]


def test_folds_of_boosting_are_gathered_a_few_at_a_time(monkeypatch):
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 3))
    y = (X[:, 0] + random.standard_normal(300) > 0).astype(int)
    learner = tn.HistGradientBoostingClassifier(max_iter=4)
    found = []
    for most in (1 << 27, 2 * 240 * 11, 0):
        monkeypatch.setattr("tenfold.engine.loop.MOST_GATHERED", most)
        found.append(tn.cross_validate(learner, X, y, folds=5))
    assert [one.scans - found[0].scans for one in found] == [0, 2, 4]
    assert len({one.scores.tobytes() for one in found}) == 1


CHECKED = [
    tn.HistGradientBoostingClassifier(max_iter=5),
    tn.HistGradientBoostingRegressor(max_iter=5, loss="absolute_error"),
    tn.GradientBoostingClassifier(n_estimators=3),
    tn.RandomForestClassifier(n_estimators=5),
    tn.RandomForestRegressor(n_estimators=3),
    tn.DecisionTreeClassifier(prune="reduced_error"),
    tn.DecisionTreeRegressor(max_depth=3),
    tn.RuleListClassifier(max_depth=3),
]


@pytest.mark.parametrize("learner", CHECKED, ids=lambda one: type(one).__name__)
def test_without_a_certificate_the_model_is_the_same(learner):
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 3))
    y = X[:, 0] + random.standard_normal(300)
    with part_rows(64):
        source = ArraySource(X, y if learner.need.target == "number" else (y > 0).astype(float))
    models, passes = [], []
    for certified in (True, False):
        with opened(Local(threads=2), source) as session:
            schema = source.known(learner.need) or source.schema_of(0, learner.need)
            member = Member(learner, Snapshot(schema, learner.start(schema)), certified=certified)
            run([member], source, session)
        models.append(bits(member.done.at.model))
        passes.append(member.done.at.passes)
    assert models[0] == models[1]
    assert passes[0] > passes[1]


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_boosting_takes_its_constant_from_rows_in_one_place(loss, monkeypatch):
    """A sample, the rows, the loss; a quantile takes passes of its own; and the bits are those of level by level."""
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 3))
    y = X[:, 0] + random.standard_normal(300)
    weight = random.integers(1, 4, 300)
    learner = tn.HistGradientBoostingRegressor(loss=loss, max_iter=4)
    with part_rows(64):
        gathered = clone(learner).fit(X, y, weight)
        monkeypatch.setattr("tenfold.tree.growing.grower.MAX_GATHERED_BYTES", 0)
        levels = learner.fit(X, y, weight)
    assert (gathered.certificate_.provenance.passes == 3) == (loss == "squared_error")
    assert gathered.model_.base.tobytes() == levels.model_.base.tobytes()


class RowsOfParts:
    """A summary that is known as long as it is there."""

    there: ClassVar[weakref.WeakSet] = weakref.WeakSet()

    def __init__(self, whose):
        self.whose = whose
        self.there.add(self)

    def __add__(self, other):
        return RowsOfParts(self.whose)


class Watched(Weight):
    """Lists, when it is made in the second round, the summaries of a fit that is done."""

    whose: str
    left: ClassVar[list] = []

    def summarize(self, chunk):
        if self.round == 1:
            self.left.append([one for one in RowsOfParts.there if one.whose == "done"])
        return RowsOfParts(self.whose)


class Watches(Plays):
    """Asks for as many summaries as its plan has letters, and makes nothing of them."""

    def ask(self, state):
        who = "done" if len(self.plan) == 1 else "going on"
        return None if state.step == len(self.plan) else Watched(state.step, who)

    def update(self, state, summary):
        return At(state.step + 1)


def test_no_summary_of_a_fit_that_is_done_is_left_in_the_next_scan():
    source = rows()
    schema = source.known(Plays.need)
    members = [Member(Watches(plan), Snapshot(schema, At(0)), certified=False) for plan in ("rr", "r")]
    with opened(Local(threads=1), source) as session:
        assert run(members, source, session) == 2
    assert Watched.left == [[]] * 4
