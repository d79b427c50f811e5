"""The leave-one-out bound of a support vector machine, against leaving each row out."""

import numpy as np
import pytest

from tenfold import SVC


def wrong_when_left_out(X, y, **given):
    """The share of rows that a model without them gets wrong; a row without which there is one class is wrong."""
    wrong = 0
    for i in range(len(X)):
        rest = np.delete(y, i)
        wrong += len(set(rest)) < 2 or SVC(**given).fit(np.delete(X, i, 0), rest).predict(X[[i]])[0] != y[i]
    return wrong / len(X)


def problem(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(8, 18))
    X = random.normal(size=(n, 2))
    y = (X[:, 0] + random.choice([0.0, 0.3, 1.0]) * random.normal(size=n) > 0).astype(int)
    kernel = str(random.choice(["rbf", "linear", "poly"]))
    given = {"C": float(10 ** random.uniform(-2, 2)), "gamma": 0.5, "kernel": kernel, "tol": 1e-9}
    if seed % 3 == 0:
        given["class_weight"] = {0: 1.0, 1: 2.0}
    return X, y, given


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_no_proved_bound_is_below_the_truth(first):
    for seed in range(first, first + 10):
        X, y, given = problem(seed)
        if len(set(y)) == 2:
            claim = SVC(**given).fit(X, y).certificate_["leave-one-out bound"]
            assert claim.status == "proved"
            assert wrong_when_left_out(X, y, **given) <= claim.value + 1e-12, (seed, given)


@pytest.mark.parametrize("seed", [9, 24, 66, 103])
def test_models_without_a_support_vector_inside_its_bounds(seed):
    """All variables of some of the models without a row are 0 or C: the bound by slack alone would be too low."""
    random = np.random.default_rng(seed)
    n = int(random.integers(10, 24))
    X = random.normal(size=(n, 2))
    y = (X[:, 0] + random.normal(size=n) > 0).astype(int)
    given = {"C": float(10 ** random.uniform(-2, 1)), "gamma": 0.5, "tol": 1e-9}
    claim = SVC(**given).fit(X, y).certificate_["leave-one-out bound"]
    assert wrong_when_left_out(X, y, **given) <= claim.value


def test_slack_proves_more_than_the_number_of_support_vectors_where_the_margin_is_wide():
    X, y = np.random.default_rng(0).normal(size=(12, 6)), np.repeat([0, 1], 6)
    X[:, 0] += np.where(y, 3, -3)
    for C in (100.0, np.inf):
        given = {"C": C, "gamma": 0.1, "tol": 1e-9}
        model = SVC(**given).fit(X, y)
        claim = model.certificate_["leave-one-out bound"]
        assert wrong_when_left_out(X, y, **given) <= claim.value < len(model.support_) / 12
        assert claim.status == "proved"


def test_a_kernel_that_is_made_from_the_rows_is_another_one_without_a_row():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 2)), np.repeat([0, 1], 15)
    assert SVC().fit(X, y).certificate_["leave-one-out bound"].status == "estimated"
    assert SVC(gamma=1.0, class_weight="balanced").fit(X, y).certificate_["leave-one-out bound"].status == "estimated"
    assert SVC(gamma=1.0).fit(X, y).certificate_["leave-one-out bound"].status == "proved"


def test_the_only_row_of_a_class_is_wrong_when_left_out():
    X, y = np.array([[0.0], [1.0], [2.0], [9.0]]), [0, 0, 0, 1]
    assert SVC(C=np.inf, kernel="linear").fit(X, y).certificate_["leave-one-out bound"].value >= 0.25
