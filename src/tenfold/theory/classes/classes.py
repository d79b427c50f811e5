"""How many hypotheses there are in some finite classes, as natural logarithms.

The numbers themselves soon exceed any float; bounds ask for their logarithm only. `n` counts boolean
attributes throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, exp, lgamma, log, log1p, prod

from tenfold.theory.checks import whole

LN2 = log(2)
LN3 = log(3)


def log_conjunctions(n: int) -> float:
    """Conjunctions of literals: each attribute plain, negated or absent, and the one that covers nothing.

    Parameters
    ----------
    n : int
        Boolean attributes.

    Returns
    -------
    float
        ln(3ⁿ + 1).

    Examples
    --------
    >>> from math import exp
    >>> from tenfold.theory import log_conjunctions
    >>> round(exp(log_conjunctions(10)))
    59050
    """
    return _log_one_more(whole("n", n) * LN3)


def log_attribute_conjunctions(values: Sequence[int]) -> float:
    """Conjunctions over attributes of several values: a value or any for each, and the one that covers nothing.

    Parameters
    ----------
    values : sequence of int
        How many values each attribute has.

    Returns
    -------
    float
        ln(Π(vⱼ + 1) + 1).

    Examples
    --------
    >>> from math import exp
    >>> from tenfold.theory import log_attribute_conjunctions
    >>> round(exp(log_attribute_conjunctions([3, 2, 2, 2, 2, 2])))
    973
    """
    if not len(values):
        raise ValueError("values must name at least one attribute")
    return log(prod(whole("values", v) + 1 for v in values) + 1)


def log_all_concepts(n: int) -> float:
    """All concepts over n boolean attributes: every subset of the 2ⁿ points, so no bias at all.

    Parameters
    ----------
    n : int
        Boolean attributes, at most 1,000.

    Returns
    -------
    float
        2ⁿ ln 2.

    Examples
    --------
    >>> from math import exp
    >>> from tenfold.theory import log_all_concepts
    >>> round(exp(log_all_concepts(2)))
    16
    """
    return 2.0 ** whole("n", n, 1, 1000) * LN2


def log_k_cnf(n: int, k: int) -> float:
    """Conjunctions of clauses of at most k literals (and, by duality, k-DNF): an upper bound.

    Parameters
    ----------
    n : int
        Boolean attributes.
    k : int
        Literals of a clause, at most; n or fewer.

    Returns
    -------
    float
        L ln 2 with L = Σᵢ₌₁ᵏ C(n, i) 2ⁱ clauses; formulas that mean the same are counted apart.

    Examples
    --------
    >>> from tenfold.theory import log_k_cnf
    >>> round(log_k_cnf(10, 2), 3)
    138.629
    """
    n = whole("n", n)
    return sum(comb(n, i) << i for i in range(1, whole("k", k, 1, n) + 1)) * LN2


def log_k_term_dnf(n: int, k: int) -> float:
    """Disjunctions of at most k conjunctions (and, by duality, k-clause CNF): an upper bound.

    Parameters
    ----------
    n : int
        Boolean attributes.
    k : int
        Terms, at most.

    Returns
    -------
    float
        ln(3ⁿᵏ + 1); formulas that mean the same are counted apart.

    Examples
    --------
    >>> from tenfold.theory import log_k_term_dnf
    >>> round(log_k_term_dnf(10, 3), 3)
    32.958
    """
    return _log_one_more(whole("n", n) * whole("k", k) * LN3)


def log_trees(n: int, leaves: int) -> float:
    """Binary decision trees that test one boolean attribute a node and have two classes: an upper bound.

    Parameters
    ----------
    n : int
        Boolean attributes.
    leaves : int
        Leaves, at most: a smaller tree means the same as a larger one with idle tests.

    Returns
    -------
    float
        ln of (shapes) n^(leaves - 1) 2^leaves; the shapes are counted by Catalan's number.

    Examples
    --------
    >>> from math import exp
    >>> from tenfold.theory import log_trees
    >>> round(exp(log_trees(10, 2)))  # which attribute, and the class on each side
    40
    """
    n, leaves = whole("n", n), whole("leaves", leaves)
    tests = leaves - 1
    shapes = lgamma(2 * tests + 1) - lgamma(tests + 1) - lgamma(tests + 2)
    return shapes + tests * log(n) + leaves * LN2


def _log_one_more(logarithm: float) -> float:
    """Return ln(e^x + 1) without overflow."""
    return logarithm + log1p(exp(-logarithm))
