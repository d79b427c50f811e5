"""Several learners over shared scans: each as if it were alone, to the bit."""

from collections import Counter

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import Ridge as PeerRidge

import tenfold as tn
from helpers import learners, name_of
from tenfold.sources import part_rows
from tenfold.sources.files.parquet import ParquetSource
from tenfold.sources.frames import table_of
from tenfold.testing import bits
from tiers import only_full

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask itself, with a newer pandas

N = 300
SHORT = {"KMeans": {"n_clusters": 5, "max_iter": 8}, "AdaBoostClassifier": {"n_estimators": 5}}
SHORT |= {"BisectingKMeans": {"n_clusters": 3, "max_iter": 3}}
SHORT |= {"BayesianNetworkEM": {"latent": {"kind": 2}, "tol": 1e3}}
SHORT |= {f"MLP{kind}": {"hidden_layer_sizes": 4, "max_iter": 3} for kind in ("Classifier", "Regressor")}
SHORT |= {"GaussianMixture": {"n_components": 2, "tol": 1e3}}


def make():
    random = np.random.default_rng(0)
    X = random.standard_normal((N, 4)) * [1, 5, 0.1, 20] + [0, 3, -7, 100]
    codes = random.integers(0, 3, (N, 2))
    return pd.DataFrame(
        {
            **{f"x{j}": X[:, j] for j in range(4)},
            "small": codes[:, 0],
            "other": codes[:, 1],
            "y": np.digitize(X[:, 0] + random.standard_normal(N), [-1, 1]),
            "two": (X[:, 0] + random.standard_normal(N) > 0).astype(int) + 1,  # above zero: Gamma takes no other
            "weight": random.random(N) * random.integers(0, 3, N),
        }
    )


DATA = make()
X = DATA[[f"x{j}" for j in range(4)]].to_numpy()
TWO = DATA["two"].to_numpy()


def short(one):
    return one.set_params(**SHORT.get(name_of(one), {}))


def bits_of(model):
    return bits(model.model_), bits(model.summary_), type(model.summary_).__name__, model.schema_


def assert_as_alone(together, alone):
    for a, b in zip(together, alone, strict=True):
        assert type(a) is type(b)
        assert bits_of(a) == bits_of(b), name_of(a)
        assert a.n_features_in_ == b.n_features_in_
        assert list(getattr(a, "feature_names_in_", [])) == list(getattr(b, "feature_names_in_", []))
        mine, other = a.certificate_, b.certificate_
        assert mine.claims == other.claims
        assert mine.provenance == other.provenance
        assert a.get_params() == b.get_params()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    pq.write_table(table_of(DATA), folder / "rows.parquet", row_group_size=41)
    return folder


def numeric():
    """Every learner that takes numbers of any sign, some of them twice."""
    some = [one for one in learners() if one.need.sequence is None]
    found = [short(one) for one in some if one.need.kinds in ("numeric", "mixed") and not one.need.counts]
    more = [
        tn.Ridge(20.0),
        tn.KMeans(3, random_state=4, max_iter=3),
        tn.AdaBoostClassifier(n_estimators=2, learning_rate=0.5),
    ]
    assert {"KMeans", "AdaBoostClassifier", "Ridge", "GaussianNB", "StandardScaler"} <= {name_of(one) for one in found}
    return [*found, *more]


def categorical():
    """Every learner of categories or of counts: a code is both."""
    some = [one for one in learners() if one.need.sequence is None]
    return [short(one) for one in some if one.need.kinds == "categorical" or one.need.counts]


@pytest.mark.parametrize("threads", [*only_full(1), 3])
@pytest.mark.parametrize("weight", [*only_full(None), "weight"])
def test_from_files_each_is_as_alone(path, threads, weight):
    with tn.on(tn.Local(threads=threads)):
        for some, columns in ((numeric(), [f"x{j}" for j in range(4)]), (categorical(), ["small", "other"])):
            source = tn.scan(path, target="two", columns=columns, weight=weight)
            together = tn.fit_together(some, source)
            assert_as_alone(together, [clone(one).fit(source) for one in some])
            assert not any(hasattr(one, "model_") for one in some)


