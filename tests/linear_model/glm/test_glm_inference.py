"""Robust standard errors of generalized linear models: statsmodels, their definition, and repeated samples."""

import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import tenfold as tn
from tenfold import DataError, GammaRegressor, LogisticRegression, PoissonRegressor
from tenfold.sources import part_rows
from tenfold.testing import bits

N, G = 400, 25
ROBUST = ["HC0", "HC1", "HC2", "HC3"]
random = np.random.default_rng(0)
X = random.normal(size=(N, 3)) * [0.3, 3.0, 0.05] + [0, 5, 1]
GROUP = random.integers(0, G, N)
ETA = X @ [1.0, 0.2, -3.0] + 1.5 + 0.5 * random.normal(size=G)[GROUP]
LINK = sm.families.links.Log()
CASES = {
    "logistic": (
        LogisticRegression,
        {"C": math.inf},
        sm.families.Binomial(),
        random.random(N) < 1 / (1 + np.exp(-ETA)),
    ),
    "poisson": (
        PoissonRegressor,
        {"alpha": 0},
        sm.families.Poisson(),
        random.negative_binomial(2, 2 / (2 + np.exp(ETA))),
    ),
    "gamma": (GammaRegressor, {"alpha": 0}, sm.families.Gamma(LINK), random.gamma(0.7, np.exp(ETA) / 0.7)),
}
TURNED = [1, 2, 3, 0]


def fit(case, kind, rows=slice(None), **more):
    learner, given, _, y = CASES[case]
    groups = {"groups": GROUP[rows]} if kind == "cluster" else {}
    return learner(standard_errors=kind, **given).fit(X[rows], y[rows], **groups, **more)


def peer(case, kind, rows=slice(None)):
    _, _, family, y = CASES[case]
    more = {"cov_kwds": {"groups": GROUP[rows]}} if kind == "cluster" else {}
    model = sm.GLM(y[rows].astype(float), sm.add_constant(X[rows]), family=family)
    return model.fit(tol=1e-15, tol_criterion="params", maxiter=200, cov_type=kind, **more)


