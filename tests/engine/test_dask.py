"""The Dask runner: real worker processes, the same bits as threads of this one."""

import gc
import json
import os
import subprocess
import sys
from pathlib import Path

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

import faults
import tenfold as tn
import tiers
from helpers import learners, name_of
from servers import bucket_server
from tenfold.core import Provenance
from tenfold.engine import Fit, Snapshot, fit, merge
from tenfold.engine.executors.cluster_runner import MAX_SENT_BYTES
from tenfold.engine.executors.executor import MAX_CHAINED_ROUNDS, ROUNDS_PER_LINK
from tenfold.engine.row_counts import Counted, this_machine
from tenfold.sources import ArraySource
from tenfold.testing import bits
from tiers import only_full

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),  # Dask itself, with a pandas that is newer than it
]

GROUPS, GROUP = 70, 60
ROWS = GROUPS * GROUP
NUMBERS = [f"x{j}" for j in range(5)]
WORDS = [f"w{j}" for j in range(4)]


def table(seed=0, rows=ROWS):
    """Numbers of unlike sizes, one column nearly another; words; targets of all kinds; weights with zeros."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, 5)) * [1, 1e-3, 1e3, 1, 7] + [0, 5, -1e4, 1e-7, 3]
    words = np.array(["a", "b", "c", "d"], dtype=object)[random.integers(0, 4, (rows, 4))]
    label = np.array(["left", "middle", "right"], dtype=object)[random.integers(0, 3, rows)]
    words[label == "right", 0] = "a"
    columns = {n: X[:, j] for j, n in enumerate(NUMBERS)} | {n: words[:, j] for j, n in enumerate(WORDS)}
    noisy = np.where(X[:, 0] * X[:, 3] + random.standard_normal(rows) > 0, "up", "down").astype(object)
    return pa.table(
        {
            **columns,
            "near": X[:, 0] + 1e-9 * random.standard_normal(rows),
            "y": X @ random.standard_normal(5) + random.standard_normal(rows),
            "above": np.exp(random.standard_normal(rows)) + 0.1 * np.abs(X[:, 0]),
            "label": label,
            "right": label == "right",
            "noisy": noisy,
            "weight": random.random(rows) * random.integers(0, 3, rows),
            "id": np.arange(rows),
            "run": np.arange(rows) // 7,
            "y of run": X[np.arange(rows) // 7 * 7, 3],
            "label of run": label[np.arange(rows) // 7 * 7],
            "text": [" ".join(2 * word for word in some) for some in words],
            "when": (10**8 * X[:, 3]).astype("M8[ms]"),
        }
    )


EACH = tiers.full
"""whether every learner is put on every number of threads and of workers"""


def every(step, start=0):
    """Every second learner, or third, ...; all of them where each is put on everything."""
    return slice(None) if EACH else slice(start, None, step)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Parquet, one row group for each 60 rows."""
    path = tmp_path_factory.mktemp("rows")
    whole = table()
    cut = ROWS // 2 // GROUP * GROUP
    pq.write_table(whole.slice(0, cut), path / "a.parquet", row_group_size=GROUP)
    pq.write_table(whole.slice(cut), path / "b.parquet", row_group_size=GROUP)
    return path


@pytest.fixture(scope="module")
def cluster():
    """Starts with one worker; tests may ask for more."""
    with faults.Cluster(1) as started:
        yield started


def rows(folder, need, weight="weight", near=False, width=None):
    """The columns that a learner takes, with its target."""
    number, label = "above" if need.positive else "y", "right" if need.binary else "label"
    target = {None: None, "number": number, "class": label}[need.target]
    columns = WORDS if need.kinds == "categorical" else [*NUMBERS, *(["near"] if near else [])]
    columns = ["above", "id"] if need.counts else columns  # none is below zero
    columns = {"text": ["text"], "date": ["when"]}.get(need.kinds, columns)
    if need.sequence is not None:
        target = {"number": "y of run", "class": "label of run"}[need.target] if need.per_sequence else target
        columns = columns[:1] if need.kinds == "categorical" else columns
        return tn.scan(folder, target=target, columns=columns, sequence="run")
    return tn.scan(folder, target=target, columns=columns[:width], weight=weight)


