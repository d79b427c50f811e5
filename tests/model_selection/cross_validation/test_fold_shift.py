"""Folds in the order of sorted rows are not alike, and cross-validation says so; in random order it is silent."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.core import Chunk, Columns
from tenfold.model_selection.cross_validation.fold_shift import FALSE_ALARMS, ColumnMeans, p_values
from tenfold.sources.array_source import part_rows

rng = np.random.default_rng(0)
DAY = np.sort(rng.integers(0, 10, 1_500))
X = np.column_stack([rng.normal(size=1_500), rng.normal(size=1_500) + DAY])
Y = (X[:, 1] - 1.8 * DAY + rng.normal(size=1_500) > 0).astype(int)


def means(X, fold, folds):
    chunk = Chunk(Columns(X), None, np.ones(len(X)), True, 0, 0)
    return ColumnMeans(1).summarize_groups(chunk, fold, folds)


@pytest.mark.parametrize("model", [tn.GaussianNB(), make_pipeline(tn.StandardScaler(), tn.LogisticRegression())])
def test_sorted_rows_are_told_of_with_the_column_and_the_remedy(model):
    with pytest.warns(UserWarning, match=r"column 'x1' .*shuffle=True"):
        tn.cross_validate(model, X, Y, folds=5)
    with part_rows(100), pytest.warns(UserWarning, match="column 'x1'"):
        tn.tune(tn.GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, tn.scan(X, target=Y), folds=5)


def test_the_warning_of_daily_rows_denies_the_scores_and_its_remedies_work():
    """The classes of rows in the order of time are cut at different days, which a tree learns from the date."""
    random = np.random.default_rng(5)
    day = np.arange(2_000) // 100
    x, rare = random.normal(size=2_000), random.random(2_000) < 0.05 + 0.03 * day
    y = (x + 1.5 * random.normal(size=2_000) > 0) ^ rare
    rows = np.column_stack([day, x])
    learner = tn.DecisionTreeClassifier(max_depth=4)
    words = "do not estimate how well .* new rows.*a new day.*Remedy: shuffle=True.*folds='time'.*groups="
    with pytest.warns(UserWarning, match=words):
        tn.cross_validate(learner, rows, y, folds=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in ({"folds": 4, "shuffle": True}, {"folds": "time"}, {"folds": 4, "groups": day}):
            assert np.isfinite(tn.cross_validate(learner, rows, y, **given).scores).all()


def test_a_choice_of_folds_and_rows_in_random_order_are_silent():
    mixed = np.random.default_rng(1).permutation(len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tn.cross_validate(tn.GaussianNB(), X, Y, folds=5, shuffle=True)
        tn.cross_validate(tn.GaussianNB(), X, Y, folds=DAY)
        tn.cross_validate(tn.GaussianNB(), X, Y, folds=5, groups=DAY)
        tn.cross_validate(tn.GaussianNB(), X[mixed], Y[mixed], folds=5)
        tn.cross_validate(tn.LogisticRegression(), sp.csr_array(X[mixed]), Y[mixed], folds=5)


def test_sparse_rows_and_holes_are_looked_at_too():
    with pytest.warns(UserWarning, match="column 'x1'"):
        tn.cross_validate(tn.LogisticRegression(), sp.csr_array(X), Y, folds=5)
    holes = np.where(rng.random(X.shape) < 0.3, np.nan, X)
    with pytest.warns(UserWarning, match="column 'x1'"):
        tn.cross_validate(tn.DecisionTreeClassifier(max_depth=2), holes, Y, folds=5)


def test_p_values_are_those_of_an_analysis_of_variance():
    fold = rng.integers(0, 4, 400)
    values = np.column_stack([rng.normal(size=400), rng.exponential(size=400) + 0.3 * fold, np.ones(400)])
    found = p_values(means(values, fold, 4))
    expected = [stats.f_oneway(*(values[fold == g, c] for g in range(4))).pvalue for c in range(2)]
    np.testing.assert_allclose(found, [*expected, 1.0], rtol=1e-9)


def test_means_merge():
    fold = rng.integers(0, 3, 300)
    values = rng.normal(size=(300, 2)) * 1e6 + 1e9
    first, rest, whole = means(values[:80], fold[:80], 3), means(values[80:], fold[80:], 3), means(values, fold, 3)
    for some, more, all_ in zip(first, rest, whole, strict=True):
        for name in ("count", "mean", "square"):
            np.testing.assert_allclose(getattr(some + more, name), getattr(all_, name), rtol=1e-9)


def test_all_folds_at_once_are_each_fold_by_itself():
    """Which rows are looked at does not depend on what else is in their fold."""
    fold = rng.integers(-1, 3, 300)
    chunk = Chunk(Columns(rng.normal(size=(300, 20))), None, np.ones(300), True, 0, 0)
    statistic = ColumnMeans.for_rows(4_000)
    assert statistic.every == 8
    at_once = statistic.summarize_groups(chunk, fold, 3)
    for group, one in enumerate(at_once):
        alone = statistic.summarize(chunk.rows(np.flatnonzero(fold == group)))
        assert 0 < one.count[0] < (fold == group).sum() / 4
        for name in ("count", "mean", "square"):
            assert np.array_equal(getattr(one, name), getattr(alone, name))


@pytest.mark.full
def test_false_alarms_are_as_rare_as_stated():
    runs, alarms = 3_000, 0
    for _ in range(runs):
        values = np.column_stack([rng.normal(size=150), rng.exponential(size=150), rng.random(150) < 0.1])
        p = p_values(means(values, rng.integers(0, 5, 150), 5))
        alarms += p.min() * 3 < FALSE_ALARMS
    assert alarms <= 12  # 3 expected; more than 12 in 3,000 has a chance below 1e-4
