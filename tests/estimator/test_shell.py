"""The shell: atomic fits, attributes of the state, names, a fit in a forked process."""

import multiprocessing
import os
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import tenfold as tn
from tenfold import CategoricalNB, FindS, GaussianNB, KMeans, Local, MergeError, Ridge, StandardScaler, on
from tenfold.core.learner import Initial
from tenfold.estimator import OnePass
from tenfold.sources import ArraySource, part_rows
from tenfold.stats.moments.moments import Moments

X = np.random.default_rng(0).normal(size=(60, 2))
y = X @ [1.0, 2.0]


def test_a_failed_fit_changes_nothing():
    model = Ridge().fit(X, y)
    before = dict(model.__dict__)
    hole = X.copy()
    hole[7, 1] = np.nan
    for call in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match="NaN"):
            call(hole, y)
        with pytest.raises(ValueError, match="inconsistent"):
            call(X, y[:-1])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(np.column_stack([X, y]), y)
    assert model.__dict__ == before


def test_a_learner_without_a_statistic_is_told_what_it_lacks():
    class NoStatistic(OnePass):
        def solve(self, schema, summary: Moments) -> Initial:
            raise AssertionError

    with pytest.raises(NotImplementedError, match="NoStatistic has no `statistic`"):
        NoStatistic().fit(X)


def test_state_fields_are_attributes():
    model = Ridge()
    assert not hasattr(model, "coef_")
    model.fit(X, y)
    assert model.coef_ is model.model_.coef
    assert "coef_" in dir(model)
    with pytest.raises(AttributeError, match="'Ridge' object has no attribute 'slope_'"):
        _ = model.slope_
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_names_are_kept_and_compared():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = Ridge().fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["b", "a"]])
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame[["b", "a"]], y)
    assert (model + Ridge().fit(frame + 1, y)).feature_names_in_.tolist() == ["a", "b"]


def test_a_source_is_fitted_as_it_is():
    model = Ridge().fit(ArraySource(X, y, names=["a", "b"]))
    np.testing.assert_array_equal(model.coef_, Ridge().fit(X, y).coef_)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.predict(ArraySource(X)).collect(), Ridge().fit(X, y).predict(X))
    with pytest.raises(ValueError, match="names its own target"):
        Ridge().fit(ArraySource(X, y), y)


def test_sparse_is_taken_or_refused():
    rows = sp.csr_array(np.eye(4))
    assert Ridge().fit(rows, np.arange(4.0)).coef_.shape == (4,)
    assert KMeans(2).fit(rows).cluster_centers_.shape == (2, 4)
    for learner in (GaussianNB(), CategoricalNB(), FindS(), StandardScaler()):
        with pytest.raises(TypeError, match="[Ss]parse"):
            learner.fit(rows, [0, 1, 0, 1])


def test_weights_are_checked():
    with pytest.raises(ValueError, match="at least one non-zero"):
        Ridge().fit(X, y, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match="[Nn]egative"):
        Ridge().fit(X, y, sample_weight=np.full(60, -1.0))


def test_verify_notices_a_changed_state():
    model = Ridge().fit(X, y + np.random.default_rng(1).normal(size=60))
    assert model.verify().origin == "verified"
    model.model_ = model.model_._replace(coef=model.coef_ + 1e-3)
    with pytest.raises(ValueError, match="the certificate does not hold: coef_ is not what the summary gives; gap"):
        model.verify()


def test_provenance():
    weight = np.ones(60)
    weight[:10] = 0
    with on(Local(threads=2)), part_rows(20):
        where = Ridge().fit(X, y, sample_weight=weight).certificate_.provenance
    assert (where.rows, where.dropped, where.parts, where.passes) == (50, 10, 3, 1.0)
    assert where.seed is None
    assert not where.mixed
    assert "numpy" in where.workers[0]
    assert KMeans(2, random_state=3).fit(X).certificate_.provenance.seed == 3


def fit_in_child(queue):
    queue.put(Ridge().fit(np.tile(X, (200, 1)), np.tile(y, 200)).coef_.tolist())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_has_its_own_threads():
    """Threads do not survive a fork: a pool that is kept must not be waited for there."""
    expected = Ridge().fit(np.tile(X, (200, 1)), np.tile(y, 200)).coef_.tolist()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        process = context.Process(target=fit_in_child, args=(queue,))
        process.start()
    assert queue.get(timeout=60) == expected
    process.join(60)


