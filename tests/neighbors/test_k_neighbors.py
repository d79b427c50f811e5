"""k-nearest neighbours: beside scikit-learn, by hand, and what the rows say of themselves."""

import numpy as np
import pandas as pd
import pytest
from sklearn import neighbors as peer
from sklearn.metrics.pairwise import rbf_kernel

import tenfold as tn
from tenfold.theory import cover_hart_lower

random = np.random.default_rng(0)
X = random.normal(size=(400, 4))
Y = random.integers(0, 3, 400)
Z = X[:, 0] + 0.3 * random.normal(size=400)
Q = random.normal(size=(90, 4))


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"weights": "distance"},
        {"weights": lambda d: np.exp(-d)},
        {"p": 1},
        {"p": 3, "weights": "distance"},
        {"metric": "chebyshev"},
        {"algorithm": "brute"},
    ],
    ids=lambda given: (
        " ".join(f"{k}={v if isinstance(v, (str, int, float)) else type(v).__name__}" for k, v in given.items())
        or "plain"
    ),
)
def test_as_scikit_learn_says(given):
    ours, theirs = tn.KNeighborsClassifier(7, **given).fit(X, Y), peer.KNeighborsClassifier(7, **given).fit(X, Y)
    np.testing.assert_allclose(ours.predict_proba(Q), theirs.predict_proba(Q), atol=1e-12)
    assert (ours.predict(Q) == theirs.predict(Q)).all()
    for X_ in (Q, None):
        (a, i), (b, j) = ours.kneighbors(X_), theirs.kneighbors(X_)
        assert (i == j).all()
        np.testing.assert_allclose(a, b, rtol=1e-12)
    for mode in ("connectivity", "distance"):
        assert abs(ours.kneighbors_graph(Q, mode=mode) - theirs.kneighbors_graph(Q, mode=mode)).max() < 1e-12
    one, other = tn.KNeighborsRegressor(7, **given).fit(X, Z), peer.KNeighborsRegressor(7, **given).fit(X, Z)
    np.testing.assert_allclose(one.predict(Q), other.predict(Q), rtol=1e-10)
    assert ours.effective_metric_ == theirs.effective_metric_
    assert ours.n_samples_fit_ == theirs.n_samples_fit_ == 400


def test_hamming_is_the_share_of_columns_that_differ():
    codes, asked = random.integers(0, 3, (200, 6)), random.integers(0, 3, (20, 6))
    ours, theirs = (kind(5, metric="hamming").fit(codes, codes[:, 0]) for kind in (
        tn.KNeighborsClassifier, peer.KNeighborsClassifier
    ))  # fmt: skip
    np.testing.assert_allclose(ours.kneighbors(asked)[0], theirs.kneighbors(asked)[0], rtol=1e-12)


def test_words_and_numbers_are_compared_together():
    """Gower's distance: |x - z| over the range, and [x ≠ z], their mean."""
    frame = pd.DataFrame({"size": [0.0, 1.0, 10.0, 4.0], "colour": ["red", "red", "blue", "green"]})
    model = tn.KNeighborsClassifier(1, metric="mixed").fit(frame, ["a", "b", "c", "d"])
    asked = pd.DataFrame({"size": [3.0, 6.0, 0.9], "colour": ["green", "blue", "pink"]})
    distances, index = model.kneighbors(asked)
    assert index.ravel().tolist() == [3, 2, 1]
    np.testing.assert_allclose(distances.ravel(), [0.05, 0.2, (0.01 + 1) / 2])
    assert model.predict(asked).tolist() == ["d", "c", "b"]
    more = tn.KNeighborsClassifier(1, metric="mixed").fit(pd.DataFrame({"size": [2.0], "colour": ["amber"]}), ["aa"])
    both = model + more  # other categories, other classes: codes move to their places
    assert both.predict(asked).tolist() == ["d", "c", "b"]
    assert both.predict(pd.DataFrame({"size": [2.0, 10.0], "colour": ["amber", "blue"]})).tolist() == ["aa", "c"]


