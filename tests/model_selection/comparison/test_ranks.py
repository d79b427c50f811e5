"""Learners over several data sets: against scipy and published figures."""

import sys
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tenfold as tn
from tenfold.model_selection.comparison.compare import compare_all
from tiers import draws

# Demšar (2006), table 6; of the last but one, whose ranks differ though three digits agree, a fourth digit
TREES = """
0.763 0.768 0.771 0.798   0.599 0.591 0.590 0.569   0.954 0.971 0.968 0.967   0.628 0.661 0.654 0.657
0.882 0.888 0.886 0.898   0.936 0.931 0.916 0.931   0.661 0.668 0.609 0.685   0.583 0.583 0.563 0.625
0.775 0.838 0.866 0.875   1.000 1.000 1.000 1.000   0.940 0.962 0.965 0.962   0.619 0.666 0.614 0.669
0.972 0.981 0.9751 0.975  0.957 0.978 0.946 0.970
"""
NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]


def test_ranks_of_the_published_example():
    table = np.array(TREES.split(), dtype=float).reshape(14, 4)
    found = compare_all(table, names=NAMES)
    assert [round(r, 3) for r in found.ranks] == [3.143, 2.000, 2.893, 1.964]
    assert found.critical == pytest.approx(1.25, abs=0.005)
    assert compare_all(table, names=NAMES, level=0.9).critical == pytest.approx(1.12, abs=0.005)
    theirs = stats.friedmanchisquare(*table.T)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    plain = 12 * 14 / (4 * 5) * (np.square(found.ranks).sum() - 4 * 25 / 4)  # without the correction for ties
    assert plain == pytest.approx(9.28, abs=0.005)
    # of Nemenyi's test the paper tells C4.5 from the two that fit m at .10, none at .05
    assert found.cliques == [[3, 1, 2, 0]]
    at_ten = compare_all(table, names=NAMES, level=0.9)
    assert at_ten.significant("C4.5", "C4.5+m")
    assert at_ten.significant(0, 3)
    assert not at_ten.significant("C4.5+cf", "C4.5+m")
    assert at_ten.cliques == [[3, 1, 2], [2, 0]]


def test_critical_values():
    published = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]  # q at .05 for 2 to 10 learners
    random = np.random.default_rng(0)
    for k, q in enumerate(published, 2):
        found = compare_all(random.random((9, k)))
        assert found.critical / sqrt(k * (k + 1) / (6 * 9)) == pytest.approx(q, abs=0.0011)


def test_ranks_of_cross_validations():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    learners = {"one": tn.Ridge(1.0), "two": tn.Ridge(2.0), "many": tn.Ridge(300.0)}
    judged = tn.cross_validate(learners, X, X @ [1.0, 2.0, 0.0, 0.0] + random.normal(size=200))
    found = compare_all([judged] * 5)
    assert found.names == ("one", "two", "many")
    assert found.datasets == 5
    assert found.significant("one", "many") == (found.ranks[2] - found.ranks[0] >= found.critical)
    assert compare_all({"monday": judged, "tuesday": judged}, score="r2").datasets == 2
    assert "mean rank" in str(found)
    assert "Nemenyi" in found._repr_html_()
    assert repr(found) == str(found)


def test_columns_of_a_frame_are_names():
    frame = pd.DataFrame({"forest": [0.9, 0.8, 0.9], "tree": [0.8, 0.7, 0.7]}, index=["a", "b", "c"])
    assert compare_all(frame).names == ("forest", "tree")
    assert compare_all(frame, names=["f", "t"]).names == ("f", "t")


def test_ties_everywhere():
    assert compare_all([[0.1 + 0.2, 0.3], [0.4, 0.4]]).ranks == (1.5, 1.5), "what differs by rounding is a tie"
    found = compare_all(np.ones((4, 3)))
    assert (found.statistic, found.p, found.ranks) == (0, 1, (2, 2, 2))
    assert found.cliques == [[0, 1, 2]]
    assert ": not significantly different" in str(found)


@settings(max_examples=draws(20, 25))
@given(st.integers(2, 12), st.integers(3, 6), st.integers(0, 10**6))
def test_friedman_against_scipy(n, k, seed):
    table = np.random.default_rng(seed).integers(0, 4, (n, k)).astype(float)
    if (np.ptp(table, axis=1) == 0).all():
        return
    found, theirs = compare_all(table), stats.friedmanchisquare(*table.T)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert sum(found.ranks) == pytest.approx(k * (k + 1) / 2)


def test_diagram():
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    table = np.array(TREES.split(), dtype=float).reshape(14, 4)
    found = compare_all(table, names=NAMES, level=0.9)
    ax = found.plot()
    texts = [text.get_text().strip() for text in ax.texts]
    assert "C4.5+m+cf (1.96)" in texts
    assert "critical difference 1.12" in texts
    bars = [line.get_xdata() for line in ax.lines if line.get_gid() == "clique"]
    assert len(bars) == 2
    assert bars[0][0] < found.ranks[3]
    assert bars[0][1] > found.ranks[2]
    assert compare_all(np.random.default_rng(0).random((9, 3))).plot(ax=ax) is ax
    plt.close("all")


def test_diagram_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"tenfold\[plot\]"):
        compare_all(np.eye(3)).plot()


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: compare_all([1.0, 2.0]), "results must be"),
        (lambda: compare_all("cv"), "results must be"),
        (lambda: compare_all([]), "results must be"),
        (lambda: compare_all([[1.0, np.nan], [1.0, 2.0]]), "finite"),
        (lambda: compare_all({"a": [1.0, 2.0], "b": [2.0, 3.0]}), "results is a dict"),
        (lambda: compare_all(np.eye(3), names=["a"]), "names has 1 entries, and results 3 columns"),
        (lambda: compare_all(np.eye(2), names="ab"), "names must be one for each learner"),
        (lambda: compare_all(np.eye(2)).significant("a", 1), "there is no learner 'a'"),
        (lambda: compare_all(np.eye(2)).significant(0, 2), "there is no learner 2"),
    ],
)
def test_errors_name_the_argument_and_the_remedy(call, word):
    with pytest.raises(ValueError) as caught:
        call()
    assert word in str(caught.value)
