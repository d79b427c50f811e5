"""Splits of a cross-validation from the arguments `folds=`, `groups=` and `shuffle=`.

Look here for which rows a fold holds; everything in `model_selection/` that splits rows asks `splits_of`. A `FoldSplit`
learns from some groups of rows and is scored on others, and a key of `engine/group_keys.py` assigns rows to groups
in, by its number, its class or a column: any worker finds the same. The folds of scikit-learn come out the same:
contiguous, stratified, grouped, time-ordered, or defined by a splitter. Random folds are dealt in
`compiled/rows/shuffling.py`, by `deal`, and by `deal_classes` class by class; learners with folds of their own inside a
fit deal theirs by it too: stacking (`ensemble/stacking/stacking_folds.py`), and RidgeCV and its like
(`stats/fold_summaries.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenfold.core import Array, Codes, DataError, Labels, Need, Schema
from tenfold.core.errors import warn_user
from tenfold.engine.count_jobs import CountClasses, CountLabels, CountRows
from tenfold.engine.group_keys import Contiguous, Key, Labelled, Listed, Shuffled, Stratified
from tenfold.engine.job import Job
from tenfold.engine.loop import schema_of
from tenfold.engine.plan import NO_ROWS
from tenfold.engine.runner import Session
from tenfold.sources import Source
from tenfold.sources.expressions.expression import ColumnExpression
from tenfold.stats.combinators import Joined, crossed, joined

Named = str | ArrayLike
"""the name of a column, an entry for each row; or files, by their word"""
Grouping = Named | ColumnExpression
"""the same, or an expression of columns"""
Indices = tuple[NDArray[np.integer], NDArray[np.integer]]
"""numbers of rows to learn from, and of rows to be scored on"""


@runtime_checkable
class Splitter(Protocol):
    """The method of scikit-learn's splitters that is called."""

    def split(self, X: Array, y: Labels | None, groups: ArrayLike | None, /) -> Iterator[Indices]:
        """The training rows and test rows, of each split."""


Folds = int | Grouping | Splitter | Sequence[Indices]
DEFAULT_FOLDS = 10
"""default number of folds"""
FILE, TIME = "file", "time"
"""folds that are no columns: of files, and in the order of the rows"""
MAX_FILE_FOLDS = 20
"""number of files up to which each is a fold; more are joined to `DEFAULT_FOLDS`"""
TIME_FOLDS = 5
"""number of folds in time, as `TimeSeriesSplit` has it"""
MAX_VALUE_FOLDS = 1000
"""number of values of a column up to which each is a fold"""
MAX_SHARE_GROUPS = 1000
"""maximum number of groups that rows are dealt into: shares are rounded to a multiple of its inverse"""
SHARE_SEED_OFFSET = 7919
"""added to the seed of the folds, so that shares do not follow them"""


@dataclass(frozen=True, eq=False)
class FoldSplit:
    """Groups to learn from and groups to be scored on."""

    key: Key
    train: tuple[int, ...]
    test: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Splits:
    """All splits, and what finds the rows of each."""

    each: tuple[FoldSplit, ...]
    starts: Codes | None = None
    """number of the first row of each part, where the source does not know it"""
    side: tuple[str, ...] = ()
    """the columns that identify the group"""
    note: str = ""
    """how rows were divided, in words that follow the number of folds; empty, if the arguments alone say it"""


def column_of(folds: Folds, groups: Grouping | None) -> str | None:
    """The name of the column that identifies the fold or the group."""
    if isinstance(folds, str) and folds not in (FILE, TIME):
        return folds
    return groups if isinstance(groups, str) and groups != FILE else None


def folds_of(folds: Folds | None, cv: Folds | None, default: int = DEFAULT_FOLDS) -> Folds:
    """The folds, by our name or by scikit-learn's; a number of them if none are given."""
    if folds is not None and cv is not None:
        raise ValueError(f"cv={cv!r} and folds={folds!r} are two answers to one question: give one of them")
    given = cv if folds is None else folds
    return default if given is None else given


