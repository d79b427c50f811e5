"""Multi-layer perceptrons beside scikit-learn's, at equal epochs and batch size: `python benchmarks/neural.py`.

Promised: no slower than scikit-learn's, and above 97 % of digits told right.
"""

import time
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier as TheirClassifier
from sklearn.neural_network import MLPRegressor as TheirRegressor
from threadpoolctl import threadpool_limits

import tenfold as tn
from workloads import Promises

RUNS = 5
"""of each, in turn; the best counts"""


def seconds(model, X, y):
    """How long a fit takes; both have one thread."""
    start = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - start


def compare(name, ours, theirs, X, y, promises):
    ours.fit(X, y)  # PyTorch is loaded, and the processor warm
    mine, other = [], []
    with threadpool_limits(1):
        for _ in range(RUNS):
            mine.append(seconds(ours, X, y))
            other.append(seconds(theirs, X, y))
    ratio = min(other) / min(mine)
    print(f"{name}: {min(mine):.2f} s, scikit-learn {min(other):.2f} s: {ratio:.2f}x")
    promises.at_least(f"{name}, beside scikit-learn", ratio, 1.0)


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    promises, random = Promises(), np.random.default_rng(0)
    D, digit = load_digits(return_X_y=True)
    train, test, c, d = train_test_split(D / 16, digit, random_state=0)
    given = {"max_iter": 50, "tol": 0.0, "n_iter_no_change": 50, "random_state": 0}
    compare("digits, 100 units", tn.MLPClassifier(**given), TheirClassifier(**given), train, c, promises)
    small = {**given, "batch_size": 32, "max_iter": 20}
    compare("digits, batches of 32", tn.MLPClassifier(**small), TheirClassifier(**small), train, c, promises)
    X = random.normal(size=(10_000, 30))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
    few = {**given, "max_iter": 25}
    compare("10,000 x 30, 100 units", tn.MLPRegressor(**few), TheirRegressor(**few), X, y, promises)
    deep = {**few, "hidden_layer_sizes": (64, 64), "solver": "sgd"}
    compare("10,000 x 30, 64 and 64 units", tn.MLPRegressor(**deep), TheirRegressor(**deep), X, y, promises)
    score = tn.MLPClassifier(max_iter=100, batch_size=100).fit(train, c).score(test, d)
    print(f"digits: {score:.1%} of test rows right")
    promises.at_least("digits, share right", score, 0.97)
    promises.settle()


if __name__ == "__main__":
    main()