def cases():
    """Every public learner, and least squares where it reads twice."""
    short = {"KMeans": {"n_clusters": 6, "max_iter": 6}, "AdaBoostClassifier": {"n_estimators": 10}}
    short |= {name: {"max_iter": 3} for name in ("MiniBatchKMeans", "Perceptron", "SGDClassifier", "SGDRegressor")}
    short |= {"Adaline": {"max_iter": 3}}  # of moments that merge
    short |= {"BisectingKMeans": {"n_clusters": 3, "max_iter": 3}}
    short |= {"BayesianNetworkEM": {"latent": {"kind": 2}, "tol": 1e3}}  # two rounds
    short |= {"GaussianMixture": {"n_components": 3, "tol": 1e3}}  # two rounds
    short |= {"KDNF": {"k": 1}}  # else it keeps the same clauses of these rows as KCNF
    short |= {"CategoricalHMM": {"n_init": 2, "tol": 1e3}, "GaussianHMM": {"tol": 1e3}}
    short |= {"C45": {"max_depth": 9}}  # a level is a pass, and by chance alone gain ratio makes three hundred
    short |= {"CART": {"max_depth": 4}, "TanhBasis": {"centers": 4}}  # else as another learner
    short |= {f"HistGradientBoosting{kind}": {"max_iter": 5} for kind in ("Classifier", "Regressor")}
    short |= {f"GradientBoosting{kind}": {"n_estimators": 4} for kind in ("Classifier", "Regressor")}
    short |= {f"RandomForest{kind}": {"n_estimators": 5} for kind in ("Classifier", "Regressor")}
    short |= {"PolynomialFeatures": {"degree": 3}, "RBFSampler": {"n_components": 7}}  # other names of learners:
    short |= {"CountVectorizer": {"ngram_range": (1, 2)}, "TfidfVectorizer": {"ngram_range": (2, 2)}}  # other bits
    short |= {"SelectPercentile": {"score_func": "f_regression"}}  # else the scores of SelectKBest
    short |= {"MLPClassifier": {"hidden_layer_sizes": 4, "max_iter": 2}}
    short |= {"MLPRegressor": {"hidden_layer_sizes": 4, "solver": "lbfgs", "max_iter": 5}}  # gradients merge
    short |= {f"RNN{kind}": {"hidden_size": 3, "max_iter": 1} for kind in ("Classifier", "Regressor")}
    short |= {"TransformerClassifier": {"d_model": 4, "dim_feedforward": 4, "n_layers": 1, "max_iter": 1}}
    found = [(name_of(one), one.set_params(**short.get(name_of(one), {})), False) for one in learners()]
    return [*found, ("LinearRegression, twice", tn.LinearRegression(), True)]


FEWER = {"OneHotEncoder": 3, "OrdinalEncoder": 2}
"""columns of those that count the same categories as another learner"""


def bits_of(model):
    return bits(model.model_), bits(model.summary_), type(model.summary_).__name__


def fits(folder, runner, some=slice(None)):
    with tn.on(runner):
        return {
            name: bits_of(clone(one).fit(rows(folder, one.need, near=near, width=FEWER.get(name))))
            for name, one, near in cases()[some]
        }


def like(expected, found):
    return {name: expected[name] for name in found}


@pytest.fixture(scope="module")
def expected(folder):
    """By one thread of this process: those that any test below fits, of which no two have the same bits."""
    found = fits(folder, tn.Local(threads=1), every(2))
    assert len({state for state, *_ in found.values()}) == len(found), "two learners have the same bits?"
    return found


def test_least_squares_that_read_twice_are_among_the_cases(folder):
    name, one, near = cases()[-1]
    with tn.on(tn.Local(threads=1)):
        assert bits_of(one.fit(rows(folder, one.need, near=near)))[2] == "RFactor", name


def test_the_data_has_many_row_groups(folder):
    source = rows(folder, tn.Ridge().need)
    assert len(source) == GROUPS >= 64
    assert source.n_rows == ROWS


