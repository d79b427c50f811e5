"""Learners of concepts, held against all hypotheses, one by one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import tenfold as tn
from adversary.book import check
from adversary.case import Skip, close, must, refused

VALUES = np.array(["a", "b", "c", "d"], dtype=object)


def examples_drawn(random: Any, size: int) -> tuple[list[list[str]], Any, Any]:
    """Attributes, rows and labels: of a conjunction, or of a coin."""
    p = int(random.integers(1, 5))
    attributes = [VALUES[: int(random.integers(2, 4))].tolist() for _ in range(p)]
    n = int(random.integers(1, 3 + size))
    rows = np.array([[a[int(random.integers(len(a)))] for a in attributes] for _ in range(n)], dtype=object)
    concept = [a[int(random.integers(len(a)))] if random.random() < 0.5 else "?" for a in attributes]
    labels = np.array([covered(concept, row) for row in rows])
    return attributes, rows, labels if random.random() < 0.8 else random.random(n) < 0.5


def covered(hypothesis: Any, row: Any) -> bool:
    """Whether a hypothesis holds of a row."""
    return hypothesis is not None and all(h in ("?", v) for h, v in zip(hypothesis, row, strict=True))


def consistent(attributes: list[list[str]], rows: Any, labels: Any) -> list[Any]:
    """All conjunctions that agree with all rows; None covers nothing."""
    every = [None, *itertools.product(*([*a, "?"] for a in attributes))]
    return [h for h in every if all(covered(h, row) == bool(label) for row, label in zip(rows, labels, strict=True))]


@check("concepts", often=3.0)
def version_spaces_are_all_hypotheses(case: Any) -> None:
    """Size, members, votes and classes of a version space, against every conjunction there is."""
    attributes, rows, labels = examples_drawn(case.random, case.size)
    left = consistent(attributes, rows, labels)
    space = tn.VersionSpace(attributes).learn_all(rows.tolist(), labels.tolist())
    must(space.size == len(left), f"{space.size} hypotheses, {len(left)} by hand")
    must(space.is_empty == (not left), "empty or not")
    must(space.has_converged == (len(left) == 1), "converged or not")
    if not left:
        return
    members = {tuple(m.constraints) for m in space.members()}
    by_hand = {h if h is not None else (None,) * len(attributes) for h in left}
    must(members == by_hand, f"members {members} and {by_hand}")
    for row in itertools.islice(itertools.product(*attributes), 12):
        votes = sum(covered(h, row) for h in left)
        said = space.classify(list(row))
        truth = True if votes == len(left) else False if votes == 0 else None
        must(said is truth or said == truth, f"{row}: {said}, by hand {truth}")
        close(space.votes([row])[0], votes, 1e-12, f"votes for {row}", size=1.0)


def learnable(labels: Any) -> bool:
    """Whether there are rows of both kinds."""
    return bool(0 < np.sum(labels) < len(labels))


@check("concepts", often=2.0)
def candidates_are_all_hypotheses(case: Any) -> None:
    """Candidate elimination predicts by the hypotheses that agree with all rows; none left: it is said or refused."""
    _, rows, labels = examples_drawn(case.random, case.size)
    if not learnable(labels):
        raise Skip("rows of one kind")
    attributes = [sorted(set(column.tolist())) for column in rows.T]
    left = consistent(attributes, rows, labels)
    try:
        model = tn.CandidateElimination().fit(rows, labels)
    except ValueError as error:
        must(not left, f"refused, {len(left)} hypotheses are left: {error}")
        return
    space = model.version_space_
    must(space.size == len(left), f"{space.size} hypotheses, {len(left)} by hand")
    if left:
        found = np.asarray(model.predict(rows))
        must(np.array_equal(found, labels), f"wrong of its own rows: {found}, {labels}")


@check("concepts", often=2.0)
def wildcards_are_no_values(case: Any) -> None:
    """A column with the value "?" is refused by name, since "?" stands for any value."""
    random = case.random
    _, rows, labels = examples_drawn(random, case.size)
    if not learnable(labels):
        raise Skip("rows of one kind")
    rows[int(random.integers(len(rows))), 0] = "?"
    for cls in (tn.FindS, tn.CandidateElimination):
        refused(lambda cls=cls: cls().fit(rows, labels), "?")


def clauses(p: int, k: int) -> list[tuple[tuple[int, bool], ...]]:
    """All sets of at most k literals of p columns that do not contradict themselves."""
    literals = [(j, sign) for j in range(p) for sign in (True, False)]
    some = itertools.chain.from_iterable(itertools.combinations(literals, size) for size in range(1, k + 1))
    return [c for c in some if len({j for j, _ in c}) == len(c)]


@check("concepts", often=2.0)
def clauses_are_all_that_hold(case: Any) -> None:
    """k-CNF keeps each clause that all positives satisfy, k-DNF each term that no negative does; one by one."""
    random = case.random
    p, k, n = int(random.integers(1, 5)), int(random.integers(1, 4)), int(random.integers(2, 4 + 2 * case.size))
    X = random.random((n, p)) < 0.5
    y = (X[:, 0] | X[:, -1]) if random.random() < 0.5 else random.random(n) < 0.5
    if not learnable(y):
        raise Skip("rows of one kind")
    asked = np.array(list(itertools.product([False, True], repeat=p)))
    every = clauses(p, min(k, p))

    def any_of(clause: Any, rows: Any) -> Any:
        return np.any([rows[:, j] == sign for j, sign in clause], axis=0)

    def all_of(term: Any, rows: Any) -> Any:
        return np.all([rows[:, j] == sign for j, sign in term], axis=0)

    kept = [c for c in every if any_of(c, X[y]).all()]
    cnf = np.all([any_of(c, asked) for c in kept], axis=0) if kept else np.ones(len(asked), bool)
    found = np.asarray(tn.KCNF(k).fit(X.astype(int), y).predict(asked.astype(int)))
    must(np.array_equal(found, cnf), f"k-CNF {found}, by hand {cnf}")
    kept = [t for t in every if not all_of(t, X[~y]).any()]
    dnf = np.any([all_of(t, asked) for t in kept], axis=0) if kept else np.zeros(len(asked), bool)
    found = np.asarray(tn.KDNF(k).fit(X.astype(int), y).predict(asked.astype(int)))
    must(np.array_equal(found, dnf), f"k-DNF {found}, by hand {dnf}")


@check("concepts", often=1.0)
def the_most_specific_is_the_least(case: Any) -> None:
    """Find-S covers just the rows that every consistent conjunction covers; version spaces of halves merge."""
    attributes, rows, labels = examples_drawn(case.random, case.size)
    if not labels.any():
        raise Skip("no positive rows")
    positive = rows[labels]
    least = [column[0] if (column == column[0]).all() else "?" for column in positive.T]
    if learnable(labels):
        model = tn.FindS(**({"pos_label": True} if "pos_label" in tn.FindS().get_params() else {})).fit(rows, labels)
        found = np.asarray(model.predict(rows))
        must(np.array_equal(found, [covered(least, row) for row in rows]), f"{found}, by hand {least}")
    cut = len(rows) // 2
    whole = tn.VersionSpace(attributes).learn_all(rows.tolist(), labels.tolist())
    turned = tn.VersionSpace(attributes).learn_all(
        [*rows[cut:].tolist(), *rows[:cut].tolist()], [*labels[cut:], *labels[:cut]]
    )
    must(whole.size == turned.size, f"{whole.size} hypotheses, in another order {turned.size}")
