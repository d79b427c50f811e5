"""LinearSVC and LinearSVR: against scikit-learn and Clarabel, on all three routes, proved from both sides."""

import warnings

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm as peer
from sklearn.exceptions import ConvergenceWarning

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.svm import linear_machine
from tenfold.testing import check_laws

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(300, 4)) * [1.0, 3.0, 0.5, 1.0]
F = X @ [1.0, 0.3, -1.0, 0.0]
TWO = np.where(F + RANDOM.normal(size=300) > 0.3, "yes", "no")
THREE = np.digitize(F + RANDOM.normal(size=300), [-1, 1])
NUMBERS = F + RANDOM.normal(size=300) + 3
WEIGHT = RANDOM.integers(1, 4, 300).astype(float)
ROUTES = ("passes", "few", "descent")
CLASS_LOSSES = ("hinge", "squared_hinge")
NUMBER_LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


@pytest.fixture(params=ROUTES)
def route(request, monkeypatch):
    """The three ways to a plane: passes over parts, the same of rows that are here, and dual coordinate descent."""
    if request.param == "passes":
        monkeypatch.setattr(linear_machine, "ALWAYS_GATHERED_BYTES", 1)
    with part_rows(70):
        yield {"dual": request.param == "descent", "max_iter": 100_000}


def of_clarabel(A, y, cost, loss, epsilon):
    """The least primal value: over w and slacks."""
    (n, p), squared, two_sided = A.shape, loss.startswith("squared"), "epsilon" in loss
    if two_sided:
        A, y, n = np.r_[A, -A], np.r_[y, -y], 2 * n
        G, h = np.c_[-A, -np.eye(n)], epsilon - y
        cost = np.r_[cost, cost]
    else:
        G, h = np.c_[-y[:, None] * A, -np.eye(n)], -np.ones(n)
    G, h = np.r_[G, np.c_[np.zeros((n, p)), -np.eye(n)]], np.r_[h, np.zeros(n)]
    P = np.diag(np.r_[np.ones(p), 2 * cost if squared else np.zeros(n)])
    q = np.r_[np.zeros(p), np.zeros(n) if squared else cost]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(len(h))]
    found = clarabel.DefaultSolver(sp.csc_matrix(P), q, sp.csc_matrix(G), h, cones, settings).solve()
    assert found.status == clarabel.SolverStatus.Solved
    return found.obj_val


def primal(w, A, y, cost, loss, epsilon):
    """The objective of one plane."""
    off = np.abs(y - A @ w) - epsilon if "epsilon" in loss else 1 - y * (A @ w)
    off = np.maximum(off, 0)
    return 0.5 * w @ w + cost @ (off**2 if loss.startswith("squared") else off)


@pytest.mark.parametrize("loss", CLASS_LOSSES)
@pytest.mark.parametrize("given", [{"C": 0.1}, {"C": 0.5, "class_weight": "balanced", "intercept_scaling": 2.0}])
def test_classes_are_separated_as_scikit_learn_does(route, loss, given):
    for y, weight in ((TWO, None), (THREE, WEIGHT)):
        ours = tn.LinearSVC(loss=loss, tol=1e-12, **given, **route).fit(X, y, sample_weight=weight)
        theirs = peer.LinearSVC(loss=loss, tol=1e-10, dual=True, max_iter=1_000_000, **given)
        theirs.fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-6)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-6)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
        assert ours.certificate_["relative gap"].value <= 1e-12


@pytest.mark.parametrize("loss", NUMBER_LOSSES)
@pytest.mark.parametrize("given", [{"C": 0.1}, {"C": 2.0, "epsilon": 0.3, "fit_intercept": False}])
def test_numbers_are_predicted_as_scikit_learn_does(route, loss, given):
    ours = tn.LinearSVR(loss=loss, tol=1e-12, **given, **route).fit(X, NUMBERS, sample_weight=WEIGHT)
    theirs = peer.LinearSVR(loss=loss, tol=1e-10, dual=True, max_iter=1_000_000, **given)
    theirs.fit(X, NUMBERS, sample_weight=WEIGHT)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-6)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)


