"""Multi-layer perceptrons beside scikit-learn's and skorch's, at equal epochs and batch size.

`python benchmarks/neural.py` all of it, `--only speed` or `--only memory` a part; `--rows` of the file for the latter.

Promised: no slower than scikit-learn's; above 97 % of digits told right; an epoch over 20 million rows of Parquet in a
fresh process that never holds 2 GiB.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
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
ROWS, COLUMNS, PIECE = 20_000_000, 10, 500_000
GIB = 2.0
"""of memory, at most"""


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


def skorch_seconds(sizes, X, y, epochs, batch_size):
    """How long skorch takes for the same epochs of Adam over the same network of relu units; None if it is not here."""
    try:
        import torch
        from skorch import NeuralNet
    except ImportError:
        return None
    layers = [torch.nn.Linear(sizes[0], sizes[1])]
    for m, n in pairwise(sizes[1:]):
        layers += [torch.nn.ReLU(), torch.nn.Linear(m, n)]
    loss = torch.nn.MSELoss if sizes[-1] == 1 else torch.nn.CrossEntropyLoss
    net = NeuralNet(
        torch.nn.Sequential(*layers).double(), loss, optimizer=torch.optim.Adam, lr=1e-3, max_epochs=epochs,
        batch_size=batch_size, iterator_train__shuffle=True, train_split=None, verbose=0,
    )  # fmt: skip
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return min(seconds(net, X, y[:, None] if sizes[-1] == 1 else y) for _ in range(2))
    finally:
        torch.set_num_threads(before)


def write_rows(path, rows):
    """Numbers of which two tell the class, in pieces."""
    random, names = np.random.default_rng(0), [f"x{j}" for j in range(COLUMNS)]
    schema = pa.schema([*((name, pa.float64()) for name in names), ("inside", pa.int64())])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as to:
        for at in range(0, rows, PIECE):
            X = random.standard_normal((COLUMNS, min(PIECE, rows - at)))
            to.write_table(pa.table([*X, (np.hypot(X[0], X[1]) < 1.2).astype(np.int64)], schema=schema))


def peak():
    """GiB that this process has had at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / (1 << 20)


def one_epoch(path):
    """In a fresh process: fit, and say what it took."""
    start = time.perf_counter()
    model = tn.MLPClassifier(16, batch_size=1000, learning_rate_init=0.01, max_iter=1).fit(
        tn.scan(path, target="inside")
    )
    print(model.t_, time.perf_counter() - start, peak(), model.loss_curve_[0])


def memory(rows, promises):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_rows(path, rows)
        print(f"{rows:,} rows of {COLUMNS} columns: {path.stat().st_size / (1 << 30):.2f} GiB of Parquet", flush=True)
        program = [sys.executable, __file__, "--epoch", str(path)]
        said = subprocess.run(program, capture_output=True, text=True, check=True).stdout.split()
    learned, taken, most, loss = map(float, said)
    print(f"an epoch over {learned:,.0f} rows: {taken:.0f} s, loss {loss:.3f}, peak {most:.2f} GiB")
    promises.at_least("rows learned from", learned, rows)
    promises.at_most("GiB at most", most, GIB)
    promises.at_most("loss of one epoch", loss, 0.2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=["speed", "memory"])
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--epoch", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.epoch:
        one_epoch(given.epoch)
        return
    promises = Promises(bind=given.rows == ROWS)
    if given.only != "memory":
        speed(promises)
    if given.only != "speed":
        memory(given.rows, promises)
    promises.settle()


def speed(promises):
    warnings.simplefilter("ignore", ConvergenceWarning)
    random = np.random.default_rng(0)
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
    for name, sizes, rows, target, epochs in (
        ("digits, 100 units", (64, 100, 10), train, c, 50),
        ("10,000 x 30, 100 units", (30, 100, 1), X, y, 25),
    ):
        taken = skorch_seconds(sizes, rows, target, epochs, 200)
        print("skorch is not installed" if taken is None else f"{name}: skorch {taken:.2f} s")


if __name__ == "__main__":
    main()
