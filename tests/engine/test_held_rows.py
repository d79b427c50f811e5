"""What is held between rounds gives the bits of reading again, whoever forgets it, and whatever is drawn."""

import numpy as np
import pytest

from tenfold.core import Need
from tenfold.core.statistic import Held, Lens, Statistic, Strided
from tenfold.engine import Local
from tenfold.engine.held_rows import Scan, follow, of_held, read
from tenfold.engine.merge_tree import merge
from tenfold.engine.plan import Groups, Plan
from tenfold.sources import ArraySource, part_rows
from tenfold.stats.combinators import After, As, By, Draw, Each, Key, Of, Reweighted, Stage, View
from tenfold.stats.rows.draws import keys_of, times_of

X = np.random.default_rng(0).normal(size=(400, 2))
NEED = Need("numeric")
with part_rows(50):
    SOURCE = ArraySource(X)
VIEW = View(NEED, SOURCE.schema_of(0, NEED))
PARTS = range(len(SOURCE))


class Bins(Lens):
    cut: float

    def __call__(self, chunk):
        return (chunk.X.column(0) > self.cut).astype(np.int64)


class Level(Held[np.ndarray]):
    """How much weight each leaf of a small tree has: scratch is the leaf of each row, a round further every time."""

    depth: int

    def follow(self, held, scratch):
        at, leaf = (0, np.zeros(len(held), np.int64)) if scratch is None else scratch
        for _ in range(at, self.depth):
            leaf = 2 * leaf + held
        return self.depth, leaf

    def summarize(self, chunk):
        return np.bincount(chunk.scratch[1], chunk.weight, 2**self.depth)


class Means(Statistic[np.ndarray]):
    def summarize(self, chunk):
        return np.array([chunk.weight.sum(), chunk.weight @ chunk.X.column(1)])


class Halves(Key):
    def coder(self, part):
        return lambda chunk: chunk.X.numbers() % self.groups


class Bootstrap(Draw):
    def weight(self, chunk):
        return chunk.weight * times_of(chunk.places(), keys_of(0, 0, 0, 1)[0])


class Shifted(Stage):
    by: float

    def stage(self, chunk):
        return chunk._replace(X=type(chunk.X)(chunk.X.data + self.by, chunk.X.names, kept=chunk.X.numbers()))


def hold(leaf, source, part):
    return read((), (leaf,), source, part)[1][0]


def leaf_of(expression):
    (leaf,) = Plan(As(VIEW, expression)).leaves
    return leaf


def bits(found):
    each = found.each if isinstance(found, Groups) else {None: found}
    return {g: (c.rows, c.summary.tobytes()) for g, c in each.items()}


AROUND = {
    "all": lambda s: s,
    "some": lambda s: Of(Halves(2), (1,), s),
    "by": lambda s: By((Halves(2),), s),
    "drawn": lambda s: Reweighted(Bootstrap(), s),
    "drawn by": lambda s: Reweighted(Bootstrap(), By((Halves(3),), s)),
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("memory", ["keeps", "forgets scratch", "forgets all"])
def test_rounds_give_the_bits_of_a_fresh_start(around, memory):
    kept, scratch = {}, {}
    for depth in range(4):
        leaf = leaf_of(AROUND[around](Level(depth, lens=Bins(0.2))))
        found = []
        for part in PARTS:
            if part not in kept or memory == "forgets all":
                kept[part] = hold(leaf, SOURCE, part)
            scratch[part] = follow(leaf, kept[part], scratch.get(part) if memory == "keeps" else None)
            found.append(of_held(leaf, kept[part], scratch[part]))
        fresh = []
        for part in PARTS:
            pieces = hold(leaf, SOURCE, part)
            fresh.append(of_held(leaf, pieces, follow(leaf, pieces, None)))
        assert bits(merge(found)) == bits(merge(fresh))


def test_held_rows_are_counted_as_by_hand():
    leaf = leaf_of(By((Halves(2),), Level(2, lens=Bins(0.2))))
    found = merge(of_held(leaf, p, follow(leaf, p, None)) for p in (hold(leaf, SOURCE, part) for part in PARTS))
    for half in range(2):
        above = (X[half::2, 0] > 0.2).sum()
        assert found.each[half].summary.tolist() == [200 - above, 0, 0, above]
        assert found.each[half].rows == 200


def test_rows_that_stages_made_are_held_as_they_are():
    leaf = leaf_of(After((Shifted(3.0),), Means(), keep=True))
    found = merge(of_held(leaf, p, follow(leaf, p, None)) for p in (hold(leaf, SOURCE, part) for part in PARTS))
    read = leaf_of(After((Shifted(3.0),), Means()))
    again = merge(Scan((read,))(SOURCE, part) for part in PARTS).each[0]
    assert bits(found) == bits(again)


def test_rows_are_drawn_before_they_are_held():
    """A row that is not drawn is no row, of what is held and of a statistic that reads columns; all are counted."""
    leaf = leaf_of(Reweighted(Bootstrap(), Level(0, lens=Bins(0.2))))
    pieces = hold(leaf, SOURCE, 0)
    found = of_held(leaf, pieces, follow(leaf, pieces, None))
    (chunk,) = SOURCE.chunks(0, NEED, VIEW.schema)
    times = times_of(chunk.places(), keys_of(0, 0, 0, 1)[0])
    assert found.summary.tolist() == [times.sum()]
    assert (found.rows, found.learned) == (chunk.n, (times > 0).sum())
    assert pieces[0].groups[-1].n == found.learned
    read = Scan((leaf_of(Reweighted(Bootstrap(), Means())),))(SOURCE, 0).each[0]
    assert (read.rows, read.learned) == (chunk.n, (times > 0).sum())


def test_one_reading_serves_what_is_read_and_what_is_held(monkeypatch):
    seen = []
    chunks = ArraySource.chunks
    monkeypatch.setattr(ArraySource, "chunks", lambda *given: seen.append(given[1]) or chunks(*given))
    plain, held = leaf_of(Means()), leaf_of(Level(2, lens=Bins(0.2)))
    found, (pieces,) = read((plain,), (held,), SOURCE, 3)
    assert seen == [3]
    both = Scan((held, plain))(SOURCE, 3).each
    assert bits(both[1]) == bits(found.each[0])
    assert bits(both[0]) == bits(of_held(held, pieces, follow(held, pieces, None)))


class Share(Strided[np.ndarray], Level):
    """The same of a share of the parts."""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_share_of_the_parts_beside_all_of_them(threads):
    """Held through one lens, each of its own parts."""
    both = Each((Level(1, lens=Bins(0.2)), Share(1, lens=Bins(0.2), every=4)))
    with Local(threads=threads).open(SOURCE) as session:
        whole, some = session.answer(As(VIEW, both))
    assert (whole.rows, some.rows) == (len(X), sum(SOURCE.load(p, NEED, VIEW.schema).n for p in PARTS if p % 4 == 0))