@pytest.mark.parametrize("form", [*only_full("array", "pandas", "list"), "float32"])
def test_from_memory_each_is_as_alone(form):
    some = numeric()
    rows = {"array": X, "pandas": DATA[[f"x{j}" for j in range(4)]], "list": X.tolist(), "float32": X.astype("f4")}[
        form
    ]
    with part_rows(70):
        assert_as_alone(tn.fit_together(some, rows, TWO), [clone(one).fit(rows, TWO) for one in some])
        words = DATA[["small", "other"]]
        counts = [short(one) for one in learners() if one.need.counts]
        mixed = [
            tn.CategoricalNB(),
            tn.Ridge(),
            tn.OneHotEncoder(handle_unknown="ignore"),
            tn.GaussianNB(),
            tn.FindS(),
            *counts,
        ]
        assert_as_alone(tn.fit_together(mixed, words, TWO), [clone(one).fit(words, TWO) for one in mixed])


def test_sparse_rows():
    thin = sp.csr_array(np.where(np.abs(X) > 3, X, 0.0))
    some = [tn.Ridge(), tn.KMeans(3, max_iter=3), tn.StandardScaler(with_mean=False), tn.MaxAbsScaler()]
    with part_rows(70):
        assert_as_alone(tn.fit_together(some, thin, TWO), [clone(one).fit(thin, TWO) for one in some])


def test_dask_frames():
    frame = dd.from_pandas(DATA, npartitions=3, sort=False)
    rows, target = frame[["x0", "x1"]], frame["two"]
    some = [tn.Ridge(), tn.GaussianNB(), tn.StandardScaler(), tn.KMeans(2, max_iter=3)]
    for a, one in zip(tn.fit_together(some, rows, target), some, strict=True):
        assert bits_of(a) == bits_of(clone(one).fit(rows, target))


def test_without_a_target():
    some = [tn.StandardScaler(), tn.KMeans(3, max_iter=4), tn.MinMaxScaler()]
    assert_as_alone(tn.fit_together(some, X), [clone(one).fit(X) for one in some])
    with pytest.raises(ValueError, match="Ridge requires y"):
        tn.fit_together([tn.StandardScaler(), tn.Ridge()], X)


def test_learners_that_read_again():
    """Least squares that gains digits by another scan, beside one that does not."""
    near = np.column_stack([X[:, 0], X[:, 0] + 1e-8 * X[:, 1]])
    y = near @ [1.0, 2.0] + 1e-9 * X[:, 2]
    some = [tn.LinearRegression(), tn.Ridge(5.0), tn.LinearRegression(fit_intercept=False)]
    with part_rows(70):
        together, alone = tn.fit_together(some, near, y), [clone(one).fit(near, y) for one in some]
    assert_as_alone(together, alone)
    assert [m.certificate_.provenance.passes for m in together][:2] == [alone[0].certificate_.provenance.passes, 1.0]
    assert together[0].certificate_.provenance.passes > 1


def test_seeds_that_are_drawn_are_recorded():
    (model,) = tn.fit_together([tn.KMeans(3, random_state=None, max_iter=3)], X)
    seed = model.certificate_.provenance.seed
    assert seed is not None
    assert model.random_state is None
    assert bits(model.model_) == bits(tn.KMeans(3, random_state=seed, max_iter=3).fit(X).model_)
    other = tn.fit_together([tn.KMeans(3, random_state=None)], X)[0]
    assert other.certificate_.provenance.seed != seed


@pytest.fixture
def reads(monkeypatch):
    count = Counter()
    plain = ParquetSource.tables

    def tables(self, part, columns, rows=None):
        count[part] += 1
        return plain(self, part, columns, rows)

    monkeypatch.setattr(ParquetSource, "tables", tables)
    return count


