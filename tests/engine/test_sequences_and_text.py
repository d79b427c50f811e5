"""What sequences and text are for: a hidden Markov model's E-step and a vocabulary, the same bits on every runner."""

import itertools
import re
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Annotated

import cloudpickle
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import faults
import tenfold as tn
from tenfold.core import Array, Need
from tenfold.core.statistic import Statistic
from tenfold.engine import schema_of
from tenfold.sources import arrow, label_codes, part_rows
from tenfold.stats.combinators import As, View
from tenfold.testing import bits

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),  # Dask itself, with a pandas that is newer than it
]
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not have this file

ROWS = 300
random = np.random.default_rng(0)


# ---- a hidden Markov model ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Expected:
    """How often states begin, follow each other and say a symbol, in expectation; and the log-likelihood."""

    start: Annotated[Array, "state"]
    move: Annotated[Array, "state", "state"]
    say: Annotated[Array, "state", "symbol"]
    log_likelihood: float

    def __add__(self, other):
        return Expected(
            self.start + other.start,
            self.move + other.move,
            self.say + other.say,
            self.log_likelihood + other.log_likelihood,
        )


class ExpectedCounts(Statistic[Expected]):
    """The E-step of Baum and Welch, sequence by sequence: scaled forward probabilities, then backward ones."""

    start: Array
    move: Array
    say: Array

    def summarize(self, chunk):
        found = Expected(np.zeros_like(self.start), np.zeros_like(self.move), np.zeros_like(self.say), 0.0)
        symbols = chunk.X.column(0).astype(np.int64)
        for some in np.split(symbols, chunk.starts[1:]) if chunk.n else ():
            found += self._of(some)
        return found

    def _of(self, symbols):
        n, likely = len(symbols), self.say[:, symbols].T
        ahead, scale = np.empty((n, len(self.start))), np.empty(n)
        for t in range(n):
            now = (self.start if t == 0 else ahead[t - 1] @ self.move) * likely[t]
            scale[t] = now.sum()
            ahead[t] = now / scale[t]
        say, move, back = np.zeros_like(self.say), np.zeros_like(self.move), np.ones(len(self.start))
        for t in range(n - 1, 0, -1):
            say[:, symbols[t]] += ahead[t] * back
            onward = likely[t] * back / scale[t]
            move += ahead[t - 1][:, None] * self.move * onward
            back = self.move @ onward
        say[:, symbols[0]] += ahead[0] * back
        return Expected(ahead[0] * back, move, say, float(np.log(scale).sum()))


MODEL = ExpectedCounts(
    np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.2, 0.8]]), np.array([[0.5, 0.4, 0.1], [0.1, 0.2, 0.7]])
)
LENGTHS = np.append(random.integers(1, 9, 20), [14, *random.integers(1, 9, 80)])  # one is longer than two small parts
PATIENT = np.repeat([f"patient {k}" for k in range(len(LENGTHS))], LENGTHS).astype(object)[:ROWS]
OBSERVED = pd.DataFrame({"symbol": random.integers(0, 3, ROWS) * 1.0, "patient": PATIENT})


def by_hand(symbols):
    """Every path of states, with its probability: what forward and backward probabilities are for."""
    found, total = [np.zeros_like(a) for a in (MODEL.start, MODEL.move, MODEL.say)], 0.0
    for path in itertools.product(range(2), repeat=len(symbols)):
        chance = MODEL.start[path[0]] * np.prod([MODEL.move[a, b] for a, b in itertools.pairwise(path)])
        chance *= np.prod([MODEL.say[state, symbol] for state, symbol in zip(path, symbols, strict=True)])
        total += chance
        found[0][path[0]] += chance
        for a, b in itertools.pairwise(path):
            found[1][a, b] += chance
        for state, symbol in zip(path, symbols, strict=True):
            found[2][state, symbol] += chance
    return [some / total for some in found], np.log(total)


@pytest.fixture(scope="module")
def cluster():
    with faults.Cluster(2) as started:
        yield started


def answer(runner, source, need, statistic):
    """What a statistic says of all rows."""
    with runner.open(source) as session:
        found = session.answer(As(View(need, source.known(need)), statistic))
    assert found.rows == ROWS
    return found.summary


SEQUENCES = Need(sequence="patient")


def written(frame, path, rows):
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=rows)
    return str(path)


@pytest.mark.parametrize("rows", [5, 7, 25])
def test_expected_counts_of_sequences_that_files_cut(cluster, tmp_path, rows):
    source = tn.scan(written(OBSERVED, tmp_path / "a.parquet", rows), sequence="patient")
    found = answer(tn.Local(threads=1), source, SEQUENCES, MODEL)
    each = [by_hand(some["symbol"].astype(int)) for _, some in OBSERVED.groupby("patient", sort=False)]
    for mine, theirs in zip((found.start, found.move, found.say), zip(*(counts for counts, _ in each)), strict=True):
        np.testing.assert_allclose(mine, sum(theirs), rtol=1e-12)
    assert found.log_likelihood == pytest.approx(sum(log for _, log in each), rel=1e-13)
    for runner in (tn.Local(threads=2), tn.Dask(cluster.client)):
        assert bits(answer(runner, source, SEQUENCES, MODEL)) == bits(found)


