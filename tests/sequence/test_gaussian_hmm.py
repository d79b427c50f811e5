import itertools

import numpy as np
import pytest
import scipy.stats as st
from scipy.optimize import minimize

import tenfold as tn
from tenfold import DataError, GaussianHMM
from tenfold.sequence.hidden_states import HiddenStates, SequenceRows
from tenfold.sources import part_rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
KINDS = ("diag", "full", "tied", "spherical")


def sequences(seed=0, count=20, p=2):
    """Rows of sequences that stay in a state for a while, and these states."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 60, count)
    model = HiddenStates(np.array([0.5, 0.5]), np.array([[0.95, 0.05], [0.1, 0.9]]))
    states = model.drawn(lengths.cumsum(), random)
    return random.standard_normal((len(states), p)) * [1, 2][:p] + 4 * states[:, None], lengths, states


@pytest.mark.parametrize("kind", KINDS)
def test_likelihood_is_that_of_the_normals_along_the_states(kind):
    X, lengths, _ = sequences()
    model = GaussianHMM(2, covariance_type=kind, max_iter=3, tol=0.0).fit(X, lengths=lengths)
    covariance = {
        "diag": lambda k: np.diag(model.covars_[k]),
        "full": lambda k: model.covars_[k],
        "tied": lambda k: model.covars_,
        "spherical": lambda k: np.eye(2) * model.covars_[k],
    }[kind]
    table = np.column_stack([st.multivariate_normal(model.means_[k], covariance(k)).logpdf(X) for k in range(2)])
    rows = SequenceRows(lengths.cumsum(), np.arange(len(X)), np.ascontiguousarray(table))
    _, scores = HiddenStates(model.startprob_, model.transmat_).filtered(rows)
    np.testing.assert_allclose(model.score_samples(X, lengths), scores, rtol=1e-10)
    assert model.certificate_["log-likelihood"].value == pytest.approx(scores.sum() / len(X), rel=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_a_round_is_the_means_of_the_rows_by_their_states(kind):
    X, lengths, _ = sequences(1)
    first = {"covariance_type": kind, "tol": 0.0, "reg_covar": 0.0}
    before = GaussianHMM(2, max_iter=2, **first).fit(X, lengths=lengths)
    after = GaussianHMM(2, max_iter=3, **first).fit(X, lengths=lengths)
    share = before.predict_proba(X, lengths)
    np.testing.assert_allclose(after.means_, share.T @ X / share.sum(axis=0)[:, None], rtol=1e-9)
    np.testing.assert_allclose(after.startprob_, share[lengths.cumsum() - lengths].mean(axis=0), rtol=1e-9, atol=1e-300)
    away = X[:, None, :] - after.means_
    each = np.einsum("nk,nki,nkj->kij", share, away, away)
    weight = share.sum(axis=0)
    want = {
        "full": each / weight[:, None, None],
        "tied": each.sum(axis=0) / weight.sum(),
        "diag": np.diagonal(each, axis1=1, axis2=2) / weight[:, None],
        "spherical": np.trace(each, axis1=1, axis2=2) / weight / 2,
    }[kind]
    np.testing.assert_allclose(after.covars_, want, rtol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_likelihood_never_falls_and_the_next_round_gains_what_is_said(kind):
    X, lengths, _ = sequences(2, 6)
    given = {"covariance_type": kind, "tol": 0.0, "reg_covar": 0.0}
    found = [GaussianHMM(3, max_iter=r, **given).fit(X, lengths=lengths) for r in range(1, 9)]
    scores = np.array([model.certificate_["log-likelihood"].value for model in found])
    gains = np.array([model.certificate_["next round gains"].value for model in found])
    assert (np.diff(scores) >= gains[:-1] - 1e-11).all()
    assert (gains >= -1e-12).all()


def test_states_are_found_again_and_rows_before_help():
    X, lengths, states = sequences(3, 60)
    X = X + np.random.default_rng(0).normal(size=X.shape) * 3  # rows alone do not tell
    model = GaussianHMM(2).fit(X, lengths=lengths)
    path = model.predict(X, lengths)
    right = max((path == states).mean(), (path != states).mean())
    alone = tn.GaussianMixture(2).fit(X).predict(X)
    assert right > max((alone == states).mean(), (alone != states).mean()) + 0.05
    drawn, hidden = model.sample(50_000)
    np.testing.assert_allclose([drawn[hidden == k].mean(axis=0) for k in range(2)], model.means_, atol=0.15)


def test_states_that_forget_are_a_mixture():
    X, _, _ = sequences(4)
    mixture = tn.GaussianMixture(2, covariance_type="diag").fit(X)
    model = GaussianHMM(2, startprob_init=mixture.weights_, transmat_init=[mixture.weights_] * 2, max_iter=1)
    model = model.set_params(means_init=mixture.means_).fit(X)
    share = HiddenStates(mixture.weights_, np.array([mixture.weights_] * 2))
    table = np.column_stack(
        [st.norm(m, np.sqrt(c)).logpdf(X).sum(axis=1) for m, c in zip(model.means_, model.covars_, strict=True)]
    )
    alone = np.log(mixture.weights_) + table
    np.testing.assert_allclose(
        share.posterior(SequenceRows(np.array([len(X)]), np.arange(len(X)), np.ascontiguousarray(table)))[0],
        np.exp(alone - np.logaddexp.reduce(alone, axis=1, keepdims=True)),
        atol=1e-12,
    )


def test_few_rows_and_far_ones():
    with pytest.raises(DataError, match="distinct rows, too few for 3 states"):
        GaussianHMM(3).fit([[1.0], [1.0], [2.0]])
    X, lengths, _ = sequences(5)
    model = GaussianHMM(2).fit(X, lengths=lengths)
    with pytest.raises(ValueError, match="infinity"):
        model.predict([[np.inf, 1.0]])
    assert model.predict(X[:1]).shape == (1,)


def with_gaps(seed, n=60, p=3):
    """Rows of two levels; a fifth of the numbers is missing, and one row wholly."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p)) + 3.0 * np.repeat(random.integers(0, 2, n // 5), 5)[:, None]
    X[random.random(X.shape) < 0.2] = np.nan
    X[7] = np.nan
    return X