def is_known_to_scikit_learn(folds: Folds, groups: Grouping | None) -> bool:
    """Whether folds are of scikit-learn's kinds: a number, a splitter, or pairs of row numbers."""
    if isinstance(folds, (str, ColumnExpression)) or isinstance(groups, (str, ColumnExpression)):
        return False
    pairs = isinstance(folds, (list, tuple)) and len(folds) > 0 and isinstance(folds[0], (list, tuple))
    return pairs or isinstance(folds, (int, np.integer, Splitter, Iterator))


def splits_of(
    folds: Folds,
    source: Source,
    need: Need,
    session: Session,
    *,
    shuffle: bool | None = False,
    random_state: int = 0,
    groups: Grouping | None = None,
    repeats: int = 1,
) -> Splits:
    """Resolve `folds` to splits for a learner with this need.

    If `shuffle` is None, a number of folds is drawn at random for rows of files, whose order is often time.
    """
    assert not isinstance(folds, ColumnExpression)  # the caller has made a column of it
    assert not isinstance(groups, ColumnExpression)
    if not isinstance(random_state, (int, np.integer)):
        raise ValueError(f"random_state must be an integer, not {random_state!r}. Remedy: random_state=0")
    if by_default := shuffle is None:
        of_files = source.file_starts() is not None
        shuffle = groups is None and isinstance(folds, (int, np.integer)) and of_files
    seeds = [random_state + 1_000_003 * r for r in range(repeats)]
    if groups is not None:
        if shuffle or repeats > 1:
            raise ValueError("groups decide the folds: shuffle and repeats do not go with them")
        if not isinstance(folds, str) and isinstance(folds, Splitter):
            return _indices(folds, source, need, session, groups)
        if isinstance(groups, str) and groups == FILE:
            return _whole_files(_count(folds), source, need, session)
        return _grouped(_count(folds), source, need, session, groups)
    if isinstance(folds, (int, np.integer)):
        found = _numbered(_count(folds), source, need, session, bool(shuffle), seeds)
        return replace(found, note="drawn at random") if by_default and shuffle else found
    if shuffle or repeats > 1:
        raise ValueError("shuffle and repeats go with a number of folds; these folds are given")
    if isinstance(folds, str) and folds == FILE:
        return _files(source, need, session)
    if isinstance(folds, str) and folds == TIME:
        return _in_time(source, need, session)
    if isinstance(folds, str):
        return _column(folds, source, session)
    if isinstance(folds, Splitter):
        return _indices(folds, source, need, session, None)
    if isinstance(folds, Iterator):  # as `splitter.split(X)` gives it
        folds = list(folds)
    if isinstance(folds, (list, tuple)) and len(folds) and isinstance(folds[0], (list, tuple)):
        if wrong := [j for j, pair in enumerate(folds) if len(pair) != 2]:
            raise ValueError(f"folds[{wrong[0]}] is not a pair. Remedy: a list of (train, test), the numbers of rows")
        n, starts = numbering(source, need, session)
        return Splits(_from_indices(list(folds), n, starts), starts)
    codes, starts = _coded(folds, "folds", source, need, session)
    key = Listed(_check_group_count(int(codes.max(initial=-1)) + 1), codes, starts=starts)
    return Splits(_leave_one_out(key), starts)


def _coded(
    values: ArrayLike, what: str, source: Source, need: Need, session: Session
) -> tuple[Codes, Codes | None]:  # fmt: skip
    """An entry for each row as numbers from 0, and where parts begin. A row must belong somewhere."""
    given = np.asarray(values)
    n, starts = numbering(source, need, session)
    if given.shape != (n,):
        raise DataError(f"{what} has shape {given.shape}, but there are {n} rows")
    missing: ArrayLike = False
    if given.dtype.kind in "fM":
        missing = given != given
    elif given.dtype.kind == "O":
        missing = [g is None or g != g for g in given.tolist()]
    if np.any(missing):
        raise DataError(f"{what} has missing entries. Remedy: leave these rows out")
    return np.unique(given, return_inverse=True)[1].astype(np.int64), starts


def _count(folds: object) -> int:
    if not isinstance(folds, (int, np.integer)) or folds < 2:
        raise ValueError(f"folds must be at least 2, not {folds!r}")
    return int(folds)


def _check_group_count(groups: int) -> int:
    if groups < 2:
        raise DataError("there is one fold only: nothing is left to learn from. Remedy: more folds or groups")
    return groups


