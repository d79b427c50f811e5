"""Many summaries from one scan: of groups of rows, and of several learners."""

from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

from tenfold import CategoricalNB, DataError, GaussianNB, LinearRegression, Local, Ridge, StandardScaler
from tenfold.core import ONE, Chunk, Claim, Columns, Grouped, Need
from tenfold.core.arrays import ones
from tenfold.core.rows.chunk import segments
from tenfold.engine import Member, Snapshot, run
from tenfold.engine.group_keys import Contiguous, Listed, Shuffled
from tenfold.engine.stages import stages_of
from tenfold.sources import ArraySource, part_rows
from tenfold.stats.combinators import As, By, View
from tenfold.stats.counts.counts import ClassCounts
from tenfold.stats.moments.moments import Moments
from tenfold.stats.moments.spread import ClassSpread, SpreadByClass
from tenfold.testing import bits

GROUPS = 6


def chunk_of(X, y=None, weight=None):
    return Chunk(Columns(X), y, ones(_length(X)) if weight is None else weight, weight is None, 0, 0)


def _length(X):
    return len(X[0]) if isinstance(X, tuple) else X.shape[0]


def table(n=700, p=3, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p)) * 10.0 ** np.arange(p) + 5.0
    return X, X.sum(axis=1) + random.standard_normal(n), random


def group_codes(random, n):
    """Groups in any order, one of them empty, some rows in none."""
    codes = random.integers(-1, GROUPS, n)
    codes[codes == 3] = 4
    return codes


FORMS = {
    "array": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "columns of float32": lambda X: tuple(X.astype(np.float32).T),
    "Fortran": np.asfortranarray,
    "frame": lambda X: tuple(X.T),
    "sparse": lambda X: sp.csr_array(np.where(np.abs(X) > 4, X, 0.0)),
}


def exact(X, y, weight):
    """Weight, mean and co-moments in the longest floats there are."""
    X = X.toarray() if sp.issparse(X) else np.column_stack(X) if isinstance(X, tuple) else X
    Z = np.column_stack([X, y]).astype(np.longdouble) if y is not None else X.astype(np.longdouble)
    mean = weight @ Z / weight.sum()
    return weight.sum(), mean, (Z - mean).T @ ((Z - mean) * weight[:, None])


def assert_moments(found, X, y, weight, rounding=1e-11):
    total, mean, comoment = exact(X, y, weight)
    assert found.weight == pytest.approx(float(total), rel=1e-14)
    size = np.sqrt(np.diag(comoment) / total) + np.abs(mean)
    off = np.abs(found.mean.astype(np.longdouble) + found.rest - mean)
    assert (off <= 1e-14 * size).all()
    scale = np.sqrt(np.outer(np.diag(comoment), np.diag(comoment)))
    assert (np.abs(found.comoment - comoment) <= rounding * scale + 1e-300).all()
    assert (found.comoment == found.comoment.T).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("target", [False, True])
@pytest.mark.parametrize("p", [3, 40])
def test_moments_by_group(form, weighted, target, p):
    """Those of each group's rows by themselves, to rounding; narrow and wide."""
    X, y, random = table(p=min(p, 8))
    X = np.hstack([X, random.standard_normal((len(X), p - X.shape[1]))]) if p > 8 else X
    weight = random.random(len(X)) + 0.1 if weighted else None
    codes = group_codes(random, len(X))
    chunk = chunk_of(FORMS[form](X), y if target else None, weight)
    found = Moments.by_group(chunk, codes, GROUPS)
    assert len(found) == GROUPS
    for g, moments in enumerate(found):
        rows = np.flatnonzero(codes == g)
        some = chunk.rows(rows)
        if g == 3:
            assert bits(moments) == bits(Moments.of(some))  # nothing
            assert moments.weight == 0
            continue
        assert_moments(moments, some.X.data, some.y, some.weight)
        assert_moments(Moments.of(some), some.X.data, some.y, some.weight)


def test_moments_of_groups_that_are_far_away():
    """The shift comes from the first rows, which say nothing of a group far from them."""
    random = np.random.default_rng(0)
    codes = np.repeat(np.arange(GROUPS), 300)
    away = np.array([0.0, 1e3, 1e6, -1e8, 1e10, 1e-3])[codes]
    X = random.standard_normal((1800, 2)) + away[:, None]
    y = X[:, 0] - away + random.standard_normal(1800)
    order = random.permutation(1800)
    for at in (np.arange(1800), order):
        for weight in (None, random.random(1800) + 0.1):
            chunk = chunk_of(X[at], y[at], weight)
            for g, moments in enumerate(Moments.by_group(chunk, codes[at], GROUPS)):
                rows = np.flatnonzero(codes[at] == g)
                assert_moments(moments, X[at][rows], y[at][rows], chunk.weight[rows], rounding=1e-9)


