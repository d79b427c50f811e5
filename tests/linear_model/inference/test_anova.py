"""Analysis of variance through one categorical column, against NIST's certified F."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from linear_model.inference.anova_sets import digits, exact_f, sets
from tenfold.sources import part_rows

SETS = sets()


@pytest.mark.parametrize("precision", ["normal", "high"])
@pytest.mark.parametrize("name", list(SETS))
def test_f_has_all_digits_that_the_data_have(name, precision):
    values, certified = SETS[name]
    frame = pd.DataFrame({"treatment": np.tile([f"t{j}" for j in range(values.shape[1])], len(values))})
    with part_rows(-(-len(frame) // 4)):
        model = tn.LinearRegression(precision=precision).fit(frame, values.ravel())
    found = model.inference_.f_test
    exact = exact_f(values)
    whole = 15 if precision == "high" else 14
    assert digits(found.statistic, certified) > min(digits(exact, certified), whole) - 0.1
    assert digits(found.statistic, exact) > whole - 0.5
    assert found.df == values.shape[1] - 1
    assert found.df_residual == values.size - values.shape[1]
    middle = [sum(map(Fraction, column)) / len(column) for column in values.T.tolist()]
    off = [float(b - (m - middle[0])) for b, m in zip(map(Fraction, model.coef_.tolist()), middle)]
    assert off[0] == 0.0
    assert max(map(abs, off)) < (1e-16 if precision == "high" else 1e-13)
