"""How many hypotheses there are in a class, as a whole number."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, prod

from tenfold.theory.checks import one_of, whole

CLASSES = (
    "conjunctions",
    "monomials",
    "attributes",
    "concepts",
    "k-CNF",
    "k-DNF",
    "k-term DNF",
    "k-clause CNF",
    "trees",
)
MAX_COUNT_BITS = 1 << 20
"""bits of a count, at most"""


def class_size(
    kind: str,
    n: int | None = None,
    *,
    k: int | None = None,
    leaves: int | None = None,
    values: Sequence[int] | None = None,
) -> int:
    """Number of hypotheses of a class: exact, or an upper bound where equivalent formulas are counted apart.

    Parameters
    ----------
    kind : str
        "conjunctions" of literals, also called "monomials", 3ⁿ + 1; "attributes", conjunctions over attributes of
        several `values`; "concepts", all sets of points, 2^(2ⁿ); "k-CNF" and "k-DNF", 2 to the number of clauses of at
        most `k` literals; "k-term DNF" and "k-clause CNF", 3^(nk) + 1; "trees" of at most so many `leaves`.
    n : int, optional
        Boolean attributes; for all but "attributes".
    k : int, optional
        Literals of a clause, or terms.
    leaves : int, optional
        Of a tree, at most.
    values : sequence of int, optional
        How many values each attribute has.

    Returns
    -------
    int
        For `sample_size(..., size=)`. Its logarithm, also of numbers that no computer holds, is in `log_conjunctions`
        and the functions next to it.

    Examples
    --------
    >>> from tenfold.theory import class_size, sample_size
    >>> class_size("attributes", values=[3, 2, 2, 2, 2, 2])
    973
    >>> sample_size(0.1, 0.05, size=class_size("conjunctions", 10))
    140
    >>> class_size("3-CNF", 4) == class_size("k-CNF", 4, k=3)
    True
    """
    kind, k = _named(kind, k)
    if kind == "attributes":
        if values is None or not len(values):
            raise ValueError("'attributes' needs values: how many each attribute has")
        return prod(whole("values", v) + 1 for v in values) + 1
    if n is None:
        raise ValueError(f"{kind!r} needs n, the number of boolean attributes")
    n = whole("n", n)
    if kind in ("conjunctions", "monomials"):
        _refuse_over(2 * n)
        return int(3**n) + 1
    if kind == "concepts":
        _refuse_over(1 << min(n, 60))
        return 1 << (1 << n)
    if kind == "trees":
        if leaves is None:
            raise ValueError("'trees' needs leaves")
        tests = whole("leaves", leaves) - 1
        _refuse_over(tests * (2 + n.bit_length()))
        return comb(2 * tests, tests) // (tests + 1) * int(n**tests) << leaves
    if k is None:
        raise ValueError(f"{kind!r} needs k")
    if kind in ("k-term DNF", "k-clause CNF"):
        _refuse_over(2 * n * whole("k", k))
        return int(3 ** (n * k)) + 1
    clauses = sum(comb(n, i) << i for i in range(1, whole("k", k, 1, n) + 1))
    _refuse_over(clauses)
    return 1 << clauses


def _named(kind: str, k: int | None) -> tuple[str, int | None]:
    """A class whose name may begin with a number, as in 3-CNF."""
    first, dash, rest = kind.partition("-")
    if dash and first.isdigit():
        kind, k = f"k-{rest}", int(first)
    return one_of("kind", kind, CLASSES), k


def _refuse_over(bits: int) -> None:
    if bits > MAX_COUNT_BITS:
        raise ValueError("the class is too large to write its size down. Remedy: the logarithm, as in log_k_cnf")
