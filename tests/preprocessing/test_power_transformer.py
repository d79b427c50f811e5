"""Powers that make columns normal, beside scikit-learn and by what the likelihood says."""

import numpy as np
import pandas as pd
import pytest
import sklearn.preprocessing as peer
from scipy import stats

import tenfold as tn
from tenfold import PowerTransformer
from tenfold.sources import part_rows
from tenfold.stats.counts import distribution
from tenfold.testing import bits


def table(seed=0, rows=2000):
    random = np.random.default_rng(seed)
    return np.column_stack(
        [
            random.lognormal(0, 1, rows),
            random.gamma(2, 3, rows),
            random.integers(1, 9, rows),
            random.beta(5, 1, rows) + 0.1,
            random.normal(100, 5, rows),
        ]
    )


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("method", ["yeo-johnson", "box-cox"])
def test_equals_scikit_learn(method, standardize):
    X, new = table(), table(1, 200)
    if method == "yeo-johnson":
        X, new = X - [1, 5, 4, 0.9, 100], new - [1, 5, 4, 0.9, 100]
    X[::9, 0] = new[::9, 1] = np.nan
    ours, theirs = (kind(method, standardize=standardize).fit(X) for kind in (PowerTransformer, peer.PowerTransformer))
    np.testing.assert_allclose(ours.lambdas_, theirs.lambdas_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(new)), new, rtol=1e-8, atol=1e-8)
    assert ours.certificate_["slope"].value < 1e-6


def test_the_exponent_is_the_likeliest():
    x = table()[:, 0]
    power = PowerTransformer("box-cox").fit(x[:, None]).lambdas_[0]
    best = stats.boxcox_llf(power, x)
    assert all(stats.boxcox_llf(power + step, x) < best for step in (-0.3, -1e-3, 1e-3, 0.3))
    x = x - 1
    power = PowerTransformer().fit(x[:, None]).lambdas_[0]
    best = stats.yeojohnson_llf(power, x)
    assert all(stats.yeojohnson_llf(power + step, x) < best for step in (-0.3, -1e-3, 1e-3, 0.3))


def test_many_values_in_groups_change_the_exponents_by_little(monkeypatch):
    X = table(rows=5000)
    exact = PowerTransformer().fit(X)
    assert exact.certificate_["rank error"].value == 0
    monkeypatch.setattr(distribution, "MAX_COLUMN_GROUPS", 2048)
    rough = PowerTransformer().fit(X)
    assert rough.certificate_["rank error"].value > 0
    np.testing.assert_allclose(rough.lambdas_, exact.lambdas_, atol=1e-4)
    with part_rows(333):
        assert bits(PowerTransformer().fit(X).model_) == bits(rough.model_)
    a, b = (PowerTransformer().fit(some) for some in (X[:1000], X[1000:]))
    assert bits((a + b).model_) == bits(rough.model_)


def test_what_comes_out_has_mean_0_and_variance_1():
    Z = PowerTransformer().fit_transform(table())
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(Z.var(axis=0), 1, atol=1e-10)


def test_columns_that_never_change_or_hold_nothing():
    X = np.array([[3.0, np.nan], [3.0, np.nan]])
    model = PowerTransformer().fit(X)
    assert model.lambdas_.tolist() == [1.0, 1.0]
    np.testing.assert_allclose(model.transform([[3.0, 2.0]]), [[0.0, 2.0]], rtol=1e-14)


def test_box_cox_refuses_what_is_not_above_0_by_name():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 1.0]})
    with pytest.raises(tn.DataError, match="column 'b' holds 0, .*strictly positive.*yeo-johnson"):
        PowerTransformer("box-cox").fit(X)
    with pytest.raises(tn.DataError, match="column 'a', row 1 is -2, .*strictly positive"):
        PowerTransformer("box-cox").fit(X + 1).transform(pd.DataFrame({"a": [1.0, -2.0], "b": [1.0, 1.0]}))


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e6, 1e100])
def test_numbers_of_any_size(scale):
    X = table()[:, :2] * scale
    Z = PowerTransformer("box-cox").fit_transform(X)
    np.testing.assert_allclose(Z, PowerTransformer("box-cox").fit_transform(table()[:, :2]), atol=1e-4)
    assert np.isfinite(PowerTransformer().fit_transform(X)).all()


