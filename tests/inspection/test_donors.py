"""Rows that lend values: whoever merges, the same sample; never a row to itself; each as often as any other."""

import numpy as np
import pytest

from tenfold.core.rows.chunk import ROW_IDS_PER_PART
from tenfold.engine import merge
from tenfold.inspection.importance.donors import Donors, Sample, bits, units_for, units_of
from tenfold.metrics.unit_scores import unit_scores
from tenfold.stats.metrics import scorers


def sample(place, most=50, seed=3):
    rows = Sample.sampled(place, seed, most)
    return Sample.of(place[rows], place[rows, None] * 2.0, len(place), seed, most)


def same(a, b):
    order = [np.argsort(s.place) for s in (a, b)]
    return (a.place[order[0]] == b.place[order[1]]).all() and (a.value[order[0]] == b.value[order[1]]).all()


def test_a_sample_merges_to_the_rows_with_the_least_hashes():
    place = np.arange(1000)
    cut = [place[:3], place[3:3], place[3:400], place[400:]]
    parts = [sample(some) for some in cut]
    whole = merge(parts)
    assert (whole.rows, len(whole.place)) == (1000, 50)
    assert set(whole.place) == set(np.argsort(bits(place, 3))[:50])
    assert same(whole, sample(place))
    assert same((parts[0] + parts[1]) + (parts[2] + parts[3]), parts[0] + (parts[1] + (parts[2] + parts[3])))
    assert same(parts[1] + parts[2], parts[2])
    few = [sample(some, most=5000) for some in cut]
    assert len(merge(few).place) == 1000


def test_hashes_are_even_and_differ_by_seed_and_turn():
    place = np.concatenate([np.arange(4000) + part * ROW_IDS_PER_PART for part in range(5)])
    for seed, turn in ((0, 0), (1, 0), (0, 1), (0, 2)):
        share = bits(place, seed, turn) / 2.0**64
        counts = np.bincount((share * 20).astype(int), minlength=20)
        assert ((counts - 1000) ** 2 / 1000).sum() < 45  # chi-squared, 19 degrees of freedom: 1 in 1,000
    a, b = (bits(place, 0, turn) / 2.0**64 for turn in (1, 2))
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(len(place))


@pytest.mark.parametrize("n", [2, 3, 16, 100, 1001])
def test_rows_in_one_place_are_permuted_within_their_units(n):
    place = np.arange(n)
    unit = units_of(place, 5, units_for(n))
    donors = Donors(place, unit, 5)
    for turn in (1, 2):
        whose = donors.draw(place, unit, turn)
        assert (whose != place).all()
        if n >= 16:
            assert (unit[whose] == unit).all()
            assert sorted(whose) == list(range(n))
    if n > 3:
        assert (donors.draw(place, unit, 1) != donors.draw(place, unit, 2)).any()


def test_other_rows_borrow_as_often_from_each():
    place = np.arange(0, 40_000, 10)
    donors = Donors(place, units_of(place, 0, 8), 0)
    rows = np.arange(40_000) + 0
    unit = units_of(rows, 0, 8)
    whose = donors.draw(rows, unit, 1)
    assert (donors.unit[whose] == unit).all()
    assert (place[whose] != rows).all()
    often = np.bincount(whose, minlength=len(place))
    size = np.bincount(donors.unit, minlength=8)
    wanted = (np.bincount(unit, minlength=8) / size)[donors.unit]
    assert (np.abs(often - wanted) <= 3).all()  # by turns, but for those who would have met themselves


def test_one_row_has_only_itself():
    one = np.array([7])
    assert Donors(one, np.zeros(1, int), 0).draw(one, np.zeros(1, int), 1).tolist() == [0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["r2", "neg_mean_absolute_error", "accuracy", "f1_macro", "neg_log_loss", "roc_auc"])
def test_scores_of_units_are_those_of_their_rows(name, weighted):
    rng = np.random.default_rng(0)
    n, k, scorer = 200, 2, scorers[name]
    unit = rng.integers(2, 6, n)
    weight = rng.integers(1, 4, n) / 2 if weighted else None
    truth = rng.normal(size=n) + 100 if scorer.kind == "number" else rng.integers(0, k, n)
    if scorer.kind == "number":
        said = [truth + rng.normal(size=n) for _ in range(3)]
    elif scorer.needs == "prediction":
        said = [rng.integers(0, k, n) for _ in range(3)]
    else:
        p = rng.uniform(size=(3, n))
        said = [np.column_stack([1 - one, one]) for one in p]
    times, units = unit_scores(scorer.summarize, truth, weight, unit, k)(said)
    assert sorted(units) == [2, 3, 4, 5]
    for found, one in zip(times, said, strict=True):
        assert scorer.value(found) == pytest.approx(scorer.value(scorer.summarize(truth, one, weight, k)), abs=1e-12)
    for u, found in units.items():
        at = np.flatnonzero(unit == u)
        heft = None if weight is None else np.tile(weight[at], 3)
        wanted = scorer.summarize(np.tile(truth[at], 3), np.concatenate([one[at] for one in said]), heft, k)
        assert scorer.value(found) == pytest.approx(scorer.value(wanted), abs=1e-12)
        assert found.rows == wanted.rows
    merged = scorer.value(merge(list(units.values())))
    if name in ("r2", "neg_mean_absolute_error", "accuracy", "neg_log_loss"):
        assert merged == pytest.approx(np.mean([scorer.value(one) for one in times]), abs=1e-12)


def test_predictions_that_are_no_numbers_are_refused():
    truth = np.zeros(4)
    with pytest.raises(ValueError, match="the prediction holds NaN"):
        unit_scores(scorers["r2"].summarize, truth, None, np.zeros(4, int), 0)([np.array([1.0, np.nan, 0.0, 0.0])])
