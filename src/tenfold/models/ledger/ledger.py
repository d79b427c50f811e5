"""A ledger: summaries of batches in a folder or an object store, and the models of any window of them."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal
from uuid import uuid4

import pyarrow as pa

import tenfold
from tenfold.core import Certificate, Claim, DataError, MatrixLike, MergeError, ModelFileError
from tenfold.core.certificate import number_of
from tenfold.core.errors import from_here
from tenfold.engine import one_blas_thread
from tenfold.inspection.drift.drift import Drift, drift
from tenfold.inspection.profile.profile import Profile
from tenfold.models.ledger.batch_keys import (
    Key,
    Span,
    day_of,
    days_of,
    key_of,
    key_order,
    leaf_name,
    leaf_order,
    read_leaf_name,
)
from tenfold.models.ledger.batch_rows import BatchRows
from tenfold.models.ledger.folder_store import FolderStore
from tenfold.models.ledger.kept_merges import KeptMerges, is_kept
from tenfold.models.ledger.leaf_file import LeafFile, digest, leaf_bytes
from tenfold.models.ledger.ledger_learner import LedgerLearner
from tenfold.models.ledger.merge_cache import MergeCache
from tenfold.models.ledger.merge_order import MergeNode, merge_order
from tenfold.models.ledger.merged import Merged
from tenfold.models.ledger.receipt import Receipt, state_digest
from tenfold.models.ledger.s3_store import S3Store
from tenfold.models.ledger.store import Store

FittedLearner = Any
"""of the class of the learner that the ledger has"""
REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
MAX_TRIES = 5
"""how often the folder is listed again if batches are dropped while a model is made"""
DAMAGED = "damaged"
"""in a receipt, in place of the fingerprint of a leaf whose header cannot be read"""


class Ledger:
    """Models over time: a summary of each batch in a folder, and the model of any window without its rows.

    Each batch, such as a day, is one file with the summaries of all learners, written once. The model of a window is
    made of the merge of its summaries: no row is read again. It has the same bits as that of a ledger that never had
    any other batch, in whatever order batches came and went.

    Parameters
    ----------
    store : str, path or Store
        A folder, which is made if it is not there, or `s3://bucket/folder`.
    learners : learner or dict of str to learner
        Unfitted, of one pass, whose models merge: `Ridge()`, `GaussianNB()`, `TargetEncoder()`, `Profile()`, ... A
        learner that draws by chance and names no seed has the seed 0.
    key : str, default="day"
        The column that says to which batch a row belongs: a day, an integer or text. It is no feature.
    target : str or dict of str to str, optional
        The column that all learners predict, or each by its name. Columns that are targets are features of none. By
        default the target of the rows, `tn.scan(..., target=)`.
    features : dict of str to list of str, optional
        The features of some learners, by their names; of the others all columns that are nothing else.
    storage_options : dict, optional
        Options of s3fs for a store, `key`, `secret`, `endpoint_url` and so on; by default those of the environment.

    Attributes
    ----------
    keys_ : list of str
        The keys of the batches that are there, sorted.

    Examples
    --------
    >>> import tempfile, pandas as pd, tenfold as tn
    >>> sales = pd.DataFrame({
    ...     "day": ["2026-03-01", "2026-03-01", "2026-03-02", "2026-03-02", "2026-03-03", "2026-03-03"],
    ...     "size": [1.0, 2.0, 1.0, 3.0, 2.0, 3.0],
    ...     "price": [3.0, 5.0, 3.0, 7.0, 6.0, 8.0],
    ... })
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = tn.Ledger(folder.name, tn.LinearRegression(), target="price")
    >>> ledger.append(sales)
    ['2026-03-01', '2026-03-02', '2026-03-03']
    >>> ledger.append(sales)
    []
    >>> ledger.model(until="2026-03-02").coef_.round(6)
    array([2.])
    >>> round(ledger.model(last="1d").intercept_, 6)
    2.0
    >>> ledger.drop("2026-03-03").keys
    ('2026-03-03',)
    >>> folder.cleanup()
    """

    def __init__(
        self,
        store: Any,
        learners: Any,
        *,
        key: str = "day",
        target: str | Mapping[str, str] | None = None,
        features: Mapping[str, Sequence[str]] | None = None,
        storage_options: dict[str, Any] | None = None,
    ) -> None:
        named = dict(learners) if isinstance(learners, Mapping) else {type(learners).__name__: learners}
        if not named or not all(isinstance(name, str) and name for name in named):
            raise ValueError(f"learners must be a learner, or a dict of them by their names, not {learners!r}")
        self._learners = {name: LedgerLearner(name, learner) for name, learner in named.items()}
        if not isinstance(key, str) or not key:
            raise ValueError(f"key must be the name of a column, not {key!r}")
        targets = dict.fromkeys(named, target) if isinstance(target, str) else target
        for name, given in (("target", targets), ("features", features)):
            if unknown := sorted({*(given or {})} - {*named}):
                raise ValueError(f"{name} names {unknown}, and the learners are {sorted(named)}")
        self._batches = BatchRows(key, targets, features or {})
        self.store = _store(store, storage_options)
        self._kept = KeptMerges(self.store)
        self._merges = {name: MergeCache() for name in named}
        self._listed: list[str] = []
        """files of the last listing"""
        self._ordered: list[tuple[str, tuple[Any, ...]]] = []
        """leaves among them, in order"""

    def __repr__(self) -> str:
        return f"<Ledger: {', '.join(self._learners)} in {self.store.place()}>"

    # ---- writing -----------------------------------------------------------------------------------

    @from_here
    def append(self, rows: MatrixLike, *, key: Key | None = None, late: bool = False) -> list[str]:
        """Summarize batches, and write a file for each; what is there already is left as it is.

        Rows of several keys are several batches. Each appears at once with all its learners, or not at all; of several
        writers of one key exactly one wins.

        Parameters
        ----------
        rows : frame or Source
            The rows, with the column of the key.
        key : day, integer or str, optional
            Of all these rows, in place of that column.
        late : bool, default=False
            Whether these rows are further ones of batches that are there: they become a file beside.

        Returns
        -------
        keys : list of str
            The keys of the batches that are new. Rows that were appended before, in the same parts, are no news.
        """
        found = []
        for name, some in self._batches.by_key(self._batches.source(rows), key):
            known = {}
            for who, learner in self._learners.items():
                known[who] = learner.of_fit(learner.fit(self._batches.rows_of(who, some)))
            if self._put(name, known, late):
                found.append(name)
        return found

    def _put(self, key: str, known: Mapping[str, Merged], late: bool) -> bool:
        """Write the leaf of a batch; False if it is there."""
        sections: list[bytes] = []
        learners = {name: self._learners[name].write(some, sections) for name, some in known.items()}
        rows = max(some.provenance().rows for some in known.values())
        print_of = _fingerprint(learners)
        # The number is of this call: a store whose answer was lost is asked whose bytes it has.
        about = {"key": key, "rows": rows, "time": _now(), "version": tenfold.__version__, "number": uuid4().hex}
        about["learners"] = learners
        if late and self._has(leaf_name(key), learners):
            return False
        name = leaf_name(key, print_of[:16]) if late else leaf_name(key)
        if self.store.put(name, leaf_bytes(about, sections)):
            return True
        if late or self._has(name, learners):
            return False
        raise MergeError(
            f"the ledger has the batch {key!r} already, of other rows or by other parameters. Remedy: append(rows, "
            f"late=True), if these are further rows of it; drop({key!r}) first, if they take the place of those"
        )

    def _has(self, name: str, learners: Mapping[str, Mapping[str, Any]]) -> bool:
        """Whether a leaf is there, with these summaries of the learners that it has."""
        try:
            there = self._leaf(name).about["learners"]
        except FileNotFoundError:
            return False
        common = {*there} & {*learners}
        return bool(common) and all(there[who]["fingerprint"] == learners[who]["fingerprint"] for who in common)

    def _fingerprint_of(self, name: str) -> str | None:
        """Return what the rows of a leaf are known by; None, if it is not there."""
        try:
            return _fingerprint(self._leaf(name).about["learners"])
        except FileNotFoundError:
            return None

    @from_here
    def drop(self, *keys: Key) -> Receipt:
        """Take batches out: their files are deleted, late rows too, and merges that were made of them.

        Each model from now on has the bits of a ledger that never had them.

        Parameters
        ----------
        *keys : day, integer or str

        Returns
        -------
        receipt : Receipt
        """
        wanted = {key_of(key) for key in keys}
        names = self._leaf_names()
        if missing := sorted(wanted - {_key(name) for name in names}, key=key_order):
            raise KeyError(f"the ledger has no batch {missing[0]!r}; `keys_` lists those that it has")
        prints = {}
        for name in names:
            try:
                prints[name] = self._fingerprint_of(name) or ""
            except ModelFileError:  # also a damaged leaf can be dropped
                prints[name] = DAMAGED
        gone = {name: found for name, found in prints.items() if _key(name) in wanted}
        left = {name: found for name, found in prints.items() if name not in gone}
        self._forget()
        # Merges first, so that no merge outlives its leaves if this process dies; and last those of readers.
        self._kept.drop(wanted, self.store.names())
        self.store.delete(*gone)
        self._kept.drop(wanted, self.store.names())
        self._sweep()
        return Receipt(
            tuple(sorted(wanted, key=key_order)), gone, left, state_digest(prints), state_digest(left), _now(),
            tenfold.__version__,
        )  # fmt: skip

    def _sweep(self) -> None:
        """Delete kept merges that are not of the ledger as it is: of earlier states, or of readers that died."""
        listed = self.store.names()
        names = [name for name, _ in self._sorted(listed)]
        root = merge_order(names, [listed.get(name, "") for name in names])
        for who in self._learners:
            self._kept.sweep(root, who, listed)

    @from_here
    def retain(self, span: Span) -> Receipt | None:
        """Drop all batches but those of the last days, counted from the last key.

        Parameters
        ----------
        span : str or timedelta
            "400d", "52w", ...

        Returns
        -------
        receipt : Receipt or None
            None, if there is nothing to drop.
        """
        days, keys = days_of(span, "span"), self.keys_
        if not keys:
            return None
        first = day_of(keys[-1], "retain") - datetime.timedelta(days - 1)
        old = [key for key in keys if day_of(key, "retain") < first]
        return self.drop(*old) if old else None

    def _forget(self) -> None:
        """Forget all that was read: summaries of a batch are not to stay in memory either."""
        for name, learner in self._learners.items():
            self._merges[name] = MergeCache()
            learner.forget()

    # ---- models ------------------------------------------------------------------------------------

    @from_here
    def model(
        self,
        name: str | None = None,
        *,
        since: Key | None = None,
        until: Key | None = None,
        last: Span | None = None,
        as_of: Key | None = None,
        half_life: Span | None = None,
    ) -> FittedLearner:
        """Return the fitted learner of a window of batches. No row is read.

        Parameters
        ----------
        name : str, optional
            Of the learner, if there are several.
        since, until : day, integer or str, optional
            The first and the last key, both included.
        last : str or timedelta, optional
            The days up to the last key of the window, "28d" or "4w", instead of `since`.
        as_of : day, optional
            The day from which `last` and `half_life` count back, in place of the last key.
        half_life : str or timedelta, optional
            The days after which a batch weighs half as much, "14d" or "2w": the model of rows whose weights are
            multiplied by 0.5 to the power of their age in half-lives, to rounding.

        Returns
        -------
        learner : learner
            It has the bits of the model of a ledger that has only these batches.
        """
        learner = self._named(name)
        for left in reversed(range(MAX_TRIES)):
            try:
                return self._model(learner, since, until, last, as_of, half_life)
            except FileNotFoundError:  # a batch was dropped meanwhile
                if not left:
                    raise
        raise AssertionError("the last try returns or raises")

    def _model(
        self,
        learner: LedgerLearner,
        since: Key | None,
        until: Key | None,
        last: Span | None,
        as_of: Key | None,
        half_life: Span | None,
    ) -> FittedLearner:
        """Return the fitted learner of a window of the folder as it is listed now."""
        listed = self.store.names()
        names = self._window(listed, since, until, last, as_of, half_life)
        if half_life is None:
            return self._merged(learner, names, listed).fitted()
        end = day_of(key_of(as_of) if as_of is not None else _key(names[-1]), "half_life")
        half = days_of(half_life, "half_life")
        ages = {name: (end - day_of(_key(name), "half_life")).days for name in names}
        return self._weighted(learner, names, {name: 0.5 ** (age / half) for name, age in ages.items()}).fitted()

    @from_here
    def rolling(
        self, last: Span, name: str | None = None, *, since: Key | None = None, until: Key | None = None
    ) -> Iterator[tuple[str, FittedLearner]]:
        """Yield the model of the days up to each key, from one key to the next. No row is read.

        Parameters
        ----------
        last : str or timedelta
            The days of each window: "28d" or "4w".
        name : str, optional
            Of the learner, if there are several.
        since, until : day, optional
            The first and the last key at which a window ends.

        Yields
        ------
        key : str
            The last of the window.
        learner : learner
        """
        learner, days = self._named(name), days_of(last, "last")
        ends = dict.fromkeys(_key(leaf) for leaf in self._window(self.store.names(), since, until, None, None))
        span = datetime.timedelta(days)
        return ((key, self.model(learner.name, last=span, as_of=key)) for key in ends)

    @from_here
    def drift(
        self,
        key: Key | None = None,
        *,
        against: Span = "28d",
        name: str | None = None,
        correction: Literal["holm", "fdr"] = "holm",
        level: float = 0.05,
        min_distance: float = 0.0,
    ) -> Drift:
        """Compare a batch with the days before it: which columns are not as they were. No row is read.

        Parameters
        ----------
        key : day, optional
            By default the last.
        against : str or timedelta, default="28d"
            The days up to the one before it.
        name : str, optional
            Of the `Profile` among the learners, if there are several.
        correction, level, min_distance
            As in `tenfold.drift`.

        Returns
        -------
        found : Drift
        """
        profiles = [one for one, learner in self._learners.items() if isinstance(learner.learner, Profile)]
        if name is None and len(profiles) != 1:
            raise KeyError(
                f"drift compares profiles, and the ledger has {len(profiles)}. Remedy: name= of one of several; or a "
                "learner tenfold.Profile() in a ledger from its first day on"
            )
        keys = self.keys_
        if not keys:
            raise DataError("the ledger is empty. Remedy: ledger.append(rows)")
        day = key_of(key) if key is not None else keys[-1]
        before = day_of(day, "drift") - datetime.timedelta(1)
        after = self.model(name or profiles[0], since=day, until=day)
        earlier = self.model(name or profiles[0], last=against, as_of=before)
        return drift(earlier, after, correction=correction, level=level, min_distance=min_distance)

    def _named(self, name: str | None) -> LedgerLearner:
        if name is None and len(self._learners) == 1:
            return next(iter(self._learners.values()))
        if name not in self._learners:
            said = "there are several learners" if name is None else f"there is no learner {name!r}"
            raise KeyError(f"{said}. Remedy: one of {list(self._learners)}")
        return self._learners[name]

    def _window(
        self,
        listed: Mapping[str, str],
        since: Key | None,
        until: Key | None,
        last: Span | None,
        as_of: Key | None,
        half_life: Span | None = None,
    ) -> list[str]:
        """Return the leaves of a window, in the order of their keys."""
        if last is not None and since is not None:
            raise ValueError("a window begins at since= or has a length, last=, and not both")
        if as_of is not None and last is None and half_life is None:
            raise ValueError(
                "as_of is the day from which last= and half_life= count back. Remedy: until=, or one of them with it"
            )
        low = None if since is None else key_order(key_of(since))
        high = None if until is None else key_order(key_of(until))
        if as_of is not None:
            end = key_order(key_of(as_of))
            high = end if high is None else min(high, end)
        names = [
            name
            for name, order in self._sorted(listed)
            if (low is None or order[:3] >= low) and (high is None or order[:3] <= high)
        ]
        if last is not None and names:
            day = key_of(as_of) if as_of is not None else _key(names[-1])
            first = day_of(day, "last") - datetime.timedelta(days_of(last, "last") - 1)
            low = key_order(first.isoformat())
            names = names[bisect_left(names, low, key=lambda name: leaf_order(name)[:3]) :]
            for name in names:  # the others are before that day
                day_of(_key(name), "last")
        if not names:
            said = {"since": since, "until": until, "last": last, "as_of": as_of}
            window = ", ".join(f"{word}={value!r}" for word, value in said.items() if value is not None)
            has = self.keys_
            raise DataError(
                f"the ledger has no batch in the window {window}: it has {number_of(len(has), 'key')}, {has[0]!r} to "
                f"{has[-1]!r}"
                if has
                else "the ledger is empty. Remedy: ledger.append(rows)"
            )
        return names

    def _sorted(self, listed: Mapping[str, str]) -> list[tuple[str, tuple[Any, ...]]]:
        """Return the leaves of a listing, each with what it is sorted by, in order."""
        there = list(listed)
        if there != self._listed:
            each = ((name, read_leaf_name(name)) for name in there)
            self._ordered = sorted(((name, found.order) for name, found in each if found is not None), key=_second)
            self._listed = there
        return self._ordered

    def _leaf_names(self) -> list[str]:
        return [name for name, _ in self._sorted(self.store.names())]

    def _merged(self, learner: LedgerLearner, names: Sequence[str], listed: Mapping[str, str]) -> Merged:
        """Return the merge of some leaves."""
        try:
            root = merge_order(names, [listed[name] for name in names])
        except KeyError as error:
            raise FileNotFoundError(f"{error} was dropped") from None
        assert root is not None
        whole = len(names) == len(self._sorted(listed))
        made: list[MergeNode] = []
        with one_blas_thread():
            found = self._walk(root, learner, listed, made)
            if whole and made:
                self._keep(root, learner, made, listed)
        return found

    def _weighted(self, learner: LedgerLearner, names: Sequence[str], weights: Mapping[str, float]) -> Merged:
        """Return the merge of leaves with other weights, in the order in which they merge."""
        root = merge_order(names, names)
        assert root is not None
        with one_blas_thread():
            try:
                return self._walk_weighted(root, learner, weights)
            except TypeError as error:
                raise TypeError(
                    f"half_life gives the rows of a batch other weights, and the summaries of {learner.kind} do not "
                    f"take them: {error}. Remedy: a window, last= or since="
                ) from None

    def _walk_weighted(self, node: MergeNode, learner: LedgerLearner, weights: Mapping[str, float]) -> Merged:
        found = self._read(node.name, learner).scaled(weights[node.name])
        if node.left is not None:
            found = self._walk_weighted(node.left, learner, weights).merge(found)
        if node.right is not None:
            found = found.merge(self._walk_weighted(node.right, learner, weights))
        return found

    def _walk(
        self, node: MergeNode, learner: LedgerLearner, listed: Mapping[str, str], made: list[MergeNode]
    ) -> Merged:
        """Return the merge of the leaves below a node: as it is known, or made of that of those below."""
        known = self._merges[learner.name]
        if node.stamp in known:
            return known[node.stamp]
        found = self._kept.get(node, learner, listed)
        if found is None:
            found = self._read(node.name, learner)
            if node.left is not None:
                found = self._walk(node.left, learner, listed, made).merge(found)
            if node.right is not None:
                found = found.merge(self._walk(node.right, learner, listed, made))
            if is_kept(node):
                made.append(node)
        known[node.stamp] = found
        return found

    def _keep(
        self, root: MergeNode, learner: LedgerLearner, made: Sequence[MergeNode], listed: Mapping[str, str]
    ) -> None:
        """Keep merges that were made, if the store can be written to, in place of those of an earlier state."""
        known = self._merges[learner.name]
        try:
            for node in made:
                if node.stamp in known:
                    self._kept.put(node, learner, known[node.stamp])
            self._kept.sweep(root, learner.name, listed)
        except OSError:  # a cache: whoever only reads merges again
            pass

    def _read(self, name: str, learner: LedgerLearner) -> Merged:
        """Return what a learner knows of a leaf."""
        return learner.read(self._leaf(name), _key(name))

    def _leaf(self, name: str) -> LeafFile:
        leaf = LeafFile(self.store.get(name), f"the leaf {name!r}")
        about, learners = leaf.about, leaf.about.get("learners")
        kinds = {"key": str, "rows": int, "time": str, "version": str, "learners": dict}
        if any(type(about.get(word)) is not kind for word, kind in kinds.items()):
            raise ModelFileError(f"{leaf.where} is malformed: its header")
        if not all(isinstance(one, dict) and isinstance(one.get("fingerprint"), str) for one in learners.values()):
            raise ModelFileError(f"{leaf.where} is malformed: its header")
        if about["key"] != _key(name):
            raise ModelFileError(f"{leaf.where} has the batch {about['key']!r}: its file was renamed")
        return leaf

    # ---- what there is -----------------------------------------------------------------------------

    @property
    def keys_(self) -> list[str]:
        """The keys of the batches that are there, sorted."""
        return list(dict.fromkeys(_key(name) for name in self._leaf_names()))

    @property
    def digest_(self) -> str:
        """A digest of what the ledger holds: of the batches that are there, whatever came before."""
        return state_digest({name: self._fingerprint_of(name) or "" for name in self._leaf_names()})

    def log(self) -> pa.Table:
        """Return the batches as a table: key, whether late, rows, bytes, when appended, fingerprint."""
        found = []
        for name in self._leaf_names():
            leaf = self._leaf(name)
            about = leaf.about
            late = name != leaf_name(_key(name))
            times, print_of = (about["time"], about["version"]), _fingerprint(about["learners"])
            found.append((_key(name), late, about["rows"], len(leaf.raw), *times, print_of, name))
        return pa.Table.from_pylist([dict(zip(_LOG.names, row, strict=True)) for row in found], _LOG)

    @from_here
    def verify(self) -> Certificate:
        """Read every byte of every leaf, and decode every summary; raise with the name of a leaf that is damaged.

        Kept merges that are not of the ledger as it is are deleted.

        Returns
        -------
        certificate : Certificate
        """
        prints: dict[str, list[str]] = {}
        names = self._leaf_names()
        for name in names:
            leaf = self._leaf(name)
            leaf.check()
            for learner in self._learners.values():
                if learner.name in leaf.about["learners"]:
                    learner.read(leaf, _key(name)).provenance()
            prints.setdefault(_fingerprint(leaf.about["learners"]), []).append(name)
        self._sweep()
        twice = [leaves for leaves in prints.values() if len(leaves) > 1]
        why = f"the checksums of {number_of(len(names), 'leaf').replace('leafs', 'leaves')} hold, and all is decoded"
        again = "; ".join(" and ".join(leaves) for leaves in twice) or "no two batches have equal summaries"
        claims = (
            Claim("leaves", float(len(names)), "proved", why, "data"),
            Claim("equal batches", float(len(twice)), "proved", again, "data"),
        )
        return Certificate(claims).coming_from("verified")


_LOG = pa.schema(
    [("key", pa.string()), ("late", pa.bool_()), ("rows", pa.int64()), ("bytes", pa.int64()), ("time", pa.string())]
    + [("version", pa.string()), ("fingerprint", pa.string()), ("leaf", pa.string())]
)


def _store(store: Any, options: dict[str, Any] | None) -> Store:
    """Return a store: that which was given, or that of a path or URL."""
    if isinstance(store, Store):
        return store
    url = str(store)
    if url.startswith("s3://"):
        return S3Store(url, options)
    if REMOTE.match(url):
        raise DataError(
            f"{url}: a batch is put on the condition that there is none of its key, which is known of folders and of "
            "s3:// alone. Remedy: one of these; stores that speak as S3 does take storage_options={'endpoint_url': ...}"
        )
    if options is not None:
        raise DataError(f"storage_options are for stores, and {url} is a folder of this machine")
    return FolderStore(store)


def _key(name: str) -> str:
    """Return the key of a leaf."""
    found = read_leaf_name(name)
    assert found is not None
    return found.key


def _second(pair: tuple[str, tuple[Any, ...]]) -> tuple[Any, ...]:
    return pair[1]


def _fingerprint(learners: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what the rows of a batch are known by: the digest of all their summaries."""
    text = "".join(f"{name} {found['fingerprint']}\n" for name, found in sorted(learners.items()))
    return digest(text.encode())


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
