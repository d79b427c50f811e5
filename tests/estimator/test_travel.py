"""What goes to the workers when a model is applied or scored: parameters, state and schema, never its summary."""

from contextlib import contextmanager

import cloudpickle
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.pipeline import make_pipeline

import tenfold as tn


class Sent(tn.Local):
    """A runner that pickles whatever a cluster would be sent."""

    def __init__(self):
        super().__init__(threads=1)
        self.bytes = 0

    def _note(self, *what):
        self.bytes = max(self.bytes, len(cloudpickle.dumps(what)))

    def map(self, function, parts, source=None):
        if source is not None:  # else it is a session's own, of what is noted there
            self._note(function)
        return super().map(function, parts, source)

    @contextmanager
    def open(self, source):
        with super().open(source) as session:
            for name in ("reduce", "answer"):
                setattr(session, name, self._noting(getattr(session, name)))
            yield session

    def _noting(self, method):
        def noted(job):
            self._note(job)
            return method(job)

        return noted


@pytest.fixture
def rows(tmp_path):
    """Some rows in a file, from a target and a seed."""

    def made(target, seed=0):
        X = np.random.default_rng(seed).normal(size=(200, 3))
        columns = {f"x{j}": X[:, j] for j in range(3)}
        table = pa.table({**columns, "c": (X[:, 0] > 0).astype(int), "y": np.abs(X[:, 0]) + 0.1})
        pq.write_table(table, tmp_path / f"rows{seed}.parquet", row_group_size=50)
        return tn.scan(tmp_path / f"rows{seed}.parquet", target=target, columns=list(columns))

    return made


def heavy(model):
    """The same model with a summary of a hundred megabytes, as of many classes and columns."""
    model.__dict__["summary_"] = np.zeros(100 << 17)
    return model


CASES = [
    ("y", tn.Ridge(), ["predict", "score"]),
    ("y", tn.PoissonRegressor(), ["predict", "score"]),
    ("c", tn.GaussianNB(), ["predict", "predict_proba", "predict_log_proba", "score"]),
    ("c", tn.LogisticRegression(), ["decision_function", "score"]),
    ("c", tn.LinearDiscriminantAnalysis(), ["decision_function"]),
    ("c", tn.Perceptron(max_iter=2), ["decision_function"]),
    ("c", tn.HistGradientBoostingClassifier(max_iter=2), ["predict_proba", "score"]),
    (None, tn.StandardScaler(), ["transform"]),
    (None, tn.PCA(n_components=2), ["transform"]),
    (None, tn.KMeans(2), ["predict"]),
]


@pytest.mark.parametrize(
    ("target", "learner", "methods"), CASES, ids=lambda v: type(v).__name__ if hasattr(v, "fit") else ""
)
def test_a_summary_stays_where_it_is(rows, target, learner, methods):
    source = rows(target)
    model = heavy(learner.fit(source))
    for method in methods:
        with tn.on(sent := Sent()):
            found = getattr(model, method)(source)
            found if isinstance(found, float) else found.collect()
        assert 0 < sent.bytes < 1 << 20, f"{method} sends {sent.bytes:,} bytes"


@pytest.mark.parametrize(
    "judge",
    [
        tn.certify,
        lambda model, X: tn.permutation_importance(model, X, n_repeats=1),
        lambda model, X: tn.partial_dependence(model, X, ["x0"]),
    ],
)
def test_judging_does_not_send_it_either(rows, judge):
    model = make_pipeline(tn.StandardScaler(), tn.GaussianNB()).fit(rows("c"))
    for step in model:
        heavy(step)
    with tn.on(sent := Sent()):
        judge(model, rows("c", seed=1))
    assert 0 < sent.bytes < 1 << 20
