"""Preprocessing beside scikit-learn: `python benchmarks/preprocessing.py [--rows 1000000]`.

A fit and a transform of each transformer, of ten columns; and how far quantiles, exponents and what is filled in are
from those of all rows: shares of the rows for quantiles, differences else.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import sklearn.impute
import sklearn.preprocessing as peer

import tenfold as tn
from workloads import Promises, seconds

PAUSE = 0.2
"""seconds between the two sides"""


def timed(model: Any, X: Any) -> tuple[float, float, Any]:
    """Seconds of a fit, and of a transform."""
    time.sleep(PAUSE)
    fit, fitted = seconds(lambda: model.fit(X), 1)
    transform, _ = seconds(lambda: fitted.transform(X), 1)
    return fit, transform, fitted


def ranks(found: Any, expected: Any, X: Any) -> float:
    """By which share of the rows quantiles are off, at most."""
    found, expected = np.atleast_2d(found), np.atleast_2d(expected)
    each = (
        np.abs(np.searchsorted(np.sort(x), a) - np.searchsorted(np.sort(x), b)).max()
        for x, a, b in zip(X.T, found.T, expected.T, strict=True)
    )
    return float(max(each)) / len(X)


def main() -> None:
    """Print a line for each transformer, and settle what is promised."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    random = np.random.default_rng(0)
    X = random.lognormal(0, 1, (rows, 10))
    gaps = np.where(random.random(X.shape) < 0.1, np.nan, X)
    codes = random.integers(0, 20, (rows, 10)).astype(np.float64)
    promises = Promises(rows >= 1_000_000)
    cases = {
        "RobustScaler": (tn.RobustScaler(), peer.RobustScaler(), X),
        "QuantileTransformer": (tn.QuantileTransformer(), peer.QuantileTransformer(subsample=None), X),
        "KBinsDiscretizer": (
            tn.KBinsDiscretizer(encode="ordinal"),
            peer.KBinsDiscretizer(encode="ordinal", subsample=None),
            X,
        ),
        "PowerTransformer": (tn.PowerTransformer(), peer.PowerTransformer(), X),
        "SimpleImputer, mean": (tn.SimpleImputer(), sklearn.impute.SimpleImputer(), gaps),
        "SimpleImputer, median": (tn.SimpleImputer("median"), sklearn.impute.SimpleImputer(strategy="median"), gaps),
        "OrdinalEncoder": (tn.OrdinalEncoder(), peer.OrdinalEncoder(), codes),
        "OneHotEncoder": (tn.OneHotEncoder(), peer.OneHotEncoder(), codes),
    }
    print(f"{rows:,} x 10, seconds: fit and transform\n{'':22s}{'tenfold':>18s}{'scikit-learn':>18s}{'ratio':>8s}")
    fitted = {}
    for name, (ours, theirs, data) in cases.items():
        *mine, model = timed(ours, data)
        *other, second = timed(theirs, data)
        fitted[name] = model, second
        ratio = sum(other) / sum(mine)
        print(f"{name:22s}{mine[0]:9.2f}{mine[1]:9.2f}{other[0]:9.2f}{other[1]:9.2f}{ratio:8.2f}", flush=True)
    print()
    a, b = fitted["RobustScaler"]
    promises.at_most("ranks of medians off by", ranks(a.center_, b.center_, X), 1e-3)
    a, b = fitted["QuantileTransformer"]
    promises.at_most("ranks of quantiles off by", ranks(a.quantiles_, b.quantiles_, X), 1e-3)
    promises.at_most(
        "as the certificate says", ranks(a.quantiles_, b.quantiles_, X), a.certificate_["rank error"].value
    )
    a, b = fitted["PowerTransformer"]
    promises.at_most("exponents off by", float(np.abs(a.lambdas_ - b.lambdas_).max()), 1e-6)
    a, b = fitted["SimpleImputer, mean"]
    promises.at_most("means off by", float(np.abs(a.statistics_ - b.statistics_).max()), 1e-12)
    promises.settle()


if __name__ == "__main__":
    main()
