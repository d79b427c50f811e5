"""k-CNF and k-DNF: brute force over clauses, 3-term DNF learned as 3-CNF, the answer no, merges."""

from itertools import combinations, product

import numpy as np
import pytest

import tenfold as tn
from tenfold import KCNF, KDNF, DataError, FindS, theory
from tenfold.concept.clauses.literals import conjunctions


def clauses(n, k):
    """All sets of at most k literals over different columns: (column, value)."""
    some = [columns for size in range(1, k + 1) for columns in combinations(range(n), size)]
    return [list(zip(c, signs, strict=True)) for c in some for signs in product((True, False), repeat=len(c))]


def brute(kind, k, rows, target, points):
    """What the most specific k-CNF, or the most general k-DNF, says of points."""
    every = clauses(rows.shape[1], k)
    if kind is KCNF:
        kept = [c for c in every if all(any(row[j] == v for j, v in c) for row in rows[target])]
        return np.array([all(any(p[j] == v for j, v in c) for c in kept) for p in points])
    kept = [t for t in every if not any(all(row[j] == v for j, v in t) for row in rows[~target])]
    return np.array([any(all(p[j] == v for j, v in t) for t in kept) for p in points])


@pytest.mark.parametrize("kind", [KCNF, KDNF])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_against_brute_force(kind, k):
    for seed in range(8):
        random = np.random.default_rng(seed)
        rows = random.random((int(random.integers(4, 30)), 4)) < 0.5
        target = random.random(len(rows)) < 0.5 if seed % 2 else (rows[:, 0] | rows[:, 1]) & ~rows[:, 2]
        target[:2] = True, False
        points = np.array(list(product((False, True), repeat=4)))
        model = kind(k).fit(rows, target)
        assert (model.predict(points) == brute(kind, k, rows, target, points)).all()
        said = brute(kind, k, rows, target, rows)
        claim = model.certificate_["consistent"]
        assert claim.value == (said == target).all()
        if not claim.value:
            assert f"row {np.flatnonzero(said != target)[0]} " in claim.because
        assert model.verify().origin == "verified"
        assert model.certificate_.provenance.passes == 2


def test_the_table_has_every_clause_once():
    table = conjunctions(5, 3)
    assert 2 ** len(table) == theory.class_size("3-CNF", 5)
    assert len(np.unique(table, axis=0)) == len(table)


def test_a_disjunction_of_three_terms_is_learned_as_3_cnf():
    """Every 3-term DNF multiplies out to clauses of three literals: 3-CNF always finds a consistent hypothesis."""
    points = np.array(list(product((False, True), repeat=6)))
    for seed in range(10):
        random = np.random.default_rng(seed)
        terms = [[(j, random.random() < 0.5) for j in random.permutation(6)[: random.integers(1, 4)]] for _ in range(3)]
        target = np.array([any(all(p[j] == v for j, v in t) for t in terms) for p in points])
        if target.all() or not target.any():
            continue
        some = random.permutation(64)[:40]
        some = np.union1d(some, [int(target.argmax()), int(target.argmin())])
        model = KCNF(3).fit(points[some], target[some])
        assert model.certificate_["consistent"].value == 1
        assert not (model.predict(points) & ~target).any()  # the most specific one: it errs on one side only
        assert (KCNF(3).fit(points, target).predict(points) == target).all()


def test_of_one_literal_it_is_find_s():
    random = np.random.default_rng(0)
    rows = random.random((50, 6)) < 0.5
    target = rows[:, 1] & ~rows[:, 4]
    model, other = KCNF(1).fit(rows, target), FindS().fit(rows, target)
    assert model.hypothesis_ == [("x1",), ("not x4",)]
    assert other.hypothesis_ == ["?", True, "?", "?", False, "?"]
    assert (model.predict(rows) == other.predict(rows)).all()


def test_disjunctions_and_the_answer_no():
    rows = np.array(list(product((0, 1), repeat=3)))
    yes = KDNF(1).fit(rows, (rows[:, 0] == 1) | (rows[:, 2] == 0))
    assert yes.hypothesis_ == [("x0",), ("not x2",)]
    assert yes.certificate_["consistent"].value == 1
    no = KDNF(1).fit(rows, rows[:, 0] == rows[:, 1])
    assert no.certificate_["consistent"].value == 0
    assert "no 1-DNF is consistent" in no.certificate_["consistent"].because
    assert KDNF(2).fit(rows, rows[:, 0] == rows[:, 1]).certificate_["consistent"].value == 1


@pytest.mark.parametrize("kind", [KCNF, KDNF])
@pytest.mark.parametrize("pos_label", [None, "no"])
def test_merged_models_are_those_of_all_rows(kind, pos_label):
    """Also of a part that has one class only, which may turn out to be the negative one."""
    for seed in range(6):
        random = np.random.default_rng(seed)
        rows = (random.random((30, 4)) < 0.5).astype(float)
        target = np.where((rows[:, 0] > 0) | (rows[:, 3] > 0), "yes", "no")
        order = np.argsort(target, kind="stable") if seed % 2 else np.arange(30)
        rows, target = rows[order], target[order]
        whole = kind(2, pos_label=pos_label).fit(rows, target)
        parts = [kind(2, pos_label=pos_label).fit(rows[s], target[s]) for s in (slice(0, 5), slice(5, None))]
        for merged in (parts[0] + parts[1], parts[1] + parts[0]):
            assert merged.hypothesis_ == whole.hypothesis_
            assert (merged.predict(rows) == whole.predict(rows)).all()
            assert merged.certificate_["another scan"].status == "proved"


def test_both_forms_share_a_scan():
    rows = np.random.default_rng(0).random((60, 3)) < 0.5
    target = rows[:, 0]
    models = tn.fit_together([KCNF(2), KDNF(2)], rows, target)
    for model, alone in zip(models, (KCNF(2), KDNF(2)), strict=True):
        assert model.hypothesis_ == alone.fit(rows, target).hypothesis_ == [("x0",)]


def test_numbers_are_made_boolean_and_wrong_input_is_named():
    rows, target = np.array([[0.2, 5.0], [0.9, 5.0], [0.8, 0.1]]), [0, 1, 1]
    assert KCNF(1, binarize=0.5).fit(rows, target).hypothesis_ == [("x0",)]
    assert KCNF(9).fit(rows, target).predict(rows).shape == (3,)  # no more literals than columns
    with pytest.raises(DataError, match="Remedy: a smaller k"):
        KCNF(4).fit(np.eye(80), [0, 1] * 40)
    with pytest.raises(ValueError, match="NaN"):
        KCNF().fit([[np.nan], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="not a valid label"):
        KDNF(pos_label="x").fit(rows, target)
