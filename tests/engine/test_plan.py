"""Expressions as leaves: equal ones once, combinators in any order the same rows, answers as by hand."""

import itertools

import numpy as np
import pytest

from tenfold.core import DataError, Need
from tenfold.core.statistic import Grouped, Held, Lens, Statistic, Strided
from tenfold.engine.executors.tasks import merge_all
from tenfold.engine.held_rows import Scan
from tenfold.engine.merge_tree import merge
from tenfold.engine.plan import Continue, Groups, Plan
from tenfold.engine.row_counts import Counted
from tenfold.sources import ArraySource, part_rows
from tenfold.stats.combinators import After, As, By, Draw, Each, Key, Of, Reweighted, Stage, View, crossed
from tenfold.stats.rows.draws import keys_of, times_of

random = np.random.default_rng(0)
X = random.normal(size=(500, 3)).round(1)
Y = random.normal(size=500)
NEED = Need("numeric", target="number")
with part_rows(60):
    SOURCE = ArraySource(X, Y)
VIEW = View(NEED, SOURCE.schema_of(0, NEED))
NAMES = View(NEED, VIEW.schema)


class Seen:
    """The numbers and weights of rows, in order: whatever happened to them shows."""

    def __init__(self, rows):
        self.rows = rows

    def __add__(self, other):
        return Seen(self.rows + other.rows)


class List(Statistic[Seen]):
    column: int = 0

    def summarize(self, chunk):
        numbers, values = chunk.X.numbers().tolist(), chunk.X.column(self.column).tolist()
        return Seen(list(zip(numbers, values, chunk.weight.tolist(), strict=True)))


class Total(Grouped[np.ndarray]):
    def summarize(self, chunk):
        return np.array([chunk.weight.sum(), chunk.weight @ chunk.y])

    def summarize_groups(self, chunk, codes, groups):
        return [self.summarize(chunk.rows(np.flatnonzero(codes == g))) for g in range(groups)]


class Modulo(Key):
    """By number; of every seventh row none."""

    def coder(self, part):
        def code(chunk):
            numbers = chunk.X.numbers()
            return np.where(numbers % 7 == 6, -1, numbers % self.groups)

        return code


class Turns(Key):
    """One after another within a part: a coder that remembers the rows it has seen."""

    def coder(self, part):
        count = itertools.count()
        return lambda chunk: np.array([next(count) % self.groups for _ in range(chunk.n)])


class Times(Stage):
    by: float

    def stage(self, chunk):
        return chunk._replace(X=type(chunk.X)(chunk.X.data * self.by, chunk.X.names, kept=chunk.X.numbers()))


class Bootstrap(Draw):
    seed: int

    def weight(self, chunk):
        return chunk.weight * times_of(chunk.places(), keys_of(self.seed, 0, 0, 1)[0])


class Doubled(Lens):
    def __call__(self, chunk):
        return 2 * chunk.X.column(0)


class Round(Held[float]):
    number: int

    def summarize(self, chunk):
        return float(chunk.held.sum()) + self.number


class Some(Strided[Seen]):
    def summarize(self, chunk):
        return List().summarize(chunk)


def answer(expression, source=SOURCE):
    """By the leaves of a plan, part by part."""
    plan = Plan(As(VIEW, expression))
    found = merge(Scan(tuple(plan.leaves))(source, part) for part in range(len(source)))
    return plan.answer(found.each)


def rows(expression):
    """The rows of each group, or of all."""
    found = answer(expression)
    return {g: c.summary.rows for g, c in found.each.items()} if isinstance(found, Groups) else found.summary.rows


def test_a_statistic_is_of_all_rows():
    assert rows(List(1)) == [(i, X[i, 1], 1.0) for i in range(500)]
    found = answer(List())
    assert (found.rows, found.dropped, len(found.machines)) == (500, 0, 1)


def test_equal_leaves_are_one():
    members = Each((List(1), List(1), Each((List(2), Of(Modulo(3), (1,), List(1)))), By((Modulo(3),), List(1))))
    plan = Plan(As(VIEW, members))
    assert (plan.asked, len(plan.leaves)) == (5, 4)
    one, two, (three, four), five = answer(members)
    assert one.summary.rows == two.summary.rows != three.summary.rows
    assert four.summary.rows == five.each[1].summary.rows


def test_views_are_read_apart_and_equal_views_once(monkeypatch):
    read = []
    chunks = ArraySource.chunks
    monkeypatch.setattr(ArraySource, "chunks", lambda *given: read.append(given[1]) or chunks(*given))
    other = View(Need("numeric"), SOURCE.schema_of(0, Need("numeric")))
    plan = Plan(Each((As(VIEW, List(0)), As(NAMES, List(1)), As(other, List(0)))))
    Scan(tuple(plan.leaves))(SOURCE, 0)
    assert read == [0, 0]