def test_moments_by_group_refuse_what_is_no_number():
    X, y, random = table()
    codes = group_codes(random, len(X))
    bad = int(np.flatnonzero(codes == 2)[5])
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity")):
        wrong = X.copy()
        wrong[bad, 1] = value
        with pytest.raises(DataError, match=f"{word}.* in column 'x1', row {bad}"):
            Moments.by_group(chunk_of(wrong, y), codes, GROUPS)
    wrong[bad, 1] = 1e200
    with pytest.raises(DataError, match="too large to be squared"):
        Moments.by_group(chunk_of(wrong, y), codes, GROUPS)


def test_no_rows_and_no_groups():
    X, y, _ = table()
    nothing = chunk_of(X[:0], y[:0])
    for found in (
        Moments.by_group(nothing, np.zeros(0, np.int64), 2),
        Moments.by_group(chunk_of(X, y), np.full(len(X), -1), 2),
    ):
        assert [m.weight for m in found] == [0.0, 0.0]
        assert bits(found[0]) == bits(Moments.of(nothing))
    label = np.zeros(len(X), np.int64)
    spread = ClassSpread.by_group(chunk_of(X, label), np.full(len(X), -1), 2, 3)
    assert [s.weight.tolist() for s in spread] == [[0.0] * 3] * 2
    assert spread[0].square.shape == (3, X.shape[1])


@pytest.mark.parametrize("form", [f for f in FORMS if f != "sparse"])
@pytest.mark.parametrize("weighted", [False, True])
def test_spread_by_group(form, weighted):
    X, _, random = table()
    label = random.integers(0, 3, len(X))
    codes = group_codes(random, len(X))
    label[codes == 1] = 2  # classes that a group has not
    weight = random.random(len(X)) + 0.1 if weighted else None
    chunk = chunk_of(FORMS[form](X), label, weight)
    for g, found in enumerate(ClassSpread.by_group(chunk, codes, GROUPS, 3)):
        alone = ClassSpread.of(chunk.rows(np.flatnonzero(codes == g)), 3)
        np.testing.assert_allclose(found.weight, alone.weight, rtol=1e-14)
        np.testing.assert_allclose(found.mean + found.rest, alone.mean + alone.rest, rtol=1e-14, atol=1e-13)
        np.testing.assert_allclose(found.square, alone.square, rtol=1e-11)
        for c in range(3):
            rows = np.flatnonzero((codes == g) & (label == c))
            some = np.asarray(FORMS["array"](X), np.float32 if "32" in form else None)[rows].astype(np.longdouble)
            heft = np.ones(len(rows)) if weight is None else weight[rows]
            assert found.weight[c] == pytest.approx(heft.sum(), rel=1e-13)
            if len(rows):
                square = heft @ (some - heft @ some / heft.sum()) ** 2
                np.testing.assert_allclose(found.square[c], square.astype(float), rtol=1e-10)


def test_spread_of_groups_that_are_far_away():
    random = np.random.default_rng(0)
    codes, label = random.integers(0, GROUPS, 900), random.integers(0, 2, 900)
    away = np.array([0.0, 1e4, -1e6, 1e8, 1.0, 1e10])[codes]
    X = random.standard_normal((900, 2)) + away[:, None]
    X[0] = 1e9  # the first row of its group is far from all others
    for g, found in enumerate(ClassSpread.by_group(chunk_of(X, label), codes, GROUPS, 2)):
        for c in range(2):
            some = X[(codes == g) & (label == c)].astype(np.longdouble)
            np.testing.assert_allclose(
                found.square[c], ((some - some.mean(axis=0)) ** 2).sum(axis=0).astype(float), rtol=1e-9
            )


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_by_group_are_exact(weighted):
    random = np.random.default_rng(0)
    X = random.integers(-1, 4, (500, 3)).astype(float)
    X[random.random(X.shape) < 0.1] = np.nan
    label, codes = random.integers(0, 3, 500), group_codes(random, 500)
    weight = random.integers(1, 5, 500) / 4 if weighted else None
    first = np.array([0, 4, 8, 12])
    for data in (X, tuple(X.T)):
        chunk = chunk_of(data, label, weight)
        chunk.X.missing = True
        found = ClassCounts.by_group(chunk, codes, GROUPS, 3, first)
        for g, counts in enumerate(found):
            alone = ClassCounts.of(chunk.rows(np.flatnonzero(codes == g)), 3, first)
            assert bits(counts) == bits(alone)
        assert sum(c.weight.sum() for c in found) == chunk.weight[codes >= 0].sum()


