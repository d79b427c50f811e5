"""What errata say of bounds: whose dimension counts, and how often a conjunction with too many literals errs."""

from itertools import product

import numpy as np
import pytest

from tenfold import Conjunction, VersionSpace, theory


def test_erratum_22_the_dimension_is_that_of_the_hypotheses():
    """A concept of dimension 1, learned by a class of all sets: by the dimension of the concepts rows are too few."""
    points, eps, delta = 400, 0.3, 0.1
    some = np.arange(6)[:, None]
    concepts = [some[:, 0] == k for k in range(6)]  # one point each, as of all of them
    every = list(product((False, True), repeat=6))
    assert theory.vc_dimension(concepts, some) == 1
    assert theory.vc_dimension(every, some) == len(some)  # all sets: as many as there are points
    random = np.random.default_rng(0)

    def failures(rows):
        """How often a set that agrees with the rows, and with nothing else, errs more than ε."""
        unseen = [1 - len(np.unique(random.integers(0, points, rows))) / points for _ in range(30)]
        return np.mean(np.array(unseen) > eps)

    enough = theory.sample_size(eps, delta, vc=points)
    assert failures(theory.sample_size(eps, delta, vc=1)) > 0.9
    assert failures(enough) <= delta


@pytest.mark.parametrize("seed", range(10))
def test_erratum_22_an_error_is_at_most_the_sum_over_literals(seed):
    """error(h) ≤ Σ p(z), the chance of a positive row on which z is false: less where one row breaks two literals."""
    random = np.random.default_rng(seed)
    points = list(product("ab", repeat=4))
    weight = dict(zip(points, random.dirichlet(np.ones(16)).tolist(), strict=True))
    target, h = Conjunction(["a", "?", "?", "?"]), Conjunction(["a", "a", "b", "?"])
    error = VersionSpace([["a", "b"]] * 4, [h], [h]).largest_error(target, weight)
    p = [sum(w for x, w in weight.items() if x[0] == "a" and x[at] != value) for at, value in ((1, "a"), (2, "b"))]
    both = sum(w for x, w in weight.items() if x[:3] == ("a", "b", "a"))
    assert error == pytest.approx(sum(p) - both)
    assert error < sum(p)
