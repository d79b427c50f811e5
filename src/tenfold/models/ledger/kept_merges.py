"""Merges that a ledger keeps beside its leaves, so that a model of many years does not merge each day again.

A kept merge is a file named by the leaves below it. It is a cache: it is made again if it is missing or damaged, and
goes with each of its leaves. Only merges of the whole ledger are kept, so that there are no more of them than leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from tenfold.core import MergeError, ModelFileError
from tenfold.models.ledger.batch_keys import SEPARATOR, key_order, leaf_order, quoted, read_leaf_name
from tenfold.models.ledger.leaf_file import LeafFile, leaf_bytes
from tenfold.models.ledger.ledger_learner import LedgerLearner
from tenfold.models.ledger.merge_order import MergeNode, merge_order, nodes_of
from tenfold.models.ledger.merged import Merged
from tenfold.models.ledger.store import Store

NODE = ".node"
MIN_LEAVES = 32
"""leaves below a merge that is kept: of fewer, merging takes about as long as reading"""


class KeptName(NamedTuple):
    """What the name of a kept merge says."""

    first: str
    """the first key below it"""
    last: str
    learner: str
    stamp: str


def is_kept(node: MergeNode) -> bool:
    """Whether the merge of the leaves below a node is worth keeping."""
    return node.leaves >= MIN_LEAVES


def kept_name(node: MergeNode, learner: str) -> str:
    """Return the file name of a merge."""
    keys = (found.key for found in map(read_leaf_name, (node.first, node.last)) if found is not None)
    return SEPARATOR.join([*map(quoted, keys), quoted(learner), node.stamp]) + NODE


def read_kept_name(name: str) -> KeptName | None:
    """Return what a file name says; None of a file that is no kept merge."""
    each = name.removesuffix(NODE).split(SEPARATOR)
    return KeptName(*map(unquote, each)) if name.endswith(NODE) and len(each) == 4 else None


class KeptMerges:
    """The kept merges of a store.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def get(self, node: MergeNode, learner: LedgerLearner, listed: Mapping[str, str]) -> Merged | None:
        """Return a merge that is kept; None if it is not, or is damaged, or of other parameters."""
        name = kept_name(node, learner.name)
        if not is_kept(node) or name not in listed:
            return None
        try:
            leaf = LeafFile(self.store.get(name), name)
            first = read_leaf_name(node.first)
            return learner.read(leaf, first.key if first is not None else "")
        except FileNotFoundError:
            return None
        except MergeError:  # of other parameters: the leaves say which
            return None
        except ModelFileError:
            self.store.delete(name)
            return None

    def put(self, node: MergeNode, learner: LedgerLearner, merged: Merged) -> None:
        """Keep a merge, unless one of its leaves was dropped while it was made."""
        sections: list[bytes] = []
        about = {learner.name: learner.write(merged, sections)}
        name = kept_name(node, learner.name)
        self.store.put(name, leaf_bytes({"node": node.stamp, "learners": about}, sections))
        # Whoever drops a leaf deletes it before the merges that have it: one of the two of us sees this file.
        if not self._is_current(node):
            self.store.delete(name)

    def _is_current(self, node: MergeNode) -> bool:
        """Whether all leaves below a merge are there as they were."""
        listed = self.store.names()
        names = sorted((below.name for below in nodes_of(node)), key=leaf_order)
        tags = [listed.get(name, "") for name in names]
        again = merge_order(names, tags)
        return again is not None and again.stamp == node.stamp

    def drop(self, keys: Iterable[str], listed: Iterable[str]) -> None:
        """Delete all merges that may have leaves of some keys."""
        orders = [key_order(key) for key in keys]
        gone = []
        for name in listed:
            kept = read_kept_name(name)
            if kept and any(key_order(kept.first) <= order <= key_order(kept.last) for order in orders):
                gone.append(name)
        self.store.delete(*gone)

    def sweep(self, root: MergeNode | None, learner: str, listed: Iterable[str]) -> None:
        """Delete the merges of a learner that are not of the ledger as it is."""
        current = {kept_name(node, learner) for node in nodes_of(root) if is_kept(node)}
        each = ((name, read_kept_name(name)) for name in listed)
        self.store.delete(*(name for name, kept in each if kept and kept.learner == learner and name not in current))