@pytest.mark.parametrize("seed", range(12))
def test_the_gap_is_proved_from_both_sides(route, seed):
    """Never below the truth, which Clarabel tells; and not uselessly above it once the tolerance is small."""
    random = np.random.default_rng(seed)
    n, p = int(random.integers(8, 40)), int(random.integers(1, 6))
    A = random.normal(size=(n, p)) * 10.0 ** random.uniform(-1, 1, p)
    C, weight = 10.0 ** random.uniform(-2, 2), random.integers(1, 4, n).astype(float)
    loss = (*CLASS_LOSSES, *NUMBER_LOSSES)[seed % 4]
    f = A @ random.normal(size=p) + random.normal(size=n)
    epsilon = 0.2 if "epsilon" in loss else 0.0
    y = f if "epsilon" in loss else np.where(f > np.median(f), 1.0, -1.0)
    least = of_clarabel(A, y, C * weight, loss, epsilon)
    for tol in (0.1, 1e-9):
        kind = tn.LinearSVR(epsilon=epsilon) if "epsilon" in loss else tn.LinearSVC()
        model = kind.set_params(loss=loss, C=C, tol=tol, fit_intercept=False, **route)
        model.fit(A, y, sample_weight=weight)
        value, gap = primal(np.ravel(model.coef_), A, y, C * weight, loss, epsilon), model.certificate_["gap"].value
        assert value - gap <= least * (1 + 1e-7)
        assert value >= least * (1 - 1e-7)
        assert gap <= tol * value
    assert value <= least * (1 + 1e-6)


def test_conditions_of_optimality_hold():
    """The KKT residuals of the quadratic program, with the multipliers that the planes lead to."""
    y = np.where(TWO == "yes", 1.0, -1.0)
    model = tn.LinearSVC(loss="hinge", tol=1e-13, fit_intercept=False, C=0.5).fit(X, y)
    w, (n, p) = model.coef_[0], X.shape
    slack = np.maximum(1 - y * (X @ w), 0)
    free = np.abs(1 - y * (X @ w)) < 1e-6
    alpha = np.where(slack > 1e-6, 0.5, 0.0)
    alpha[free] = np.linalg.lstsq((y[:, None] * X)[free].T, w - (alpha * y) @ X, rcond=None)[0]
    G = np.r_[np.c_[-y[:, None] * X, -np.eye(n)], np.c_[np.zeros((n, p)), -np.eye(n)]]
    P = np.diag(np.r_[np.ones(p), np.zeros(n)])
    q, h = np.r_[np.zeros(p), np.full(n, 0.5)], np.r_[-np.ones(n), np.zeros(n)]
    found = tn.theory.kkt(P, q, np.r_[w, slack], G=G, h=h, z=np.r_[alpha, 0.5 - alpha])
    assert found.worst < 1e-5


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_same_bits_wherever_the_rows_are(kind, tmp_path, monkeypatch):
    import pyarrow as pa
    import pyarrow.parquet as pq

    monkeypatch.setattr(linear_machine, "ALWAYS_GATHERED_BYTES", 1)
    y = THREE if kind == "classes" else NUMBERS
    model = tn.LinearSVC(loss="hinge") if kind == "classes" else tn.LinearSVR(C=0.3)
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": y})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=100)
    with part_rows(100):
        here = type(model)(**model.get_params()).fit(X, y)
    there = model.fit(tn.scan(tmp_path / "rows.parquet", target="y"))
    assert here.coef_.tobytes() == there.coef_.tobytes()
    assert here.certificate_["gap"].value == there.certificate_["gap"].value
    assert here.n_iter_ == there.n_iter_ > 5


def test_laws_of_passes_over_parts(monkeypatch):
    """Laws draw few rows, which are gathered: here they are not."""
    monkeypatch.setattr(linear_machine, "ALWAYS_GATHERED_BYTES", 1)
    check_laws(tn.LinearSVR(tol=1e-10, C=0.1), draws=1)
    check_laws(tn.LinearSVC(loss="hinge", C=0.1, tol=1e-6), draws=1)