@pytest.mark.parametrize("kind", ["diag", "full", "tied", "spherical"])
def test_missing_numbers_are_as_if_summed_over(kind):
    """The likelihood never falls, and is the sum over all paths of the densities of what is there."""
    for seed in range(3):
        X = with_gaps(seed)
        model = GaussianHMM(2, covariance_type=kind, max_iter=12, tol=0.0, reg_covar=0.0, random_state=seed)
        model.fit(X, lengths=[30, 30])
        scores = [turn["log-likelihood"] for turn in model.history_ if "log-likelihood" in turn]
        assert len(scores) == 13
        assert min(np.diff(scores)) > -1e-12
        assert model.certificate_["next round gains"].value > -1e-12
    each = {"full": list, "tied": lambda c: [c] * 2}.get(kind, lambda c: [np.eye(3) * one for one in c])
    Y, covariances = X[3:9], each(model.covars_)
    density = np.ones((6, 2))
    for t, state in itertools.product(range(6), range(2)):
        if (there := ~np.isnan(Y[t])).any():
            normal = model.means_[state, there], covariances[state][np.ix_(there, there)]
            density[t, state] = st.multivariate_normal.pdf(Y[t, there], *normal)
    paths = np.array(list(itertools.product(range(2), repeat=6)))
    p = model.startprob_[paths[:, 0]] * density[np.arange(6), paths].prod(axis=1)
    p *= model.transmat_[paths[:, :-1], paths[:, 1:]].prod(axis=1)
    assert model.score(Y) == pytest.approx(np.log(p.sum()), rel=1e-12)
    share = np.stack([p @ (paths == state) for state in range(2)], axis=1) / p.sum()
    np.testing.assert_allclose(model.predict_proba(Y), share, atol=1e-12)


def test_a_single_normal_with_missing_numbers_is_the_likeliest_one():
    """Numerical maximisation of the marginal likelihood finds no other."""
    random = np.random.default_rng(0)
    X = random.multivariate_normal([1, 2], [[1, 0.8], [0.8, 2]], 80)
    X[:25, 1], X[25:35, 0], X[40] = np.nan, np.nan, np.nan
    model = GaussianHMM(1, covariance_type="full", max_iter=400, tol=0.0, reg_covar=0.0).fit(X)

    def loss(at):
        lower = np.array([[np.exp(at[2]), 0], [at[3], np.exp(at[4])]])
        covariance, mean, total = lower @ lower.T, np.asarray(at[:2]), 0.0
        for there in ([0], [1], [0, 1]):
            rows = X[(~np.isnan(X) == np.isin([0, 1], there)).all(axis=1)][:, there]
            total -= st.multivariate_normal.logpdf(rows, mean[there], covariance[np.ix_(there, there)]).sum()
        return total

    found = minimize(loss, [0, 0, 0, 0, 0], tol=1e-10)
    assert -loss(found.x) == pytest.approx(model.score(X), abs=1e-7)
    np.testing.assert_allclose(model.means_[0], found.x[:2], atol=1e-4)


def test_missing_numbers_say_nothing_of_where_rows_are_cut():
    X = with_gaps(4, 300)
    chunked = []
    for size in (300, 23):
        with part_rows(size):
            chunked.append(GaussianHMM(2, covariance_type="full", max_iter=5, tol=0.0).fit(X, lengths=[100, 140, 60]))
    np.testing.assert_allclose(chunked[0].means_, chunked[1].means_, rtol=1e-9)
    unseen = GaussianHMM(2, max_iter=5).fit(np.nan_to_num(X))
    assert unseen.predict(np.full((4, 3), np.nan)).shape == (4,)
    with pytest.raises(DataError, match="infinity"):
        unseen.predict(np.where(np.isnan(X), np.inf, X))
    with pytest.raises(DataError, match="every row misses a number"):
        GaussianHMM(2).fit(np.where(np.arange(3) == np.arange(30)[:, None] % 3, np.nan, 1.0))


def test_columns_whose_distances_would_vanish_are_named():
    rows = np.random.default_rng(0).normal(size=(60, 1)) * 1e-200
    with pytest.raises(tn.DataError, match=r"column 'x0' is too small: distances would vanish. Remedy: .*MaxAbsScaler"):
        tn.GaussianHMM(2).fit(rows)
