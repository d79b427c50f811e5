"""Kernels of strings, sets and trees: inner products of counts of their pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from math import comb
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import Array, DataError
from tenfold.kernels.algebra import Kernel, Out, text
from tenfold.kernels.proof import Proof, needs

MAX_LETTERS = 1 << 16


def _whole(kernel: Kernel, name: str, low: int, high: int) -> None:
    """Refuse a field that is not a whole number within limits."""
    value = getattr(kernel, name)
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise ValueError(f"{name} of a {type(kernel).__name__} is a whole number from {low} to {high}, not {value!r}")
    kernel.__dict__[name] = int(value)


class _Pieces:
    """Counts of pieces of some things, and the numbers that their pieces have."""

    def __init__(self, counts: Sequence[Counter[Hashable]], places: dict[Hashable, int] | None = None) -> None:
        grows = places is None
        self.places: dict[Hashable, int] = {} if places is None else places
        values: list[float] = []
        at: list[int] = []
        ends = [0]
        for found in counts:
            for piece, times in found.items():
                place = self.places.setdefault(piece, len(self.places)) if grows else self.places.get(piece)
                if place is not None:
                    at.append(place)
                    values.append(times)
            ends.append(len(at))
        self.matrix = sp.csr_array((np.array(values, float), np.array(at, int), ends), (len(counts), len(self.places)))
        self.total = np.array([sum(found.values()) for found in counts], dtype=np.float64)


def _products(counts: Callable[[Any], Counter[Hashable]], X: Sequence[Any], theirs: _Pieces) -> Array:
    """Inner products of the counts of two sets of things: kernel values."""
    mine = _Pieces([counts(x) for x in X], theirs.places)
    return np.asarray((mine.matrix @ theirs.matrix.T).todense())


def _strings(kernel: Kernel, X: Sequence[Any]) -> Sequence[str]:
    for one in X:
        if not isinstance(one, str):
            raise TypeError(f"{kernel} compares strings, not {one!r}")
    return X


class SpectrumKernel(Kernel):
    """The number of pairs of equal substrings of length p: inner products of counts of substrings.

    Parameters
    ----------
    length : int, default=3
        p. Shorter strings have no substrings, and k is 0.

    Examples
    --------
    >>> from tenfold.kernels import SpectrumKernel
    >>> SpectrumKernel(2)(["statistics", "computation"]).tolist()
    [[13.0, 4.0], [4.0, 10.0]]
    """

    domain = "strings"
    length: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        _whole(self, "length", 1, 1 << 20)

    def _counts(self, one: str) -> Counter[Hashable]:
        return Counter(one[at : at + self.length] for at in range(len(one) - self.length + 1))

    def prepare(self, Z: Sequence[str], dtype: Any) -> _Pieces:
        return _Pieces([self._counts(z) for z in _strings(self, Z)])

    def fill(self, X: Sequence[str], Z: Sequence[str], prepared: _Pieces, out: Out) -> None:
        # Kernel values of a block of pairs: inner products of counts.
        out[:] = _products(self._counts, _strings(self, X), prepared)

    def diagonal_of(self, X: Sequence[str]) -> Array:
        # The kernel value of each text with itself: the sum of its squared counts.
        return np.array([float(sum(c * c for c in self._counts(x).values())) for x in _strings(self, X)])

    def proof(self) -> Proof:
        return Proof(str(self), True, f"an inner product of counts of substrings of length {self.length}")

    def __str__(self) -> str:
        return f"spectrum{self.length}(x, z)"


class MismatchKernel(Kernel):
    """Mismatch kernel: a spectrum kernel in which a substring counts for all words within m mismatches of it.

    Parameters
    ----------
    length : int, default=3
        Of the substrings.
    mismatches : int, default=1
        m. With 0 it is the SpectrumKernel.
    alphabet : str, default="ACGT"
        Letters that words are made of; strings with others are refused.

    Examples
    --------
    >>> from tenfold.kernels import MismatchKernel
    >>> MismatchKernel(2, 1)(["AC", "AG"]).tolist()
    [[7.0, 4.0], [4.0, 7.0]]
    """

    domain = "strings"
    length: int = 3
    mismatches: int = 1
    alphabet: str = "ACGT"

    def __post_init__(self) -> None:
        super().__post_init__()
        _whole(self, "length", 1, 64)
        _whole(self, "mismatches", 0, self.length)
        letters = self.alphabet
        if not isinstance(letters, str) or not letters or len(set(letters)) < len(letters) > MAX_LETTERS:
            raise ValueError(f"the alphabet of a MismatchKernel is a text of different letters, not {letters!r}")
        if len(set(letters)) < len(letters):
            raise ValueError("the alphabet of a MismatchKernel has a letter twice")

    def _shared(self) -> Array:
        """How many words are within m letters of two substrings that differ in 0, 1, ... letters."""
        k, m, q = self.length, self.mismatches, len(self.alphabet)
        found = np.zeros(k + 1)
        for differ in range(min(k, 2 * m) + 1):
            total = 0
            for elsewhere in range(min(m, k - differ) + 1):  # letters changed where both are equal
                for as_first in range(differ + 1):
                    for as_second in range(differ - as_first + 1):
                        neither = differ - as_first - as_second
                        if max(as_first, as_second) + neither + elsewhere <= m:
                            ways = (
                                comb(differ, as_first) * comb(differ - as_first, as_second) * max(q - 2, 0) ** neither
                            )
                            total += comb(k - differ, elsewhere) * (q - 1) ** elsewhere * ways
            found[differ] = total
        return found

    def _pieces(self, one: str) -> tuple[Array, Array]:
        """The distinct substrings, as numbers of letters, and how often each is there."""
        number = {letter: at for at, letter in enumerate(self.alphabet)}
        counts = Counter(one[at : at + self.length] for at in range(len(one) - self.length + 1))
        try:
            words = [[number[letter] for letter in word] for word in counts]
        except KeyError as error:
            raise DataError(f"{self}: the letter {error.args[0]!r} is not in the alphabet {self.alphabet!r}") from None
        return np.array(words).reshape(len(counts), self.length), np.array(list(counts.values()), dtype=np.float64)

    def prepare(self, Z: Sequence[str], dtype: Any) -> list[tuple[Array, Array]]:
        return [self._pieces(z) for z in _strings(self, Z)]

    def _compare(self, a: tuple[Array, Array], b: tuple[Array, Array], shared: Array) -> float:
        differ = (a[0][:, None, :] != b[0][None, :, :]).sum(axis=2)
        return float(a[1] @ shared[differ] @ b[1])

    def fill(self, X: Sequence[str], Z: Sequence[str], prepared: list[tuple[Array, Array]], out: Out) -> None:
        shared = self._shared()
        for i, x in enumerate(_strings(self, X)):
            mine = self._pieces(x)
            for j, theirs in enumerate(prepared):
                out[i, j] = self._compare(mine, theirs, shared)

    def diagonal_of(self, X: Sequence[str]) -> Array:
        shared, each = self._shared(), [self._pieces(x) for x in _strings(self, X)]
        return np.array([self._compare(one, one, shared) for one in each])

    def proof(self) -> Proof:
        near = f"within {self.mismatches} letters of a substring"
        return Proof(str(self), True, f"an inner product of counts of words of {self.length} letters {near}")

    def __str__(self) -> str:
        return f"mismatch{self.length},{self.mismatches}(x, z)"


class SetKernel(Kernel):
    """How much two sets have in common.

    Parameters
    ----------
    kind : {"intersection", "subsets", "jaccard"}, default="intersection"
        ``|A ∩ B|``; the number of common subsets, 2 to that; or ``|A ∩ B| / |A ∪ B|``, 1 for two empty sets.

    Examples
    --------
    >>> from tenfold.kernels import SetKernel
    >>> SetKernel()([{"a", "b"}, {"b", "c", "d"}]).tolist()
    [[2.0, 1.0], [1.0, 3.0]]
    >>> SetKernel("jaccard")([{"a", "b"}], [{"b", "c", "d"}]).tolist()
    [[0.25]]
    """

    domain = "sets"
    kind: str = "intersection"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in ("intersection", "subsets", "jaccard"):
            raise ValueError(f"kind of a SetKernel is 'intersection', 'subsets' or 'jaccard', not {self.kind!r}")

    def _members(self, one: Iterable[Hashable]) -> Counter[Hashable]:
        if isinstance(one, str):
            raise TypeError(f"{self} compares sets, not the string {one!r}. Remedy: set(...) of its letters or words")
        return Counter(set(one))

    def prepare(self, Z: Sequence[Any], dtype: Any) -> _Pieces:
        return _Pieces([self._members(z) for z in Z])

    def fill(self, X: Sequence[Any], Z: Sequence[Any], prepared: _Pieces, out: Out) -> None:
        common = _products(self._members, X, prepared)
        if self.kind == "jaccard":
            sizes = np.array([float(len(self._members(x))) for x in X])
            union = sizes[:, None] + prepared.total - common
            common = np.divide(common, union, out=np.ones_like(common), where=union > 0)
        out[:] = np.exp2(common) if self.kind == "subsets" else common

    def diagonal_of(self, X: Sequence[Any]) -> Array:
        sizes = np.array([float(len(self._members(x))) for x in X])
        if self.kind == "jaccard":
            return np.ones(len(sizes))
        return np.exp2(sizes) if self.kind == "subsets" else sizes

    def proof(self) -> Proof:
        # An inner product of members, or of subsets; or a probability of agreeing.
        why = {
            "intersection": "an inner product of indicators: is each thing a member?",
            "subsets": "an inner product of indicators: is each set a subset?",
            "jaccard": "in a random order of all things, the probability that both sets have the same first: a mean of "
            "inner products of indicators",
        }[self.kind]
        return Proof(str(self), True, why)

    def __str__(self) -> str:
        return {"intersection": "|x ∩ z|", "subsets": "2^|x ∩ z|", "jaccard": "|x ∩ z| / |x ∪ z|"}[self.kind]


class TreeKernel(Kernel):
    """The number of common fragments of two labelled trees (Collins and Duffy), each times λ to its size.

    A tree is a tuple of a label and its children, ("S", ("NP", "we"), ("VP", "run")); any other child is a leaf.
    A fragment is a part of a tree in which each inner node has all its children or, unless it is the top, none.

    Parameters
    ----------
    decay : float, default=1.0
        λ, above 0: below 1 large fragments count less.

    Examples
    --------
    >>> from tenfold.kernels import TreeKernel
    >>> a, b = ("S", ("NP", "we"), ("VP", "run")), ("S", ("NP", "we"), ("VP", "sleep"))
    >>> TreeKernel()([a, b]).tolist()
    [[6.0, 3.0], [3.0, 6.0]]
    """

    domain = "trees"
    finite = ("decay",)
    decay: float = 1.0

    def prepare(self, Z: Sequence[Any], dtype: Any) -> list[_Nodes]:
        return [_Nodes(self, z) for z in Z]

    def fill(self, X: Sequence[Any], Z: Sequence[Any], prepared: list[_Nodes], out: Out) -> None:
        for i, x in enumerate(X):
            mine = _Nodes(self, x)
            for j, theirs in enumerate(prepared):
                out[i, j] = mine.common(theirs, self.decay)

    def diagonal_of(self, X: Sequence[Any]) -> Array:
        each = [_Nodes(self, x) for x in X]
        return np.array([one.common(one, self.decay) for one in each])

    def proof(self) -> Proof:
        why = "an inner product of counts of fragments, each times √λ to its size"
        return needs(str(self), self.decay >= 0, why, "the decay is below 0, and has no root")

    def __str__(self) -> str:
        return f"fragments(x, z; {text(self.decay)})"


class _Nodes:
    """The inner nodes of a tree, children before parents: what each is made into, and which are inner."""

    def __init__(self, kernel: Kernel, tree: Any) -> None:
        if not isinstance(tree, tuple) or not tree:
            raise TypeError(f"{kernel} compares trees, tuples of a label and children, not {tree!r}")
        self.rule: list[Hashable] = []
        self.children: list[tuple[int, ...]] = []
        self.by_rule: dict[Hashable, list[int]] = {}
        todo: list[tuple[Any, list[int] | None, list[int]]] = [(tree, None, [])]
        while todo:  # no recursion: a tree may be deep
            node, inner, parent = todo.pop()
            if inner is None:
                inner = []
                todo.append((node, inner, parent))
                todo.extend((child, None, inner) for child in reversed(node[1:]) if _is_inner(child))
                continue
            labels = tuple((child[0], True) if isinstance(child, tuple) else (child, False) for child in node[1:])
            self.by_rule.setdefault((node[0], labels), []).append(len(self.rule))
            parent.append(len(self.rule))
            self.rule.append((node[0], labels))
            self.children.append(tuple(inner))

    def common(self, other: _Nodes, decay: float) -> float:
        """Σ over pairs of nodes of C(a, b) = λ Π (1 + C(children)) if both are made into the same, else 0."""
        found: dict[tuple[int, int], float] = {}
        for a, rule in enumerate(self.rule):
            for b in other.by_rule.get(rule, ()):
                product = decay
                for pair in zip(self.children[a], other.children[b], strict=True):
                    product *= 1 + found.get(pair, 0.0)
                found[a, b] = product
        return float(sum(found.values()))


def _is_inner(child: Any) -> bool:
    return isinstance(child, tuple) and len(child) > 1
