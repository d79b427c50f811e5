"""Bounds of trees on unseen rows: never broken too often, and not without the correction for the choice."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import tenfold as tn
from tenfold.theory import held_out_bound
from tenfold.tree import claims as tree_claims
from tenfold.tree.claims import DELTA

RUNS = 60


def draw(random, n, flip):
    """Rows of four columns with four values each; the class is that of the first two, but for a share."""
    X = random.integers(0, 4, (n, 4)).astype(float)
    return X, ((X[:, 0] + X[:, 1] > 3) ^ (random.random(n) < flip)).astype(int)


EVERY = np.array(list(product(range(4), repeat=4)), dtype=float)
TRUE = (EVERY[:, 0] + EVERY[:, 1] > 3).astype(int)


def true_error(model, flip):
    """Over all rows there can be."""
    wrong = (model.predict(EVERY) != TRUE).mean()
    return wrong * (1 - flip) + (1 - wrong) * flip


@pytest.mark.parametrize("flip", [0.1, 0.5])
def test_bounds_hold_and_without_the_correction_they_would_not(flip):
    """With labels that are all noise the choice of a pruning is worth most, and a plain bound fails most."""
    random, broken, plain = np.random.default_rng(0), {"occam bound": 0, "validation bound": 0}, 0
    tight = []
    for _ in range(RUNS):
        model = tn.DecisionTreeClassifier(prune="reduced_error").fit(*draw(random, 300, flip))
        claims, error = model.certificate_, true_error(model, flip)
        for kind in broken:
            broken[kind] += claims[kind].value < error
        back = model.summary_.back[:, :-1]
        wrong = round(claims["validation error"].value * back.sum())
        plain += float(held_out_bound(wrong, int(back.sum()), DELTA)) < error
        tight.append(claims["validation bound"].value - error)
    allowed = binom.ppf(0.999, RUNS, DELTA)
    assert max(broken.values()) <= allowed
    assert np.median(tight) < 0.3, "a bound that says nothing is easy to keep"
    if flip == 0.5:
        assert plain > allowed, "the choice did not matter: what is corrected for?"


def test_descriptions_of_small_trees_by_hand():
    X = [[0.0], [1.0], [2.0], [3.0]]
    model = tn.DecisionTreeClassifier(max_depth=1).fit(X, [0, 0, 1, 1])
    assert model.tree_.threshold[0] == 1.5
    threshold = 1 + 11 + 6 + 1  # 1.5 uses one bit of the mantissa
    assert tree_claims.description_bits(model.tree_, np.array([0]), 2) == 3 + 0 + 1 + threshold + 2
    frame = pd.DataFrame({"a": list("uvw") * 4, "b": list("uuvvww") * 2})
    model = tn.ID3(max_depth=1).fit(frame, ["x", "y", "z"] * 4)
    levels = np.array([3, 3])
    bits = 4 + 1 + (1 + 4) + 4 * np.log2(3)  # nodes, column, categories and a gap, leaves and what unknown ones get
    assert tree_claims.description_bits(model.tree_, levels, 3) == pytest.approx(bits)


def test_bits_of_a_mantissa():
    values = np.array([1.0, -2.0, 0.0, 1.5, 0.75, 5.0, 0.1, np.nextafter(1.0, 2.0)])
    assert tree_claims.mantissa_bits(values).tolist() == [0, 0, 0, 1, 1, 2, 51, 52]


def test_there_is_no_bound_where_rows_do_not_count_the_same():
    X, y = draw(np.random.default_rng(1), 200, 0.1)
    weighted = tn.DecisionTreeClassifier(prune="reduced_error").fit(X, y, sample_weight=np.linspace(0.5, 2, 200))
    assert [c.kind for c in weighted.certificate_.claims] == ["training error"]
    assert tn.C45().fit(X, y).certificate_.get("occam bound") is None


def test_a_bound_of_95_percent_is_not_called_proved():
    X, y = np.random.default_rng(1).normal(size=(300, 2)), np.arange(300) % 2
    found = tn.DecisionTreeClassifier(max_depth=2, prune="reduced_error").fit(X, y).certificate_
    bounds = [claim for claim in found.claims if claim.kind in ("occam bound", "validation bound")]
    assert bounds
    for claim in bounds:
        assert claim.status == "with confidence"
        assert "with 95 % confidence" in claim.because
    for text in (str(found), found._repr_html_()):
        assert "with confidence" in text
