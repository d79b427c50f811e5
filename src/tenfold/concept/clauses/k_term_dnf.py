"""Disjunctions of k terms: whether one agrees with examples is NP-complete for k ≥ 2; here a solver decides.

Each term has for each column a literal, its negation, or neither. A negative must contradict every term in one of its
literals; a positive must satisfy one term, which then has no literal that it contradicts. `KCNF` learns the same
concepts in another form, in polynomial time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from math import log
from typing import Any, TypeAlias

import numpy as np

from tenfold.core import Flags
from tenfold.core.arrays import MatrixLike, VectorLike

Term: TypeAlias = frozenset[tuple[int, bool]]
"""literals that must all hold: a column and whether it is true"""
Learn: TypeAlias = Callable[[Flags, Flags], Callable[[Flags], Flags] | None]
"""function of rows and labels that returns a predicate of positive rows, or None"""

LOOK = 0.1
"""seconds after which the search is looked at again: an interrupt just before a wait does not end it"""


def k_term_dnf(X: MatrixLike, y: VectorLike, k: int, *, seconds: float | None = None) -> list[Term] | None:
    """Find at most k conjunctions of literals whose disjunction holds exactly for the positives.

    Needs OR-tools: `pip install "tenfold[sat]"`.

    Parameters
    ----------
    X : array of shape (n, columns)
        Boolean, or 0 and 1.
    y : array of shape (n,)
        Boolean, or 0 and 1: which rows are positives.
    k : int
        Terms, at most.
    seconds : float, optional
        How long the solver may search; the problem is NP-complete.

    Returns
    -------
    list of frozensets of (column, value), or None
        None: there is none, which is proved.

    See Also
    --------
    KCNF : Learns every k-term DNF as k-CNF, in polynomial time.

    Examples
    --------
    >>> from tenfold import k_term_dnf
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> k_term_dnf(X, [0, 1, 1, 0], 1) is None
    True
    >>> len(k_term_dnf(X, [0, 1, 1, 0], 2))
    2
    """
    cp_model = _solver()
    rows, target = boolean_rows(X, y)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    model = cp_model.CpModel()
    n = rows.shape[1]
    literals = [[[model.new_bool_var("") for _ in (0, 1)] for _ in range(n)] for _ in range(k)]  # false, true
    for row in np.unique(rows[~target], axis=0).tolist():
        for term in literals:
            model.add_bool_or([term[j][1 - value] for j, value in enumerate(row)])
    for row in np.unique(rows[target], axis=0).tolist():
        chosen = [model.new_bool_var("") for _ in range(k)]
        model.add_bool_or(chosen)
        for one, term in zip(chosen, literals, strict=True):
            for j, value in enumerate(row):
                model.add_implication(one, ~term[j][1 - value])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if seconds is not None:
        solver.parameters.max_time_in_seconds = seconds
    status = _solve(solver, model)
    if status == cp_model.INFEASIBLE:
        return None
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise TimeoutError(f"no answer within {seconds} seconds. Remedy: more of them, or KCNF")
    terms = [
        frozenset((j, bool(v)) for j in range(n) for v in (0, 1) if solver.boolean_value(term[j][v]))
        for term in literals
    ]
    return [term for term in dict.fromkeys(terms) if not any((j, True) in term and (j, False) in term for j, _ in term)]


def _solve(solver: Any, model: Any) -> Any:
    """The solver's answer; an interrupt ends the search, and stays Python's to handle.

    By default the solver handles SIGINT itself and leaves no handler behind: the next Ctrl-C would end the process.
    """
    solver.parameters.catch_sigint_signal = False
    answer: Future[Any] = Future()

    def search() -> None:
        if not answer.set_running_or_notify_cancel():  # the interrupt came as this thread was started
            return
        try:
            answer.set_result(solver.solve(model))
        except BaseException as error:
            answer.set_exception(error)

    try:
        threading.Thread(target=search, name="k_term_dnf", daemon=True).start()
        while not wait([answer], LOOK).done:
            pass
    except BaseException:
        while not (answer.cancel() or wait([answer], LOOK).done):
            solver.stop_search()  # does nothing if the search has not yet begun
        raise
    return answer.result()


def satisfies(terms: list[Term], X: MatrixLike) -> Flags:
    """Which rows satisfy one of the terms.

    Parameters
    ----------
    terms : list of frozensets of (column, value)
    X : array of shape (n, columns)

    Returns
    -------
    array of bool

    Examples
    --------
    >>> from tenfold.concept.clauses.k_term_dnf import satisfies
    >>> satisfies([frozenset({(0, True), (1, False)})], [[1, 0], [1, 1]]).tolist()
    [True, False]
    """
    rows = np.asarray(X).astype(bool)
    out = np.zeros(len(rows), bool)
    for term in terms:
        hit = np.ones(len(rows), bool)
        for column, value in term:
            hit &= rows[:, column] == value
        out |= hit
    return out


def consistency_by_learning(X: MatrixLike, y: VectorLike, learn: Learn, *, delta: float = 0.05, seed: int = 0) -> bool:
    """Whether examples have a consistent hypothesis, decided by a learner: why learning is as hard as consistency.

    Draw from the m different examples alike, and ask for an error of at most ε = 1/(m + 1). One example has the weight
    1/m, which is more: what errs less errs on none of them. So a learner that succeeds but for a chance of delta
    answers "is there a consistent hypothesis?" with the same chance; if that is NP-complete, so is learning.

    Parameters
    ----------
    X, y : arrays of shape (n, columns) and (n,)
        Boolean, or 0 and 1.
    learn : callable
        Function of rows and labels that returns a predicate of positive rows, or None.
    delta : float, default=0.05
    seed : int, default=0

    Returns
    -------
    bool
        True is always right; False is wrong with a chance of at most delta.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.concept.clauses.k_term_dnf import consistency_by_learning
    >>> def all_false(rows, labels):  # conjunctions of negated columns
    ...     keep = ~rows[labels].any(axis=0)
    ...     return lambda points: ~points[:, keep].any(axis=1)
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> consistency_by_learning(X, [1, 1, 0, 0], all_false), consistency_by_learning(X, [0, 1, 1, 0], all_false)
    (True, False)
    """
    rows, target = boolean_rows(X, y)
    different = np.unique(np.column_stack([rows, target]), axis=0)
    rows, target = different[:, :-1], different[:, -1]
    m = len(rows)
    # m ln(m/delta) draws have every one of the m examples, but for a chance of delta: then consistent means error 0
    draws = int(np.ceil(m * (log(m) - log(delta))))
    some = np.random.default_rng(seed).integers(0, m, draws)
    rule = learn(rows[some], target[some])
    return rule is not None and bool(np.mean(rule(rows) != target) < 1 / (m + 1))


def boolean_rows(X: MatrixLike, y: VectorLike) -> tuple[Flags, Flags]:
    """Rows and labels as booleans; values other than true, false, 1 and 0 raise an error."""
    rows, target = np.asarray(X), np.asarray(y)
    if rows.ndim != 2 or target.shape != (len(rows),):
        raise ValueError(f"X must be a table and y have a label for each row, got {rows.shape} and {target.shape}")
    for name, given in (("X", rows), ("y", target)):
        if given.size and not np.isin(given, (0, 1)).all():
            raise ValueError(f"{name} must be boolean, or 0 and 1")
    return rows.astype(bool), target.astype(bool)


def _solver() -> Any:
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise ImportError('k_term_dnf needs OR-tools. Remedy: pip install "tenfold[sat]"') from None
    return cp_model
