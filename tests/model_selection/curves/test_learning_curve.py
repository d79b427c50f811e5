"""Scores by training rows: nested shares, one scan, the same by summaries as by fitting the rows again."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold, TimeSeriesSplit, cross_val_score
from sklearn.model_selection import learning_curve as theirs
from sklearn.naive_bayes import GaussianNB

import tenfold as tn
from tenfold.core import Chunk, Columns
from tenfold.engine.group_keys import Shuffled
from tenfold.model_selection.cross_validation.folds import by_share
from tenfold.sources import part_rows

SIZES = [0.1, 0.35, 1.0]


def numbers(n=400, p=4, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p))
    return X, X @ random.normal(size=p) + random.normal(size=n)


def test_all_rows_give_the_scores_of_scikit_learn():
    X, y = numbers()
    with part_rows(30):
        found = tn.learning_curve(tn.Ridge(), X, y, train_sizes=SIZES, folds=5)
    _, train, test = theirs(Ridge(), X, y, train_sizes=[1.0], cv=KFold(5))
    np.testing.assert_allclose(found.train_scores[-1:], train, rtol=1e-9)
    np.testing.assert_allclose(found.test_scores[-1:], test, rtol=1e-9)
    assert found.scans == 1
    assert found.train_sizes.tolist() == [32, 112, 320]


@pytest.mark.parametrize(
    ("mine", "other", "scoring"),
    [
        (tn.LinearRegression(), LinearRegression(), "r2"),
        (tn.Ridge(), Ridge(), "neg_mean_absolute_error"),
        (tn.GaussianNB(), GaussianNB(), "neg_log_loss"),
        (tn.GaussianNB(), GaussianNB(), "accuracy"),
    ],
)
def test_merged_summaries_give_what_fits_of_the_same_rows_give(mine, other, scoring):
    """The estimator of scikit-learn is fitted to the rows of each share, in memory."""
    X, y = numbers(seed=1)
    y = np.digitize(y, [-1.0, 1.0]) if scoring in ("accuracy", "neg_log_loss") else y
    with part_rows(33):
        a = tn.learning_curve(mine, X, y, train_sizes=SIZES, folds=4, scoring=scoring)
        b = tn.learning_curve(other, X, y, train_sizes=SIZES, folds=4, scoring=scoring)
    np.testing.assert_array_equal(a.sizes, b.sizes)
    np.testing.assert_allclose(a.train_scores, b.train_scores, rtol=1e-8)
    np.testing.assert_allclose(a.test_scores, b.test_scores, rtol=1e-8)


def test_shares_are_nested_even_and_stratified():
    random = np.random.default_rng(2)
    y = np.repeat(["a", "b"], [360, 40])
    X = random.normal(size=(400, 2))
    found = tn.learning_curve(tn.GaussianNB(), X, y, train_sizes=[0.1, 0.5, 1.0], folds=4)
    expected = np.outer([0.1, 0.5, 1.0], [300] * 4)
    assert np.abs(found.sizes[:, :, 0] - expected).max() <= 12
    assert (found.sizes[-1, :, 0] == 300).all()
    _, _, test = theirs(GaussianNB(), X, y, train_sizes=[1.0], cv=StratifiedKFold(4))
    np.testing.assert_allclose(found.test_scores[-1:], test, rtol=1e-12)
    key = by_share(Shuffled(4, 0), Shuffled(10, 1), np.searchsorted([1, 5, 10], np.arange(10), side="right"), 3)
    code = key.coder(0)(Chunk(Columns(np.zeros((1000, 1))), None, np.ones(1000), True, 0, 0))
    assert key.groups == 12
    assert np.array_equal(code // 3, Shuffled(4, 0).of(np.arange(1000)))
    assert np.bincount(code % 3).tolist() == [100, 400, 500]


def test_the_same_from_parquet_and_from_frames(tmp_path):
    X, y = numbers(seed=3)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=41)
    a = tn.learning_curve(tn.Ridge(), X, y, train_sizes=SIZES, folds=4)
    rows = tn.scan(tmp_path / "rows.parquet", target="y")
    b = tn.learning_curve(tn.Ridge(), rows, train_sizes=SIZES, folds=4, shuffle=False)
    np.testing.assert_allclose(a.test_scores, b.test_scores, rtol=1e-10)
    np.testing.assert_array_equal(a.sizes, b.sizes)
    few = tn.scan(tmp_path / "rows.parquet", target="y", where=[("a", ">", 0)])
    c = tn.learning_curve(tn.Ridge(), few, train_sizes=[1.0], folds=4, shuffle=False)
    d = tn.learning_curve(tn.Ridge(), X[X[:, 0] > 0], y[X[:, 0] > 0], train_sizes=[1.0], folds=4)
    np.testing.assert_allclose(c.test_scores, d.test_scores, rtol=1e-10)


def test_numbers_of_rows_groups_and_splitters():
    X, y = numbers(1000, seed=4)
    found = tn.learning_curve(tn.Ridge(), X, y, train_sizes=[80, 400, 800], folds=5)
    assert np.abs(found.train_sizes - [80, 400, 800]).max() <= 3
    found = tn.learning_curve(tn.Ridge(), X, y, train_sizes=[0.5, 1.0], folds=3, groups=np.arange(1000) // 50)
    assert found.test_scores.shape == (2, 3)
    found = tn.learning_curve(tn.Ridge(), X, y, train_sizes=[1.0], folds=TimeSeriesSplit(4))
    scores = cross_val_score(Ridge(), X, y, cv=TimeSeriesSplit(4))
    np.testing.assert_allclose(found.test_scores[0], scores, rtol=1e-9)


def test_more_rows_help_as_theory_says():
    """Least squares with p columns: the squared error is σ² (1 + about p / (n - p)); training error σ² (1 - p / n)."""
    X, y = numbers(4000, 20, seed=5)
    found = tn.learning_curve(tn.LinearRegression(), X, y, train_sizes=[0.02, 1.0], scoring="neg_mean_squared_error")
    n, p = found.train_sizes[0], 21
    assert found.train_scores[0].mean() == pytest.approx(-(1 - p / n), abs=0.2)
    assert found.test_scores[0].mean() == pytest.approx(-(1 + p / (n - p)), abs=0.3)
    assert found.test_scores[1].mean() == pytest.approx(-1, abs=0.1)


@pytest.mark.full
def test_intervals_hold_the_mean_score_at_every_size():
    """Folds of small shares learn from nearly the same rows: uncorrected, an interval misses too often."""
    found, ends, plain = [], [], []
    for seed in range(150):
        X, y = numbers(500, 8, seed)
        curve = tn.learning_curve(
            tn.Ridge(), X, y, train_sizes=[0.05, 1.0], scoring="neg_mean_squared_error", random_state=seed
        )
        found.append(curve.test_scores.mean(axis=1))
        ends.append(curve.interval())
        plain.append(2.262 * curve.test_scores.std(axis=1, ddof=1) / np.sqrt(10))
    found, ends = np.array(found), np.array(ends)
    true = found.mean(axis=0)
    assert (((ends[:, :, 0] <= true) & (true <= ends[:, :, 1])).mean(axis=0) >= 0.93).all()
    assert (np.abs(found - true) <= plain).mean(axis=0)[0] < 0.85


@pytest.mark.parametrize("sizes", [[], [0.0], [1.5], [-3], [5000], "all"])
def test_sizes_that_make_no_sense_are_refused(sizes):
    X, y = numbers()
    with pytest.raises(ValueError, match="train_sizes"):
        tn.learning_curve(tn.Ridge(), X, y, train_sizes=sizes)


def test_prints_and_plots():
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    X, y = numbers(seed=6)
    found = tn.learning_curve(tn.Ridge(), X, y, train_sizes=SIZES, folds=4)
    assert "training rows" in str(found)
    assert "<table" in found._repr_html_()
    ax = found.plot()
    assert [line.get_xdata().tolist() for line in ax.get_lines()] == [found.train_sizes.tolist()] * 2
    plt.close("all")


def test_a_column_says_the_folds_of_an_estimator_in_memory():
    import pandas as pd
    from sklearn.linear_model import Ridge as Peer

    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(90, 2)), columns=["a", "b"])
    frame["where"] = np.repeat(["x", "y", "z"], 30)
    y = frame["a"].to_numpy() + random.normal(size=90)
    theirs = tn.learning_curve(Peer(1.0), frame, y, folds="where")
    ours = tn.learning_curve(tn.Ridge(1.0), frame, y, folds="where")
    np.testing.assert_allclose(theirs.test_scores[-1], ours.test_scores[-1])