def _leave_one_out(key: Key) -> tuple[FoldSplit, ...]:
    """Each group is scored once, by the model of all others."""
    every = range(key.groups)
    return tuple(FoldSplit(key, tuple(g for g in every if g != j), (j,)) for j in every)


def numbering(source: Source, need: Need, session: Session) -> tuple[int, Codes | None]:
    """How many rows there are, and where each part begins if the source does not know."""
    if source.counted is not None:
        return int(source.counted), None
    counts = session.reduce(CountRows(need, schema_of(source, need, session))).each
    starts = np.concatenate([[0], np.cumsum([counts[part] for part in range(len(source))])]).astype(np.int64)
    return int(starts[-1]), starts


def _numbered(k: int, source: Source, need: Need, session: Session, shuffle: bool, seeds: list[int]) -> Splits:
    if need.target == "class":
        return _stratified(k, source, need, session, shuffle, seeds)
    n, starts = numbering(source, need, session)
    if n < k:
        raise ValueError(
            f"Cannot have number of splits n_splits={k} greater than the number of samples: n_samples={n}."
        )
    keys: list[Key] = [Contiguous(k, _even(n, k), starts=starts)] * len(seeds)
    if shuffle:
        keys = [Shuffled(k, seed, starts=starts) for seed in seeds]
    return Splits(tuple(split for key in keys for split in _leave_one_out(key)), starts)


