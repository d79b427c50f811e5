"""The laws of merging, for any learner. Claim them and they are tested; they are what users rely on.

Each law takes a learner and a seed, draws a little data for the learner's need, and fails with an
AssertionError. `check_laws` runs all of them on many draws.
"""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from tenfold.core import ONE, SEQUENTIAL, Array, Chunk, DataError, MergeError, Schema
from tenfold.core.axes import check, recode, values
from tenfold.core.learner import State
from tenfold.core.mergeable import cell_of
from tenfold.core.rows.chunk import segments
from tenfold.core.rows.joined_rows import joined
from tenfold.core.statistic import Grouped, Held, Lens, Ordered, Stacked, slices
from tenfold.engine import Local, Snapshot, fit, on
from tenfold.engine.loop import summarized
from tenfold.estimator import Classifier, Clusterer, Estimator, OnePass, Transformer
from tenfold.estimator.sequences.sequence_kinds import SequenceClassifier
from tenfold.sources import ArraySource, part_rows
from tenfold.sources.inputs import SEQUENCE
from tenfold.stats.combinators import View, statistics, title
from tenfold.testing.comparison import assert_close, assert_same, bits
from tenfold.testing.data import RandomTable, draw

Law = Callable[[Estimator, int], None]

LAWS: dict[str, Law] = {}
SEEDS = 12
"""with which models are compared on average"""
MAX_TRIED_SEEDS = 6
"""times as many seeds are tried at most: by some, rows are drawn that cannot be learned from"""


def law(function: Law) -> Law:
    """Publish a law under its name."""
    LAWS[function.__name__] = function
    return function


def check_laws(learner: Estimator, draws: int = 25) -> None:
    """Check every law on a learner, each on a number of random data sets.

    Parameters
    ----------
    learner : learner
        Unfitted learner, with the parameters to test.
    draws : int
        Data sets for each law.
    """
    for name in LAWS:
        check_law(name, learner, draws)


