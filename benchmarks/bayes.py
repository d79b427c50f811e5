"""Naive Bayes beside scikit-learn: `python benchmarks/bayes.py [--rows 1000000]`.

Fits of `CategoricalNB` and `MultinomialNB`, and ten folds of `NaiveBayes` on a frame of numbers and categories, beside
the nearest pipeline of scikit-learn: GaussianNB of the numbers and CategoricalNB of codes by OrdinalEncoder, whose
log-probabilities are added; its scores must be the same. `--folds 1` times one of the peer's ten folds and says so.
Also `mutual_information_matrix` beside scikit-learn's score of one pair. Exits with 1 if a promise is missed.
"""

from __future__ import annotations

import argparse
import platform
import time
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import sklearn.naive_bayes as peer
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import mutual_info_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import OrdinalEncoder

import tenfold as tn
from workloads import Promises, seconds

FOLDS = 10
NUMBERS, WORDS = 20, 10


class Mixed(ClassifierMixin, BaseEstimator):
    """What scikit-learn's learners make of a frame of both: their log-probabilities, added."""

    def fit(self, X: Any, y: Any) -> Mixed:
        self.classes_ = np.unique(y)
        words, numbers = _split(X)
        self.encoder_ = OrdinalEncoder(dtype=np.int64).fit(words)
        self.counted_ = peer.CategoricalNB().fit(self.encoder_.transform(words), y)
        self.measured_ = peer.GaussianNB().fit(numbers, y)
        return self

    def predict(self, X: Any) -> Any:
        words, numbers = _split(X)
        both = self.counted_.predict_joint_log_proba(self.encoder_.transform(words))
        both = both + self.measured_.predict_joint_log_proba(numbers) - self.counted_.class_log_prior_
        return self.classes_[both.argmax(axis=1)]


def _split(X: Any) -> tuple[Any, Any]:
    """The columns of words, and those of numbers."""
    return X[[c for c in X if c.startswith("word")]], X[[c for c in X if c.startswith("number")]].to_numpy()


def frame(n: int, kind: str) -> tuple[Any, Any]:
    """Numbers and categories that tell a little of two classes."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, n)
    columns: dict[str, Any] = {f"number{j}": random.normal(size=n) + 0.1 * (j % 3) * y for j in range(NUMBERS)}
    for j in range(WORDS):
        k = (3, 4, 5, 8, 12)[j % 5]
        code = (random.integers(0, k, n) + (random.random(n) < 0.1) * y) % k
        words = [f"value {i}" for i in range(k)]
        columns[f"word{j}"] = (
            pd.Categorical.from_codes(code, words) if kind == "category" else np.array(words, object)[code]
        )
    return pd.DataFrame(columns), y


def fits(rows: int, repeat: int, promises: Promises) -> None:
    """Fits of one kind of column, in turns."""
    random = np.random.default_rng(0)
    codes = random.integers(0, [2, 3, 5, 8, 10, 12, 20, 4, 6, 7], (rows, 10))
    counts, y = random.poisson(0.7, (rows, 30)).astype(np.float64), random.integers(0, 3, rows)
    for name, X in (("CategoricalNB", codes), ("MultinomialNB", counts)):
        best = [np.inf, np.inf]
        for _ in range(repeat):
            for k, module in enumerate((peer, tn)):
                best[k] = min(
                    best[k], seconds(lambda module=module, name=name, X=X: getattr(module, name)().fit(X, y))[0]
                )
        print(
            f"{name}, {rows:,} x {X.shape[1]}: peer {best[0]:.3f} s, tenfold {best[1]:.3f} s, {best[0] / best[1]:.2f}"
        )
        promises.at_least(f"{name}, fit: peer : tenfold", best[0] / best[1], 1.0)


def ten_folds(rows: int, repeat: int, some: int, kind: str, promises: Promises) -> None:
    """Ten folds of a mixed frame, the same folds on both sides."""
    X, y = frame(rows, kind)
    taken, found = seconds(lambda: tn.cross_validate(tn.NaiveBayes(), X, y, folds=FOLDS), repeat)
    began = time.perf_counter()
    splits = list(StratifiedKFold(FOLDS).split(X, y))[:some]
    scores = [Mixed().fit(X.iloc[train], y[train]).score(X.iloc[test], y[test]) for train, test in splits]
    theirs = (time.perf_counter() - began) * FOLDS / some
    said = "" if some == FOLDS else f" ({FOLDS // some} times {some} folds)"
    print(
        f"NaiveBayes, {FOLDS} folds of {rows:,} x ({NUMBERS} numbers + {WORDS} of {kind}): peer {theirs:.1f} s{said}, ",
        end="",
    )
    print(f"tenfold {taken:.2f} s in {found.scans} scans, {theirs / taken:.1f}")
    assert np.array_equal(found.scores[0, 0, :some], scores), "the scores are not those of the peer"
    promises.at_least(f"NaiveBayes, ten folds ({kind}): peer : tenfold", theirs / taken, 15.0)


def pairs(rows: int, repeat: int) -> None:
    """Mutual information of all pairs of ten columns."""
    X = frame(rows, "category")[0].iloc[:, NUMBERS:]
    taken, found = seconds(lambda: tn.mutual_information_matrix(X, base=np.e), repeat)
    theirs, one = seconds(lambda: mutual_info_score(X["word1"], X["word0"]))
    assert abs(one - found.information[1, 0]) < 1e-12
    many = WORDS * (WORDS - 1) // 2
    print(f"mutual information of {rows:,} x {WORDS}: {taken:.2f} s; one of {many} pairs: peer {theirs:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3, help="calls of which the best counts")
    parser.add_argument("--folds", type=int, default=2, choices=(1, 2, 5, 10), help="of the peer's, of ten")
    given = parser.parse_args()
    print(platform.platform(), ", ".join(f"{n} {version(n)}" for n in ("tenfold", "scikit-learn", "numpy", "numba")))
    tn.cross_validate(tn.NaiveBayes(), *frame(2000, "category"), folds=FOLDS)  # compiled before the clock
    promises = Promises(given.rows == 1_000_000)
    fits(given.rows, given.repeat, promises)
    for kind in ("category", "text"):
        ten_folds(given.rows, given.repeat, given.folds, kind, promises)
    pairs(given.rows, given.repeat)
    promises.settle()


if __name__ == "__main__":
    main()
