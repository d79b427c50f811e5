"""Support vector machines: against Clarabel, LIBSVM and the conditions of optimality; errata of the sources."""

import numpy as np
import pytest
import sklearn.svm as peer
from numpy.testing import assert_array_equal
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

import tenfold as tn
from dual_problems import KINDS, examine
from tenfold import SVC, SVR
from tenfold.core.driver_threads import driver_threads
from tenfold.svm import support_vector_machine
from tenfold.svm.dual import dual_problem
from tenfold.svm.dual.dual_problem import DualProblem, KernelRows, solve_dual
from tenfold.svm.platt_scaling import coupled, sigmoid_fit

random = np.random.default_rng(0)
X = random.normal(size=(250, 4))
TWO = (X[:, 0] * X[:, 1] + 0.5 * random.normal(size=250) > 0).astype(int)
THREE = np.digitize(X[:, 0] + 0.4 * random.normal(size=250), [-0.5, 0.5])
NUMBER = np.sin(X[:, 0]) + 0.2 * random.normal(size=250)
SMALL = 1e-8
WEIGHT = random.uniform(0.2, 3.0, 250)


@pytest.mark.quick
def test_random_machines_against_clarabel():
    """The same function with 500 draws: `benchmarks/support_vectors.py`."""
    found = [examine(seed) for seed in range(30)]
    assert {one.kind for one in found} == set(KINDS)
    assert any(one.refused for one in found)
    for seed, one in enumerate(found):
        assert not one.wrong, seed
        assert one.off < 1e-6, (seed, one)
        assert one.gap < 1e-6, (seed, one)
        assert one.below < 1e-8, (seed, one)
        assert one.kkt < 1e-6, (seed, one)


@pytest.mark.parametrize("size", [1e300, 3e149])
def test_gamma_of_a_column_too_large_to_be_squared(size):
    rows = X * [1.0, 1.0, size, 1.0]
    with pytest.raises(tn.DataError, match=r"column 'x2' is too large to be squared.*MaxAbsScaler.*gamma"):
        SVR().fit(rows, NUMBER, sample_weight=np.full(250, 1e12))


def test_gamma_is_scaled_by_the_variance_of_weighted_rows():
    """A row of weight 2 is two rows; scikit-learn looks at rows without their weights here."""
    twice = np.repeat(np.arange(250), np.arange(250) % 3)
    a = SVR().fit(X, NUMBER, sample_weight=np.arange(250) % 3)
    b = SVR().fit(X[twice], NUMBER[twice])
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-8)


# ---- beside LIBSVM ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given", [{}, {"kernel": "linear"}, {"kernel": "poly", "coef0": 1.0}, {"class_weight": "balanced"}]
)
def test_two_classes_beside_libsvm(given):
    ours = SVC(tol=SMALL, **given).fit(X, TWO)
    theirs = peer.SVC(tol=SMALL, **given).fit(X, TWO)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)


@pytest.mark.parametrize("shape", ["ovo", "ovr"])
def test_three_classes_beside_libsvm(shape):
    ours = SVC(tol=SMALL, gamma=0.25, decision_function_shape=shape).fit(X, THREE, sample_weight=WEIGHT)
    theirs = peer.SVC(tol=SMALL, gamma=0.25, decision_function_shape=shape).fit(X, THREE, sample_weight=WEIGHT)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    np.testing.assert_array_equal(ours.support_, theirs.support_)


@pytest.mark.parametrize("given", [{"gamma": 0.25}, {"kernel": "linear", "C": 0.3}, {"gamma": 0.25, "epsilon": 0.0}])
def test_numbers_beside_libsvm(given):
    ours = SVR(tol=SMALL, **given).fit(X, NUMBER, sample_weight=WEIGHT)
    theirs = peer.SVR(tol=SMALL, **given).fit(X, NUMBER, sample_weight=WEIGHT)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


def test_one_against_the_rest_is_each_class_by_itself():
    model = SVC(multi_class="ovr", tol=SMALL).fit(X, THREE)
    for c in range(3):
        alone = SVC(tol=SMALL).fit(X, c == THREE)
        np.testing.assert_allclose(model.decision_function(X)[:, c], alone.decision_function(X), atol=1e-6)