@pytest.mark.parametrize(("threads", "some"), [(2, every(4)), *only_full((3, every(4, 2)))])
def test_every_learner_has_the_same_bits_on_threads(folder, expected, threads, some):
    found = fits(folder, tn.Local(threads=threads), some)
    assert len(found) >= 25
    assert found == like(expected, found)


@pytest.mark.parametrize(
    ("workers", "some"), [*only_full((1, every(4, 1))), (2, every(2)), *only_full((3, every(2, 1)))]
)
def test_every_learner_has_the_same_bits_on_processes(folder, expected, cluster, workers, some):
    found = fits(folder, cluster.ready(workers).runner, some)
    assert len(found) >= 25
    assert found == like(expected, found)


# ---- other sources --------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow")
def test_workers_read_a_bucket_by_themselves(folder, cluster):
    here = bits_of(tn.Ridge().fit(tn.scan(folder, target="y", columns=NUMBERS)))
    with bucket_server(folder, "groups") as address:
        keys = {"key": "a", "secret": "b", "endpoint_url": address}
        source = tn.scan("s3://groups", target="y", columns=NUMBERS, storage_options=keys)
        with tn.on(cluster.runner):
            assert bits_of(tn.Ridge().fit(source)) == here


def test_dask_frames_and_arrays_have_the_same_bits_on_dask_and_here(folder, cluster):
    frame = dd.read_parquet(folder, split_row_groups=7)
    assert frame.npartitions == 10
    values = da.from_array(pd.read_parquet(folder)[NUMBERS].to_numpy(), chunks=(500, 2))
    y, weight = (da.from_array(pd.read_parquet(folder)[n].to_numpy(), chunks=300) for n in ("y", "weight"))

    def models():
        return [
            tn.Ridge().fit(tn.scan(frame, target="y", columns=NUMBERS, weight="weight")),
            tn.AdaBoostClassifier(n_estimators=9).fit(tn.scan(frame, target="noisy", columns=NUMBERS, weight="weight")),
            tn.CategoricalNB().fit(tn.scan(frame, target="label", columns=WORDS)),
            tn.LinearRegression().fit(tn.scan(frame, target="y", columns=[*NUMBERS, "near"])),
            tn.GaussianNB().fit(frame[NUMBERS], frame["label"]),
            tn.StandardScaler().fit(frame[NUMBERS]),
            tn.Ridge().fit(values, y, sample_weight=weight),
            tn.KMeans(4, max_iter=5).fit(values, sample_weight=weight),
            tn.AdaBoostClassifier(n_estimators=9).fit(values, (y > 0).astype(int)),
        ]

    here = models()
    with tn.on(cluster.runner):
        there = models()
        again = [there[0].predict(frame[NUMBERS]).collect(), there[6].predict(values).collect()]
    assert [bits_of(m) for m in here] == [bits_of(m) for m in there]
    assert here[3].certificate_.provenance.passes >= 2
    for model, found, data in zip((here[0], here[6]), again, (frame[NUMBERS], values), strict=True):
        assert found.tobytes() == model.predict(data).collect().tobytes()
    plain = tn.Ridge().fit(rows(folder, tn.Ridge().need))  # the same rows, cut otherwise
    np.testing.assert_allclose(there[0].coef_, plain.coef_, rtol=1e-9)
    np.testing.assert_allclose(there[6].coef_, plain.coef_, rtol=1e-9)