def test_weights_repeat_rows():
    X, weight = table(rows=300), np.random.default_rng(5).integers(0, 3, 300)
    a, b = PowerTransformer().fit(X, sample_weight=weight), PowerTransformer().fit(np.repeat(X, weight, axis=0))
    assert bits(a.model_) == bits(b.model_)
    assert a.transform(X.astype(np.float32)).dtype == np.float32


def test_a_source_is_transformed_when_it_is_read(tmp_path):
    X = pd.DataFrame(table(), columns=list("abcde"))
    X.to_parquet(tmp_path / "x.parquet", row_group_size=300)
    rows = tn.scan(str(tmp_path / "x.parquet"))
    model = PowerTransformer().fit(rows)
    np.testing.assert_allclose(model.transform(rows).collect(), model.transform(X), rtol=1e-12)


def test_a_column_whose_powers_have_no_digits_left_keeps_its_exponent():
    """Seconds since 1970: the likeliest powers are all the same number in float64, until the column is scaled."""
    seconds = 1.7e9 + np.random.default_rng(0).exponential(1e5, (200, 1))
    model = PowerTransformer().fit(seconds)
    assert model.lambdas_.tolist() == [1.0]
    np.testing.assert_allclose(model.transform(seconds), peer.StandardScaler().fit_transform(seconds), atol=1e-6)
    np.testing.assert_allclose(model.inverse_transform(model.transform(seconds)), seconds, rtol=1e-12)
    found = PowerTransformer().fit_transform(tn.StandardScaler().fit_transform(seconds))
    assert abs(stats.skew(found[:, 0])) < 0.2 < stats.skew(seconds[:, 0])


@pytest.mark.parametrize("rows", [[-0.0013, -0.0004, 0.00086], [-1.3e-6, -4e-7, 8.6e-7], [3e-4, 1e-4, 2e-4, 9e-4]])
def test_small_values_take_a_large_exponent(rows):
    """The likelihood is largest at an exponent in the hundreds or beyond."""
    x = np.array(rows)[:, None]
    ours, theirs = tn.PowerTransformer().fit(x), peer.PowerTransformer().fit(x)
    assert abs(theirs.lambdas_[0]) > 150
    likelihood = [stats.yeojohnson_llf(model.lambdas_[0], x[:, 0]) for model in (ours, theirs)]
    assert likelihood[0] >= likelihood[1] - 1e-9
    np.testing.assert_allclose(ours.transform(x), theirs.transform(x), atol=2e-3)


def test_values_of_both_signs_whose_powers_leave_the_range_of_floats():
    """Of these no power takes both; scikit-learn passes an error of its optimizer on."""
    frame = pd.DataFrame({"a": [1.0, 2.0], "far": [1.71e149, -4.47e149]})
    with pytest.raises(tn.DataError, match="column 'far' has powers beyond the range of float64. Remedy: rescale it"):
        tn.PowerTransformer().fit(frame)
    assert np.isfinite(tn.make_pipeline(tn.StandardScaler(), tn.PowerTransformer()).fit_transform(frame)).all()


def test_values_next_to_zero():
    """Squares of their powers are zero, and no likelihood tells exponents apart."""
    x = np.array([[1.0e-300], [3.1e-300], [-2.0e-300], [2.2e-300]])
    with pytest.raises(tn.DataError, match="column 'x0' has powers beyond the range of float64. Remedy: rescale it"):
        tn.PowerTransformer().fit(x)
    found = tn.make_pipeline(tn.MinMaxScaler(), tn.PowerTransformer()).fit_transform(x)
    assert np.argsort(found[:, 0]).tolist() == np.argsort(x[:, 0]).tolist()
