"""How often each symbol of a Markov chain comes in the long run.

In the limit all mass is in closed classes: sets of symbols that are never left and of which each leads to each other.
Symbols outside of them are eliminated one by one, which leaves the chance of ending in each class; within a class the
same elimination and a substitution backwards give its stationary distribution. Nothing is ever subtracted (Grassmann,
Taksar and Heyman, 1985), so each share is right to nearly all of its digits, however rarely a symbol is left.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import connected_components

from tenfold.core import Array, Codes


def long_run_shares(startprob: Array, transmat: Array) -> Array:
    """The mean over time of the distribution of a chain, which is the limit of startprob @ transmat^n if there is one.

    Parameters
    ----------
    startprob : array of shape (symbols,)
    transmat : array of shape (symbols, symbols)

    Returns
    -------
    shares : array of shape (symbols,)
    """
    classes = _closed_classes(transmat)
    arrived = _absorbed(startprob, transmat, np.concatenate(classes))
    shares = np.zeros(len(startprob))
    for each in classes:
        shares[each] = arrived[each].sum() * _stationary(transmat[np.ix_(each, each)])
    return shares / shares.sum()


def _closed_classes(transmat: Array) -> list[Codes]:
    """The sets of symbols that are never left, and of which each leads to each other."""
    count, of = connected_components(transmat > 0, connection="strong")
    left = np.unique(of[((transmat > 0) & (of[:, None] != of)).any(axis=1)])
    return [np.flatnonzero(of == k) for k in range(count) if k not in left]


def _absorbed(startprob: Array, transmat: Array, closed: Codes) -> Array:
    """The mass that arrives at each symbol of the closed classes, where it stays."""
    mass, jump = startprob.copy(), _jumps(transmat)
    passed = np.setdiff1d(np.arange(len(mass)), closed)
    for at, k in enumerate(passed.tolist()):
        mass += mass[k] * jump[k]
        mass[k] = 0.0
        _eliminate(jump, k, passed[at + 1 :])
    return mass


def _stationary(transmat: Array) -> Array:
    """The stationary distribution of a chain of which each symbol leads to each other."""
    n = len(transmat)
    jump = _jumps(transmat)
    eliminated = [_eliminate(jump, k, np.arange(k)) for k in range(n - 1, 0, -1)]
    visits = np.ones(1)
    for into, kept in reversed(eliminated):
        visits = visits / kept
        visits = np.append(visits, visits @ into)
        visits /= visits.sum()
    left = np.where(np.eye(n, dtype=bool), 0.0, transmat).sum(axis=1)
    shares = visits * (left.min() / left) if n > 1 else visits
    return np.asarray(shares / shares.sum())


def _jumps(transmat: Array) -> Array:
    """The chances of each next symbol that is another one; none of a symbol that is never left."""
    jump = np.where(np.eye(len(transmat), dtype=bool), 0.0, transmat)
    left = jump.sum(axis=1, keepdims=True)
    return jump / np.where(left > 0, left, 1.0)


def _eliminate(jump: Array, k: int, others: Codes) -> tuple[Array, Array]:
    """Replace a symbol by the jumps that lead through it, in the rows of other ones.

    Returns the chance of each of these to jump to the symbol, and its chance not to be back at once by way of it. Rows
    are divided by the latter: they add up to 1 again, and products of rare jumps do not vanish.
    """
    into = jump[others, k]
    rows = jump[others] + into[:, None] * jump[k]
    rows[:, k] = 0.0
    rows[np.arange(len(others)), others] = 0.0
    kept = rows.sum(axis=1)
    kept[kept == 0] = 1.0  # the last one of a class has nowhere else to go
    jump[others] = rows / kept[:, None]
    return into, kept