def _even(n: int, k: int) -> Codes:
    """Start positions of folds whose sizes differ by at most one, the larger ones first."""
    sizes = np.full(k, n // k) + (np.arange(k) < n % k)
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _stratified(k: int, source: Source, need: Need, session: Session, shuffle: bool, seeds: list[int]) -> Splits:
    schema = schema_of(source, need, session)
    found = _class_counts(session.reduce(_counting_classes(source, need, schema)).each, schema)
    counts = np.array([found[part][0] for part in range(len(source))])
    before = np.concatenate([np.zeros((1, counts.shape[1]), np.int64), np.cumsum(counts, axis=0)])[:-1]
    total = counts.sum(axis=0)
    if not total.sum():
        raise DataError(NO_ROWS)
    if total.max() < k:
        raise ValueError(f"n_splits={k} cannot be greater than the number of members in each class.")
    if (total < k).any():
        warn_user(f"The least populated class has only {total.min()} members, which is less than the {k} folds.")
    parts = len(source)
    first = [min((p, int(found[p][1][c])) for p in range(parts) if found[p][0][c]) for c in range(len(total))]
    order = sorted(range(len(total)), key=lambda c: first[c])  # classes by their first row
    ends = np.concatenate([[0], np.cumsum(total[order])])
    turn = (ends[:, None] - np.arange(k) + k - 1) // k  # of the first rows, sorted by class, every k-th from fold j on
    cuts = np.empty((len(total), k), np.int64)
    for place, c in enumerate(order):
        cuts[c] = np.concatenate([[0], np.cumsum(turn[place + 1] - turn[place])[:-1]])
    keys = [Stratified(k, before, cuts, seed if shuffle else None) for seed in seeds]
    return Splits(tuple(split for key in keys for split in _leave_one_out(key)))


def _counting_classes(source: Source, need: Need, schema: Schema | None) -> CountClasses:
    """The job that counts classes; it does not wait for the schema where that takes a scan too."""
    return CountClasses(need, None if source.scans_for(need) else schema)


def _class_counts(found: dict[int, Any], schema: Schema) -> dict[int, tuple[Codes, Codes]]:
    """The count and the first row of each class of the schema, by part."""
    each = {}
    for part, (count, first, classes) in found.items():
        at = np.searchsorted(schema.classes, classes)
        every, start = np.zeros(len(schema.classes), np.int64), np.full(len(schema.classes), np.iinfo(np.int64).max)
        every[at], start[at] = count, first
        each[part] = every, start
    return each


def jobs_ahead(folds: Folds, groups: Grouping | None, source: Source, need: Need) -> list[Job]:
    """What `splits_of` will ask the rows for, as far as it does not depend on what else is found there."""
    column = column_of(folds, groups)
    if column is not None:
        return [CountLabels(column)] if column in source.columns else []
    if groups is None and isinstance(folds, (int, np.integer)) and need.target == "class" and source.scans_for(need):
        return [_counting_classes(source, need, None)]
    return []


def _grouped(k: int, source: Source, need: Need, session: Session, groups: Named) -> Splits:
    """Groups stay together; the largest first, each into the fold that has the fewest rows."""
    if isinstance(groups, str):
        labels, rows = _labels(groups, source, session)
        return Splits(_leave_one_out(Labelled(k, groups, labels, _spread(rows, k))), None, (groups,))
    codes, starts = _coded(groups, "groups", source, need, session)
    key = Listed(k, _spread(np.bincount(codes), k)[codes], starts=starts)
    return Splits(_leave_one_out(key), starts)


def _spread(rows: Codes, k: int) -> Codes:
    if len(rows) < k:
        raise ValueError(f"Cannot have number of splits n_splits={k} greater than the number of groups: {len(rows)}.")
    load, fold = np.zeros(k), np.empty(len(rows), np.int64)
    for g in np.argsort(rows, kind="stable")[::-1]:
        lightest = int(load.argmin())
        load[lightest] += rows[g]
        fold[g] = lightest
    return fold


def _labels(column: str, source: Source, session: Session) -> tuple[Labels, Codes]:
    source.check_there([column])
    total: Counter[Any] = Counter()
    for some in session.reduce(CountLabels(column)).each.values():
        total.update(some)
    labels = sorted(total)
    kind = object if labels and isinstance(labels[0], str) else None
    return np.array(labels, dtype=kind), np.array([total[label] for label in labels])


def _column(column: str, source: Source, session: Session) -> Splits:
    """Each value of a column is a fold."""
    labels, _ = _labels(column, source, session)
    if len(labels) > MAX_VALUE_FOLDS:
        raise DataError(
            f"column {column!r} has {len(labels):,} values, and each would be a fold. Remedy: a number of folds with "
            f"groups={column!r}; of dates, folds=tenfold.col({column!r}).dt.date()"
        )
    key = Labelled(_check_group_count(len(labels)), column, labels, np.arange(len(labels)))
    return Splits(_leave_one_out(key), None, (column,))


def _file_cuts(what: str, source: Source, need: Need, session: Session) -> tuple[Codes, int, Codes | None]:
    """The first row of each file, how many rows there are, and where parts begin."""
    _refuse_column(FILE, what, source)
    if source.file_starts() is None:
        raise DataError(
            f"{what}='file' is for rows that are read from files. Remedy: tenfold.scan(paths), or an array with an "
            "entry for each row"
        )
    n, starts = numbering(source, need, session)
    cuts = source.file_starts(starts)
    assert cuts is not None
    return cuts, n, starts


def _refuse_column(word: str, what: str, source: Source) -> None:
    """Refuse a word that is the name of a column too."""
    if word in source.columns:
        remedy = "folds=TimeSeriesSplit(5)" if word == TIME else "rename the column"
        raise DataError(
            f"{what}={word!r} is no column, and the rows have a column {word!r}. Remedy: if it is meant, "
            f"{what}=tenfold.col({word!r}); else {remedy}"
        )


def _files(source: Source, need: Need, session: Session) -> Splits:
    """Each file is a fold; of many files, as many in a row as make ten folds."""
    cuts, _, starts = _file_cuts("folds", source, need, session)
    if len(cuts) < 2:
        raise DataError("there is one file only: nothing is left to learn from. Remedy: a number of folds, folds=10")
    if len(cuts) <= MAX_FILE_FOLDS:
        note, first = "one for each file", cuts
    else:
        at = _even(len(cuts), DEFAULT_FOLDS)
        sizes = sorted({*np.diff(np.append(at, len(cuts))).tolist()})
        note, first = f"of {' or '.join(map(str, sizes))} files each, in order", cuts[at]
    return Splits(_leave_one_out(Contiguous(len(first), first, starts=starts)), starts, note=note)


def _whole_files(k: int, source: Source, need: Need, session: Session) -> Splits:
    """Rows of a file stay together; the largest first, each into the fold that has the fewest rows."""
    cuts, n, starts = _file_cuts("groups", source, need, session)
    fold = _spread(np.diff(np.append(cuts, n)), k)
    key = joined(Contiguous(len(cuts), cuts, starts=starts), [np.flatnonzero(fold == j).tolist() for j in range(k)])
    return Splits(_leave_one_out(key), starts, note="of whole files")


def units_of(
    groups: Named, most: int, source: Source, need: Need, session: Session
) -> tuple[Key, tuple[str, ...], int]:
    """A key of whole groups, joined if there are more than `most`; columns that identify them, and how many there are.

    Joined groups have about as many rows each.
    """
    if isinstance(groups, str) and groups == FILE:
        cuts, n, starts = _file_cuts("groups", source, need, session)
        k = min(len(cuts), most)
        fold = _spread(np.diff(np.append(cuts, n)), k)
        each = Contiguous(len(cuts), cuts, starts=starts)
        return joined(each, [np.flatnonzero(fold == j).tolist() for j in range(k)]), (), len(cuts)
    if isinstance(groups, str):
        labels, rows = _labels(groups, source, session)
        k = min(len(labels), most)
        return Labelled(k, groups, labels, _spread(rows, k)), (groups,), len(labels)
    codes, starts = _coded(groups, "groups", source, need, session)
    rows = np.bincount(codes)
    k = min(len(rows), most)
    return Listed(k, _spread(rows, k)[codes], starts=starts), (), len(rows)


def _in_time(source: Source, need: Need, session: Session) -> Splits:
    """Folds in the order of the rows, each scored by a model of all rows before it: as `TimeSeriesSplit`."""
    _refuse_column(TIME, "folds", source)
    n, starts = numbering(source, need, session)
    if n <= TIME_FOLDS:
        raise ValueError(f"Cannot have number of folds={TIME_FOLDS + 1} greater than the number of samples={n}.")
    cuts = np.append(0, n - n // (TIME_FOLDS + 1) * np.arange(TIME_FOLDS, 0, -1)).astype(np.int64)
    key = Contiguous(TIME_FOLDS + 1, cuts, starts=starts)
    splits = tuple(FoldSplit(key, tuple(range(j)), (j,)) for j in range(1, TIME_FOLDS + 1))
    return Splits(splits, starts, note="in time: each is scored by a model of the rows before it")


def _indices(splitter: Splitter, source: Source, need: Need, session: Session, groups: Named | None) -> Splits:
    """Splits of the row numbers by a splitter of scikit-learn."""
    if isinstance(groups, str):
        raise ValueError("a splitter needs the groups as an array; a name or an expression goes with a number of folds")
    n, starts = numbering(source, need, session)
    y = source.target_values()
    try:
        splits = list(splitter.split(np.zeros((n, 1)), None if y is None else np.asarray(y), groups))
    except (TypeError, ValueError):
        if y is None and _looks_at_target(splitter, n, groups):
            raise DataError(
                f"{type(splitter).__name__} looks at the target, which is not in memory. Remedy: folds=k is "
                "stratified by itself, for classes"
            ) from None
        raise
    return Splits(_from_indices(splits, n, starts), starts)


def _looks_at_target(splitter: Splitter, n: int, groups: ArrayLike | None) -> bool:
    """Whether a splitter that cannot do without a target can with one."""
    try:
        list(splitter.split(np.zeros((n, 1)), np.zeros(n), groups))
    except (TypeError, ValueError):
        return False
    return True


def _from_indices(splits: Sequence[Indices], n: int, starts: Codes | None) -> tuple[FoldSplit, ...]:
    """Splits of row numbers as splits of few groups: rows that are always on the same side are one group."""
    side = np.zeros((len(splits), n), np.int8)
    for j, (train, test) in enumerate(splits):
        side[j, train] = 1
        rows = np.asarray(train)
        if rows.dtype.kind in "iu" and len(rows) > (side[j] == 1).sum():
            raise DataError(f"split {j} learns from some rows more than once. Remedy: sample_weight, for repeated rows")
        if (side[j, test] == 1).any():
            raise DataError(f"split {j} learns from rows that it is scored on")
        side[j, test] = 2
        rows = np.asarray(test)
        if rows.dtype.kind in "iu" and len(rows) > (side[j] == 2).sum():
            raise DataError(
                f"split {j} is scored on some rows more than once. Remedy: sample_weight, for repeated rows"
            )
        if not (side[j] == 1).any() or not (side[j] == 2).any():
            raise DataError(f"split {j} has no rows to learn from, or none to be scored on")
    atoms, codes = np.unique(side, axis=1, return_inverse=True)
    if atoms.shape[1] <= 4 * len(splits):
        return _sides(Listed(atoms.shape[1], codes.ravel().astype(np.int64), starts=starts), atoms)
    both = np.array([[1, 2]], np.int8)
    return tuple(one for row in side for one in _sides(Listed(2, row.astype(np.int64) - 1, starts=starts), both))


def _sides(key: Key, atoms: NDArray[np.int8]) -> tuple[FoldSplit, ...]:
    return tuple(
        FoldSplit(key, tuple(np.flatnonzero(row == 1).tolist()), tuple(np.flatnonzero(row == 2).tolist()))
        for row in atoms
    )


def nested_shares(
    base: Splits, sizes: Array | Codes, source: Source, need: Need, session: Session, random_state: int
) -> Splits:  # fmt: skip
    """Several shares of what each split learns from, each of which holds the rows of the smaller ones.

    Rows are grouped by fold and by the first share that holds them. Splits come by split of the base, then by share.
    """
    keys = {id(split.key): split.key for split in base.each}
    stratified = sizes.dtype.kind == "f" and all(isinstance(key, Stratified) for key in keys.values())
    n, starts = 0, base.starts
    if not stratified:
        n, starts = numbering(source, need, session) if starts is None else (int(starts[-1]), starts)
    shares = sizes.astype(np.float64) if sizes.dtype.kind == "f" else _as_shares(sizes, base, n)
    places = next(m for m in range(1, MAX_SHARE_GROUPS + 1) if m == MAX_SHARE_GROUPS or _whole(shares * m))
    first = np.searchsorted(np.maximum(np.rint(shares * places), 1), np.arange(places), side="right")
    t = len(shares) + 1  # the last is of rows in no share: they are scored on all the same
    nested = {}
    for name, key in keys.items():
        dealt: Key = Shuffled(places, random_state + SHARE_SEED_OFFSET, starts=starts)
        if isinstance(key, Stratified):
            dealt = Stratified(places, key.before, key.cuts, random_state + SHARE_SEED_OFFSET)
        nested[name] = by_share(key, dealt, first, t)
    splits = []
    for split in base.each:
        test = tuple(g * t + s for g in split.test for s in range(t))
        for share in range(len(shares)):
            train = tuple(g * t + s for g in split.train for s in range(share + 1))
            splits.append(FoldSplit(nested[id(split.key)], train, test))
    return Splits(tuple(splits), starts, base.side, base.note)


def by_share(folds: Key, dealt: Key, first: Codes, shares: int) -> Key:
    """Group key by fold, and within a fold by the smallest training share that includes the row."""
    into = np.arange(folds.groups)[:, None] * shares + first
    return Joined(folds.groups * shares, crossed((folds, dealt)), into.ravel())


def _whole(numbers: Array) -> bool:
    return bool(np.abs(numbers - np.rint(numbers)).max() < 1e-9)


def _as_shares(numbers: Array | Codes, base: Splits, n: int) -> Array:
    """Numbers of rows as shares of what the folds leave to learn from, the least of them."""
    left = []
    for split in base.each:
        if isinstance(split.key, Listed):
            rows = np.bincount(split.key.codes[split.key.codes >= 0], minlength=split.key.groups)
            left.append(int(rows[list(split.train)].sum()))
        else:
            left.append(n * len(split.train) // split.key.groups)
    if numbers.max() > min(left):
        raise ValueError(f"train_sizes ask for {numbers.max()} rows, and a fold leaves about {min(left)} to learn from")
    return numbers / min(left)


def disjoint_sets(
    sets: int, test: float, source: Source, need: Need, session: Session, random_state: int
) -> Splits:  # fmt: skip
    """Training sets that have no row in common, and rows to score all of them on: the last group."""
    _, starts = numbering(source, need, session)
    places = Shuffled(MAX_SHARE_GROUPS, random_state, starts=starts)
    into = np.tile(np.arange(sets), (MAX_SHARE_GROUPS, 1))
    into[: max(1, round(MAX_SHARE_GROUPS * test))] = sets
    key = Joined(sets + 1, crossed((places, Shuffled(sets, random_state + 1, starts=starts))), into.ravel())
    return Splits(tuple(FoldSplit(key, (j,), (sets,)) for j in range(sets)), starts)
