"""Long sequences come in windows: every answer is that of the whole sequence."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import tenfold as tn
from tenfold import CategoricalHMM, DataError, GaussianHMM, HMMClassifier
from tenfold.sources import part_rows, sequence_source
from tenfold.testing import bits

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LENGTHS = [3, 70, 1, 20, 190, 9, 45]
"""with 30 rows as the longest, and parts of 16, three sequences come in windows"""
WHO = np.repeat(np.arange(7), LENGTHS)


@pytest.fixture
def short(monkeypatch):
    """A sequence of more than 30 rows is long."""
    monkeypatch.setattr(sequence_source, "MAX_WHOLE_SEQUENCE", 30)


def symbols(seed=0):
    return np.random.default_rng(seed).integers(0, 4, (sum(LENGTHS), 1))


def numbers(seed=0):
    random = np.random.default_rng(seed)
    states = np.repeat(random.integers(0, 3, 50), 10)[: sum(LENGTHS)]
    return random.standard_normal((sum(LENGTHS), 2)) + 2.0 * states[:, None]


def scanned(X, size=16, **more):
    with part_rows(size):
        return tn.scan(X, sequence=WHO, **more)


LEFT_RIGHT = {"transmat_init": "left-right"}
HMMS = [
    (CategoricalHMM(3, max_iter=5, tol=0.0), symbols),
    (CategoricalHMM(3, max_iter=5, tol=0.0, n_init=3), symbols),
    (CategoricalHMM(3, max_iter=3, tol=0.0, **LEFT_RIGHT), symbols),
    (GaussianHMM(3, max_iter=4, tol=0.0), numbers),
    (GaussianHMM(3, max_iter=4, tol=0.0, covariance_type="full"), numbers),
]


@pytest.mark.parametrize(("learner", "rows"), HMMS)
@pytest.mark.parametrize("size", [7, 16, 33])
def test_a_fit_in_windows_is_that_of_whole_sequences(learner, rows, size, monkeypatch):
    X = rows()
    whole = clone(learner).fit(scanned(X, size))
    monkeypatch.setattr(sequence_source, "MAX_WHOLE_SEQUENCE", 30)
    cut = clone(learner).fit(scanned(X, size))
    assert cut.n_iter_ == whole.n_iter_
    for name in ("startprob_", "transmat_", "emissionprob_", "means_", "covars_"):
        if hasattr(whole, name):
            np.testing.assert_allclose(getattr(cut, name), getattr(whole, name), rtol=1e-9, atol=1e-12)
    for claim in ("log-likelihood", "bic"):
        assert cut.certificate_[claim].value == pytest.approx(whole.certificate_[claim].value, rel=1e-11)
    scores = [turn["log-likelihood"] for turn in cut.history_ if "log-likelihood" in turn]
    assert len(scores) >= 3
    assert min(np.diff(scores)) > -1e-12


@pytest.mark.parametrize(("learner", "rows"), [*HMMS[:1], *HMMS[2:4]])
def test_answers_in_windows_are_those_of_whole_sequences(learner, rows, short, monkeypatch):
    X = rows()
    source = scanned(X)
    model = clone(learner).fit(source)
    asked = ("predict", "predict_proba", "filter")
    cut = [getattr(model, name)(source).collect() for name in asked]
    few = [model.score_samples(source), model.decode(source), model.decode(source, algorithm="map")]
    with part_rows(16):
        here = [getattr(model, name)(X, LENGTHS) for name in asked]
    monkeypatch.setattr(sequence_source, "MAX_WHOLE_SEQUENCE", 1000)
    for name, one, other in zip(asked, cut, here, strict=True):
        whole = getattr(model, name)(source).collect()
        np.testing.assert_allclose(one, whole, atol=1e-11)
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(few[0], model.score_samples(source), rtol=1e-11)
    assert len(few[0]) == len(LENGTHS)
    for some, how in ((few[1], "viterbi"), (few[2], "map")):
        log, states = model.decode(source, algorithm=how)
        assert some[0] == pytest.approx(log, rel=1e-11)
        np.testing.assert_array_equal(some[1], states)


def test_a_tagger_predicts_in_windows(short, monkeypatch):
    X, y = symbols(), np.random.default_rng(1).integers(0, 3, sum(LENGTHS))
    model = HMMClassifier().fit(X, y, lengths=LENGTHS)
    found = model.predict(scanned(X)).collect()
    monkeypatch.setattr(sequence_source, "MAX_WHOLE_SEQUENCE", 1000)
    np.testing.assert_array_equal(found, model.predict(X, LENGTHS))


def test_bits_do_not_depend_on_who_reads_and_outputs_are_written(short, tmp_path):
    X = symbols()
    pq.write_table(pa.table({"s": X[:, 0], "who": WHO}), tmp_path / "rows.parquet", row_group_size=16)
    source = tn.scan(str(tmp_path / "rows.parquet"), sequence="who", categorical=["s"])
    found = []
    for threads in (1, 2, 3):
        with tn.on(tn.Local(threads=threads, memory=1000)):
            model = CategoricalHMM(3, max_iter=3, tol=0.0).fit(source)
            found.append((bits(model.model_), model.predict_proba(source).collect().tobytes()))
    assert len(set(found)) == 1
    paths = model.predict(source).to_parquet(tmp_path / "out", keep=["who"])
    assert np.concatenate([pq.read_table(path)["who"].to_numpy() for path in paths]).tolist() == WHO.tolist()
    states = np.concatenate([pq.read_table(path)["state"].to_numpy() for path in paths])
    np.testing.assert_array_equal(states, model.predict(source).collect())


def test_a_fit_goes_on_from_a_checkpoint(short, tmp_path):
    source = scanned(symbols())
    model = CategoricalHMM(3, max_iter=6, tol=0.0)
    whole = clone(model).fit(source)
    clone(model).fit(source, checkpoint=tmp_path / "at", stop=tn.Rounds(2))
    gone_on = clone(model).fit(source, checkpoint=tmp_path / "at")
    assert bits(gone_on.model_) == bits(whole.model_)


def test_only_possible_paths_count_also_where_others_would_be_far_likelier(short):
    X = np.repeat([[0], [1], [0]], [40, 400, 10], axis=0)
    start, step = np.array([1.0, 0, 0]), np.array([[0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]])
    emission = np.array([[0.9, 0.1], [0.9999, 0.0001], [0.0001, 0.9999]])  # nothing leads to the last state
    with part_rows(16):
        source = tn.scan(X, sequence=np.zeros(450, int))
    first = {"startprob_init": start, "transmat_init": step, "emissionprob_init": emission}
    model = CategoricalHMM(3, max_iter=1, tol=0.0, **first).fit(source)
    with np.errstate(divide="ignore"):
        pi, A, B = np.log(start), np.log(step), np.log(emission)[:, X[:, 0]]
    forward, backward = np.zeros((450, 3)), np.zeros((450, 3))
    forward[0] = pi + B[:, 0]
    for t in range(1, 450):
        forward[t] = np.logaddexp.reduce(forward[t - 1][:, None] + A, axis=0) + B[:, t]
        backward[-1 - t] = np.logaddexp.reduce(A + (B[:, -t] + backward[-t]), axis=1)
    gamma = np.exp(forward + backward - np.logaddexp.reduce(forward[-1]))
    said = np.stack([gamma[X[:, 0] == symbol].sum(axis=0) for symbol in (0, 1)], axis=1)
    np.testing.assert_allclose(model.emissionprob_[:2], said[:2] / said[:2].sum(axis=1)[:, None], rtol=1e-10)
    assert model.emissionprob_[2].tolist() == emission[2].tolist()


def test_impossible_sequences_and_uneven_weights_are_named(short):
    X = np.zeros((sum(LENGTHS), 1), int)
    first = {"startprob_init": [1, 0], "transmat_init": np.eye(2), "emissionprob_init": [[1, 0], [0.5, 0.5]]}
    X[-1] = 1
    with pytest.raises(DataError, match="sequence that begins in row 293 is impossible.*fewer zeros"):
        CategoricalHMM(2, **first).fit(scanned(X))
    weight = np.ones(len(X))
    here = int(scanned(X)._cuts[10])
    weight[here:] = 2.0  # where a window begins
    with pytest.raises(DataError, match=f"row {here} has a different weight from the first row of its sequence"):
        CategoricalHMM(2).fit(scanned(symbols(), weight=weight))
    model = CategoricalHMM(2, max_iter=1, **{**first, "startprob_init": [0.5, 0.5]}).fit([[0], [1]], lengths=[1, 1])
    model.model_ = model.model_._replace(startprob=np.array([1.0, 0.0]))
    assert np.flatnonzero(model.score_samples(scanned(X)) == -np.inf).tolist() == [6]
    with pytest.raises(DataError, match="row 293 is impossible"):
        model.predict_proba(scanned(X))


@pytest.mark.usefixtures("short")
def test_the_same_bits_on_workers(tmp_path):
    """Long sequences and short ones in a file, on two processes: what surrounds a window comes from elsewhere."""
    from distributed import Client, LocalCluster

    def shorten():
        from tenfold.sources import sequence_source

        sequence_source.MAX_WHOLE_SEQUENCE = 30

    X = numbers()
    table = pa.table({"who": WHO, "a": X[:, 0], "b": X[:, 1]})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=16)
    rows = tn.scan(tmp_path / "rows.parquet", sequence="who")
    learner = GaussianHMM(3, max_iter=4, tol=0.0)
    with tn.on(tn.Local(threads=1)):
        here = clone(learner).fit(rows)
        path, chances = here.predict(rows).collect(), here.predict_proba(rows).collect()
    with LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster, Client(cluster) as c:
        c.run(shorten)
        with tn.on(tn.Dask(c)):
            there = clone(learner).fit(rows)
            assert bits(there.model_) == bits(here.model_)
            assert there.predict(rows).collect().tobytes() == path.tobytes()
            assert there.predict_proba(rows).collect().tobytes() == chances.tobytes()