def test_a_kernel_object_and_a_matrix_are_the_kernel_by_name():
    named = SVC(kernel="rbf", gamma=0.3).fit(X, TWO)
    k = tn.kernels.GaussianKernel(0.3)
    np.testing.assert_allclose(SVC(kernel=k).fit(X, TWO).decision_function(X), named.decision_function(X), atol=1e-9)
    given = SVC(kernel="precomputed").fit(k(X), TWO)
    np.testing.assert_allclose(given.decision_function(k(X)), named.decision_function(X), atol=1e-6)
    with pytest.raises(tn.MergeError, match="precomputed"):
        given + given


@pytest.mark.quick
def test_probabilities_are_warned_of_and_calibrated():
    with pytest.warns(FutureWarning, match="scikit-learn 1.9 deprecates it.*Remedy: CalibratedClassifierCV"):
        model = SVC(probability=True).fit(X, TWO)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert abs(p[:, 1].mean() - TWO.mean()) < 0.03
    np.testing.assert_array_equal(model.predict(X), (p[:, 1] > 0.5).astype(int))
    with pytest.warns(FutureWarning):
        several = SVC(probability=True).fit(X, THREE)
    assert (several.predict(X) == SVC().fit(X, THREE).predict(X)).mean() > 0.9
    assert not hasattr(SVC().fit(X, TWO), "predict_proba")


def test_a_sigmoid_is_found_again():
    f = random.normal(size=4_000)
    positive = random.random(4_000) < 1 / (1 + np.exp(-(2 * f - 0.5)))
    np.testing.assert_allclose(sigmoid_fit(f, positive, np.ones(4_000)), [2.0, -0.5], atol=0.2)


def test_probabilities_of_pairs_that_agree_are_those_of_the_classes():
    p = random.dirichlet(np.ones(4), 10)
    pairs = np.column_stack([p[:, i] / (p[:, i] + p[:, j]) for i in range(4) for j in range(i + 1, 4)])
    np.testing.assert_allclose(np.exp(coupled(pairs, 4)), p, atol=1e-6)


# ---- the solver of many rows ----------------------------------------------------------------------------------


def many(n=2_500):
    A, y = make_classification(n, 12, n_informative=6, flip_y=0.05, random_state=0)
    return (A - A.mean(axis=0)) / A.std(axis=0), np.where(y == 1, 1.0, -1.0)


def test_working_sets_reach_the_optimum_of_libsvm():
    A, sign = many()
    theirs = peer.SVC(gamma=1 / 12).fit(A, sign)
    k, prices = tn.kernels.GaussianKernel(1 / 12), np.ones(len(A))
    values = {}
    for name, given in {"all": {"shrinking": False}, "shrunk": {}, "no cache": {"memory": 1 << 20}}.items():
        found = solve_dual(k, A, DualProblem.of_classes(sign, prices), 1e-3, **given)
        assert found.violation <= 1e-3
        values[name] = sign @ found.beta - found.beta @ found.values / 2
        F = k(A, A[found.beta != 0]) @ found.beta[found.beta != 0]
        np.testing.assert_allclose(found.values, F, atol=2e-4)
    b = np.zeros(len(A))
    b[theirs.support_] = theirs.dual_coef_[0]
    libsvm = sign @ b - b @ k(A) @ b / 2
    np.testing.assert_allclose(list(values.values()), libsvm, rtol=1e-4)


def test_threads_do_not_change_a_bit():
    A, sign = many(1_600)
    found = []
    for count in (1, 2, 3):
        with driver_threads(count):
            found.append(
                solve_dual(tn.kernels.GaussianKernel(0.1), A, DualProblem.of_classes(sign, np.ones(len(A))), 1e-2).beta
            )
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()


def test_numbers_of_many_rows():
    A, sign = many(1_800)
    y = A[:, 0] + 0.3 * sign
    k = tn.kernels.GaussianKernel(0.05)
    found = solve_dual(k, A, DualProblem.of_numbers(y, np.ones(len(A)), 0.1), 1e-3)
    theirs = peer.SVR(gamma=0.05).fit(A, y)
    np.testing.assert_allclose(found.values + found.bias, theirs.predict(A), atol=5e-3)


