"""The same bits for 1, 2, 3 threads, with a cold and with a warm numba cache, in fresh processes."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import numpy as np
import tenfold as tn
from tenfold.testing import bits

random = np.random.default_rng(7)
n = 20_011
X = random.standard_normal((n, 6)) * [1, 1e-3, 1e3, 1, 7, 1e6] + [0, 5, -1e4, 1e-7, 3, 1e8]
y = X @ random.standard_normal(6) + random.standard_normal(n)
near = np.column_stack([X, X[:, 0] + 1e-9 * random.standard_normal(n)])
weight = random.random(n) * random.integers(0, 3, n)
words = np.array(["a", "b", "c", "d"], dtype=object)[random.integers(0, 4, (n, 5))]
label = np.array(["left", "middle", "right"])[random.integers(0, 3, n)]
words[label == "right", 0] = "a"
cases = {
    "LinearRegression": (tn.LinearRegression(), X, y),
    "LinearRegression, R-factors": (tn.LinearRegression(), near, y),
    "Ridge": (tn.Ridge(), X.astype(np.float32), y),
    "GaussianNB": (tn.GaussianNB(), X, label),
    "CategoricalNB": (tn.CategoricalNB(), words, label),
    "StandardScaler": (tn.StandardScaler(), X, None),
    "MaxAbsScaler": (tn.MaxAbsScaler(), X, None),
    "MinMaxScaler": (tn.MinMaxScaler(), X, None),
    "UnitVector": (tn.UnitVector(), X, None),
    "OneHot": (tn.OneHot(), words, None),
    "KMeans": (tn.KMeans(7, max_iter=20), X.astype(np.float32), None),
    "KMeans, float64": (tn.KMeans(5, max_iter=20), X, None),
    "AdaBoostClassifier": (tn.AdaBoostClassifier(12), X, label),
    "FindS": (tn.FindS(), words, label == "right"),
}
found = {}
for threads in (1, 2, 3):
    for name, (learner, rows, target) in cases.items():
        with tn.on(tn.Local(threads=threads)):
            model = learner.fit(rows, target, sample_weight=weight)
        kind = type(model.summary_).__name__
        found[f"{name}; {threads}"] = [bits(model.state_), bits(model.summary_), kind]
print(json.dumps(found))
"""


def run(cache):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.timeout(900)
def test_same_bits_for_threads_and_caches(tmp_path):
    cold, warm = run(tmp_path), run(tmp_path)
    assert list(tmp_path.rglob("*.nbi")), "nothing was cached, so the second run was not warm"
    assert cold == warm
    names = {key.split("; ")[0] for key in cold}
    for name in names:
        assert len({tuple(cold[f"{name}; {threads}"]) for threads in (1, 2, 3)}) == 1, name
    assert cold["LinearRegression, R-factors; 1"][2] == "RFactor"
    assert len({value[0] for value in cold.values()}) == len(names), "two learners have the same bits?"


def test_every_learner_is_in_the_program():
    from helpers import learners, name_of

    for learner in learners():
        assert f"tn.{name_of(learner)}(" in PROGRAM, name_of(learner)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("columns", "offset", "kind"), [(6, 100, "f8"), (50, 0, "f8"), (40, 3, "f4")])
def test_same_bits_for_every_form_of_the_rows(columns, offset, kind, weighted):
    """Rows by row, by column or as a frame: more of them than fit one block."""
    import numpy as np
    import pandas as pd
    from sklearn.base import clone

    import tenfold as tn
    from tenfold.testing import bits

    random = np.random.default_rng(0)
    X = (random.standard_normal((30_000, columns)) + offset).astype(kind)
    y = random.standard_normal(30_000)
    weight = random.random(30_000) if weighted else None
    forms = [X, np.asfortranarray(X), pd.DataFrame(X, columns=[f"c{j}" for j in range(columns)])]
    cases = [
        (tn.Ridge(), y),
        (tn.GaussianNB(), y > 0),
        (tn.StandardScaler(), None),
        (tn.KMeans(4, max_iter=4), None),
    ]
    for learner, target in cases:
        models = [clone(learner).fit(form, target, sample_weight=weight) for form in forms]
        assert len({bits(m.state_) + bits(m.summary_) for m in models}) == 1, learner