def around(order):
    """A statistic of list of rows, its four combinators in some order."""
    e = List()
    for word in order:
        match word:
            case "of":
                e = Of(Modulo(4), (0, 2), e)
            case "by":
                e = By((Turns(3),), e)
            case "after":
                e = After((Times(2.0), Times(10.0)), e)
            case "drawn":
                e = Reweighted(Bootstrap(5), e)
    return e


@pytest.mark.parametrize("order", list(itertools.permutations(["of", "after", "drawn"])), ids=" ".join)
def test_combinators_commute(order):
    count = times_of(np.concatenate([c.places() for c in chunks_of()]), keys_of(5, 0, 0, 1)[0])
    wanted = [(i, 20 * X[i, 0], float(count[i])) for i in range(500) if i % 7 != 6 and i % 4 in (0, 2) and count[i]]
    found = rows(around(order))
    assert [(i, w) for i, _, w in found] == [(i, w) for i, _, w in wanted]
    np.testing.assert_allclose([v for _, v, _ in found], [v for _, v, _ in wanted], rtol=1e-12)


def chunks_of():
    return [chunk for part in range(len(SOURCE)) for chunk in SOURCE.chunks(part, NEED, VIEW.schema)]


@pytest.mark.parametrize("order", list(itertools.permutations(["by", "after", "drawn"])), ids=" ".join)
def test_groups_commute_too(order):
    assert rows(around(order)) == rows(around(["drawn", "after", "by"]))


def test_keys_are_crossed():
    both = crossed((Modulo(2), Modulo(3)))
    assert both.groups == 6
    nested = rows(By((Modulo(2),), By((Modulo(3),), List())))
    assert nested == rows(By((both,), List()))
    assert [i for i, _, _ in nested[5]] == [i for i in range(500) if i % 7 != 6 and i % 2 == 1 and i % 3 == 2]
    assert sum(map(len, nested.values())) == sum(i % 7 != 6 for i in range(500))


def test_some_groups_of_what_is_grouped_serve_all():
    folds = [tuple(g for g in range(5) if g != left) for left in range(5)]
    asked = Each(tuple(Of(Modulo(5), some, Total()) for some in folds))
    plan = Plan(As(VIEW, asked))
    assert (plan.asked, len(plan.leaves)) == (5, 1)
    for some, found in zip(folds, answer(asked), strict=True):
        at = [i for i in range(500) if i % 7 != 6 and i % 5 in some]
        np.testing.assert_allclose(found.summary, [len(at), Y[at].sum()], rtol=1e-12)
        assert found.rows == len(at)


def test_company_changes_no_bit():
    alone = answer(Of(Modulo(5), (0, 1, 3), Total())).summary
    together = answer(Each((Total(), Of(Modulo(5), (0, 1, 3), Total()), Of(Modulo(5), (2,), Total()))))[1].summary
    assert alone.tobytes() == together.tobytes()


@pytest.mark.parametrize("left", range(5))
def test_all_groups_but_one_are_merged_from_both_sides(left):
    """Never a total minus a group, and no group twice."""
    groups = Groups({g: Counted(Seen([g]), 1, 0, frozenset()) for g in range(5)}, dropped=3)
    assert groups.of([g for g in range(5) if g != left]).summary.rows == [g for g in range(5) if g != left]
    assert groups.of([left]).summary.rows == [left]
    assert groups.of(range(5)).summary.rows == [0, 1, 2, 3, 4]
    assert groups.of([0, 3, 9]).summary.rows == [0, 3]
    assert (groups.of([0, 3]).rows, groups.of([0, 3]).dropped) == (2, 3)
    both = groups + Groups({4: Counted(Seen([40]), 1, 0, frozenset()), 7: Counted(Seen([70]), 1, 0, frozenset())}, 2)
    assert {g: c.summary.rows for g, c in both.each.items()} == {0: [0], 1: [1], 2: [2], 3: [3], 4: [4, 40], 7: [70]}
    assert both.dropped == 5
    nothing = groups.of([9])
    assert (nothing.summary, nothing.rows, nothing.dropped) == (None, 0, 3)
    with pytest.raises(DataError, match="no row has a weight"):
        Groups({}).of([0])


class Huge(Grouped[float]):
    def summarize(self, chunk):
        return float(chunk.y.sum())