def test_a_large_price_is_solved_although_rows_are_short_numbers(monkeypatch):
    """Slopes are made again in float64 where the rounding of float32 rows could matter."""
    monkeypatch.setattr(dual_problem, "MAX_FULL_GRAM_ROWS", 100)
    A, sign = many(600)
    wide = DualProblem.of_classes(sign, np.full(len(A), 1e4))
    found = solve_dual(tn.kernels.GaussianKernel(0.05), A, wide, 1e-4)
    F = tn.kernels.GaussianKernel(0.05)(A) @ found.beta
    v = sign - F
    assert v[found.beta < wide.high].max() - v[found.beta > wide.low].min() < 3e-4


def test_a_start_at_the_solution_of_another_price_takes_fewer_moves():
    sign = np.where(TWO == 1, 1.0, -1.0)
    k = tn.kernels.GaussianKernel(0.3)
    first = solve_dual(k, X, DualProblem.of_classes(sign, np.full(250, 1.0)), 1e-4)
    cold = solve_dual(k, X, DualProblem.of_classes(sign, np.full(250, 1.2)), 1e-4)
    warm = solve_dual(k, X, DualProblem.of_classes(sign, np.full(250, 1.2)), 1e-4, start=first.beta)
    assert warm.moves < cold.moves
    np.testing.assert_allclose(warm.values, cold.values, atol=1e-3)


def test_rows_of_the_kernel_are_kept_and_dropped():
    A = many(300)[0]
    k = tn.kernels.GaussianKernel(0.1)
    K = k(A)
    rows, some = KernelRows(k, A, np.float64, 20 * 300 * 8), np.sort(random.choice(300, 150, replace=False))
    for turn in range(6):
        which = random.choice(len(rows.X), 12, replace=False)
        factor, out = random.normal(size=12), np.zeros(len(rows.X))
        rows.add(which, factor, out)
        now = K if turn < 3 else K[np.ix_(some, some)]
        np.testing.assert_allclose(out, factor @ now[which], atol=1e-12)
        if turn == 2:
            rows.keep(some)


# ---- what the certificate says ---------------------------------------------------------------------------------


def test_the_certificate_says_how_far_the_model_is_from_the_best():
    A, y = many(600)
    rough, fine = SVC(tol=0.5).fit(A, y), SVC(tol=SMALL).fit(A, y)
    assert rough.certificate_["gap"].value > 100 * fine.certificate_["gap"].value
    assert fine.certificate_["relative gap"].value < 1e-6
    assert fine.certificate_["KKT violation"].value < 1e-6
    assert fine.certificate_["support vectors"].value == fine.n_support_.sum()
    assert fine.verify().origin == "verified"


def test_no_more_rows_are_wrong_when_left_out_than_the_bound_says():
    A, y = X[:60], TWO[:60]
    bound = SVC(C=0.2, tol=SMALL, gamma=1.0).fit(A, y).certificate_["leave-one-out bound"].value
    wrong = 0
    for i in range(60):
        keep = np.arange(60) != i
        wrong += SVC(C=0.2, tol=SMALL, gamma=1.0).fit(A[keep], y[keep]).predict(A[[i]])[0] != y[i]
    assert wrong / 60 <= bound


def test_models_of_parts_add_up():
    whole = SVC(tol=SMALL, gamma=0.25).fit(X, THREE)
    halves = SVC(tol=SMALL, gamma=0.25).fit(X[:100], THREE[:100]) + SVC(tol=SMALL, gamma=0.25).fit(X[100:], THREE[100:])
    np.testing.assert_array_equal(halves.predict(X), whole.predict(X))
    assert halves.verify().origin == "verified"


def test_more_rows_than_memory_are_refused_with_a_relative():
    with tn.on(tn.Local(1, memory=1000)), pytest.raises(tn.DataError, match="RBFSampler"):
        SVC().fit(X, TWO)


def test_moves_that_run_out_are_warned_of():
    with pytest.warns(Warning, match="Solver terminated early"):
        SVC(max_iter=3).fit(X, TWO)


# ---- errata of the sources ---------------------------------------------------------------------------------------


def test_the_decision_sums_over_support_vectors_and_adds_the_offset():
    """Erratum 10: f(x) = Σ αₜ yₜ k(xₜ, x) + b."""
    model = SVC(gamma=0.3).fit(X, TWO)
    K = tn.kernels.GaussianKernel(0.3)(X, model.support_vectors_)
    np.testing.assert_allclose(model.decision_function(X), K @ model.dual_coef_[0] + model.intercept_, atol=1e-9)
    assert np.abs(K @ model.dual_coef_[0] - model.decision_function(X)).max() > 1e-3, "without the offset it is another"