def test_predictions_are_those_of_this_process(folder, cluster, tmp_path):
    source = rows(folder, tn.Ridge().need)
    words = rows(folder, tn.CategoricalNB().need)
    here = tn.Ridge().fit(source), tn.CategoricalNB().fit(words), tn.OneHotEncoder().fit(words)
    with tn.on(cluster.runner):
        there = (
            tn.Ridge().fit(source),
            tn.CategoricalNB().fit(words),
            tn.OneHotEncoder().fit(words),
        )
        outputs = there[0].predict(source), there[1].predict_proba(words), there[2].transform(words)
        found = [one.collect() for one in outputs]
        paths = outputs[0].to_parquet(tmp_path / "there", keep=["id", "label"])
        classes = there[1].predict(words).collect()
        scores = there[0].score(source), there[1].score(words)
    wanted = here[0].predict(source), here[1].predict_proba(words), here[2].transform(words)
    found[2], hot = found[2].toarray(), wanted[2].collect().toarray()
    assert [a.tobytes() for a in found] == [*(b.collect().tobytes() for b in wanted[:2]), hot.tobytes()]
    assert classes.tolist() == here[1].predict(words).collect().tolist()
    assert scores == (here[0].score(source), here[1].score(words))
    plain = wanted[0].to_parquet(tmp_path / "here", keep=["id", "label"])
    assert len(paths) == len(plain) == GROUPS
    assert pq.read_table(tmp_path / "there").equals(pq.read_table(tmp_path / "here"))
    assert not list((tmp_path / "there").glob(".*"))


def test_folds_of_files_of_days_and_in_time_have_the_same_bits(folder, cluster):
    """Folds are found by the number of a row or a computed column: wherever it is read."""
    rows = tn.scan(folder, target="y", columns=NUMBERS, weight="weight")
    day = tn.col("when").dt.day()
    for options in ({"folds": "file"}, {"folds": 3, "groups": day}, {"folds": day}, {"folds": "time"}):
        here = tn.cross_validate(tn.Ridge(), rows, **options)
        with tn.on(cluster.runner):
            there = tn.cross_validate(tn.Ridge(), rows, **options)
        assert there.scores.tobytes() == here.scores.tobytes()
        assert there.sizes == here.sizes
        assert there.division == here.division
        assert len(here.sizes) > 1


def test_a_pipeline_over_a_source(folder, cluster):
    source = rows(folder, tn.Ridge().need)
    labelled = rows(folder, tn.AdaBoostClassifier().need)

    def models():
        return [
            make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(source),
            make_pipeline(tn.MinMaxScaler(), tn.AdaBoostClassifier(n_estimators=6)).fit(labelled),
        ]

    here = models()
    with tn.on(cluster.runner):
        there = models()
        found = there[0].predict(source).collect()
    for a, b in zip(here, there, strict=True):
        assert [bits_of(step) for step in a] == [bits_of(step) for step in b]
    assert found.tobytes() == here[0].predict(source).collect().tobytes()


def test_computed_columns_have_the_same_bits_on_processes(folder, cluster):
    first, second = NUMBERS[:2]
    frame = dd.read_parquet(folder, split_row_groups=7)

    def models():
        some = [tn.scan(data, target="y", columns=NUMBERS) for data in (folder, frame)]
        made = {"product": tn.col(first) * tn.col(second), second: tn.when(tn.col(second) > 0).then(1.0).otherwise(0.0)}
        return [tn.Ridge().fit(rows.with_columns(**made)) for rows in some]

    here = models()
    with tn.on(cluster.runner):
        there = models()
        found = there[0].predict(tn.scan(folder)).collect()
    assert [bits_of(m) for m in there] == [bits_of(m) for m in here]
    assert found.tobytes() == here[0].predict(tn.scan(folder)).collect().tobytes()