def test_text_is_sparse_and_wide():
    rows = sp.random_array((200, 800), density=0.02, random_state=0, format="csr")
    y = np.where(rows @ np.random.default_rng(0).normal(size=800) > 0, 1, 0)
    ours = tn.LinearSVC(tol=1e-10, max_iter=10_000).fit(rows, y)
    dense = tn.LinearSVC(tol=1e-10, max_iter=10_000).fit(rows.toarray(), y)
    theirs = peer.LinearSVC(tol=1e-10, max_iter=100_000).fit(rows, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.coef_, dense.coef_, atol=1e-12)


def test_what_is_refused_names_what_to_use():
    with pytest.raises(ValueError, match="LogisticRegression\\(l1_ratio=1.0\\)"):
        tn.LinearSVC(penalty="l1").fit(X, TWO)
    with pytest.raises(ValueError, match="multi_class='ovr'"):
        tn.LinearSVC(multi_class="crammer_singer").fit(X, THREE)
    with pytest.raises(ValueError, match="2 classes"):
        tn.LinearSVC().fit(X, np.zeros(300))
    with pytest.warns(ConvergenceWarning, match="a larger max_iter"):
        tn.LinearSVC(loss="hinge", max_iter=2).fit(X, TWO)
    with tn.on(tn.Local(memory=1000)), pytest.raises(tn.DataError, match="dual=False"):
        tn.LinearSVC(dual=True).fit(X, TWO)