def test_a_row_beyond_its_margin_is_no_support_vector():
    """Erratum 16: y f(x) > 1 implies α = 0; and the loss of the tube is max(0, |y - f| - ε)."""
    model = SVC(tol=SMALL).fit(X, TWO)
    margin = np.where(TWO == 1, 1, -1) * model.decision_function(X)
    assert not np.isin(np.flatnonzero(margin > 1 + 1e-6), model.support_).any()
    assert np.isin(np.flatnonzero(margin < 1 - 1e-6), model.support_).all()
    tube = SVR(tol=SMALL, epsilon=0.2).fit(X, NUMBER)
    loss = np.maximum(0, np.abs(NUMBER - tube.predict(X)) - 0.2).sum()
    w = tube.dual_coef_[0] @ tn.kernels.GaussianKernel(1 / (4 * X.var()))(tube.support_vectors_) @ tube.dual_coef_[0]
    primal = tube.certificate_["gap"].value / tube.certificate_["relative gap"].value
    assert w / 2 + loss == pytest.approx(primal, rel=1e-6)


def test_the_gap_is_proved_only_of_kernels_that_are():
    """Erratum 17: a sigmoid kernel is not positive semidefinite, and then the dual is not convex."""
    model = SVC(kernel="sigmoid", gamma=1.0, coef0=-1.0).fit(X[:60], TWO[:60])
    assert model.certificate_["gap"].status == "estimated"
    assert SVC().fit(X[:60], TWO[:60]).certificate_["gap"].status == "proved"


def test_the_margin_is_one_over_the_length_of_w():
    """Erratum 21: two points at -1 and 1 are shattered: with 2/‖w‖ the bound would be 2 · ⌈1/4⌉; it is ⌈R²/γ²⌉ + 1."""
    model = SVC(C=np.inf, kernel="linear").fit([[-1.0], [1.0]], [0, 1])
    assert model.certificate_["margin"].value == pytest.approx(1.0)
    assert model.certificate_["margin dimension"].value >= 2
    apart = 2 * model.certificate_["margin"].value
    assert min(np.ceil(1 / apart**2), 1) + 1 >= 2 > np.ceil(1 / apart**2)


def test_the_offset_is_the_mean_over_rows_inside_their_bounds():
    """Erratum 26: y - Σ α y k is the offset where 0 < α < C; at C it is another number."""
    model = SVC(gamma=0.3, tol=SMALL).fit(X, TWO)
    beta, sign = model.dual_coef_[0], np.where(TWO[model.support_] == 1, 1, -1)
    b = sign - tn.kernels.GaussianKernel(0.3)(model.support_vectors_) @ beta
    free = np.abs(beta) < 1 - 1e-9
    np.testing.assert_allclose(b[free], model.intercept_[0], atol=1e-6)
    assert np.abs(b[~free] - model.intercept_[0]).max() > 0.1


def test_which_side_of_the_tube_a_variable_is_for():
    """Erratum 29: α - α* > 0 lies on or above the upper edge, y ≥ f + ε; < 0 on or below the lower one."""
    model = SVR(tol=SMALL).fit(X, NUMBER)
    above = NUMBER[model.support_] - model.predict(model.support_vectors_)
    assert (above[model.dual_coef_[0] > 0] >= 0.1 - 1e-6).all()
    assert (above[model.dual_coef_[0] < 0] <= -0.1 + 1e-6).all()
    outside = np.flatnonzero(np.abs(NUMBER - model.predict(X)) > 0.1 + 1e-6)
    assert np.isin(outside, model.support_).all()


def test_the_hard_margin():
    line = SVC(C=np.inf, kernel="linear").fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    np.testing.assert_allclose([line.coef_[0, 0], line.intercept_[0]], [1.0, -2.0])
    assert line.certificate_["gap"].value < 1e-9
    with pytest.raises(tn.DataError, match="no plane separates"):
        SVC(C=np.inf, kernel="linear").fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    SVC(C=np.inf).fit([[0.0], [1.0], [2.0]], [0, 1, 0])


def test_a_hard_margin_of_many_rows_is_found_or_refused():
    A = random.normal(size=(6_000, 3))
    side = A.sum(axis=1) > 0
    apart = A + np.where(side, 0.3, -0.3)[:, None]
    assert SVC(C=np.inf, kernel="linear").fit(apart, side).score(apart, side) == 1.0
    side[17] = ~side[17]
    with pytest.raises(tn.DataError, match="no plane separates.*Remedy: a finite C"):
        SVC(C=np.inf, kernel="linear").fit(apart, side)


