"""Bases against their formulas."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold import KMeans, RadialBasis, Ridge, SigmoidBasis, TanhBasis
from tenfold.sources import part_rows
from tenfold.testing import bits

random = np.random.default_rng(2)
X = random.standard_normal((500, 2)) * [1.0, 30.0] + [0.0, 7.0]
POINTS = np.array([[0.0, 0.0], [1.0, 10.0], [-1.0, 20.0]])


@pytest.mark.quick
def test_points_are_compared_with_whole_rows():
    got = RadialBasis(POINTS, gamma=0.01).fit_transform(X)
    want = np.exp(-0.01 * ((X[:, None] - POINTS) ** 2).sum(axis=2))
    np.testing.assert_allclose(got, want, rtol=1e-13)
    model = RadialBasis(POINTS).fit(X)
    assert model.get_feature_names_out().tolist() == ["rbf0", "rbf1", "rbf2"]
    apart = np.array([np.hypot(1, 10), np.hypot(1, 10), np.hypot(2, 10)])
    np.testing.assert_allclose(model.gamma_, 0.5 / apart.mean() ** 2)


@pytest.mark.parametrize(
    ("cls", "function"),
    [
        (SigmoidBasis, lambda z: 1 / (1 + np.exp(-z))),
        (TanhBasis, np.tanh),
        (RadialBasis, lambda z: np.exp(-z)),
    ],
)
@pytest.mark.parametrize("spacing", ["quantiles", "grid"])
def test_functions_of_each_column(cls, function, spacing):
    model = cls(4, spacing=spacing).fit(X)
    away = X[:, :, None] - model.centers_.T
    z = model.gamma_[:, None] * (away**2 if cls is RadialBasis else away)
    np.testing.assert_allclose(model.transform(X), function(z).reshape(500, 8), rtol=1e-12)
    far = np.ptp(model.centers_, axis=0) / 3
    np.testing.assert_allclose(model.gamma_, 0.5 / far**2 if cls is RadialBasis else 1 / far)
    names = model.get_feature_names_out()
    assert names[[0, 7]].tolist() == [f"x0_{model.short}0", f"x1_{model.short}3"]


def test_where_centres_are_found():
    grid = SigmoidBasis(3, spacing="grid").fit(X).centers_
    np.testing.assert_allclose(grid, [X.min(axis=0), (X.min(axis=0) + X.max(axis=0)) / 2, X.max(axis=0)])
    shares = SigmoidBasis(4).fit(X).centers_
    np.testing.assert_array_equal(shares, np.quantile(X, [1 / 8, 3 / 8, 5 / 8, 7 / 8], axis=0, method="inverted_cdf"))
    weight = random.integers(0, 4, 500)
    a, b = SigmoidBasis(4).fit(X, sample_weight=weight), SigmoidBasis(4).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_array_equal(a.centers_, b.centers_)


def test_of_many_rows_a_sample_is_taken_and_that_is_said():
    many = random.standard_normal((40_000, 1))
    model = RadialBasis(9).fit(many)
    assert model.certificate_["centers"].status == "estimated"
    want = np.quantile(many[:, 0], (np.arange(9) + 0.5) / 9)
    assert np.abs(model.centers_[:, 0] - want).max() < 0.05
    assert RadialBasis(9).fit(many[:1000]).certificate_["centers"].status == "proved"
    assert RadialBasis([[0.0]]).fit(many).certificate_["centers"].status == "assumed"


def test_models_add_up():
    for learner in (RadialBasis(6), TanhBasis(6, spacing="grid")):
        whole = learner.fit(X)
        state = bits(whole.model_)
        with part_rows(41):
            assert bits(type(learner)(6, spacing=learner.spacing).fit(X).model_) == state
        halves = [type(learner)(6, spacing=learner.spacing).fit(some) for some in np.split(X, 2)]
        assert bits((halves[0] + halves[1]).model_) == state


def test_a_network_of_radial_functions(tmp_path):
    x = np.linspace(-3, 3, 400)[:, None]
    y = np.sin(3 * x[:, 0])
    points = KMeans(15).fit(x).cluster_centers_
    fit = make_pipeline(RadialBasis(points), Ridge(1e-6)).fit(x, y)
    assert fit.score(x, y) > 0.999
    cv = tn.cross_validate([fit, make_pipeline(RadialBasis(15), Ridge(1e-6)), Ridge()], x, y, folds=5, shuffle=True)
    scores = cv.scores.reshape(3, -1).mean(axis=1)
    assert scores[:2].min() > 0.99 > scores[2]
    RadialBasis(points).fit(x).save(tmp_path / "basis.tenfold")
    again = tn.load(tmp_path / "basis.tenfold")
    np.testing.assert_array_equal(again.transform(x), fit[0].transform(x))


@pytest.mark.quick
def test_of_tanh_and_sigmoid_one_is_the_other():
    tanh, sigmoid = TanhBasis(gamma=1.5).fit(X), SigmoidBasis(gamma=3.0).fit(X)
    np.testing.assert_allclose(tanh.transform(X), 2 * sigmoid.transform(X) - 1, atol=1e-14)


def test_constant_columns_and_one_centre():
    same = np.full((10, 2), 3.0)
    for cls in (RadialBasis, SigmoidBasis, TanhBasis):
        for learner in (cls(), cls(1), cls(spacing="grid"), cls([[3.0, 3.0]]), cls([[3.0, 3.0], [3.0, 3.0]])):
            assert np.isfinite(learner.fit(same).transform(X)).all()


def test_errors_name_what_is_wrong():
    """Erratum 17: a radial function that grows is none."""
    for gamma in (0.0, -1.0):
        with pytest.raises(ValueError, match="gamma"):
            RadialBasis(gamma=gamma).fit(X)
    with pytest.raises(ValueError, match=r"must be \(centers, 2\)"):
        RadialBasis([[1.0], [2.0]]).fit(X)
    with pytest.raises(ValueError, match="NaN or infinity"):
        TanhBasis([[1.0, np.nan]]).fit(X)


@pytest.mark.parametrize("spacing", ["quantiles", "grid"])
@pytest.mark.parametrize("size", [1e300, 1.7e308, 1e-300])
def test_centres_too_far_apart_or_too_near_are_refused(spacing, size):
    with pytest.raises(tn.DataError, match="column 'x1': its centres"):
        RadialBasis(spacing=spacing).fit([[0.0, -size], [1.0, size]])


def test_infinitely_far_away_is_an_answer():
    model = RadialBasis(gamma=1e300).fit([[-1e300], [0.0], [1e300]])
    assert model.transform([[1e300]]).tolist() == [[0.0, 0.0, 0.0, 1.0, 1.0]]
    assert TanhBasis(gamma=1.0).fit([[-1.7e308], [1.7e308]]).transform([[1.7e308]]).tolist() == [[1, 1, 1, 0, 0]]