def test_expected_counts_are_the_same_bits_from_everywhere(cluster, tmp_path):
    """As long as parts are cut at the same rows: a file, a frame and an array in memory, partitions of Dask."""
    with part_rows(25):
        given = tn.scan(OBSERVED[["symbol"]].to_numpy(), sequence=PATIENT)
        held = tn.scan(OBSERVED, sequence="patient")
    lazy = tn.scan(dd.from_pandas(OBSERVED, chunksize=25, sort=False), sequence="patient")
    read = tn.scan(written(OBSERVED, tmp_path / "a.parquet", 25), sequence="patient")
    sources = (read, held, given, lazy)
    assert {len(source) for source in sources} == {12}
    runners = (tn.Local(threads=2), tn.Dask(cluster.client))
    found = [answer(runner, source, Need(sequence=""), MODEL) for source in sources for runner in runners]
    assert len({bits(one) for one in found}) == 1


def test_a_sequence_longer_than_partitions_is_refused_on_a_cluster(cluster):
    lazy = tn.scan(dd.from_pandas(OBSERVED, chunksize=5, sort=False), sequence="patient")
    with pytest.raises(tn.DataError, match=r"rows of one sequence only.*repartition"):
        answer(tn.Dask(cluster.client), lazy, SEQUENCES, MODEL)


def test_a_sequence_that_comes_back_parts_later_is_refused_on_every_runner(cluster, tmp_path):
    frame = pd.DataFrame({"patient": np.repeat(["p", "q", "r", "s", "t", "q"], 5), "symbol": list("ab") * 15})
    read = tn.scan(written(frame, tmp_path / "a.parquet", 5), sequence="patient")
    lazy = tn.scan(dd.from_pandas(frame, chunksize=10, sort=False), sequence="patient")
    for source in (read, lazy):
        for runner in (tn.Local(threads=1), tn.Local(threads=3), tn.Dask(cluster.client)):
            with tn.on(runner), pytest.raises(tn.DataError, match="sequence 'q' of column 'patient' are not next to"):
                tn.MarkovChain().fit(source)


# ---- a vocabulary -------------------------------------------------------------------------------------


class Words(Statistic[Counter]):
    """In how many texts of a column each word occurs, and how often."""

    column: int

    def summarize(self, chunk):
        found = Counter()
        for text, weight in zip(chunk.X.column(self.column), chunk.weight.astype(int).tolist(), strict=True):
            words = re.findall(r"\w+", text.lower())
            found.update({("times", word): weight * n for word, n in Counter(words).items()})
            found.update({("texts", word): weight for word in set(words)})
        return found


KNOWN = np.array(["the", "cat", "sat", "Mat", "naïve", "☃", "42"], dtype=object)
REVIEWS = pd.DataFrame(
    {
        "review": [" ".join(random.choice(KNOWN, k)) + f" row{i}" for i, k in enumerate(random.integers(0, 9, ROWS))],
        "stars": random.integers(1, 6, ROWS),
    }
)
TEXT = Need("text", target="class")


def test_a_vocabulary_is_counted_where_the_texts_are(cluster, tmp_path, monkeypatch):
    read = tn.scan(written(REVIEWS, tmp_path / "a.parquet", 25), columns=["review"])
    with part_rows(25):
        held, given = tn.scan(REVIEWS, columns=["review"]), tn.scan(REVIEWS[["review"]].to_numpy(object))
    lazy = tn.scan(dd.from_pandas(REVIEWS, chunksize=25, sort=False), columns=["review"])
    for module in (arrow, label_codes):  # nobody lists the texts in this process
        monkeypatch.setattr(module, "levels", None)
    words = [Counter(re.findall(r"\w+", text.lower())) for text in REVIEWS["review"]]
    expected = {("times", w): n for w, n in sum(words, Counter()).items()}
    expected |= {("texts", w): n for w, n in Counter(w for some in words for w in some).items()}
    for source in (read, held, given, lazy):
        assert not source.scans_for(Need("text"))
        for runner in (tn.Local(threads=1), tn.Local(threads=2), tn.Dask(cluster.client)):
            found = answer(runner, source, Need("text"), Words(0))
            assert found == expected
            assert repr(sorted(found.items())) == repr(sorted(expected.items()))


def test_only_the_classes_of_texts_are_enumerated(tmp_path):
    source = tn.scan(written(REVIEWS, tmp_path / "a.parquet", 25), target="stars")
    with tn.Local().open(source) as session:
        schema = schema_of(source, TEXT, session)
        found = session.answer(As(View(TEXT, schema), Words(0)))
    assert schema.classes.tolist() == [1, 2, 3, 4, 5]
    assert [(c.kind, c.categories) for c in schema.columns] == [("text", None)]
    assert found.summary["times", "row7"] == 1