def test_never_a_total_less_a_group():
    """A huge group leaves no trace in what lacks it."""
    y = np.array([1.0, 1e140, 2.0, 3.0])
    with part_rows(4):
        source = ArraySource(np.zeros((4, 3)), y)
    found = answer(Each(tuple(Of(Turns(4), tuple(g for g in range(4) if g != j), Huge()) for j in range(4))), source)
    assert [one.summary for one in found] == [1e140, 6.0, 1e140, 1e140]


def test_keys_look_at_rows_as_they_were_read():
    """Whatever a stage makes of the target, and whichever rows others choose."""

    class Bare(Stage):
        def stage(self, chunk):
            return chunk._replace(y=None)

    class Sign(Key):
        def coder(self, part):
            return lambda chunk: (chunk.y > 0).astype(np.int64)

    positive = [i for i in range(500) if Y[i] > 0]
    stage = (Bare(),)
    for e in (Of(Sign(2), (1,), After(stage, List())), After(stage, Of(Sign(2), (1,), List()))):
        assert [i for i, _, _ in rows(e)] == positive
    by = rows(After(stage, By((Sign(2),), Of(Turns(2), (0,), List()))))
    turn = [i for c in chunks_of() for i in c.X.numbers()[::2].tolist()]
    assert [i for i, _, _ in by[1]] == [i for i in turn if Y[i] > 0]


def test_a_share_of_the_parts():
    some = rows(Some(every=4))
    assert [i for i, _, _ in some] == [i for c in chunks_of() if c.part % 4 == 0 for i in c.X.numbers().tolist()]
    every, whole = answer(Each((Some(every=4), List())))
    assert every.summary.rows == some
    assert whole.rows == 500


def test_held_rows_are_known_by_which_they_are_and_by_the_lens():
    def leaves(*many):
        return Plan(As(VIEW, Each(many))).leaves

    first, second, drawn, some = leaves(
        Round(1, lens=Doubled()), Round(2, lens=Doubled()), Reweighted(Bootstrap(1), Round(1, lens=Doubled())),
        Of(Modulo(2), (0,), Round(1, lens=Doubled())),
    )  # fmt: skip
    assert first.held == second.held
    assert len({first.held, drawn.held, some.held}) == 3
    assert len({first.digest, second.digest, drawn.digest, some.digest}) == 4
    plain, kept = leaves(After((Times(2.0),), List()), After((Times(3.0),), List(), keep=True))
    assert not plain.held
    assert kept.held


class Whole(Round):
    """Of all rows, which nobody but a certificate asks for again."""

    whole = True


def test_rows_that_are_all_in_a_summary_are_held_for_a_certificate_alone():
    def leaves(*certified):
        asked = Whole(1, lens=Doubled())
        return Plan(As(VIEW, Each(tuple(Continue(str(c), asked, certified=c) for c in certified)))).leaves

    assert [bool(leaf.held) for leaf in leaves(True)] == [True]
    assert [bool(leaf.held) for leaf in leaves(False)] == [False]
    assert [bool(leaf.held) for leaf in leaves(False, True)] == [True]
    assert Plan(As(VIEW, Continue("", Round(1, lens=Doubled()), certified=False))).leaves[0].held
    kept, fresh = (answer(Continue("", Whole(1, lens=Doubled()), certified=c)).summary for c in (True, False))
    assert kept == fresh == answer(Round(1, lens=Doubled())).summary


def test_a_merge_uses_up_the_summaries_of_one_process_and_no_outputs_of_tasks():
    leaves = Plan(As(VIEW, Each((List(), List(1))))).leaves
    parts = [Scan(tuple(leaves))(SOURCE, part) for part in range(2)]
    merged, again = merge_all(list(parts)), merge_all(list(parts))
    assert [one.summary.rows for one in merged.each] == [one.summary.rows for one in again.each]
    total = merge(parts)
    assert [one.rows for one in total.each] == [one.rows for one in merged.each]
    assert [*parts[0].each, *parts[1].each] == [None] * 4


def test_a_round_goes_on_from_the_scratch_of_its_fit():
    now = Round(2, lens=Doubled())
    (leaf,) = Plan(As(VIEW, Continue("a", Of(Modulo(2), (0,), now)))).leaves
    (member,) = Plan(As(VIEW, Continue("a", Each((Continue("3", now),))))).leaves
    assert (leaf.chain, member.chain) == ("/a", "/a/3")
    assert leaf == Plan(As(VIEW, Of(Modulo(2), (0,), Continue("b", now)))).leaves[0]


def test_what_is_no_expression_is_refused():
    with pytest.raises(TypeError, match="List has no view of the rows"):
        Plan(List())
    with pytest.raises(TypeError, match="Times is neither a statistic nor a combinator"):
        Plan(As(VIEW, Times(1.0)))
