"""Drift of profiles against scipy's tests of the rows, its error rates, and what it finds."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tenfold as tn
from tenfold.core import DataError
from tenfold.inspection.drift.drift import benjamini_hochberg
from tenfold.inspection.drift.two_sample_tests import of_counts, of_numbers
from tenfold.stats.counts.distribution import ValueGroups


def frame(seed, rows=400, shift=0.0):
    random = np.random.default_rng(seed)
    found = pd.DataFrame(random.normal(size=(rows, 3)), columns=list("abc"))
    found["a"] += shift
    found["whole"] = random.poisson(3, rows)
    found["city"] = random.choice(["Bonn", "Kiel", "Ulm", "rare"], rows, p=[0.5, 0.3, 0.199, 0.001])
    found["lacks"] = np.where(random.random(rows) < 0.2, np.nan, random.normal(size=rows))
    return found


def profile(rows, **given):
    return tn.Profile(**given).fit(rows)


def by_what(found):
    return {(change.column, change.what): change for change in found.changes}


def test_numbers_are_those_of_scipy():
    a, b = frame(0), frame(1, 300, 0.1)
    found = by_what(tn.drift(profile(a), profile(b)))
    for name in ("a", "b", "whole", "lacks"):
        wanted = stats.ks_2samp(a[name].dropna(), b[name].dropna(), method="asymp")
        assert found[name, "values"].distance == pytest.approx(wanted.statistic, abs=1e-12)
        assert found[name, "values"].p == pytest.approx(wanted.pvalue, rel=1e-9)
        assert found[name, "values"].before == pytest.approx(a[name].mean())
        assert found[name, "values"].after == pytest.approx(b[name].mean())


def test_counts_are_those_of_scipy():
    a, b = frame(0), frame(1, 300)
    found = by_what(tn.drift(profile(a), profile(b)))
    lacks = [[int(one["lacks"].isna().sum()), int(one["lacks"].notna().sum())] for one in (a, b)]
    wanted = stats.chi2_contingency(lacks, correction=False)
    assert found["lacks", "missing"].p == pytest.approx(wanted.pvalue)
    assert found["lacks", "missing"].before == pytest.approx(a["lacks"].isna().mean())
    together = [one["city"].replace({"rare": "Ulm"}).value_counts().sort_index().to_list() for one in (a, b)]
    assert found["city", "values"].p == pytest.approx(stats.chi2_contingency(together).pvalue)
    shares = [one["city"].value_counts(normalize=True) for one in (a, b)]
    assert found["city", "values"].distance == pytest.approx(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2)
    assert ("a", "missing") not in found


def test_p_is_corrected_for_all_that_was_compared():
    pairs = profile(frame(0)), profile(frame(1, shift=0.3))
    found = tn.drift(*pairs)
    p = [change.p for change in found.changes]
    assert [change.adjusted for change in found.changes] == pytest.approx(
        np.minimum(1, np.maximum.accumulate(np.array(p) * np.arange(len(p), 0, -1)))
    )
    assert found.drifted == ["a"]
    fdr = tn.drift(*pairs, correction="fdr")
    wanted = stats.false_discovery_control([change.p for change in fdr.changes])
    assert [change.adjusted for change in fdr.changes] == pytest.approx(wanted)
    random = np.random.default_rng(0)
    for n in (1, 2, 7):
        p = random.random(n).round(1)
        np.testing.assert_allclose(benjamini_hochberg(p.tolist()), stats.false_discovery_control(p))
    assert tn.drift(*pairs, min_distance=0.5).drifted == []
    assert "a" in str(found)
    assert found.table()["drifted"].to_pylist() == [True] + [False] * (len(found.changes) - 1)
    assert "drifted" in found._repr_html_()


@pytest.mark.parametrize("correction", ["holm", "fdr"])
def test_false_alarms_of_the_whole_report_keep_the_level(correction):
    """Of 1,500 stationary pairs of six continuous columns: 5 % within three standard errors, and not far below."""
    random, alarms, pairs = np.random.default_rng(3), 0, 1500
    for _ in range(pairs):
        p = []
        for _ in range(6):
            a, b = (ValueGroups(x, x, np.ones(200), 64) for x in np.sort(random.normal(size=(2, 200))))
            p.append(of_numbers(a, b).p)
        adjusted = benjamini_hochberg(p) if correction == "fdr" else [min(p) * 6]
        alarms += min(adjusted) <= 0.05
    assert 0.03 <= alarms / pairs <= 0.06 + 3 * np.sqrt(0.05 * 0.95 / pairs)


def test_planted_shifts_are_named():
    named = sum(
        "a" in tn.drift(profile(frame(k, 2000)), profile(frame(k + 1000, 2000, 0.2))).drifted for k in range(40)
    )
    assert named >= 38


def test_counts_keep_the_level_with_rare_values():
    random = np.random.default_rng(0)
    share = np.array([0.5, 0.3, 0.1, *np.full(20, 0.005)])
    pairs = ([random.multinomial(n, share).astype(float) for n in (300, 200)] for _ in range(3000))
    p = [of_counts(*pair).p for pair in pairs]
    assert 0.03 < np.mean(np.array(p) <= 0.05) < 0.065


def test_coarse_groups_never_say_more_than_the_rows():
    random = np.random.default_rng(0)
    for _ in range(50):
        x, y = np.sort(random.normal(size=200)), np.sort(random.normal(0.2, 1, size=150))
        exact = of_numbers(*(ValueGroups(v, v, np.ones(len(v)), 64) for v in (x, y)))
        coarse = []
        for v in (x, y):
            cuts = np.sort(random.choice(np.arange(1, len(v)), 20, replace=False))
            first, last = np.append(0, cuts), np.append(cuts, len(v)) - 1
            coarse.append(ValueGroups(v[first], v[last], (last - first + 1).astype(float), 8))
        found = of_numbers(*coarse)
        assert found.distance <= exact.distance + 1e-12
        assert found.p >= exact.p - 1e-12


def test_classes_of_the_target_and_values_that_were_not_all_counted():
    a, b = frame(0, 1000), frame(1, 1000)
    a["sold"], b["sold"] = (np.random.default_rng(k).random(1000) < share for k, share in ((0, 0.3), (1, 0.6)))
    found = tn.drift(profile(tn.scan(a, target="sold")), profile(tn.scan(b, target="sold")))
    assert found.drifted == ["(target)"]
    a["city"] = [f"c{k % 40 if k % 3 else 0}" for k in range(1000)]
    b["city"] = [f"c{k % 60 if k % 3 else 1}" for k in range(1000)]
    few = [tn.Profile(max_values=5).fit(one[["city", "a"]]) for one in (a, b)]
    assert "city" in tn.drift(*few).drifted
    same = [tn.Profile(max_values=5).fit(one[["city", "a"]]) for one in (a, a)]
    assert by_what(tn.drift(*same))["city", "values"].p > 0.99


def test_profiles_that_do_not_compare_are_refused():
    a = profile(frame(0))
    with pytest.raises(DataError, match=r"columns \['c'\] are in one of the profiles only"):
        tn.drift(a, profile(frame(1).drop(columns="c")))
    with pytest.raises(DataError, match="'a' is numeric and text"):
        tn.drift(a, profile(frame(1).astype({"a": str})))
    with pytest.raises(TypeError, match="compares profiles"):
        tn.drift(a, frame(1))
    with pytest.raises(ValueError, match="correction"):
        tn.drift(a, a, correction="no")
    with pytest.raises(ValueError, match="shares"):
        tn.drift(a, a, level=5)


def test_a_ledger_compares_a_day_with_those_before(tmp_path):
    ledger = tn.Ledger(tmp_path, tn.Profile())
    for number in range(12):
        rows = frame(number, shift=0.5 if number == 11 else 0.0)
        ledger.append(rows, key=f"2026-01-{number + 1:02d}")
    assert ledger.drift().drifted == ["a"]
    assert ledger.drift("2026-01-11").drifted == []
    direct = tn.drift(
        profile(pd.concat([frame(k) for k in (8, 9, 10)], ignore_index=True)), profile(frame(11, shift=0.5))
    )
    found = ledger.drift(against="3d")
    assert [(c.column, c.what) for c in found.changes] == [(c.column, c.what) for c in direct.changes]
    assert [c.p for c in found.changes] == pytest.approx([c.p for c in direct.changes])
    with pytest.raises(DataError, match="no batch in the window"):
        ledger.drift("2026-01-01")
    with pytest.raises(KeyError, match="the ledger has 0"):
        tn.Ledger(tmp_path / "other", tn.Ridge()).drift()
