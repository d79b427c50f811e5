"""Very many categories: conjugate gradients over held codes, against the matrix."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import tenfold as tn
from linear_model.least_squares.test_categorical import WEIGHT, X, Y, close
from tenfold.core import Chunk, Columns
from tenfold.linear_model.least_squares import conjugate_gradients
from tenfold.sources import part_rows
from tenfold.stats.moments.category_moments import CodedMoments, CodeLens, Products
from tenfold.testing import bits, check_laws
from tenfold.testing.comparison import assert_same

LEARNERS = [
    tn.Ridge(0.5),
    tn.LinearRegression(),
    tn.Ridge(0.5, fit_intercept=False),
    tn.LinearRegression(fit_intercept=False),
]


@pytest.fixture
def narrow(monkeypatch):
    """Everything with a category counts as wide."""
    monkeypatch.setattr(conjugate_gradients, "MAX_COUNTED_CATEGORIES", 0)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_the_same_model_as_from_the_matrix(learner, weight, monkeypatch):
    exact = clone(learner).fit(X, Y, sample_weight=weight)
    monkeypatch.setattr(conjugate_gradients, "MAX_COUNTED_CATEGORIES", 7)
    with part_rows(60):
        model = clone(learner).fit(X, Y, sample_weight=weight)
    assert isinstance(model.summary_, CodedMoments)
    close(exact.coef_, model.coef_, 1e-8)
    close(exact.intercept_, model.intercept_, 1e-8)
    close(exact.predict(X), model.predict(X), 1e-8)
    if not learner.alpha:
        assert (model.coef_[exact.coef_ == 0] == 0).all()
    gap = model.certificate_["gap"]
    assert gap.value < 1e-15
    assert gap.status == ("proved" if learner.alpha else "estimated")
    assert "conjugate gradients" in gap.because
    assert model.verify().origin == "verified"


def test_the_gap_is_no_less_than_the_true_one(monkeypatch):
    """Stopped early, the certificate still covers what is missing to the optimum."""
    exact = tn.Ridge(0.5).fit(X, Y)
    monkeypatch.setattr(conjugate_gradients, "MAX_COUNTED_CATEGORIES", 0)
    monkeypatch.setattr(conjugate_gradients, "MAX_RESTARTS", 1)
    for steps in (1, 3, 6):
        monkeypatch.setattr("tenfold.linear_model.least_squares.category_products.MAX_STEPS_PER_RESIDUAL", steps)
        model = tn.Ridge(0.5).fit(X, Y)
        square = ((Y - Y.mean()) ** 2).sum() / 2
        values = [((Y - m.predict(X)) ** 2).sum() / 2 + 0.25 * m.coef_ @ m.coef_ for m in (model, exact)]
        true = (values[0] - values[1]) / square
        assert true > 1e-9
        assert true <= model.certificate_["gap"].value < 1e4 * true
        assert model.verify().origin == "verified"


@pytest.mark.parametrize("learner", LEARNERS[:2], ids=str)
def test_the_same_bits_for_any_number_of_threads(learner, narrow):
    found = set()
    for threads in (1, 2, 3):
        with tn.on(tn.Local(threads=threads, memory=0 if threads == 2 else None)), part_rows(33):
            model = clone(learner).fit(X, Y)
        found.add((bits(model.model_), bits(model.summary_)))
    assert len(found) == 1


@pytest.mark.parametrize("learner", LEARNERS[:2], ids=str)
def test_laws(learner, narrow):
    check_laws(learner, draws=3)


def test_what_does_not_go_with_it(narrow, tmp_path):
    a, b = tn.Ridge().fit(X[:200], Y[:200]), tn.Ridge().fit(X[200:], Y[200:])
    for merge in (lambda: a + b, lambda: a + a, lambda: a.partial_fit(X, Y)):
        with pytest.raises(tn.MergeError, match="do not merge. Remedy: fit to all rows"):
            merge()
    few = tn.Ridge().fit(X[["x", "z"]], Y)
    assert not isinstance(few.summary_, CodedMoments)
    with pytest.raises(
        ValueError, match="standard errors take a matrix of all features, and 8 categories are too many"
    ):
        a.infer()
    with pytest.raises(ValueError, match='precision="high" takes a matrix of all features'):
        tn.LinearRegression(precision="high").fit(X, Y)
    with pytest.raises(ValueError, match='standard_errors="HC3" takes a matrix of all features'):
        tn.LinearRegression(standard_errors="HC3").fit(X, Y)
    ids = X.assign(id=[f"row {i}" for i in range(len(X))])
    with pytest.raises(
        tn.DataError, match=r"column number 5 has a category of its own in each of 400 rows.*leave it out"
    ):
        tn.Ridge().fit(ids, Y)
    a.save(tmp_path / "wide.tenfold")
    again = tn.load(tmp_path / "wide.tenfold")
    assert again.verify().origin == "verified"
    close(again.predict(X), a.predict(X), 1e-15)


def test_narrow_models_add_up_to_a_wide_one(monkeypatch):
    """Each has few enough categories; together they are too many, but no row has to be read for that."""
    monkeypatch.setattr(conjugate_gradients, "MAX_COUNTED_CATEGORIES", 7)
    first = X["color"] != "red"
    a, b = (tn.Ridge().fit(X[some], Y[some]) for some in (first, ~first))
    both = a + b
    monkeypatch.setattr(conjugate_gradients, "MAX_COUNTED_CATEGORIES", 2000)
    close(tn.Ridge().fit(X, Y).coef_, both.coef_)


def test_cross_validation(narrow):
    wide_scores = tn.cross_validate(tn.Ridge(), X, Y, folds=3).scores
    conjugate_gradients.MAX_COUNTED_CATEGORIES = 2000
    close(tn.cross_validate(tn.Ridge(), X, Y, folds=3).scores, wide_scores)


def test_weights_that_are_drawn_anew_count_in_every_step(monkeypatch):
    """Codes are held once; the weights of a bootstrap are not theirs."""
    exact = tn.BaggingRegressor(tn.Ridge(0.5), n_estimators=2).fit(X, Y)
    monkeypatch.setattr(conjugate_gradients, "MAX_COUNTED_CATEGORIES", 0)
    close(tn.BaggingRegressor(tn.Ridge(0.5), n_estimators=2).fit(X, Y).predict(X), exact.predict(X), 1e-8)


def test_a_target_of_zero_and_one_numeric_column_that_says_nothing(narrow):
    model = tn.LinearRegression().fit(X.assign(x=5.0), np.zeros(len(X)))
    assert not model.coef_.any()
    assert model.intercept_ == 0.0


def test_summaries():
    random = np.random.default_rng(0)
    levels = np.array([0, 4, 300, 0])
    data = (
        random.normal(50, 1, 900),
        random.integers(0, 4, 900),
        random.integers(0, 300, 900),
        random.normal(size=900),
    )
    y, v = random.normal(size=900), random.normal(size=304)
    for weight in (np.ones(900), random.random(900)):
        chunk = Chunk(Columns(tuple(c.astype(float) for c in data)), y, weight, bool((weight == 1).all()), 0, 0)
        whole = CodedMoments.of(chunk, levels, v)
        cuts = (slice(0, 300), slice(300, 300), slice(300, 500), slice(500, 900))
        a, nothing, b, c = (CodedMoments.of(chunk.rows(rows), levels, v) for rows in cuts)
        assert bits(a + nothing) == bits(a) == bits(nothing + a)
        assert_same((a + b) + c, a + (b + c), "associative", unit=1.0)
        assert_same(a + b + c, whole, "cut", unit=1.0)
        hot = np.column_stack([data[1][:, None] == np.arange(4), data[2][:, None] == np.arange(300)]).astype(float)
        Z = np.column_stack([data[0], data[3], y])
        mean = np.average(Z, axis=0, weights=weight)
        close(whole.cross, hot.T @ (weight[:, None] * (Z - mean)), 1e-11)
        close(whole.product, hot.T @ (weight * (hot @ v)), 1e-11)
        close(whole.count, hot.T @ weight, 1e-12)
        held = CodeLens(levels)(chunk)
        assert held.dtype == np.uint16
        assert np.array_equal(Products.of(held, chunk, levels, v).product, whole.product)
    large = CodeLens(np.array([70_000]))(chunk._replace(X=Columns((np.array([69_999.0, -1.0]),))))
    assert large.tolist() == [[69_999], [2**32 - 1]]
    with pytest.raises(tn.MergeError):
        whole + CodedMoments.of(chunk, levels, v + 1)


def test_from_text_of_many_levels():
    """Beyond the limit as it is, from a frame."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 1200, (2, 30_000))
    effect = random.normal(size=(2, 1200))
    z = random.normal(size=30_000)
    y = 2 * z + effect[0][codes[0]] + effect[1][codes[1]] + 0.1 * random.normal(size=30_000)
    frame = pd.DataFrame({"a": codes[0].astype(str), "b": codes[1].astype(str), "z": z})
    frame = frame.astype({"a": "category", "b": "category"})
    model = tn.Ridge(1e-3).fit(frame, y)
    assert isinstance(model.summary_, CodedMoments)
    assert model.coef_[-1] == pytest.approx(2, abs=0.01)
    found = model.coef_[:1200] - model.coef_[:1200].mean()
    order = [int(name[2:]) for name in model.coef_names_[:1200]]
    known = effect[0][order] - effect[0][order].mean()
    assert np.corrcoef(found, known)[0, 1] > 0.999