def test_a_kernel_gives_a_distance():
    """|φ(x) - φ(z)|² = 2 - 2k for a Gaussian kernel: the order of the distances themselves, but not for weights."""
    plain = tn.KNeighborsRegressor(6).fit(X, Z)
    model = tn.KNeighborsRegressor(6, kernel=lambda A, B: rbf_kernel(A, B, gamma=0.1)).fit(X, Z)
    assert (model.kneighbors(Q)[1] == plain.kneighbors(Q)[1]).all()
    away = plain.kneighbors(Q)[0]
    np.testing.assert_allclose(model.kneighbors(Q)[0], np.sqrt(2 - 2 * np.exp(-0.1 * away**2)), rtol=1e-8)
    assert model.effective_metric_ == "kernel"
    squares = tn.KNeighborsRegressor(6, kernel=lambda A, B: (A @ B.T) ** 2).fit(X, Z)  # x and -x have one feature
    np.testing.assert_allclose(squares.kneighbors(-X[:5], 1)[0], 0.0, atol=1e-6)
    with pytest.raises(ValueError, match="attribute_weights do not go with a kernel"):
        tn.KNeighborsRegressor(6, kernel=rbf_kernel, attribute_weights=np.ones(4)).fit(X, Z)


def test_erratum_19_weights_stand_in_the_numerator_too():
    """ŷ = Σ wᵢ yᵢ / Σ wᵢ; the textbook's Σ yᵢ / Σ wᵢ is not even a mean of the targets."""
    rows, y = np.array([[0.0], [1.0], [4.0]]), np.array([10.0, 20.0, 30.0])
    at, w = 3.0, 1 / np.array([3.0, 2.0, 1.0])
    found = tn.KNeighborsRegressor(3, weights="distance").fit(rows, y).predict([[at]])[0]
    assert found == pytest.approx((w @ y) / w.sum(), rel=1e-15)
    textbook = y.sum() / w.sum()
    assert y.min() <= found <= y.max() < textbook


def test_at_distance_0_only_those_count_that_are_there():
    rows, y = np.array([[0.0], [0.0], [1e-150], [5.0]]), np.array([1.0, 3.0, 100.0, 7.0])
    model = tn.KNeighborsRegressor(3, weights="distance").fit(rows, y)
    assert model.predict([[0.0], [1e-150]]).tolist() == [2.0, 100.0]
    label = tn.KNeighborsClassifier(3, weights="distance").fit(rows, ["a", "b", "c", "c"])
    assert label.predict_proba([[0.0]]).tolist() == [[0.5, 0.5, 0.0]]


def test_erratum_28_large_k_underfits():
    """With k = n every row gets the mean, or the most frequent class; it is k = 1 that follows every row."""
    model = tn.KNeighborsRegressor(len(X)).fit(X, Z)
    np.testing.assert_allclose(model.predict(Q), Z.mean(), rtol=1e-12)
    assert set(tn.KNeighborsClassifier(len(X)).fit(X, Y).predict(Q)) == {np.bincount(Y).argmax()}
    errors = [1 - tn.KNeighborsRegressor(k).fit(X, Z).score(X, Z) for k in (1, 5, 40, 400)]
    assert errors[0] == 0
    assert errors == sorted(errors)


def test_ties_share_the_place_whatever_the_order():
    """One place is left for three rows that are equally far: a third of it each. scikit-learn takes the first."""
    rows, y = np.array([[0.0], [2.0], [-2.0], [2.0]]), np.array(["near", "a", "b", "b"])
    for order in ([0, 1, 2, 3], [0, 3, 2, 1], [2, 3, 0, 1]):
        found = tn.KNeighborsClassifier(2).fit(rows[order], y[order]).predict_proba([[0.0]])
        np.testing.assert_allclose(found, [[1 / 6, 2 / 6, 3 / 6]], rtol=1e-15)
    numbers = tn.KNeighborsRegressor(2).fit(rows, [0.0, 3.0, 6.0, 6.0])
    np.testing.assert_allclose(numbers.predict([[0.0]]), (0 + 5) / 2, rtol=1e-15)


def test_a_row_of_weight_two_is_two_neighbours():
    weight = random.integers(0, 4, 400).astype(float)
    again = np.repeat(np.arange(400), weight.astype(int))
    for kind, y in ((tn.KNeighborsClassifier, Y), (tn.KNeighborsRegressor, Z)):
        weighted, repeated = kind(5).fit(X, y, sample_weight=weight), kind(5).fit(X[again], y[again])
        np.testing.assert_allclose(weighted.predict(Q).astype(float), repeated.predict(Q).astype(float), rtol=1e-12)
        for claim in ("leave-one-out error", "least error") if y is Y else ("leave-one-out error",):
            one, other = weighted.certificate_[claim].value, repeated.certificate_[claim].value
            assert one == pytest.approx(other, rel=1e-12)
    halves = tn.KNeighborsRegressor(4).fit(X, Z, sample_weight=np.full(400, 0.5))  # eight rows weigh four
    np.testing.assert_allclose(halves.predict(Q), tn.KNeighborsRegressor(8).fit(X, Z).predict(Q), rtol=1e-12)


