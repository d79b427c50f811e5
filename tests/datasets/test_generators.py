"""Generators: what they promise of the rows that they draw."""

import numpy as np
import pytest

import tenfold as tn
from tenfold.datasets import make_marked_sequences, make_separable


@pytest.mark.parametrize(("n", "d", "margin"), [(1, 1, 0.99), (7, 1, 0.0), (500, 2, 0.3), (300, 6, 0.9)])
def test_rows_keep_their_distance_from_the_plane(n, d, margin):
    X, y = make_separable(n, d, margin=margin, random_state=0)
    assert X.shape == (n, d)
    assert np.abs(X).max() <= 1
    normal = np.full(d, 1 / np.sqrt(d))
    assert (np.where(y == 1, 1, -1) * (X @ normal) >= margin).all()
    again, _ = make_separable(n, d, margin=margin, random_state=0)
    assert (again == X).all()


def test_a_perceptron_keeps_to_the_bound_of_the_margin():
    X, y = make_separable(400, 3, margin=0.1, random_state=1)
    model = tn.Perceptron(fit_intercept=False, tol=None).fit(X, y)
    assert model.certificate_["training error"].value == 0
    assert 0 < model.mistakes_.sum() <= 3 / 0.1**2
    assert 0.3 < y.mean() < 0.7


def test_the_class_is_whether_the_marked_bits_are_equal():
    X, y, lengths = make_marked_sequences(500, min_length=2, max_length=9, random_state=0)
    assert lengths.min() == 2
    assert lengths.max() == 9
    assert lengths.sum() == len(X)
    assert set(X[:, 0]) == {-1.0, 1.0}
    for rows, equal in zip(np.split(X, lengths.cumsum()[:-1]), y, strict=True):
        early, late = np.flatnonzero(rows[:, 1])
        assert early < len(rows) // 2 <= late
        assert (rows[early, 0] == rows[late, 0]) == equal
    assert 0.4 < y.mean() < 0.6


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: make_separable(margin=1.0), "margin=1.0: a number from 0 to below 1"),
        (lambda: make_separable(margin=float("nan")), "margin=nan"),
        (lambda: make_separable(0), "n_samples must be an integer at least 1"),
        (lambda: make_marked_sequences(min_length=1), "min_length must be an integer at least 2"),
        (lambda: make_marked_sequences(min_length=5, max_length=4), "max_length must be an integer at least 5"),
    ],
)
def test_wrong_arguments_are_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()