def test_a_hard_margin_that_is_not_found_is_given_up(monkeypatch):
    monkeypatch.setattr(support_vector_machine, "HARD_LIMIT", -200 * len(X) + 3)
    with pytest.raises(tn.DataError, match="only by so little.*Remedy: a finite C"):
        SVC(C=np.inf).fit(X, TWO)


def test_the_leave_one_out_bound_holds_where_kernels_are_negative():
    A, y = X[:40], (X[:40, 0] + 0.3 * X[:40, 1] > 0).astype(int)
    bound = SVC(C=0.05, tol=SMALL, kernel="linear").fit(A, y).certificate_["leave-one-out bound"].value
    alone = [SVC(C=0.05, tol=SMALL, kernel="linear").fit(np.delete(A, i, 0), np.delete(y, i)) for i in range(40)]
    wrong = np.mean([model.predict(A[[i]])[0] != y[i] for i, model in enumerate(alone)])
    assert wrong <= bound < 1


@pytest.mark.parametrize("learner", [tn.SVC, tn.SVR])
def test_too_many_rows_are_refused_with_a_remedy_and_many_are_warned_of(learner, monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    plain = learner().fit(X, y)
    monkeypatch.setattr(support_vector_machine, "MANY", 50)
    with pytest.warns(UserWarning, match=rf"{learner.__name__} has 60 rows.*Remedy: make_pipeline\(RBFSampler"):
        warned = learner().fit(X, y)
    assert_array_equal(warned.dual_coef_, plain.dual_coef_)
    monkeypatch.setattr(support_vector_machine, "TOO_MANY", 59)
    with pytest.raises(tn.DataError, match=rf"{learner.__name__} has 60 rows.*Remedy: make_pipeline\(RBFSampler"):
        learner().fit(X, y)
    with pytest.warns(ConvergenceWarning):
        learner(max_iter=1).fit(X, y)


def no_rows(self, chunk):
    raise AssertionError("rows were read")


@pytest.mark.parametrize("learner", [tn.SVC, tn.SVR])
def test_too_many_rows_are_refused_before_they_are_gathered(learner, monkeypatch):
    monkeypatch.setattr(support_vector_machine, "TOO_MANY", 59)
    monkeypatch.setattr(support_vector_machine.AllRows, "summarize", no_rows)
    with pytest.raises(tn.DataError, match=rf"{learner.__name__} has 60 rows.*Remedy: make_pipeline\(RBFSampler"):
        learner().fit(X[:60], TWO[:60])
    with pytest.raises(AssertionError, match="rows were read"):  # rows of weight zero are not counted
        learner().fit(X[:60], TWO[:60], sample_weight=np.arange(60) > 1)


def test_rows_of_three_classes_are_refused_where_two_of_them_have_too_many(monkeypatch):
    three = np.arange(90) % 3
    monkeypatch.setattr(support_vector_machine, "TOO_MANY", 60)
    assert SVC().fit(X[:90], three).n_support_.sum() > 0
    monkeypatch.setattr(support_vector_machine.AllRows, "summarize", no_rows)
    with pytest.raises(tn.DataError, match="SVC has 93 rows"):
        SVC().fit(X[:93], np.arange(93) % 3)
    with pytest.raises(tn.DataError, match="SVC has 90 rows"):
        SVC(multi_class="ovr").fit(X[:90], three)


def test_a_machine_that_does_not_converge_is_left_with_a_warning(monkeypatch):
    monkeypatch.setattr(support_vector_machine, "SOFT_LIMIT", 10)
    with pytest.warns(ConvergenceWarning, match=r"terminated early \(2,000 moves\).*StandardScaler"):
        SVC(kernel="poly", coef0=1e6).fit(X[:20], TWO[:20])


@pytest.mark.filterwarnings("ignore:`probability` of SVC is deprecated")
def test_probabilities_are_asked_for_by_a_flag_of_numpy():
    plain = SVC(probability=True).fit(X[:60], TWO[:60]).predict_proba(X)
    assert_array_equal(SVC(probability=np.True_).fit(X[:60], TWO[:60]).predict_proba(X), plain)