# ---- segments and groups -------------------------------------------------------------------------------


def test_segments():
    X = np.arange(8.0)[:, None]
    chunk = chunk_of(X, np.arange(8))._replace(dropped=3)
    found = {g: some.y.tolist() for g, some in segments(chunk, np.array([2, -1, 0, 2, 0, -1, 2, 0]))}
    assert found == {0: [2, 4, 7], 2: [0, 3, 6]}
    in_order = dict(segments(chunk, np.array([-1, 0, 0, 1, 1, 1, 4, 4])))
    assert {g: some.y.tolist() for g, some in in_order.items()} == {0: [1, 2], 1: [3, 4, 5], 4: [6, 7]}
    assert all(np.shares_memory(some.X.data, X) for some in in_order.values())  # views, not copies
    assert all(some.dropped == 0 for some in in_order.values())
    assert list(segments(chunk.rows(slice(0, 0)), np.zeros(0, np.int64))) == []


class Text(NamedTuple):
    step: int
    said: str


class Said(NamedTuple):
    text: str

    def __add__(self, other):
        return Said(self.text + other.text)


class Spoken(Grouped):
    """The target of each row as text."""

    def summarize(self, chunk):
        return Said("".join(f"{int(v)}," for v in chunk.y))


class Words:
    """A learner whose summary is the rows it was given, in order."""

    passes = ONE
    need = Need("numeric", target="number")

    def with_listed_categories(self, schema):
        return schema

    def start(self, schema):
        return Text(0, "")

    def ask(self, state):
        return None if state.step else Spoken()

    def update(self, state, summary):
        return Text(1, summary.text)

    def model(self, state):
        return state

    def certify(self, model, summary):
        return (Claim("gap", 0.0, "proved", "all is said", "objective"),)


def said(text):
    return [int(v) for v in text.split(",")[:-1]]


@pytest.mark.parametrize("rows", [1, 3, 10, 40])
@pytest.mark.parametrize(
    "key", [Contiguous(4, np.array([0, 10, 20, 30])), Shuffled(4, 1), Listed(4, np.arange(40) * 7 % 5 - 1)]
)
def test_items_summarize_the_rows_they_want(rows, key):
    X = np.arange(40.0)[:, None]
    with part_rows(rows):
        source = ArraySource(X, np.arange(40.0))
    schema = source.known(Words.need)
    learner = Words()
    codes = key.of(np.arange(40))
    wishes = [(0, 1, 2), (1, 2, 3), (0, 3), (2,), None]
    start = learner.start(schema)
    members = [Member(learner, Snapshot(schema, start), key=key, groups=groups) for groups in wishes]
    members.append(Member(learner, Snapshot(schema, start)))
    with Local(threads=2).open(source) as session:
        assert run(members, source, session) == 1
    for member in members:
        rows = np.arange(40)
        if member.key is not None:
            rows = np.flatnonzero(np.isin(codes, range(4) if member.groups is None else member.groups))
        assert sorted(said(member.at.summary.text)) == rows.tolist()
        assert member.at.rows == len(rows)
        if member.key is not None:
            assert {g: said(c.summary.text) for g, c in member.grouped.each.items()} == {
                g: np.flatnonzero(codes == g).tolist() for g in range(4)
            }


@pytest.mark.parametrize("learner", [Ridge(), LinearRegression(), GaussianNB(), CategoricalNB()])
def test_grouped_summaries_are_those_of_the_generic_way(learner, monkeypatch):
    """With `summarize_groups`, and by segments without it."""
    random = np.random.default_rng(2)
    X = random.integers(0, 4, (200, 3)) if learner.need.kinds == "categorical" else random.standard_normal((200, 3))
    y = random.standard_normal(200) if learner.need.target == "number" else random.integers(0, 3, 200)
    with part_rows(37):
        source = ArraySource(tuple(X.T) if X.dtype.kind == "i" else X, y, random.integers(0, 3, 200) / 2)
    schema = source.known(learner.need)
    if schema is None:
        schema = sum(
            (source.schema_of(p, learner.need) for p in range(1, len(source))), source.schema_of(0, learner.need)
        )
    statistic = learner.ask(learner.start(schema))
    expression = As(View(learner.need, schema), By((Shuffled(5, 3),), statistic))
    with Local(threads=1).open(source) as session:
        fast = session.answer(expression)
        assert type(statistic).summarize_groups is not Grouped.summarize_groups
        monkeypatch.setattr(type(statistic), "summarize_groups", Grouped.summarize_groups)
        plain = session.answer(expression)
    assert fast.each.keys() == plain.each.keys() == set(range(5))
    assert fast.dropped == plain.dropped > 0
    for g, counted in fast.each.items():
        assert counted.rows == plain.each[g].rows
        for name in counted.summary.__dataclass_fields__:
            mine, other = getattr(counted.summary, name), getattr(plain.each[g].summary, name)
            exact = isinstance(counted.summary, ClassCounts)
            np.testing.assert_allclose(mine, other, rtol=0 if exact else 1e-12, atol=0 if exact else 1e-13)