def test_leave_one_out_error_is_that_of_leaving_each_out():
    rows = np.round(X[:80], 0)  # duplicates and ties
    model = tn.KNeighborsClassifier(4).fit(rows, Y[:80])
    others = [np.delete(np.arange(80), i) for i in range(80)]
    wrong = [tn.KNeighborsClassifier(4).fit(rows[o], Y[o]).predict(rows[[i]])[0] != Y[i] for i, o in enumerate(others)]
    assert model.certificate_["leave-one-out error"].value == np.mean(wrong)
    first = [
        tn.KNeighborsClassifier(1).fit(rows[o], Y[o]).predict_proba(rows[[i]])[0, Y[i]] for i, o in enumerate(others)
    ]
    assert model.certificate_["least error"].value == pytest.approx(cover_hart_lower(1 - np.mean(first), 3), rel=1e-12)
    assert 0 < model.certificate_["ties"].value < 1
    numbers = tn.KNeighborsRegressor(4).fit(rows, Z[:80])
    off = [tn.KNeighborsRegressor(4).fit(rows[o], Z[o]).predict(rows[[i]])[0] - Z[i] for i, o in enumerate(others)]
    claim = numbers.certificate_["leave-one-out error"]
    assert claim.value == pytest.approx(np.sqrt(np.mean(np.square(off))), rel=1e-12)
    assert numbers.verify().origin == "verified"


def test_the_least_error_is_below_the_truth():
    """Two classes that overlap by a known amount: Bayes errs 0.2, and what the nearest neighbour says is near it."""
    rng = np.random.default_rng(5)
    x = rng.uniform(size=(4000, 1))
    label = rng.random(4000) < np.where(x[:, 0] < 0.5, 0.2, 0.8)
    claim = tn.KNeighborsClassifier(25).fit(x, label).certificate_["least error"]
    assert 0.174 < claim.value < 0.226
    assert "2,000 of them" in str(tn.KNeighborsClassifier(25).fit(x, label).certificate_["leave-one-out error"])


def test_more_rows_than_memory_are_refused_with_the_call_to_write(tmp_path):
    path = tmp_path / "rows.parquet"
    pd.DataFrame(X, columns=list("abcd")).assign(z=Z).to_parquet(path, row_group_size=100)
    source = tn.scan(path, target="z")
    with (
        tn.on(tn.Local(memory=5000)),
        pytest.raises(tn.DataError, match=r"Remedy: KNeighborsRegressor\(\.\.\.\)\.predict_over\(X, rows\)"),
    ):
        tn.KNeighborsRegressor(3).fit(source)
    with tn.on(tn.Local(memory=5000)):
        asked = pd.DataFrame(Q, columns=list("abcd"))
        found = tn.KNeighborsRegressor(3).predict_over(asked, source)
    assert np.array_equal(found, tn.KNeighborsRegressor(3).fit(X, Z).predict(Q))