@pytest.mark.parametrize("form", ["same fit", "same array", "same file", "merged before", "saved"])
def test_the_same_rows_added_twice_are_refused(form, tmp_path):
    """They would count twice, and nothing would show it."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    days = [(X[:100], X[:100, 0]), (X[100:200], X[100:200, 0]), (X[200:], X[200:, 0])]
    if form == "same file":
        frame = pd.DataFrame(X, columns=list("abc"))
        frame.to_parquet(tmp_path / "day.parquet")
        a, b = (Ridge().fit(tn.scan(tmp_path / "day.parquet", target="c")) for _ in range(2))
    else:
        a, b = Ridge().fit(*days[0]), Ridge().fit(*days[0])
    if form == "same fit":
        b = a
    if form == "merged before":
        for day in range(60):  # so many that their fingerprints no longer fit into a line
            a = a + Ridge().fit(days[1][0] + day, days[1][1])
    if form == "saved":
        a.save(tmp_path / "a.tenfold")
        a = tn.load(tmp_path / "a.tenfold")
    with pytest.raises(MergeError, match="made from the same rows"):
        a + b
    with pytest.raises(MergeError, match="made from the same rows"):
        b + a
    other = Ridge().fit(days[2][0], days[2][1])
    if form != "same file":
        assert (a + other).certificate_.provenance.rows == a.certificate_.provenance.rows + 100


def test_equal_chunks_may_be_learned_one_after_another():
    """As scikit-learn has it: whoever calls partial_fit again wants to count the rows again."""
    X = np.random.default_rng(0).normal(size=(100, 3))
    twice = Ridge().fit(X, X[:, 0], np.full(100, 2.0))
    again = Ridge().partial_fit(X, X[:, 0]).partial_fit(X, X[:, 0])
    np.testing.assert_allclose(again.coef_, twice.coef_, rtol=1e-12, atol=1e-14)
    assert again.certificate_.provenance.rows == 200


def test_a_few_rows_that_are_equal_are_warned_of():
    """Two days of four rows may be alike by chance."""
    X, y = [[0.0], [1.0], [1.0], [2.0]], [0.0, 1.0, 1.0, 2.0]
    with pytest.warns(UserWarning, match="made from the same rows"):
        both = Ridge().fit(X, y) + Ridge().fit(X, y)
    assert both.certificate_.provenance.rows == 8


@pytest.mark.parametrize("order", [1, -1])
def test_a_batch_of_one_class_is_learned_after_others(order):
    """Classes are counted in the merged rows, not in each batch."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.where(X[:, 0] > 0, "p", "q")
    learner = tn.SVC(gamma=0.5, tol=1e-9).partial_fit(X[:20], y[:20])
    for i in range(20, 30)[::order]:
        learner.partial_fit(X[i : i + 1], y[i : i + 1])
    seen = np.r_[0:20, np.arange(20, 30)[::order]]
    wanted = tn.SVC(gamma=0.5, tol=1e-9).fit(X[seen], y[seen])
    assert learner.n_support_.tolist() == wanted.n_support_.tolist()
    np.testing.assert_allclose(learner.decision_function(X), wanted.decision_function(X), atol=1e-7)
    assert learner.verify().origin == "verified"
    with pytest.raises(ValueError, match="The number of classes has to be greater than one; got 1 class"):
        tn.SVC().partial_fit(X[:1], y[:1])


@pytest.mark.parametrize("learner", [tn.RidgeCV(cv="random"), tn.LassoCV(alphas=3), tn.ElasticNetCV(alphas=3)])
def test_a_batch_of_one_fold_is_learned_after_others(learner):
    X = np.random.default_rng(1).normal(size=(61, 2))
    y = X @ [1.0, 2.0]
    learner.partial_fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    assert learner.certificate_.provenance.rows == 61
    assert learner.mse_path_.shape[-1] == 10


def test_rows_that_cannot_be_learned_leave_the_model_as_it_was():
    X = np.random.default_rng(2).normal(size=(20, 2))
    learner = tn.GaussianNB().partial_fit(X, X[:, 0] > 0)
    before = learner.theta_
    with pytest.raises(ValueError, match="NaN"):
        learner.partial_fit([[np.nan, 1.0]], [True])
    assert learner.theta_ is before or np.array_equal(learner.theta_, before)


def test_a_learner_of_one_pass_with_its_own_update_declares_whether_summaries_merge_unsolved():
    class ReadsOn(tn.Ridge):
        def update(self, state, summary):
            return super().update(state, summary)

    assert not ReadsOn().merges_unsolved  # inherited from LeastSquares, which declares it
    with pytest.raises(TypeError, match="Undeclared has its own `update` and must declare `merges_unsolved`"):

        class Undeclared(tn.GaussianNB):
            def update(self, state, summary):
                return super().update(state, summary)
