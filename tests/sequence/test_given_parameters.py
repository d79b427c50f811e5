"""Models made from given parameters, without a fit: against sums over all paths."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

import tenfold as tn
from tenfold import CategoricalHMM, GaussianHMM, HMMClassifier, MarkovChain, MergeError

START, STEP = [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]]
EMISSION = [[0.1, 0.4, 0.5], [0.7, 0.2, 0.1]]
WEATHER = [[0.8, 0.2], [0.4, 0.6]]


def drawn(seed, k, m):
    random = np.random.default_rng(seed)
    return random.dirichlet(np.ones(k)), random.dirichlet(np.ones(k), k), random.dirichlet(np.ones(m), k)


def all_paths(start, step, likely):
    """The probability of every path of states with the rows, and the path."""
    rows, k = likely.shape
    for path in product(range(k), repeat=rows):
        p = start[path[0]] * likely[0, path[0]]
        for t in range(1, rows):
            p *= step[path[t - 1], path[t]] * likely[t, path[t]]
        yield path, p


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["categorical", "diag", "full", "tied", "spherical"])
def test_scores_and_paths_are_those_of_all_paths(kind, seed):
    k, m, rows = 3, 4, 5
    start, step, emission = drawn(seed, k, m)
    random = np.random.default_rng(seed + 100)
    if kind == "categorical":
        X = random.integers(0, m, (rows, 1))
        model = CategoricalHMM.from_parameters(start, step, emission)
        likely = np.array(emission)[:, X[:, 0]].T
    else:
        means, X = random.normal(size=(k, 2)), random.normal(size=(rows, 2))
        root = random.normal(size=(k, 2, 2))
        full = root @ root.transpose(0, 2, 1) + 0.3 * np.eye(2)
        covars = {
            "full": full,
            "tied": full[0],
            "diag": np.diagonal(full, axis1=1, axis2=2),
            "spherical": full[:, 0, 0],
        }[kind]
        each = {
            "full": list(full),
            "tied": [full[0]] * k,
            "diag": [np.diag(np.diag(one)) for one in full],
            "spherical": [np.eye(2) * one[0, 0] for one in full],
        }[kind]
        model = GaussianHMM.from_parameters(start, step, means, covars, covariance_type=kind)
        np.testing.assert_allclose(model.covars_, covars)
        likely = np.stack([multivariate_normal(mu, s).pdf(X) for mu, s in zip(means, each, strict=True)], axis=1)
    paths = list(all_paths(start, step, likely))
    total = sum(p for _, p in paths)
    best, chance = max(paths, key=lambda one: one[1])
    assert model.score(X) == pytest.approx(np.log(total), rel=1e-12)
    assert model.predict(X).tolist() == list(best)
    assert model.decode(X)[0] == pytest.approx(np.log(chance), rel=1e-12)
    gamma = np.zeros((rows, k))
    for path, p in paths:
        gamma[np.arange(rows), path] += p / total
    np.testing.assert_allclose(model.predict_proba(X), gamma, atol=1e-12)
    drawn_rows, states = model.sample(20)
    assert drawn_rows.shape == (20, X.shape[1])
    assert set(states.tolist()) <= set(range(k))


@pytest.mark.quick
def test_symbols_in_any_order_are_sorted():
    model = CategoricalHMM.from_parameters(START, STEP, EMISSION, ["walk", "shop", "clean"])
    assert model.symbols_.tolist() == ["clean", "shop", "walk"]
    np.testing.assert_allclose(model.emissionprob_, np.array(EMISSION)[:, ::-1])
    numbers = CategoricalHMM.from_parameters(START, STEP, EMISSION)
    seen = [0, 1, 2, 2, 0]
    words = [[["walk", "shop", "clean"][at]] for at in seen]
    assert model.score(words) == pytest.approx(numbers.score([[at] for at in seen]), rel=1e-14)
    assert model.predict(words).tolist() == numbers.predict([[at] for at in seen]).tolist()


def test_named_states():
    given = HMMClassifier.from_parameters(START, STEP, EMISSION, ["rainy", "fair"], ["walk", "shop", "clean"])
    plain = CategoricalHMM.from_parameters(START, STEP, EMISSION, ["walk", "shop", "clean"])
    X = [["walk"], ["shop"], ["clean"], ["walk"], ["walk"]]
    assert given.classes_.tolist() == ["fair", "rainy"]
    names = np.array(["rainy", "fair"])
    assert given.predict(X).tolist() == names[plain.predict(X)].tolist()
    assert given.score_samples(X)[0] == pytest.approx(plain.score(X), rel=1e-14)
    assert given.sample(5)[1].tolist()[0] in ("rainy", "fair")


def test_the_chain_by_hand():
    chain = MarkovChain.from_parameters([0.5, 0.5], WEATHER, ["sun", "rain"])
    assert chain.score([["sun"], ["sun"], ["rain"], ["rain"]]) == pytest.approx(np.log(0.5 * 0.8 * 0.2 * 0.6))
    assert chain.transmat_.tolist() == [[0.6, 0.4], [0.2, 0.8]]
    assert chain.startprob_.tolist() == [0.5, 0.5]
    total = sum(np.exp(chain.score([[a], [b], [c]])) for a, b, c in product(["sun", "rain"], repeat=3))
    assert total == pytest.approx(1.0)
    assert chain.predict([["sun"], ["rain"]]).tolist() == ["sun", "rain"]
    again = MarkovChain().fit(chain.sample(50_000))
    np.testing.assert_allclose(again.transmat_, chain.transmat_, atol=0.02)


GIVEN = {
    "chain": lambda: MarkovChain.from_parameters([0.5, 0.5], WEATHER, ["sun", "rain"], random_state=3),
    "symbols": lambda: CategoricalHMM.from_parameters(START, STEP, EMISSION, ["a", "b", "c"], max_iter=7),
    "named": lambda: HMMClassifier.from_parameters(START, STEP, EMISSION, ["p", "q"]),
    "normals": lambda: GaussianHMM.from_parameters(
        START, STEP, [[0.0], [3.0]], [[[1.0]], [[2.0]]], covariance_type="full"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_a_file_holds_them(name, tmp_path):
    model = GIVEN[name]()
    model.save(tmp_path / "given.tenfold")
    again = tn.load(tmp_path / "given.tenfold")
    for field in model.model_._fields:
        assert np.array_equal(getattr(again.model_, field), getattr(model.model_, field))
    assert again.certificate_["given"].status == "assumed"
    assert again.certificate_.provenance.rows == 0
    drawn_again = (again.sample(30), model.sample(30))
    assert np.array_equal(*(one if name == "chain" else one[0] for one in drawn_again))
    with pytest.raises(ValueError, match="made from given parameters"):
        again.verify()


def test_given_models_do_not_merge_and_fit_again():
    chain = GIVEN["chain"]()
    X = [["rain"], ["sun"], ["sun"]]
    with pytest.raises(MergeError, match="made from given parameters"):
        chain + MarkovChain(random_state=3).fit(X)
    with pytest.raises(MergeError, match="made from given parameters"):
        chain.partial_fit(X)
    assert chain.fit(X).transmat_.tolist() == [[0.0, 1.0], [0.0, 1.0]]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_fit_goes_on_from_what_was_given():
    model = CategoricalHMM.from_parameters(START, STEP, EMISSION, ["c", "b", "a"], max_iter=1)
    X = [[s] for s in "abccabacbbca"]
    before, likely = model.trellis(X), model.score(X)
    went_on = model.fit(X)
    np.testing.assert_allclose(went_on.startprob_, before.gamma[0], atol=1e-12)
    moved = before.xi.sum(axis=0)
    np.testing.assert_allclose(went_on.transmat_, moved / moved.sum(axis=1, keepdims=True), atol=1e-12)
    assert went_on.score(X) > likely


def test_frames_of_means_name_the_columns():
    means = pd.DataFrame({"level": [0.0, 5.0], "rain": [1.0, 2.0]})
    model = GaussianHMM.from_parameters(START, STEP, means, np.ones((2, 2)))
    assert model.feature_names_in_.tolist() == ["level", "rain"]
    assert model.predict(means).tolist() == [0, 1]


def refused(match, make, *args, **given):
    with pytest.raises(ValueError, match=match):
        make(*args, **given)


@pytest.mark.quick
def test_wrong_arrays_are_refused_by_name():
    hmm, normal, chain = (one.from_parameters for one in (CategoricalHMM, GaussianHMM, MarkovChain))
    refused("startprob must hold probabilities that add up to 1", hmm, [0.5, 0.6], STEP, EMISSION)
    refused("startprob must hold probabilities", hmm, [np.nan, 0.6], STEP, EMISSION)
    refused("startprob must have one axis", hmm, [START], STEP, EMISSION)
    refused("startprob must be numbers", hmm, ["a", "b"], STEP, EMISSION)
    refused(r"transmat must have shape \(2, 2\), not \(1, 2\)", hmm, START, STEP[:1], EMISSION)
    refused("transmat must, in each row, hold probabilities", hmm, START, [[0.7, 0.2], [0.4, 0.6]], EMISSION)
    refused("transmat must, in each row", hmm, START, [[1.7, -0.7], [0.4, 0.6]], EMISSION)
    refused("emissionprob must have a row for each of the 2 states", hmm, START, STEP, EMISSION[:1])
    refused("emissionprob must, in each row", hmm, START, STEP, [[0.5, 0.6], [0.5, 0.5]])
    refused("symbols must be 3", hmm, START, STEP, EMISSION, ["a", "b"])
    refused("symbols must differ", hmm, START, STEP, EMISSION, ["a", "b", "a"])
    refused("symbols must differ", hmm, START, STEP, EMISSION, ["a", "b", None])
    refused("symbols must be 2", chain, [0.5, 0.5], WEATHER, ["a"])
    refused("symbols must differ", chain, [0.5, 0.5], WEATHER, ["a", "a"])
    refused("classes must be 2", HMMClassifier.from_parameters, START, STEP, EMISSION, ["a"])
    refused("classes must differ", HMMClassifier.from_parameters, START, STEP, EMISSION, ["a", "a"])
    refused("means must have a row", normal, START, STEP, [[0.0]], [[1.0]])
    refused(r"covars must be finite numbers of shape \(2, 1\)", normal, START, STEP, [[0.0], [1.0]], [1.0, 1.0])
    refused("covars must be variances above 0", normal, START, STEP, [[0.0], [1.0]], [[1.0], [0.0]])
    odd = [np.eye(2), [[1.0, 2.0], [2.0, 1.0]]]
    refused("covars of state 1 must be symmetric", normal, START, STEP, np.eye(2), odd, covariance_type="full")
    refused("covars must be symmetric", normal, START, STEP, np.eye(2), odd[1], covariance_type="tied")
    refused("The 'covariance_type' parameter", normal, START, STEP, np.eye(2), np.eye(2), covariance_type="odd")
    refused("The 'alpha' parameter", chain, [0.5, 0.5], WEATHER, alpha=-1.0)