def test_rows_through_transformers_before():
    random = np.random.default_rng(3)
    X, y = random.standard_normal((90, 2)) * [1, 50] + 7, random.standard_normal(90)
    with part_rows(20):
        source = ArraySource(X, y)
    scaler = StandardScaler().fit(X)
    assert stages_of([], Need()) == ()
    scaled = scaler.transform(X)
    found = chunk_of(X, y)
    for stage in stages_of([(scaler, scaler.model_)], Need()):
        found = stage.stage(found)
    np.testing.assert_array_equal(found.X.data, scaled)
    assert found.y is y
    key = Shuffled(3, 0)
    learner, need = Ridge(), Need("numeric", missing=True, target="number")
    schema = source.known(need)
    members = [
        Member(learner, Snapshot(schema, learner.start(schema)), key=key, groups=groups,
               before=((scaler, scaler.model_),), need=need, schema=schema)
        for groups in ((0, 1), (2,))
    ]  # fmt: skip
    with Local(threads=1).open(source) as session:
        assert run(members, source, session) == 1
    codes = key.of(np.arange(90))
    for m in members:
        rows = np.isin(codes, m.groups)
        model = Ridge().fit(scaled[rows], y[rows])
        np.testing.assert_allclose(m.done.at.model.coef, model.coef_, rtol=1e-10)
        assert m.done.at.rows == rows.sum()


class Loaded(ArraySource):
    """Counts how often each part is loaded, and within how many needs it is kept."""

    def __init__(self, *given):
        with part_rows(30):
            super().__init__(*given)
        self.loads = []

    def read(self, part, need, schema):
        self.loads.append((part, need))
        return super().read(part, need, schema)


def test_a_part_is_loaded_once_for_each_need():
    random = np.random.default_rng(4)
    source = Loaded(random.standard_normal((90, 2)), random.standard_normal(90))
    learners = [Ridge(), Ridge(2.0), LinearRegression(), StandardScaler()]
    members = []
    for learner in learners:
        schema = source.known(learner.need)
        members.append(Member(learner, Snapshot(schema, learner.start(schema)), certified=False))
    with Local(threads=1).open(source) as session:
        assert run(members, source, session) == 1
    assert sorted(source.loads, key=str) == sorted(
        [(part, need) for part in range(3) for need in (Ridge().need.dense(), StandardScaler().need)], key=str
    )
    assert all(m.done.at.passes == 1 for m in members)
    alone = Ridge(2.0).fit(source)
    assert bits(members[1].done.at.model) == bits(alone.model_)


def test_members_that_share_a_summary_are_served_by_one():
    """Thirty smoothings, one summary: they ask for equal statistics."""
    calls = []

    class Watched(SpreadByClass):
        def summarize(self, chunk):
            calls.append(chunk.part)
            return super().summarize(chunk)

    class Smoothed(GaussianNB):
        def statistic(self, schema):
            return Watched(len(schema.classes))

    random = np.random.default_rng(5)
    source = Loaded(random.standard_normal((90, 2)), random.integers(0, 2, 90))
    schema = source.schema_of(0, GaussianNB().need)
    learners = [Smoothed(var_smoothing=share) for share in np.logspace(-9, 0, 30)]
    members = [Member(one, Snapshot(schema, one.start(schema))) for one in learners]
    with Local(threads=1).open(source) as session:
        assert run(members, source, session) == 1
    assert sorted(calls) == [0, 1, 2]  # one for each part
    assert len(source.loads) == 3
    for one, m in zip(learners, members, strict=True):
        assert bits(m.done.at.model) == bits(GaussianNB(var_smoothing=one.var_smoothing).fit(source).model_)