@pytest.mark.parametrize("of", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("learner", [tn.LinearSVC(), tn.LinearSVR(), tn.LinearSVC(dual=True)])
def test_numbers_too_large_to_be_squared_are_named(learner, of):
    rows = X.copy()
    rows[7, 2] = -3e300
    with pytest.raises(tn.DataError, match=r"-3e\+300 in column 'x2', row 7 is too large.*MaxAbsScaler"):
        learner.fit(of(rows), TWO == "yes")
    scaled = tn.make_pipeline(tn.MaxAbsScaler(), learner).fit(of(rows), TWO == "yes")
    assert np.isfinite(scaled.predict(of(rows)).astype(float)).all()


def test_rules_stop_the_passes(monkeypatch):
    monkeypatch.setattr(linear_machine, "ALWAYS_GATHERED_BYTES", 1)
    with pytest.warns(ConvergenceWarning):
        rough = tn.LinearSVC(loss="hinge", tol=1e-9).fit(X, TWO, stop=tn.Gap(5.0))
    assert 1e-3 < rough.certificate_["gap"].value <= 5.0
    assert rough.certificate_.provenance.stopped == "gap at most 5"


def test_a_model_file_has_no_rows(tmp_path):
    model = tn.LinearSVC(loss="hinge").fit(X, THREE)
    model.save(tmp_path / "machine.tenfold")
    again = tn.load(tmp_path / "machine.tenfold")
    assert (again.predict(X) == model.predict(X)).all()
    assert again.verify()["gap"].value == model.certificate_["gap"].value
    assert (tmp_path / "machine.tenfold").stat().st_size < 20_000


# ---- without a penalty on the intercept ---------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0.0, 5.0])
@pytest.mark.parametrize("C", [0.05, 5.0])
def test_free_intercept_is_that_of_the_machine_with_a_kernel(shift, C):
    random = np.random.default_rng(1)
    A = random.normal(size=(150, 3)) + shift
    y = A[:, 0] - A[:, 1] + random.normal(size=150) > 0
    weight = random.uniform(0.2, 2, 150)
    ours = tn.LinearSVC(loss="hinge", C=C, intercept_scaling=np.inf, tol=1e-9).fit(A, y, sample_weight=weight)
    theirs = tn.SVC(kernel="linear", C=C, tol=1e-9).fit(A, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert ours.certificate_["relative gap"].value < 1e-9
    number = A @ [1.0, 2.0, 0.0] + random.normal(size=150) + 30
    line = tn.LinearSVR(C=C, epsilon=0.1, intercept_scaling=np.inf, tol=1e-8).fit(A, number)
    np.testing.assert_allclose(
        line.predict(A), tn.SVR(kernel="linear", C=C, tol=1e-9).fit(A, number).predict(A), atol=1e-3
    )


def squared(A, sign, C, b_free):
    """The least of ½|w|² (+ ½b²) + C Σ max(0, 1 - y f)², by Clarabel."""
    n, p = A.shape
    P = sp.diags(np.r_[np.ones(p), 0.0 if b_free else 1.0, np.full(n, 2 * C)], format="csc")
    rows = np.block([[-sign[:, None] * np.c_[A, np.ones(n)], -np.eye(n)]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(n)]
    solved = clarabel.DefaultSolver(P, np.zeros(p + 1 + n), sp.csc_matrix(rows), -np.ones(n), cones, settings).solve()
    return np.array(solved.x[: p + 1]), solved.obj_val


def test_free_intercept_of_the_squared_loss_beside_clarabel():
    random = np.random.default_rng(2)
    A = random.normal(size=(120, 3)) + 4
    y = A[:, 0] - A[:, 1] + random.normal(size=120) > 0
    sign = np.where(y, 1.0, -1.0)
    model = tn.LinearSVC(C=0.3, intercept_scaling=np.inf, tol=1e-9).fit(A, y)
    best, value = squared(A, sign, 0.3, True)
    np.testing.assert_allclose(np.r_[model.coef_[0], model.intercept_], best, atol=1e-5)
    f = A @ model.coef_[0] + model.intercept_
    ours = 0.5 * float((model.coef_**2).sum()) + 0.3 * float((np.maximum(0, 1 - sign * f) ** 2).sum())
    assert ours == pytest.approx(value, rel=1e-7)
    penalised, _ = squared(A, sign, 0.3, False)
    assert np.abs(penalised - best).max() > 0.1  # so the comparison can fail
    default = tn.LinearSVC(C=0.3, tol=1e-9).fit(A, y)
    np.testing.assert_allclose(np.r_[default.coef_[0], default.intercept_], penalised, atol=1e-5)


def test_the_gap_of_a_free_intercept_is_proved():
    """What is claimed is never less than what the best machine shows, also where a fit ends early."""
    random = np.random.default_rng(3)
    A = random.normal(size=(90, 2)) + 3
    y = A[:, 0] + random.normal(size=90) > 3
    sign = np.where(y, 1.0, -1.0)
    best = tn.SVC(kernel="linear", tol=1e-10).fit(A, y)
    least = 0.5 * float((best.coef_**2).sum()) + float(np.maximum(0, 1 - sign * best.decision_function(A)).sum())
    for rounds in (1, 2, 3, 5, 8, 13):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = tn.LinearSVC(loss="hinge", intercept_scaling=np.inf, tol=1e-12, max_iter=rounds).fit(A, y)
        value = 0.5 * float((model.coef_**2).sum())
        value += float(np.maximum(0, 1 - sign * model.decision_function(A)).sum())
        assert model.certificate_["gap"].value >= value - least - 1e-9, rounds


def test_free_intercept_goes_over_parts_and_refuses_descent(monkeypatch):
    random = np.random.default_rng(4)
    A = random.normal(size=(400, 3)) + 2
    y = A[:, 0] + random.normal(size=400) > 2
    whole = tn.LinearSVC(intercept_scaling=np.inf, tol=1e-9).fit(A, y)
    monkeypatch.setattr("tenfold.svm.linear_machine.ALWAYS_GATHERED_BYTES", 1)
    parts = tn.LinearSVC(intercept_scaling=np.inf, tol=1e-9).fit(A, y)
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-6)
    assert parts.certificate_["relative gap"].value < 1e-9
    assert "not penalised" in parts.certificate_["gap"].because
    wide = tn.LinearSVC(intercept_scaling=np.inf, dual="auto").fit(random.normal(size=(30, 510)), np.arange(30) % 2)
    assert wide.certificate_["relative gap"].value < 1e-4
    with pytest.raises(ValueError, match=r"dual=True .*Remedy: tn.LinearSVC\(dual=False.*tn.SVC\(kernel='linear'\)"):
        tn.LinearSVC(intercept_scaling=np.inf, dual=True).fit(A, y)
