"""What is made of quantiles, beside scikit-learn: RobustScaler, QuantileTransformer and KBinsDiscretizer."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.preprocessing as peer

import tenfold as tn
from tenfold import KBinsDiscretizer, QuantileTransformer, RobustScaler
from tenfold.sources import part_rows
from tenfold.stats import one_dimensional_kmeans
from tenfold.stats.counts import distribution
from tenfold.testing import bits

LEARNERS = [RobustScaler(), QuantileTransformer(n_quantiles=50), KBinsDiscretizer(4, encode="ordinal")]


def table(seed=0, rows=2000):
    random = np.random.default_rng(seed)
    zeros = np.where(random.random(rows) < 0.2, 0.0, random.exponential(size=rows))
    return np.column_stack(
        [random.normal(50, 3, rows), random.integers(0, 9, rows), zeros, random.lognormal(3, 2, rows)]
    )


def with_gaps(X):
    X = X.copy()
    X[np.random.default_rng(9).random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"with_centering": False},
        {"with_scaling": False},
        {"quantile_range": (1.0, 90.0)},
        {"unit_variance": True},
    ],
)
def test_robust_scaler_equals_scikit_learn(given):
    X, new = with_gaps(table()), with_gaps(table(1, 100))
    ours, theirs = RobustScaler(**given).fit(X), peer.RobustScaler(**given).fit(X)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(new)), new, rtol=1e-12, atol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@pytest.mark.parametrize("wrong", [(75.0, 25.0), (-1.0, 50.0), (50.0, 101.0)])
def test_quantiles_in_the_wrong_order_are_refused(wrong):
    with pytest.raises(ValueError, match="quantile_range must rise"):
        RobustScaler(quantile_range=wrong).fit([[1.0]])
    with pytest.raises(ValueError, match="a normal distribution has no end"):
        RobustScaler(quantile_range=(0.0, 100.0), unit_variance=True).fit([[1.0]])


def test_columns_that_never_change_or_hold_nothing():
    X = np.array([[3.0, np.nan], [3.0, np.nan]])
    model = RobustScaler().fit(X)
    assert model.transform([[3.0, 7.0]]).tolist() == [[0.0, 7.0]]
    assert model.certificate_["constant columns"].value == 2
    assert np.isnan(QuantileTransformer().fit(X).transform(X)[:, 1]).all()
    assert QuantileTransformer().fit(X).transform(X)[:, 0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("n_quantiles", [1, 10, 1000, 5000])
@pytest.mark.parametrize("output", ["uniform", "normal"])
def test_quantile_transformer_equals_scikit_learn(output, n_quantiles):
    X, new = with_gaps(table()), with_gaps(3 * table(1, 300))
    given = {"n_quantiles": n_quantiles, "output_distribution": output}
    ours = QuantileTransformer(**given).fit(X)
    theirs = peer.QuantileTransformer(**given, subsample=None).fit(X) if n_quantiles <= 2000 else None
    if theirs is None:  # which warns of more quantiles than rows
        theirs = peer.QuantileTransformer(n_quantiles=2000, output_distribution=output, subsample=None).fit(X)
    assert ours.n_quantiles_ == theirs.n_quantiles_
    np.testing.assert_allclose(ours.quantiles_, theirs.quantiles_, rtol=1e-12)
    found, expected = ours.transform(new), theirs.transform(new)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.inverse_transform(found), theirs.inverse_transform(expected), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("encode", ["onehot", "onehot-dense", "ordinal"])
@pytest.mark.parametrize(
    "given",
    [
        {"strategy": "uniform"},
        {"strategy": "kmeans", "n_bins": [2, 3, 4, 7]},
        {"n_bins": [2, 3, 4, 7]},
        {"n_bins": 7, "quantile_method": "linear"},
        {"quantile_method": "inverted_cdf"},
    ],
)
@pytest.mark.filterwarnings("ignore:Bins whose width")
def test_bins_equal_scikit_learn(given, encode):
    X, new = table(), 1.5 * table(1, 300)
    ours, theirs = KBinsDiscretizer(**given, encode=encode).fit(X), peer.KBinsDiscretizer(**given, encode=encode).fit(X)
    assert ours.n_bins_.tolist() == theirs.n_bins_.tolist()
    for a, b in zip(ours.bin_edges_, theirs.bin_edges_, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    found, expected = ours.transform(new), theirs.transform(new)
    assert sp.issparse(found) == sp.issparse(expected) == (encode == "onehot")
    np.testing.assert_array_equal(dense(found), dense(expected))
    np.testing.assert_allclose(ours.inverse_transform(found), theirs.inverse_transform(expected), rtol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@pytest.mark.filterwarnings("ignore:Bins whose width", "ignore:Number of distinct clusters")
def test_bins_of_k_means_equal_scikit_learn_where_each_centre_has_values(monkeypatch):
    emptied = []
    monkeypatch.setattr(
        one_dimensional_kmeans,
        "_fill_empty",
        lambda *given, had=one_dimensional_kmeans._fill_empty: emptied.append(had(*given)),
    )
    random, equal = np.random.default_rng(0), 0
    for number in range(60):
        rows, values = int(random.integers(9, 200)), int(random.integers(2, 40))
        column = random.normal(size=values)[random.integers(0, values, rows), None] * 10.0 ** random.integers(-2, 4)
        weight = random.integers(1, 4, rows).astype(float) if number % 3 == 0 else None
        given = {"n_bins": int(random.integers(2, 9)), "encode": "ordinal", "strategy": "kmeans"}
        emptied.clear()
        ours = KBinsDiscretizer(**given).fit(column, sample_weight=weight)
        theirs = peer.KBinsDiscretizer(**given).fit(column, sample_weight=weight)
        if not emptied and np.ptp(column):
            np.testing.assert_allclose(ours.bin_edges_[0], theirs.bin_edges_[0], rtol=1e-9, atol=1e-9)
            equal += 1
    assert equal > 30


def test_bins_of_k_means_of_so_many_values_that_they_are_counted_together():
    X = np.random.default_rng(0).gamma(1.0, size=(200_000, 1))
    ours = KBinsDiscretizer(4, strategy="kmeans", encode="ordinal").fit(X)
    theirs = peer.KBinsDiscretizer(4, strategy="kmeans", encode="ordinal", subsample=None).fit(X)
    assert 0 < ours.certificate_["widest group"].value < 1e-3
    np.testing.assert_allclose(ours.bin_edges_[0], theirs.bin_edges_[0], rtol=1e-3)
    assert KBinsDiscretizer(4, strategy="kmeans").fit(X[:50_000]).certificate_["widest group"].value == 0


def dense(Z):
    return Z.toarray() if sp.issparse(Z) else Z


def test_fewer_bins_than_wanted_are_told():
    X = pd.DataFrame({"same": [2.0] * 20, "zeros": [0.0] * 15 + [1.0, 2.0, 3.0, 4.0, 5.0]})
    model = KBinsDiscretizer(4, encode="ordinal").fit(X)
    assert model.n_bins_.tolist() == [1, 2]
    assert model.certificate_["fewest bins"].value == 1
    assert model.transform(X)[:, 0].tolist() == [0.0] * 20
    with pytest.raises(ValueError, match="n_bins must be an integer from 2 on, or 2 of them"):
        KBinsDiscretizer([2, 3, 4]).fit(X)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_bits_do_not_depend_on_cuts_and_models_add_up(learner, monkeypatch):
    X = table()
    for groups in (65_536, 128):
        monkeypatch.setattr(distribution, "MAX_COLUMN_GROUPS", groups)
        monkeypatch.setattr(distribution, "MIN_COLUMN_GROUPS", min(groups, 1024))
        whole = type(learner)(**learner.get_params()).fit(X)
        with part_rows(171):
            parts = type(learner)(**learner.get_params()).fit(X)
        a, b = (type(learner)(**learner.get_params()).fit(some) for some in (X[:700], X[700:]))
        assert bits(whole.model_) == bits(parts.model_) == bits((a + b).model_)
        assert (whole.certificate_["rank error"].value > 0) == (groups == 128)
        assert whole.certificate_["rank error"].value < 0.1


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_a_source_is_transformed_when_it_is_read(learner, tmp_path):
    X = pd.DataFrame(table(), columns=list("abcd"))
    X.to_parquet(tmp_path / "x.parquet", row_group_size=300)
    rows = tn.scan(str(tmp_path / "x.parquet"))
    model = type(learner)(**learner.get_params()).fit(rows)
    np.testing.assert_array_equal(model.transform(rows).collect(), model.transform(X))
    frame = model.set_output(transform="pandas").transform(X)
    assert frame.columns.tolist() == list("abcd")


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_weights_repeat_rows_and_float32_stays(learner):
    X, weight = table(rows=300), np.random.default_rng(5).integers(0, 3, 300)
    a = type(learner)(**learner.get_params()).fit(X, sample_weight=weight)
    b = type(learner)(**learner.get_params()).fit(np.repeat(X, weight, axis=0))
    assert bits(a.model_) == bits(b.model_)
    assert a.transform(X.astype(np.float32)).dtype == np.float32


def test_weights_that_add_up_to_one_leave_as_many_quantiles():
    x = np.random.default_rng(0).normal(size=(200, 1))
    light = tn.QuantileTransformer(n_quantiles=100).fit(x, sample_weight=np.full(200, 1 / 200))
    assert light.n_quantiles_ == 100
    ranks = light.transform(x)[:, 0]
    assert np.array_equal(np.argsort(ranks), np.argsort(x[:, 0]))