def test_small_arrays_are_sent(folder, cluster):
    X = pd.read_parquet(folder)[NUMBERS].to_numpy()
    y = pd.read_parquet(folder)["y"].to_numpy()
    frame = pd.DataFrame(X, columns=NUMBERS)
    with tn.on(cluster.runner):
        there = tn.Ridge().fit(X, y), tn.Ridge().fit(frame, y), tn.KMeans(3, max_iter=4).fit(X)
        assert there[0].predict(X).shape == (ROWS,)
    here = tn.Ridge().fit(X, y), tn.Ridge().fit(frame, y), tn.KMeans(3, max_iter=4).fit(X)
    assert [bits_of(m) for m in there] == [bits_of(m) for m in here]
    assert there[2].labels_.tolist() == here[2].labels_.tolist()


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, lambda X: pa.table({"a": X[:, 0], "b": X[:, 1]})])
def test_large_arrays_are_refused_with_advice(cluster, form):
    X = np.zeros((MAX_SENT_BYTES // 16 + 1, 2))
    with tn.on(cluster.runner), pytest.raises(tn.DataError, match=r"32 MiB .* Remedy: .*to_parquet.*Local"):
        tn.StandardScaler().fit(form(X))


# ---- learners of others, errors ---------------------------------------------------------------------

CELL = """
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple
import numpy as np
from tenfold.core import Array, Claim, Grouped, Need
from tenfold.estimator import Transformer

@dataclass(frozen=True, eq=False)
class Largest:
    value: Annotated[Array, "column"]
    def __add__(self, other):
        return Largest(np.maximum(self.value, other.value))

class LargestByColumn(Grouped):
    def summarize(self, chunk):
        return Largest(np.max([chunk.X.column(j) for j in range(chunk.X.shape[1])], axis=1))

class TopState(NamedTuple):
    step: int
    top: Annotated[Array, "column"]

class Top(Transformer):
    need = Need("numeric")
    def start(self, schema):
        return TopState(0, np.zeros(len(schema.columns)))
    def ask(self, state: TopState):
        return None if state.step else LargestByColumn()
    def update(self, state: TopState, s: Largest) -> TopState:
        assert isinstance(s, Largest)
        return TopState(1, s.value)
    def certify(self, state, s):
        return (Claim("gap", 0.0, "proved", "maxima are exact", "objective"),) if state.step else None
    def transform_from(self, state, X):
        return np.column_stack([X.column(j) - state.top[j] for j in range(len(state.top))])
"""


def test_features_of_text_are_held_where_they_are_made(folder, cluster):
    """Sparse rows of documents that workers cut: the bits of threads, also of a learner of many passes."""
    rows = tn.scan(folder, columns=["text"], target="noisy")
    found = []
    for runner in (tn.Local(threads=2), cluster.runner):
        with tn.on(runner):
            features = tn.TextFeatures(ngram_range=(1, 2)).fit_transform(rows)
            models = [tn.MultinomialNB().fit(features), tn.LogisticRegression().fit(features)]
        found.append([bits_of(model) for model in models])
    assert found[0] == found[1]


def test_a_learner_from_a_notebook(folder, cluster):
    notebook = {"__name__": "__main__"}
    exec(CELL, notebook)
    source = tn.scan(folder, columns=NUMBERS)
    with tn.on(cluster.runner):
        model = notebook["Top"]().fit(source)
        outputs = model.transform(source).collect()
    X = pd.read_parquet(folder)[NUMBERS].to_numpy()
    assert type(model.summary_) is notebook["Largest"]
    assert model.top_.tolist() == X.max(axis=0).tolist()
    assert outputs.max(axis=0).tolist() == [0.0] * len(NUMBERS)


def test_a_learner_from_a_script(folder, cluster, tmp_path):
    theirs = (Path(__file__).parents[2] / "docs" / "their_learner.py").read_text()
    script = tmp_path / "script.py"
    script.write_text(
        f"{theirs}\n"
        "if __name__ == '__main__':\n"
        "    import json, sys\n"
        "    from distributed import Client\n"
        "    source = tn.scan(sys.argv[2], target='noisy', columns=sys.argv[3:])\n"
        "    with Client(sys.argv[1]) as client, tn.on(tn.Dask(client)):\n"
        "        model = ThresholdNB(alpha=2.0).fit(source)\n"
        "        said = model.predict(source).collect()\n"
        "    print(json.dumps([model.above_.tolist(), said.tolist()]))\n"
    )
    run = [sys.executable, str(script), cluster.scheduler.address, str(folder), *NUMBERS]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=120)
    rows = pd.read_parquet(folder)
    theirs = BernoulliNB(alpha=2.0).fit(rows[NUMBERS], rows["noisy"])
    above, said = json.loads(done.stdout)
    np.testing.assert_allclose(above, np.exp(theirs.feature_log_prob_), rtol=1e-12)
    assert said == theirs.predict(rows[NUMBERS]).tolist()


def test_an_error_on_a_worker_reaches_the_user(folder, cluster, tmp_path):
    broken = table().set_column(0, "x0", pa.array(np.where(np.arange(ROWS) == 3333, np.nan, 1.0)))
    pq.write_table(broken, tmp_path / "broken.parquet", row_group_size=GROUP)
    source = tn.scan(tmp_path / "broken.parquet", target="y", columns=NUMBERS)
    with pytest.raises(tn.DataError) as here:
        tn.Ridge().fit(source)
    with tn.on(cluster.runner), pytest.raises(tn.DataError) as there:
        tn.Ridge().fit(source)
    assert str(there.value) == str(here.value)
    assert "'x0'" in str(there.value)
    assert "row group 55" in str(there.value)
    with tn.on(cluster.runner):  # and the cluster is as good as before
        assert bits_of(tn.Ridge().fit(rows(folder, tn.Ridge().need)))


def test_an_error_in_a_prediction_reaches_the_user(folder, cluster, tmp_path):
    source = rows(folder, tn.Ridge().need)
    other = table().drop_columns(["x4"])
    pq.write_table(other, tmp_path / "other.parquet", row_group_size=GROUP)
    with tn.on(cluster.runner), pytest.raises(tn.DataError, match=r"\['x4'\] that the model was fitted with"):
        tn.Ridge().fit(source).predict(tn.scan(tmp_path / "other.parquet", columns=NUMBERS[:4])).collect()


# ---- what the cluster sees --------------------------------------------------------------------------


@pytest.mark.full
def test_the_scheduler_does_not_know_more_with_more_rounds(cluster, tmp_path):
    pq.write_table(table(rows=400), tmp_path / "few.parquet", row_group_size=100)
    source = tn.scan(tmp_path / "few.parquet", target="noisy", columns=NUMBERS)
    known = {}
    for rounds in (40, 160):
        seen = known[rounds] = []
        with cluster.watched() as watched:
            done = fit(
                tn.AdaBoostClassifier(n_estimators=rounds),
                source,
                runner=cluster.runner,
                watchers=[lambda at, seen=seen: seen.append(len(cluster.scheduler.tasks))],
            )
        assert len(done.at.model.feature) == rounds
        assert watched.most >= max(seen)
    one = max(known[160][:ROUNDS_PER_LINK])  # what is held, the tasks of one round and their merges
    assert max(known[40]) <= max(known[160]) <= one * (2 + MAX_CHAINED_ROUNDS // ROUNDS_PER_LINK)
    assert (
        max(known[160][2 * MAX_CHAINED_ROUNDS :])
        <= max(known[160][MAX_CHAINED_ROUNDS : 2 * MAX_CHAINED_ROUNDS])
        <= max(known[160][:MAX_CHAINED_ROUNDS]) + one
    )


def test_nothing_stays_on_the_cluster(folder, cluster):
    with tn.on(cluster.runner):
        model = tn.AdaBoostClassifier(n_estimators=3).fit(tn.scan(folder, target="noisy", columns=NUMBERS))
        model.predict(tn.scan(folder, columns=NUMBERS)).collect()
        next(iter(model.predict(tn.scan(folder, columns=NUMBERS))))  # the rest is not wanted

    gc.collect()  # errors of earlier tests keep what they were about
    faults.wait_for(lambda: not cluster.scheduler.tasks, 10)


def test_provenance_names_the_machines(folder, cluster):
    with tn.on(cluster.runner):
        model = tn.Ridge().fit(rows(folder, tn.Ridge().need))
    where = model.certificate_.provenance
    assert where.workers == (this_machine(),)
    assert not where.mixed
    assert (where.parts, where.rows + where.dropped) == (GROUPS, ROWS)


def test_unlike_machines_are_told():
    class Sum(int):
        def __add__(self, other):
            return Sum(int(self) + int(other))

    parts = [Counted(Sum(1), 10, 1, frozenset({name})) for name in ("old CPU", "new CPU", "old CPU")]
    whole = merge(parts)
    assert (whole.summary, whole.rows, whole.dropped) == (3, 30, 3)
    at = Snapshot(None, None, rows=whole.rows, dropped=whole.dropped, machines=whole.machines)
    where = Fit(at, "done").provenance("rows", 3)
    assert isinstance(where, Provenance)
    assert where.workers == ("new CPU", "old CPU")
    assert where.mixed
    said = str(tn.Certificate((), where))
    assert "worker: new CPU" in said
    assert "worker: old CPU" in said
    assert "mixed: machines of several kinds took part" in said
    assert not Fit(at._replace(machines=frozenset({"old CPU"})), "done").provenance("rows", 3).mixed


def test_it_takes_a_client_and_says_what_it_is(cluster):
    with pytest.raises(TypeError, match=r"takes a distributed\.Client, not a str"):
        tn.Dask("tcp://127.0.0.1:8786")
    assert "127.0.0.1" in repr(cluster.runner)
    assert cluster.runner.threads == len(cluster.pids())


def test_without_dask_the_error_names_the_extra():
    program = (
        "import sys\n"
        "for name in ('dask', 'distributed'):\n"
        "    sys.modules[name] = None\n"
        "import tenfold as tn\n"
        "assert tn.Ridge().fit([[0.0], [1.0], [3.0]], [1.0, 2.0, 4.0]).predict([[1.0]]).shape == (1,)\n"
        "try:\n"
        "    tn.Dask(None)\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "tn.Dask needs Dask. Remedy: pip install 'tenfold[dask]'"


PROGRAM = """
import json, sys
import faults
import tenfold as tn
from tenfold.testing import bits

if __name__ == "__main__":
    numbers = [f"x{j}" for j in range(5)]
    with faults.Cluster(int(sys.argv[2])) as cluster, tn.on(cluster.runner):
        model = tn.MinMaxScaler().fit(tn.scan(sys.argv[1], columns=numbers, weight="weight"))
    print(json.dumps([bits(model.model_), bits(model.summary_), type(model.summary_).__name__]))
"""


@pytest.mark.full
@pytest.mark.timeout(420)
def test_cold_and_warm_numba_caches_have_the_same_bits(folder, expected, tmp_path):
    script, cache = tmp_path / "script.py", tmp_path / "cache"
    script.write_text(PROGRAM)
    path = str(Path(faults.__file__).parent)
    env = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "TENFOLD_COMPILED": "0", "PYTHONPATH": path}
    found = []
    for workers in (2, 1):  # cold, both at once; then warm
        run = [sys.executable, str(script), str(folder), str(workers)]
        done = subprocess.run(run, env=env, capture_output=True, text=True, check=True, timeout=200)
        found.append(tuple(json.loads(done.stdout)))
        assert list(cache.rglob("*.nbi")), "nothing was cached, so the second run will not be warm"
    cold, warm = found
    assert cold == warm == expected["MinMaxScaler"]


def test_a_share_of_the_parts_first_and_all_of_them_then(folder, cluster):
    """What is held of every fourth part is not all: no row is left out when all parts are asked for."""
    model = tn.AdaBoostClassifier(tn.LogisticRegression(), n_estimators=2)
    source = rows(folder, model.need, weight=None)
    here = bits_of(model.fit(source))
    with tn.on(cluster.runner):
        assert bits_of(model.fit(source)) == here


def test_retries_are_counted(folder, cluster, tmp_path):
    """A part that fails once is read again; without retries that is an error."""
    source = rows(folder, tn.Ridge().need)
    wanted = bits_of(tn.Ridge().fit(source))
    shaky = faults.Shaky(source, tmp_path, {3, 50})
    with tn.on(cluster.runner):
        assert bits_of(tn.Ridge().fit(shaky)) == wanted
    assert len(list(tmp_path.iterdir())) == 2
    for note in tmp_path.iterdir():
        note.unlink()
    with tn.on(tn.Dask(cluster.client, retries=0)), pytest.raises(OSError, match="cannot be read just now"):
        tn.Ridge().fit(shaky)


def test_rows_may_be_an_array_source_itself(cluster):
    X = np.arange(20.0)[:, None]
    with tn.on(cluster.runner):
        model = tn.StandardScaler().fit(ArraySource(X))
    assert model.mean_.tolist() == [9.5]
    assert dask.config.get("scheduler", None) is None  # the client is not made the default of others
