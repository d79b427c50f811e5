"""Digits of F on NIST's analyses of variance, beside scikit-learn's f_classif: `python benchmarks/anova.py`.

The ceiling is F of the float64 values in rational arithmetic: the rest was lost when the data were rounded.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import sklearn
from sklearn.feature_selection import f_classif

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import tenfold as tn
from linear_model.inference.anova_sets import digits, exact_f, sets
from tenfold.sources import part_rows
from workloads import Promises

WHOLE = {"high": 15, "normal": 14}
"""digits that each precision has, where the data have as many"""


def main() -> None:
    promises = Promises()
    print(f"{'digits of F':10s}  ceiling  precision='high'  'normal'  f_classif ({sklearn.__version__})")
    for name, (values, certified) in sets().items():
        group = np.tile([f"t{j}" for j in range(values.shape[1])], len(values))
        y, table = values.ravel(), pa.table({"treatment": group})
        found = []
        with part_rows(-(-len(y) // 4)):
            for precision in ("high", "normal"):
                model = tn.LinearRegression(precision=precision).fit(table, y)
                found.append(model.inference_.f_test.statistic)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = f_classif(y[:, None], group)[0][0]
        each = [digits(f, certified) for f in (exact_f(values), *found, theirs)]
        for precision, found_digits in zip(("high", "normal"), each[1:3], strict=True):
            promises.at_least(f"{name}, digits of F, {precision}", found_digits, min(each[0], WHOLE[precision]) - 0.1)
        print(f"{name:11s} {each[0]:8.1f} {each[1]:17.1f} {each[2]:9.1f} {each[3]:10.1f}", flush=True)
    promises.settle()


if __name__ == "__main__":
    main()