@pytest.mark.parametrize(
    ("some", "columns", "target", "times"),
    [
        ([tn.Ridge(), tn.StandardScaler(), tn.MinMaxScaler(), tn.LinearRegression()], ["x0", "x1"], "two", 1),
        ([tn.StandardScaler(), tn.Ridge()], ["x0", "x1"], "two", 1),  # with the target, for the second alone
        ([tn.GaussianNB(), tn.Ridge(), tn.StandardScaler()], ["x0", "x1"], "two", 1),  # footers name two classes
        ([tn.GaussianNB(), tn.Ridge(), tn.StandardScaler()], ["x0", "x1"], "y", 2),  # first the classes
        (
            [tn.CategoricalNB(), tn.GaussianNB(), tn.Ridge(), tn.OneHotEncoder(handle_unknown="ignore")],
            ["small", "other"],
            "two",
            2,
        ),  # two schemas at once
        (
            [tn.CategoricalNB(), tn.GaussianNB(), tn.Ridge(), tn.OneHotEncoder(handle_unknown="ignore")],
            ["small", "other"],
            "y",
            2,
        ),
    ],
)
def test_a_file_is_read_once_for_many_needs(path, reads, some, columns, target, times):
    source = tn.scan(path, target=target, columns=columns)
    models = tn.fit_together(some, source)
    assert reads == dict.fromkeys(range(len(source)), times)
    assert_as_alone(models, [clone(one).fit(source) for one in some])


def test_the_number_of_reads_is_that_of_the_one_who_needs_most(path, reads):
    source = tn.scan(path, target="two", columns=["x0", "x1"])
    alone = Counter()
    for one in (tn.KMeans(3, max_iter=5), tn.Ridge()):
        reads.clear()
        clone(one).fit(source)
        alone[name_of(one)] = reads[0]
    reads.clear()
    tn.fit_together([tn.Ridge(), tn.KMeans(3, max_iter=5)], source)
    assert reads == dict.fromkeys(range(len(source)), max(alone.values()))
    assert alone["KMeans"] > alone["Ridge"] == 1


def test_what_cannot_be_fitted_together(path):
    assert tn.fit_together([], X) == []
    with pytest.raises(TypeError, match="not a learner of tenfold"):
        tn.fit_together([tn.Ridge(), PeerRidge()], X, TWO)
    with pytest.raises(ValueError, match="'alpha' parameter of Ridge"):
        tn.fit_together([tn.Ridge(), tn.Ridge(-2.0)], X, TWO)
    with pytest.raises(ValueError, match="a Source names its own target"):
        tn.fit_together([tn.Ridge()], tn.scan(path, target="two", columns=["x0"]), TWO)
    with pytest.raises(tn.DataError, match="NaN in column 'x1'"):
        tn.fit_together([tn.StandardScaler(), tn.Ridge()], np.array([[1.0, 2.0], [2.0, np.nan]]), [1.0, 2.0])


def test_an_error_of_a_shared_scan_names_the_learner():
    A = np.column_stack([X[:, 0], np.full(N, 1e200) * (1 + np.arange(N))])
    y = X[:, 0]
    refused = r"^Ridge\(alpha=2.0\): column 'x1' is too large to be squared"
    with pytest.raises(tn.DataError, match=refused):
        tn.fit_together([tn.DummyRegressor(), tn.MaxAbsScaler(), tn.Ridge(2.0)], A, y)
    with pytest.raises(tn.DataError, match=refused):
        tn.cross_validate([tn.DummyRegressor(), tn.Ridge(2.0)], A, y, folds=3)
    with pytest.raises(tn.DataError, match=r"^lines: column 'x1' is too large"):
        tn.cross_validate({"mean": tn.DummyRegressor(), "lines": tn.Ridge()}, A, y, folds=3)
    with pytest.raises(tn.DataError, match=r"^Ridge\(alpha=0.5\): column 'x1' is too large"):
        tn.tune(tn.Ridge(), {"alpha": [0.5, 1.0]}, A, y, folds=3)
    with pytest.raises(tn.DataError, match=r"^column 'x1' is too large"):
        tn.cross_validate(tn.Ridge(), A, y, folds=3)


def test_an_error_of_an_update_names_the_learner():
    with pytest.raises(tn.DataError, match=r"^KMeans\(n_clusters=2\): column 'x0' is too small"):
        tn.fit_together([tn.MaxAbsScaler(), tn.KMeans(2)], X[:, :1] * 1e-170)
