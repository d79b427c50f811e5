"""Teams beside scikit-learn's, and beside their members fitted one by one.

    python benchmarks/ensembles.py [rows]

Each pair runs in this process, one after the other; the least time of three counts.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import sklearn
import sklearn.ensemble as peers
import sklearn.linear_model as linear
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tenfold as tn
from workloads import Promises, seconds

SLOWER = 0.8
"""of the peer's speed, and of that of the members one by one, that a team has at least"""
WORSE = 0.01
"""less of a score than the peer's, at most"""


def main(rows: int) -> None:
    """Print a line for each case."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, 20))
    y = X @ rng.standard_normal(20) + np.abs(X[:, 0]) + rng.standard_normal(rows)
    kind = (y > 0).astype(int)
    half = rows // 2
    print(f"{rows} x 20; tenfold {tn.__version__}, scikit-learn {sklearn.__version__}, numpy {np.__version__}")
    ridges = [2.0**k for k in range(10)]
    promises = Promises(rows == 200_000)
    cases = {
        "vote of 10 ridges": (
            tn.VotingRegressor([(f"r{a:g}".replace(".", "_"), tn.Ridge(a)) for a in ridges]),
            peers.VotingRegressor([(f"r{a:g}".replace(".", "_"), linear.Ridge(a)) for a in ridges]),
            y,
        ),
        "vote of naive Bayes and LDA": (
            tn.VotingClassifier(voting="soft"),
            peers.VotingClassifier([("a", GaussianNB()), ("b", LinearDiscriminantAnalysis())], voting="soft"),
            kind,
        ),
        "bag of 20 naive Bayes": (
            tn.BaggingClassifier(tn.GaussianNB(), 20),
            peers.BaggingClassifier(GaussianNB(), 20, random_state=0),
            kind,
        ),
        "bag of 10 trees of depth 8": (
            tn.BaggingClassifier(tn.DecisionTreeClassifier(max_depth=8), 10),
            peers.BaggingClassifier(DecisionTreeClassifier(max_depth=8), 10, random_state=0),
            kind,
        ),
        "stack of naive Bayes and LDA": (
            tn.StackingClassifier(),
            peers.StackingClassifier([("a", GaussianNB()), ("b", LinearDiscriminantAnalysis())]),
            kind,
        ),
    }
    for name, (ours, theirs, target) in cases.items():
        mine, model = seconds(lambda ours=ours, target=target: ours.fit(X[:half], target[:half]), 3)
        other, peer = seconds(lambda theirs=theirs, target=target: theirs.fit(X[:half], target[:half]), 3)
        scores = [m.score(X[half:], target[half:]) for m in (model, peer)]
        print(
            f"{name:30} {mine:7.3f} s, scikit-learn {other:7.3f} s, {other / mine:5.1f}x; "
            f"score {scores[0]:.4f} and {scores[1]:.4f}"
        )
        promises.at_least(f"{name}, times as fast as scikit-learn", other / mine, SLOWER)
        promises.at_least(f"{name}, score less scikit-learn's", scores[0] - scores[1], -WORSE)
    team = [tn.GaussianNB(), tn.LinearDiscriminantAnalysis()]
    mine, _ = seconds(lambda: tn.VotingClassifier().fit(X, kind), 3)
    apart, _ = seconds(lambda: [member.fit(X, kind) for member in team], 3)
    print(f"{'the same vote, members apart':30} {mine:7.3f} s, apart {apart:7.3f} s, {apart / mine:5.1f}x")
    promises.at_least("a vote, times as fast as its members apart", apart / mine, SLOWER)
    promises.settle()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
