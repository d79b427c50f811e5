import numpy as np
import pytest
import scipy.stats as st

import tenfold as tn
from tenfold import DataError, GaussianHMM
from tenfold.sequence.hidden_states import HiddenStates, Rows

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
    rows = Rows(lengths.cumsum(), np.arange(len(X)), np.ascontiguousarray(table))
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
        share.posterior(Rows(np.array([len(X)]), np.arange(len(X)), np.ascontiguousarray(table)))[0],
        np.exp(alone - np.logaddexp.reduce(alone, axis=1, keepdims=True)),
        atol=1e-12,
    )


def test_few_rows_and_far_ones():
    with pytest.raises(DataError, match="distinct rows, too few for 3 states"):
        GaussianHMM(3).fit([[1.0], [1.0], [2.0]])
    X, lengths, _ = sequences(5)
    model = GaussianHMM(2).fit(X, lengths=lengths)
    with pytest.raises(ValueError, match="NaN"):
        model.predict([[np.nan, 1.0]])
    assert model.predict(X[:1]).shape == (1,)