def test_a_model_file_brings_the_rows(tmp_path):
    model = tn.KNeighborsClassifier(3, weights="distance").fit(X, Y)
    model.save(tmp_path / "m")
    again = tn.load(tmp_path / "m")
    assert np.array_equal(again.predict_proba(Q), model.predict_proba(Q))
    grown = again + tn.KNeighborsClassifier(3, weights="distance").fit(Q, Y[:90])
    assert grown.n_samples_fit_ == 490


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"attribute_weights": [1.0, 2.0]}, "attribute_weights must be 4 numbers"),
        ({"attribute_weights": [-1.0, 2.0, 1.0, 1.0]}, "attribute_weights must be 4 numbers"),
        ({"metric": "mixed", "ranges": [1.0]}, "ranges must be 4 numbers"),
        ({"n_neighbors": 500}, "Expected n_neighbors <= n_samples_fit"),
        ({"weights": lambda d: d[:, :1]}, "weights must give an array of shape"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(given, says):
    with pytest.raises(ValueError, match=says):
        tn.KNeighborsClassifier(**given).fit(X, Y).predict(Q)
    with pytest.raises(ValueError, match="over rows that are not kept needs `ranges`"):
        tn.KNeighborsClassifier(metric="mixed").predict_over(Q, X, Y)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("name", ["KNeighborsClassifier", "KNeighborsRegressor", "LocallyWeightedRegression"])
def test_numbers_whose_distances_overflow_are_refused_by_name(name):
    learner = getattr(tn, name)(n_neighbors=2)
    X, y = np.array([[1.0, 2.0], [3.0, 1e200], [2.0, 2.0], [4.0, 5.0]]), [0, 1, 0, 1]
    with pytest.raises(tn.DataError, match="1e\\+200 in column 'x1'.*row 1 is too large.*MaxAbsScaler"):
        learner.fit(X, y)
    learner.fit(X[2:], y[2:])
    with pytest.raises(tn.DataError, match="distances would overflow"):
        learner.predict(X)
    assert np.isfinite(learner.fit(np.minimum(X, 1e140), y).predict(np.minimum(X, 1e140))).all()


@pytest.mark.parametrize("learner", [tn.KNeighborsRegressor(3), tn.KNeighborsRegressor(3, p=3)], ids=str)
def test_columns_whose_distances_vanish_are_refused_with_a_remedy_that_works(learner):
    A = np.column_stack([np.full(400, 5.0), X[:, 0] * 1e-170])
    with pytest.raises(tn.DataError, match=r"column 'x1' is too small: distances would vanish.*MaxAbsScaler\(\) first"):
        learner.fit(A, Z)
    expected = learner.fit(X[:, :1], Z).predict(X[:, :1])
    np.testing.assert_array_equal(tn.make_pipeline(tn.MaxAbsScaler(), learner).fit(A, Z).predict(A), expected)
    beside = np.column_stack([X[:, 0], X[:, 1] * 1e-170])  # which changes no distance
    np.testing.assert_array_equal(learner.fit(beside, Z).predict(beside), expected)


def test_distances_that_are_not_squared_take_small_columns():
    for given in ({"p": 1}, {"metric": "chebyshev"}, {"metric": "cosine"}):
        plain = tn.KNeighborsRegressor(3, **given).fit(X, Z).predict(Q)
        np.testing.assert_allclose(
            tn.KNeighborsRegressor(3, **given).fit(X * 2.0**-565, Z).predict(Q * 2.0**-565), plain
        )


def test_local_regression_refuses_columns_whose_distances_vanish():
    with pytest.raises(tn.DataError, match="column 'x0' is too small: distances would vanish"):
        tn.LocallyWeightedRegression().fit(X[:, :1] * 1e-170, Z)


@pytest.mark.parametrize("learner", [tn.KNeighborsRegressor, tn.KNeighborsClassifier])
def test_inverse_square_weights_by_hand_and_exact_hits_alone(learner):
    random = np.random.default_rng(0)
    rows, asked = random.integers(-9, 10, (40, 2)).astype(float), random.integers(-9, 10, (30, 2)).astype(float)
    asked = np.concatenate([asked, rows[:10]])  # exact hits
    y = random.integers(0, 3, 40)
    named = learner(5, weights="inverse_square").fit(rows, y)
    given = learner(5, weights=lambda d: 1 / d**2).fit(rows, y)
    for x, said, other in zip(asked, named.predict(asked), given.predict(asked), strict=True):
        square = ((rows - x) ** 2).sum(axis=1)
        reach = np.sort(square)[4]
        tied = np.isclose(square, reach)
        share = np.where(square < reach, 1.0, 0.0)
        share[tied] = (5 - (square[~tied] < reach).sum()) / tied.sum()
        weight = share * (square == 0) if (square == 0).any() else share / square
        if learner is tn.KNeighborsRegressor:
            assert said == pytest.approx(weight @ y / weight.sum(), rel=1e-9)
            assert other == pytest.approx(said, rel=1e-9)
        else:
            votes = np.bincount(y, weight, 3)
            assert votes[said] == pytest.approx(votes.max(), rel=1e-9)
            assert votes[other] == pytest.approx(votes.max(), rel=1e-9)


def test_weights_that_are_none_are_named():
    model = tn.KNeighborsRegressor(2, weights=lambda d: np.where(d == 0, np.nan, 1 / (d + 1))).fit(
        [[0.0], [1.0]], [0, 1]
    )
    with pytest.raises(ValueError, match="gave nan for the distance 0. Remedy: numbers from 0 on, or infinity"):
        model.predict([[0.0]])
    with pytest.raises(ValueError, match="gave -1 for the distance 1"):
        tn.KNeighborsRegressor(2, weights=lambda d: -d).fit([[0.0], [1.0]], [0, 1]).predict([[0.0]])
