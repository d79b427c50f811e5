"""B-splines beside scikit-learn's, and what holds of them by theory."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import SplineTransformer as Peer

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.testing import bits

random = np.random.default_rng(0)
X = np.column_stack([random.normal(size=400), random.exponential(size=400), random.integers(0, 9, 400)])
BEYOND = np.vstack([X[:20], X.min(axis=0) - [0.1, 1.0, 3.0], X.max(axis=0) + [0.1, 2.0, 40.0]])


@pytest.mark.quick
@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("knots", ["uniform", "quantile", "given"])
@pytest.mark.parametrize("extrapolation", ["constant", "linear", "continue", "periodic"])
def test_equals_scikit_learn(degree, knots, extrapolation):
    if knots == "given":
        knots = np.array(
            [[-2.0, 0.0, 0.0], [-0.5, 0.2, 1.0], [0.0, 0.5, 4.0], [0.5, 1.0, 5.0], [1.0, 2.0, 6.0], [2.0, 3.0, 8.0]]
        )
    given = {"n_knots": 6, "degree": degree, "knots": knots, "extrapolation": extrapolation}
    for j in range(3):  # one column at a time: scikit-learn changes the degree between two columns
        one = {**given, "knots": knots if isinstance(knots, str) else knots[:, [j]]}
        for more in ({}, {"include_bias": False}, {"sparse_output": True}):
            ours, theirs = (kind(**one, **more).fit(X[:, [j]]) for kind in (tn.SplineTransformer, Peer))
            rows = BEYOND[:, [j]]
            if not degree:  # scikit-learn has no splines of degree 0 beyond the knots, and no sparse ones that repeat
                rows = np.clip(rows, ours.knots_[0], ours.knots_[-1])
                if more and extrapolation == "periodic":
                    continue
            found, expected = ours.transform(rows), theirs.transform(rows)
            assert sp.issparse(found) == sp.issparse(expected) == ("sparse_output" in more)
            if sp.issparse(found):
                found, expected = found.toarray(), expected.toarray()
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
            assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
            assert ours.n_features_out_ == theirs.n_features_out_ == found.shape[1]
            np.testing.assert_allclose(ours.bsplines_[0].t, theirs.bsplines_[0].t, rtol=1e-12, atol=1e-12)
            inside = X[:5, [j]].ravel()
            np.testing.assert_allclose(ours.bsplines_[0](inside), theirs.bsplines_[0](inside), rtol=1e-9, atol=1e-12)
    ours, theirs = (kind(**given).fit(X) for kind in (tn.SplineTransformer, Peer))
    if degree > 1:
        np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9, atol=1e-12)


def test_splines_of_a_value_sum_to_one_and_reproduce_polynomials():
    model = tn.SplineTransformer(7, 3, knots="quantile").fit(X[:, :1])
    made = model.transform(X[:, :1])
    np.testing.assert_allclose(made.sum(axis=1), 1.0, rtol=1e-12)
    assert (made >= 0).all()
    assert ((made > 0).sum(axis=1) <= 4).all()
    x = X[:, 0]
    cubic = 2 - x + 0.5 * x**2 + x**3
    fitted = tn.LinearRegression(fit_intercept=False).fit(made, cubic).predict(made)
    np.testing.assert_allclose(fitted, cubic, atol=1e-8)


def test_beyond_the_knots():
    inside, outside = np.linspace(0.0, 1.0, 50)[:, None], np.array([[-3.0], [4.0]])
    flat = tn.SplineTransformer(degree=0).fit(inside).transform(outside)
    np.testing.assert_array_equal(flat, [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    line = tn.SplineTransformer(extrapolation="linear").fit(inside)
    model = tn.LinearRegression(fit_intercept=False).fit(line.transform(inside), 3 * inside.ravel())
    np.testing.assert_allclose(model.predict(line.transform(outside)), [-9.0, 12.0], rtol=1e-8)
    wave = tn.SplineTransformer(extrapolation="periodic").fit(inside)
    np.testing.assert_allclose(wave.transform(inside + 7.0), wave.transform(inside), atol=1e-9)
    strict = tn.SplineTransformer(extrapolation="error").fit(pd.DataFrame({"hour": inside.ravel()}))
    with pytest.raises(tn.DataError, match=r"beyond the limits of the knots: 4 in column 'hour', .* from 0 to 1"):
        strict.transform(pd.DataFrame({"hour": [0.5, 4.0]}))


@pytest.mark.parametrize("knots", ["uniform", "quantile"])
@pytest.mark.parametrize("sparse", [False, True])
def test_missing_values_and_columns_that_never_change(knots, sparse):
    gaps = X.copy()
    gaps[::7, 1] = np.nan
    gaps[:, 2] = 3.0
    given = {"knots": knots, "handle_missing": "zeros", "sparse_output": sparse}
    ours, theirs = (kind(**given).fit(gaps) for kind in (tn.SplineTransformer, Peer))
    found, expected = (model.transform(gaps) for model in (ours, theirs))
    if sparse:
        found, expected = found.toarray(), expected.toarray()
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert not found[::7, 7:14].any()
    with pytest.raises(tn.DataError, match="contains NaN in column 'x1'"):
        tn.SplineTransformer().fit(gaps)


@pytest.mark.parametrize("knots", ["uniform", "quantile"])
def test_one_pass_over_parts_and_models_that_merge(knots):
    whole = tn.SplineTransformer(knots=knots).fit(X)
    with part_rows(90):
        parts = tn.SplineTransformer(knots=knots).fit(tn.scan(X))
    assert parts.certificate_.provenance.passes == 1
    merged = tn.SplineTransformer(knots=knots).fit(X[:150]) + tn.SplineTransformer(knots=knots).fit(X[150:])
    assert bits(whole.model_) == bits(parts.model_) == bits(merged.model_)
    twice = tn.SplineTransformer(knots=knots).fit(X, sample_weight=np.full(len(X), 2.0))
    doubled = tn.SplineTransformer(knots=knots).fit(np.vstack([X, X]))
    np.testing.assert_allclose(twice.knots_, doubled.knots_, rtol=1e-12)


def test_types_and_a_pipeline():
    made = tn.SplineTransformer().fit(X.astype(np.float32)).transform(X.astype(np.float32))
    assert made.dtype == np.float32
    rows = pd.DataFrame({"x": np.linspace(0, 6, 200)})
    pipeline = tn.make_pipeline(tn.SplineTransformer(8, include_bias=False), tn.Ridge(1e-6)).fit(
        rows, np.sin(rows["x"])
    )
    assert pipeline.score(rows, np.sin(rows["x"])) > 0.999
    both = tn.ColumnTransformer([("curve", tn.SplineTransformer(sparse_output=True), ["x"])])
    made = tn.make_pipeline(both, tn.Ridge(1e-6)).fit(rows, np.sin(rows["x"]))
    assert made[0].transform(rows).shape == (200, 7)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"knots": np.zeros((3, 2))}, r"knots have the shape \(3, 2\). Remedy: \(knots, 3\)"),
        ({"knots": np.zeros((3, 3))}, "knots do not rise"),
        ({"n_knots": 3, "extrapolation": "periodic"}, "degree 3 need more than 3 knots.*Remedy: n_knots=4"),
    ],
)
def test_knots_that_cannot_be(given, said):
    with pytest.raises(ValueError, match=said):
        tn.SplineTransformer(**given).fit(X)


@pytest.mark.parametrize("extrapolation", ["linear", "constant", "continue", "periodic"])
def test_splines_of_a_constant_column(extrapolation):
    ours = tn.SplineTransformer(extrapolation=extrapolation).fit([[2], [2]])
    theirs = Peer(extrapolation=extrapolation).fit([[2], [2]])
    rows = [[1.0], [2.0], [3.0]]
    assert ours.transform(rows).tolist() == theirs.transform(rows).tolist()