def check_law(name: str, learner: Estimator, draws: int = 25) -> None:
    """Put one law on a learner; hypothesis looks for a seed that breaks it."""
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    quiet = settings(
        max_examples=draws,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    quiet(given(st.integers(0, 2**32 - 1))(lambda seed: LAWS[name](learner, seed)))()


@law
def associative(learner: Estimator, seed: int) -> None:
    """(a + b) + c is a + (b + c), at every kind of question."""
    unit = draw(learner.need, seed).unit
    for state, (a, b, c), schema in _pieces(learner, seed, parts=3):
        check(a, schema)
        assert_same((a + b) + c, a + (b + c), f"associative at {state.step}", unit=unit)


@law
def identity(learner: Estimator, seed: int) -> None:
    """The summary of no rows changes nothing, to the bit."""
    table = draw(learner.need, seed)
    source = _source(table)
    for state, schema in _states(learner, source):
        some = _summary(learner, state, source, schema)
        none = _summary(learner, state, _source(table.rows(slice(0, 0))), schema)
        check(none, schema)
        assert bits(some + none) == bits(some), "s + nothing is not s"
        assert bits(none + some) == bits(some), "nothing + s is not s"
        assert_same(none + none, none, "nothing + nothing", exact=True)


@law
def pure(learner: Estimator, seed: int) -> None:
    """Summarizing and updating change neither state nor summary, and do the same twice."""
    table = draw(learner.need, seed)
    source = _source(table)
    for state, schema in _states(learner, source):
        before = bits(state)
        summary, again = (_summary(learner, state, source, schema) for _ in range(2))
        assert bits(summary) == bits(again), "the same chunk gives two summaries"
        after = learner.update(state, summary)
        assert bits(after) == bits(learner.update(state, again)), "the same summary gives two states"
        assert bits(summary) == bits(again), "update changed its summary"
        assert bits(state) == before, "the state was changed in place"


@law
def asking(learner: Estimator, seed: int) -> None:
    """The expression that a learner asks for is a value: equal when asked again, and after pickling."""
    for state, _ in _states(learner, _source(draw(learner.need, seed))):
        asked, again = learner.ask(state), learner.ask(state)
        there = pickle.loads(pickle.dumps(asked))
        assert asked == again, "asked twice at one state, two expressions come that are not equal"
        assert asked == there, "what is asked for is something else after it was pickled"
        assert asked.digest == again.digest == there.digest, "equal expressions have two digests"


@law
def grouping(learner: Estimator, seed: int) -> None:
    """Summaries of groups computed at once equal the summaries of each group's rows."""
    table = draw(learner.need, seed)
    source, random = _source(table), np.random.default_rng(seed)
    for state, schema in _states(learner, source):
        for statistic in statistics(learner.ask(state)):
            if not isinstance(statistic, Grouped) or isinstance(statistic, Held):
                continue
            chunk = _loaded(learner, source, schema)
            codes = random.integers(-1, 3, chunk.n)
            if chunk.starts is not None:
                codes = codes[chunk.starts][np.searchsorted(chunk.starts, np.arange(chunk.n), "right") - 1]
            found = statistic.summarize_groups(chunk, codes, 3)
            for group, rows in segments(chunk, codes):
                what = f"group {group} of {statistic.title}"
                assert_same(found[group], statistic.summarize(rows), what, unit=table.unit)


@law
def stacking(learner: Estimator, seed: int) -> None:
    """The summaries of many cells in one stack have the bits of each by itself, and so have their sums."""
    source, random = _source(draw(learner.need, seed)), np.random.default_rng(seed)
    for state, schema in _states(learner, source):
        for statistic in statistics(learner.ask(state)):
            if not isinstance(statistic, Stacked) or isinstance(statistic, Held):
                continue
            chunk = _loaded(learner, source, schema)
            if chunk.starts is None:
                chunk = chunk.rows(random.permutation(chunk.n))
            begins = np.arange(chunk.n) if chunk.starts is None else chunk.starts
            cuts = random.choice(len(begins) - 1, min(4, len(begins) - 1), replace=False) + 1
            starts = begins[np.append(0, np.sort(cuts))]
            stack = statistic.summarize_cells(chunk, starts)
            each = [statistic.summarize(chunk.rows(rows)) for rows in slices(starts, chunk.n)]
            what = f"in a stack of {statistic.title}"
            for cell, alone in enumerate(each):
                assert bits(cell_of(stack, cell)) == bits(alone), f"cell {cell} {what}"
            a, b = random.permutation(len(each)), random.permutation(len(each))
            a[:1], b[1:2] = -1, -1
            merged = statistic.merge_cells(stack, stack, a, b)
            for cell, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
                alone = each[max(i, j)] if min(i, j) < 0 else each[i] + each[j]
                assert bits(cell_of(merged, cell)) == bits(alone), f"sum {cell} {what}"
            parts = np.sort(random.choice(9, len(each), replace=False))
            cells = np.append(np.zeros(len(each) - 1, np.int64), 1)
            both = statistic.summarize_parts(chunk, starts, cells, parts)
            for cell in np.unique(cells).tolist():
                mine = np.flatnonzero(cells == cell)
                alone = _in_tree({int(parts[k]): each[k] for k in mine}, 0, 16)
                assert bits(cell_of(both, cell)) == bits(alone), f"cell {cell} of several parts {what}"
            if isinstance(learner, OnePass) and learner.solves_stacks:
                _assert_solved_alike(learner, schema, stack, each)


def _assert_solved_alike(learner: Any, schema: Schema, stack: Any, each: list[Any]) -> None:
    """The models of a stack are those of its summaries, unless an error says that they are made one by one."""
    with np.errstate(all="ignore"):
        try:
            models = learner.solve(schema, stack)
        except ValueError:
            return
        for cell, summary in enumerate(each):
            assert bits(cell_of(models, cell)) == bits(learner.solve(schema, summary)), f"model {cell} of a stack"


def _in_tree(summaries: dict[int, Any], start: int, stop: int) -> Any:
    """Merge the summaries of some parts of a range in the fixed tree; None, if there are none."""
    if stop - start == 1:
        return summaries.get(start)
    middle = (start + stop) // 2
    left, right = _in_tree(summaries, start, middle), _in_tree(summaries, middle, stop)
    return left if right is None else right if left is None else left + right


@law
def chunking(learner: Estimator, seed: int) -> None:
    """Cuts between parts change the model by rounding only; for random draws see `distribution`."""
    if learner.draws_rows:
        return
    table = draw(learner.need, seed)
    whole = _fitted(learner, table)
    with part_rows(int(np.random.default_rng(seed).integers(1, 12))):
        parts = _fitted(learner, table)
    _assert_same_model(whole, parts, table, "cut otherwise")


@law
def order(learner: Estimator, seed: int) -> None:
    """The order of the rows changes the model by rounding only; for random draws see `distribution`.

    A sequential learner that does not draw them walks over them as they come.
    """
    if learner.draws_rows or learner.passes == SEQUENTIAL:
        return
    table = draw(learner.need, seed)
    shuffled = table.rows(np.random.default_rng(seed).permutation(len(table.weight)))
    _assert_same_model(_fitted(learner, table), _fitted(learner, shuffled), table, "in another order")


@law
def repetition(learner: Estimator, seed: int) -> None:
    """A row of weight 2 equals two rows, weight 0 equals none; random draws use the row once, with its weight.

    Limits on the rows of a node count rows, whatever their weight: they are lifted. They count parts of rows where rows
    with missing values go down a tree in parts, so here no value is missing.
    """
    lifted = {"min_samples_leaf": 1, "min_samples_split": 2}
    if there := lifted.keys() & learner.get_params(deep=False).keys():
        learner = clone(learner).set_params(**{name: lifted[name] for name in there})
    table = draw(replace(learner.need, missing=False), seed)
    if learner.draws_rows:
        some = table.rows(np.flatnonzero(table.weight))
        _assert_same_model(_fitted(learner, table), _fitted(learner, some), table, "without rows of weight 0")
        return
    times = table.weight.astype(int)
    repeated = table.rows(np.repeat(np.arange(len(times)), times))
    repeated = repeated._replace(weight=np.ones(len(repeated.weight)))
    _assert_same_model(_fitted(learner, table), _fitted(learner, repeated), table, "repeated")


@law
def distribution(learner: Estimator, seed: int) -> None:
    """With random draws, another order and other parts give the same model on average over seeds."""
    if not learner.draws_rows:
        return
    table = draw(learner.need, seed)
    random = np.random.default_rng(seed)
    shuffled = table.rows(random.permutation(len(table.weight)))
    sign = random.choice([-1.0, 1.0], np.count_nonzero(table.weight))
    found, seeds = np.empty((2, SEEDS)), iter(range(MAX_TRIED_SEEDS * SEEDS))
    for at in range(SEEDS):
        found[0, at] = sign @ _row_outputs(_drawn(learner, table, seeds), table)
        with part_rows(int(random.integers(1, 12))):
            found[1, at] = sign @ _row_outputs(_drawn(learner, shuffled, seeds), table)
    off = abs(found[0].mean() - found[1].mean())
    error = np.sqrt(found.var(axis=1, ddof=1).sum() / SEEDS)
    assert off <= 6 * error + 1e-6 * np.abs(found).max(), f"means are {off:.3g} apart, {off / error:.1f} errors"


def _drawn(learner: Estimator, table: RandomTable, seeds: Iterator[int]) -> Estimator:
    """Fit with the first seed whose drawn rows can be fitted: they may lack a class, or be empty."""
    refused = None
    for seed in seeds:
        try:
            return _fitted(clone(learner).set_params(random_state=seed), table)
        except DataError as error:
            refused = error
    raise AssertionError("hardly any seed draws rows that can be learned from") from refused


def _row_outputs(model: Estimator, table: RandomTable) -> Array:
    """Return a number for each row of positive weight: prediction, first probability, distance or the like.

    Of a learner of whole sequences: a number for each.
    """
    seen, given = table.seen, _lengths(table)
    if isinstance(model, Clusterer):
        return np.asarray(model.transform(seen).min(axis=1))
    if isinstance(model, Transformer):
        return np.asarray(model.transform(seen)[:, 0])
    if isinstance(model, Classifier | SequenceClassifier) and model.has_probabilities:
        return model.predict_proba(seen, **given)[:, 0]
    told = model.predict(seen, **given)
    return told if model.need.target == "number" else (told == model.classes_[0]).astype(np.float64)


def _lengths(table: RandomTable) -> dict[str, Any]:
    """Return the arguments beside X and y for rows of positive weight: lengths, if they come in sequences."""
    return {"lengths": np.full(len(table.seen) // table.length, table.length)} if table.length else {}


@law
def recoding(learner: Estimator, seed: int) -> None:
    """Recoding to a larger schema before or after merging is the same."""
    table = draw(learner.need, seed)
    source = _source(table)
    new = _schema(learner, _source(table._replace(weight=np.ones_like(table.weight))))
    for state, schema in _states(learner, source):
        if source.scans_for(learner.need):
            assert schema + new == new, "the larger schema lacks something"
        half = len(table.weight) // 2
        a, b = (
            _summary(learner, state, _source(table.rows(rows)), schema) for rows in (slice(0, half), slice(half, None))
        )
        late, early = recode(a + b, schema, new), recode(a, schema, new) + recode(b, schema, new)
        assert_same(late, early, "recoded after and before merging", unit=table.unit)
        check(late, new)


@law
def merging(learner: Estimator, seed: int) -> None:
    """The sum of two models is the model of their rows, if the learner merges."""
    if learner.passes != ONE:
        return
    table = draw(learner.need, seed)
    half = len(table.weight) // 2
    a, b = (table.rows(rows) for rows in (slice(0, half), slice(half, None)))
    if not (a.weight.any() and b.weight.any()):
        return
    if learner.draws_rows:
        _check_numbered_on(learner, table, a, b)
        return
    whole = _fitted(learner, table)
    parts = _fitted(learner, a), _fitted(learner, b)
    if why := next((model.does_not_merge for model in parts if model.does_not_merge), ""):
        _check_refused(parts, why)
        return
    merged = parts[0] + parts[1]
    assert merged.schema_ == whole.schema_, "the united schema is another"
    _assert_same_model(whole, merged, table, "merged", rounding=1e-5)
    grown = clone(learner)
    for piece in (a, b):
        _call(grown.partial_fit, piece)
    assert bits(grown.model_) == bits(merged.model_), "partial_fit is not the sum"


def _check_refused(parts: tuple[Estimator, Estimator], why: str) -> None:
    """Check that models that do not merge are refused with their reason."""
    refused = ""
    try:
        parts[0] + parts[1]
    except MergeError as error:
        refused = str(error)
    assert refused == why, "models merge that say that they do not, or they are refused for another reason"


def _check_numbered_on(learner: Estimator, table: RandomTable, a: RandomTable, b: RandomTable) -> None:
    """`partial_fit` draws as a fit to two parts does; models of few rows, drawn alike, do not add up."""
    with part_rows(len(a.weight)):
        whole = _fitted(learner, table)
    grown = clone(learner)
    for piece in (a, b):
        _call(grown.partial_fit, piece)
    assert grown.schema_ == whole.schema_, "the united schema is another"
    _assert_same_model(whole, grown, table, "learned on", rounding=1e-5)
    assert grown.verify().origin == "verified"
    refused = ""
    try:
        _fitted(learner, a) + _fitted(learner, b)
    except MergeError as error:
        refused = str(error)
    assert "partial_fit" in refused, "models whose few rows are drawn alike add up, or no remedy is named"


@law
def walking(learner: Estimator, seed: int) -> None:
    """Sequential learners: `step` is pure, no rows change nothing and, without draws, cuts do not change a bit."""
    if learner.passes != SEQUENTIAL:
        return
    table = draw(learner.need, seed)
    source = _source(table)
    seen: list[Snapshot] = []
    fit(learner, source, runner=Local(threads=1), stop=learner.stop(), watchers=[seen.append])
    for at in seen:
        statistic = learner.ask(at.state)
        if not isinstance(statistic, Ordered):
            continue
        before, chunk = bits(at.state), _loaded(learner, source, at.schema)
        walk = statistic.step(None, chunk)
        there = bits(walk)
        assert bits(statistic.step(None, chunk)) == there, "the same rows lead to two places"
        assert bits(statistic.step(walk, chunk.rows(slice(0, 0)))) == there, "no rows lead somewhere"
        statistic.step(walk, chunk)
        assert (bits(walk), bits(at.state)) == (there, before), "what came before was changed in place"
    if learner.draws_rows or not any(isinstance(learner.ask(at.state), Ordered) for at in seen):
        return
    whole = _fitted(learner, table)
    with part_rows(int(np.random.default_rng(seed).integers(1, 12))):
        assert bits(_fitted(learner, table).model_) == bits(whole.model_), "cut otherwise"


@law
def threads(learner: Estimator, seed: int) -> None:
    """The number of threads does not change a bit."""
    table = draw(learner.need, seed)
    found = set()
    for count in (1, 2, 3):
        with on(Local(threads=count)), part_rows(3):
            model = _fitted(learner, table)
        found.add((bits(model.model_), bits(model.summary_)))
    assert len(found) == 1, "bits differ between 1, 2 and 3 threads"


@law
def following(learner: Estimator, seed: int) -> None:
    """Scratch of held rows has the same bits from the start and from any earlier state, which stays unchanged."""
    source = _source(draw(learner.need, seed))
    seen: list[Snapshot] = []
    fit(learner, source, runner=Local(threads=1), stop=learner.stop(), watchers=[seen.append])
    made: dict[Lens, list[Any]] = {}
    for at in seen:
        statistic = learner.ask(at.state)
        if not isinstance(statistic, Held):
            continue
        held = statistic.lens(_loaded(learner, source, at.schema))
        fresh = statistic.follow(held, None)
        for earlier in made.setdefault(statistic.lens, []):
            before = pickle.dumps(earlier)
            assert pickle.dumps(statistic.follow(held, earlier)) == pickle.dumps(fresh), "followed otherwise"
            assert pickle.dumps(earlier) == before, "an earlier scratch was changed in place"
        made[statistic.lens].append(fresh)


@law
def certified(learner: Estimator, seed: int) -> None:
    """A fitted model has claims about its own state, and they can be recomputed."""
    model = _fitted(learner, draw(learner.need, seed))
    assert model.certificate_.claims, "no claim"
    check(model.model_, model.schema_)
    check(model.summary_, model.schema_)
    assert model.verify().origin == "verified"


def _source(table: RandomTable) -> ArraySource:
    X = table.columns if table.X.dtype.kind in "OUiu" else table.X
    source = ArraySource(X, table.y, table.row_weight)
    if table.length:
        source = source.with_side(SEQUENCE, table.sequences)
        source.sequence = SEQUENCE
    return source


def _loaded(learner: Estimator, source: ArraySource, schema: Schema) -> Chunk:
    """Return all rows as one chunk."""
    return joined(list(source.chunks(0, learner.need, schema)))


def _summary(learner: Estimator, state: State, source: ArraySource, schema: Schema) -> Any:
    return summarized(learner.ask(state), _loaded(learner, source, schema), View(learner.need, schema))


def _schema(learner: Estimator, source: ArraySource) -> Schema:
    return learner.with_listed_categories(source.known(learner.need) or source.schema_of(0, learner.need))


def _states(learner: Estimator, source: ArraySource) -> Iterator[tuple[State, Schema]]:
    """The first state at which a fit asks each kind of question, and the schema."""
    seen: dict[str, Snapshot] = {}

    def watch(at: Snapshot) -> None:
        asked = learner.ask(at.state)
        if asked is not None and not isinstance(asked, Ordered):  # else nothing merges
            seen.setdefault(title(asked), at)

    fit(learner, source, runner=Local(threads=1), stop=learner.stop(), watchers=[watch])
    for at in seen.values():
        yield at.state, at.schema


def _pieces(learner: Estimator, seed: int, parts: int) -> Iterator[tuple[State, list[Any], Schema]]:
    """Return the states, each with the summaries of n pieces of the rows, and the schema."""
    table = draw(learner.need, seed)
    cuts = np.linspace(0, len(table.weight), parts + 1).astype(int)
    for state, schema in _states(learner, _source(table)):
        pieces = (table.rows(slice(a, b)) for a, b in itertools.pairwise(cuts))
        yield (
            state,
            [_summary(learner, state, _source(piece), schema) for piece in pieces],
            schema,
        )


def _fitted(learner: Estimator, table: RandomTable) -> Estimator:
    return _call(clone(learner).fit, table)


def _call(method: Callable[..., Estimator], table: RandomTable) -> Estimator:
    return method(table.X, table.y, **table.given)


def _assert_same_model(a: Estimator, b: Estimator, table: RandomTable, what: str, rounding: float = 1e-6) -> None:
    """Raise if two models differ in their outputs for the training rows."""
    if getattr(type(a.summary_), "exact", False):
        for name, field, value in values(a.model_):
            same = field.axes is None or np.array_equal(value, getattr(b.model_, name))
            assert same, f"{what}: {name}"
    seen, given = table.seen, _lengths(table)
    for name in ("predict_proba" if table.length else "predict_log_proba", "transform", "predict"):
        if hasattr(a, name):
            x, y = getattr(a, name)(seen, **given), getattr(b, name)(seen, **given)
            if hasattr(x, "toarray"):
                x, y = x.toarray(), y.toarray()
            if x.dtype.kind == "f":
                assert_close(x, y, f"{what}: {name}", rounding)
            return