def by_definition(case, kind, rows):
    """H⁻¹ (Σ s s' / (1 - h)ᵏ) H⁻¹, each row on its own."""
    learner, given, _, y = CASES[case]
    y = y[rows].astype(float)
    model = learner(**given).fit(X[rows], y)
    Z = np.column_stack([X[rows], np.ones(len(y))])
    m = Z @ np.append(model.coef_, model.intercept_)
    mean = np.exp(m)
    slope, bend = {
        "logistic": lambda: (mean / (1 + mean) - y, mean / (1 + mean) ** 2),
        "poisson": lambda: (mean - y, mean),
        "gamma": lambda: (1 - y / mean, y / mean),
    }[case]()
    B = np.linalg.inv((Z * bend[:, None]).T @ Z)
    h = bend * ((Z @ B) * Z).sum(axis=1)
    assert h.sum() == pytest.approx(4)
    factor = {"HC0": 1.0, "HC1": len(y) / (len(y) - 4), "HC2": 1 / (1 - h), "HC3": 1 / (1 - h) ** 2}[kind]
    return B @ (Z * (slope**2 * factor)[:, None]).T @ Z @ B


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", ["HC0", "cluster"])
def test_equals_statsmodels(case, kind):
    """What statsmodels has: with the Hessian as it is, also for a Gamma; its HC1 to HC3 are HC0 for these models."""
    with part_rows(70):
        model = fit(case, kind)
    theirs = peer(case, kind)
    np.testing.assert_allclose(model.covariance_, theirs.cov_params()[np.ix_(TURNED, TURNED)], rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(model.standard_errors_, theirs.bse[TURNED], rtol=1e-8)
    np.testing.assert_allclose(model.z_values_, theirs.tvalues[TURNED], rtol=1e-8)
    np.testing.assert_allclose(model.p_values_, theirs.pvalues[TURNED], rtol=1e-7)
    np.testing.assert_allclose(model.conf_int(0.9), theirs.conf_int(0.1)[TURNED], rtol=1e-7)


def test_logit_of_statsmodels_too():
    y = CASES["logistic"][3].astype(float)
    for kind in ("HC0", "cluster"):
        more = {"cov_kwds": {"groups": GROUP}} if kind == "cluster" else {}
        wanted = sm.Logit(y, sm.add_constant(X)).fit(disp=0, method="newton", tol=1e-14, cov_type=kind, **more)
        np.testing.assert_allclose(fit("logistic", kind).standard_errors_, wanted.bse[TURNED], rtol=1e-8)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", ROBUST)
def test_equals_its_definition(case, kind):
    rows = slice(0, 60)
    np.testing.assert_allclose(
        fit(case, kind, rows).covariance_, by_definition(case, kind, rows), rtol=1e-7, atol=1e-12
    )


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC3", "cluster"])
def test_weights_are_frequencies(case, kind):
    learner, given, _, y = CASES[case]
    times = np.random.default_rng(1).integers(0, 4, N)
    again = np.repeat(np.arange(N), times)
    groups = {"groups": GROUP} if kind == "cluster" else {}
    weighed = learner(standard_errors=kind, **given).fit(X, y, sample_weight=times, **groups)
    np.testing.assert_allclose(weighed.standard_errors_, fit(case, kind, again).standard_errors_, rtol=1e-8)


def test_hc3_is_nearly_the_jackknife():
    """Leaving each row out, for real: HC3 takes one step of Newton's method for each of these fits."""
    rows = np.arange(80)
    for case in CASES:
        learner, given, _, y = CASES[case]
        left = [learner(**given).fit(X[some], y[some]) for some in (np.delete(rows, i) for i in rows)]
        whole = learner(**given).fit(X[rows], y[rows])
        moved = np.array([m.coef_.ravel() - whole.coef_.ravel() for m in left])
        jackknife = np.sqrt((moved**2).sum(axis=0))
        off = {kind: np.abs(fit(case, kind, rows).standard_errors_[:3] / jackknife - 1) for kind in ("HC0", "HC3")}
        assert (off["HC3"] < 0.06).all()
        assert (off["HC3"] < 0.6 * off["HC0"]).all()


def test_robust_errors_hold_where_counts_vary_more_than_poisson():
    """Over 40 samples of overdispersed counts, 95 % intervals: robust ones cover, those of the likelihood do not."""
    draw, covered = np.random.default_rng(2), {"classical": 0, "HC3": 0}
    for _ in range(40):
        x = draw.normal(size=(200, 1))
        y = draw.negative_binomial(1, 1 / (1 + np.exp(1 + 0.3 * x[:, 0])))
        for kind in covered:
            low, high = PoissonRegressor(alpha=0, standard_errors=kind).fit(x, y).conf_int()[0]
            covered[kind] += low < 0.3 < high
    assert covered["classical"] < 0.75 * 40
    assert covered["HC3"] > 0.85 * 40


def test_one_scan_more_and_the_same_bits_in_any_parts():
    plain, robust = fit("poisson", "classical"), fit("poisson", "HC1")
    assert robust.certificate_.provenance.passes == plain.certificate_.provenance.passes + 1
    assert robust.n_iter_ == plain.n_iter_
    assert bits(robust.model_) == bits(plain.model_)
    with part_rows(50), tn.on(tn.Local(1)):
        alone = fit("poisson", "HC3").standard_errors_
    with part_rows(50), tn.on(tn.Local(2)):
        assert (fit("poisson", "HC3").standard_errors_ == alone).all()


def test_categories_offsets_sparse_rows_and_files(tmp_path):
    """A reference category and an offset have no error; groups may be a column of a frame or of a file."""
    y = CASES["poisson"][3]
    frame = pd.DataFrame(X, columns=list("abc")).assign(k=np.array(list("uvw"))[GROUP % 3], g=GROUP)
    learner = PoissonRegressor(alpha=0, offset="a", standard_errors="cluster")
    learner.fit(frame, y, groups="g")
    assert learner.terms_.tolist() == ["a", "b", "c", "k_u", "k_v", "k_w", "intercept"]
    assert (learner.standard_errors_ == 0).tolist() == [True, False, False, True, False, False, False]
    design = np.column_stack([X[:, 1:], GROUP % 3 == 1, GROUP % 3 == 2, np.ones(N)]).astype(float)
    theirs = sm.GLM(y, design, family=sm.families.Poisson(), offset=X[:, 0])
    theirs = theirs.fit(tol=1e-15, tol_criterion="params", cov_type="cluster", cov_kwds={"groups": GROUP})
    np.testing.assert_allclose(learner.standard_errors_[[1, 2, 4, 5, 6]], theirs.bse, rtol=1e-7)
    frame.assign(y=y).to_parquet(tmp_path / "rows.parquet", row_group_size=80)
    expected = learner.standard_errors_
    learner.fit(tn.scan(tmp_path / "rows.parquet", target="y"), groups="g")
    np.testing.assert_allclose(learner.standard_errors_, expected, rtol=1e-8)


def test_a_saved_model_has_its_errors(tmp_path):
    model = fit("logistic", "HC2")
    model.save(tmp_path / "m.tenfold")
    assert (tn.load(tmp_path / "m.tenfold").standard_errors_ == model.standard_errors_).all()


def test_summary_says_what_is_assumed():
    text = str(fit("poisson", "cluster").summary())
    assert "PoissonRegressor: standard errors by cluster" in text
    assert "25 clusters" in text
    assert "rows of different clusters are independent" in text
    assert "any distribution with the mean" in str(fit("gamma", "HC1").summary())
    assert "of maximum likelihood" in str(fit("gamma", "classical").summary())


def test_what_is_missing_is_said():
    y = CASES["logistic"][3]
    with pytest.raises(DataError, match="need the cluster of each row"):
        LogisticRegression(C=math.inf, standard_errors="cluster").fit(X, y)
    with pytest.raises(ValueError, match="groups go with"):
        LogisticRegression().fit(X, y, groups=GROUP)
    with pytest.raises(ValueError, match="with a penalty"):
        LogisticRegression(standard_errors="HC0").fit(X, y).conf_int()
    with pytest.raises(ValueError, match="larger max_iter"):
        LogisticRegression(C=math.inf, standard_errors="HC0", max_iter=1).fit(X, y).conf_int()
    one = LogisticRegression(C=math.inf, standard_errors="cluster").fit(X, y, groups=np.zeros(N))
    assert np.isinf(one.standard_errors_).all()
