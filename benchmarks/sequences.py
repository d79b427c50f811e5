"""Hidden Markov models beside hmmlearn, and their promises; exits with 1 if one is missed.

    python benchmarks/sequences.py             the four that take a minute
    python benchmarks/sequences.py long        one sequence of 20 million symbols in windows: memory, bits and answer
    python benchmarks/sequences.py large       also 100 million symbols from Parquet, on threads and on two Dask workers

Needs hmmlearn.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import tenfold as tn
from tenfold.sequence.hidden_states import HiddenStates, SequenceRows
from tenfold.testing import bits

warnings.filterwarnings("ignore")
MISSED: list[str] = []


def promise(what: str, kept: bool) -> None:
    """Say whether a promise is kept."""
    print(f"{'kept  ' if kept else 'MISSED'} {what}", flush=True)
    if not kept:
        MISSED.append(what)


def in_turn(ours, theirs, times: int = 3) -> tuple[float, float]:
    """The least seconds of each, one after the other."""
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        for one, seconds in zip((ours, theirs), found, strict=True):
            began = time.perf_counter()
            one()
            seconds.append(time.perf_counter() - began)
    return min(found[0]), min(found[1])


def beside_hmmlearn() -> None:
    """Baum-Welch and Viterbi of symbols, Baum-Welch of normal rows, ten rounds each."""
    import hmmlearn
    from hmmlearn import hmm

    random = np.random.default_rng(0)
    n, k, m = 200_000, 8, 10
    start, step = random.dirichlet(np.ones(k)), random.dirichlet(np.ones(k), k)
    emission = random.dirichlet(np.ones(m), k)
    X = random.integers(0, m, (n, 1))
    first = {"startprob_init": start, "transmat_init": step, "emissionprob_init": emission}
    ours = tn.CategoricalHMM(k, max_iter=10, tol=0.0, **first)
    theirs = hmm.CategoricalHMM(k, n_iter=10, tol=-np.inf, init_params="", n_features=m)

    def fit_theirs():
        theirs.startprob_, theirs.transmat_, theirs.emissionprob_ = start, step, emission
        theirs.fit(X)

    ours.fit(X)
    a, b = in_turn(lambda: ours.fit(X), fit_theirs)
    same = np.abs(ours.transmat_ - theirs.transmat_).max()
    print(f"hmmlearn {hmmlearn.__version__}; {n:,} symbols of {m}, {k} states; chances differ by {same:.1e}")
    promise(f"Baum-Welch, 10 rounds: {a:.3f} s beside {b:.3f}, {b / a:.1f}x of 25", b / a >= 25 and same < 1e-8)
    a, b = in_turn(lambda: ours.predict(X), lambda: theirs.predict(X))
    promise(f"Viterbi: {a * 1e3:.0f} ms beside {b * 1e3:.0f}, {b / a:.1f}x of 1", b >= a)
    equal = (ours.predict(X) == theirs.predict(X)).mean()
    promise(f"the same path: {equal:.6f} of the rows", equal > 0.999)

    states = HiddenStates(np.full(5, 0.2), np.eye(5) * 0.9 + 0.02).drawn(np.array([100_000]), random)
    rows = random.standard_normal((100_000, 4)) + 3 * random.standard_normal((5, 4))[states]
    means = tn.KMeans(5).fit(rows[:5000]).cluster_centers_
    for kind in ("diag", "full", "tied"):
        mine = tn.GaussianHMM(5, covariance_type=kind, max_iter=10, tol=0.0, means_init=means)
        other = hmm.GaussianHMM(5, covariance_type=kind, n_iter=10, tol=-np.inf, init_params="stc", random_state=0)

        def fit_other(other=other):
            other.means_ = means.copy()
            other.fit(rows)

        mine.fit(rows)
        a, b = in_turn(lambda mine=mine: mine.fit(rows), fit_other, 2)
        what = f"Gaussian, {kind}, 100,000 x 4, 5 states, 10 rounds: {a:.2f} s beside {b:.2f}, {b / a:.1f}x of 5"
        promise(what, b / a >= 5)


def chances(random, *shape):
    """Probabilities, a quarter of them zero."""
    found = random.dirichlet(np.ones(shape[-1]), shape[:-1]) * (random.random(shape) > 0.25)
    total = found.sum(axis=-1, keepdims=True)
    return np.where(total > 0, found / np.where(total > 0, total, 1.0), 1 / shape[-1])


def every_path(models: int = 500) -> None:
    """Forward, backward and Viterbi equal the sum and the largest over all paths."""
    worst, possible = 0.0, 0
    for seed in range(models):
        random = np.random.default_rng([1, seed])
        k, m, n = random.integers(1, [5, 5, 7])
        start, step, emission = chances(random, k), chances(random, k, k), chances(random, k, m)
        seen = random.integers(0, m, n)
        paths = np.array(list(itertools.product(range(k), repeat=n)))
        p = start[paths[:, 0]] * emission[paths, seen].prod(axis=1) * step[paths[:, :-1], paths[:, 1:]].prod(axis=1)
        with np.errstate(divide="ignore"):
            rows = SequenceRows(np.array([n]), seen, np.ascontiguousarray(np.log(emission.T)))
        states = HiddenStates(start, step)
        gamma, score = states.posterior(rows)
        path, best = states.likeliest(rows)
        filtered, again = states.filtered(rows)
        if p.sum() == 0:
            worst = worst if score[0] == best[0] == again[0] == -np.inf else np.inf
            continue
        possible += 1
        share = np.array([[p[paths[:, t] == i].sum() for i in range(k)] for t in range(n)]) / p.sum()
        worst = max(worst, np.abs(gamma - share).max(), np.abs(filtered[-1] - share[-1]).max())
        worst = max(worst, abs(score[0] - np.log(p.sum())), abs(again[0] - score[0]), abs(best[0] - np.log(p.max())))
        worst = max(worst, abs(p[(paths == path).all(axis=1)][0] / p.max() - 1))
    promise(f"{models} small models, {possible} of them possible, equal every path: {worst:.1e}", worst < 1e-10)


def never_falls(runs: int = 500) -> None:
    """The likelihood of no round is below that of the round before."""
    worst = 0.0
    for seed in range(runs):
        random = np.random.default_rng([2, seed])
        lengths = random.integers(1, 30, random.integers(1, 8))
        X = random.integers(0, random.integers(1, 6), (lengths.sum(), 1))
        model = tn.CategoricalHMM(int(random.integers(1, 5)), max_iter=12, tol=0.0, random_state=seed)
        if seed % 3 == 0:
            lengths = np.append(lengths, 9)
            X = random.standard_normal((lengths.sum(), 2)) * [1, 5] + random.integers(0, 3, (lengths.sum(), 1))
            kind = ("diag", "full", "tied", "spherical")[seed % 4]
            model = tn.GaussianHMM(2, covariance_type=kind, max_iter=8, tol=0.0, reg_covar=0.0, random_state=seed)
        try:
            model.fit(X, lengths=lengths)
        except tn.DataError:  # a state of one row has no density without reg_covar
            continue
        scores = [turn["log-likelihood"] for turn in model.history_ if "log-likelihood" in turn]
        worst = min([worst, *np.diff(scores)])
    promise(f"{runs} runs of Baum-Welch: the mean log-likelihood falls by {-worst:.1e} at most", worst > -1e-10)


ROLE = """
import resource, sys, time
import tenfold as tn
from tenfold.testing import bits
import warnings
warnings.filterwarnings("ignore")
source = tn.scan(sys.argv[1], sequence="who", categorical=["symbol"])
began = time.perf_counter()
model = tn.CategoricalHMM(4, max_iter=2, tol=0.0).fit(source)
seconds = time.perf_counter() - began
print(bits(model.model_), seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, model.n_iter_)
"""


def large(rows: int = 100_000_000) -> None:
    """Symbols from Parquet, out of core, on threads and on Dask."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        random, step = np.random.default_rng(0), 10_000_000
        for at in range(0, rows, step):
            who = (np.arange(at, at + step) // 997).astype(np.int32)  # sequences span row groups and files
            symbols = random.integers(0, 10, step).astype(np.int8)
            path = Path(folder) / f"{at // step:03d}.parquet"
            pq.write_table(pa.table({"who": who, "symbol": symbols}), path, row_group_size=500_000)
        done = subprocess.run([sys.executable, "-c", ROLE, folder], capture_output=True, text=True, check=True)
        found, seconds, memory, rounds = done.stdout.split()
        what = f"{rows:,} symbols, {rounds} rounds, {float(seconds):.0f} s, {memory} MB"
        promise(f"{what} of 1,024", int(memory) < 1024)
        from distributed import Client, LocalCluster

        with LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
            with tn.on(tn.Dask(client)):
                began = time.perf_counter()
                source = tn.scan(folder, sequence="who", categorical=["symbol"])
                model = tn.CategoricalHMM(4, max_iter=2, tol=0.0).fit(source)
            seconds = time.perf_counter() - began
        promise(f"the same bits on two Dask workers, {seconds:.0f} s", str(bits(model.model_)) == found)


LONG_ROLE = """
import sys, time, warnings
import tenfold as tn
from tenfold.testing import bits
warnings.filterwarnings("ignore")
def peak():
    return next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
source = tn.scan(sys.argv[1], sequence="who", categorical=["symbol"])
before = peak()
began = time.perf_counter()
with tn.on(tn.Local(threads=int(sys.argv[3]), memory=1 << 24)):
    model = tn.CategoricalHMM(4, max_iter=2, tol=0.0).fit(source)
    fitted = time.perf_counter() - began
    model.predict(source).to_parquet(sys.argv[2])
seconds = time.perf_counter() - began
more = peak() - before
print(bits(model.model_), fitted, seconds - fitted, before, more)
"""


def long(rows: int = 20_000_000) -> None:
    """One sequence in many row groups, in windows: little memory, the same bits, the answer of the whole sequence."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from tenfold.sources import sequence_source

    with tempfile.TemporaryDirectory() as folder:
        random, path = np.random.default_rng(0), Path(folder) / "rows.parquet"
        symbols = random.integers(0, 10, rows).astype(np.int8)
        pq.write_table(pa.table({"who": np.zeros(rows, np.int32), "symbol": symbols}), path, row_group_size=250_000)
        found = []
        for threads in ("1", "2"):
            role = [sys.executable, "-c", LONG_ROLE, str(path), f"{folder}/out{threads}", threads]
            done = subprocess.run(role, capture_output=True, text=True, check=True)
            *model, fit, predict, before, more = done.stdout.split()
            found.append(model)
            what = f"one sequence of {rows:,} symbols, {threads} threads: 2 rounds {float(fit):.1f} s"
            what += f", written predictions {float(predict):.1f} s"
            promise(f"{what}, {more} MB of 400 above the {before} after importing", int(more) < 400)
        promise("the same bits by one thread and by two", found[0] == found[1])
        few = tn.scan(symbols[:3_000_000, None], sequence=np.zeros(3_000_000, int))
        model = tn.CategoricalHMM(4, max_iter=5, tol=0.0)
        cut = model.fit(few).transmat_
        states = np.concatenate(list(model.predict(few)))
        longest, sequence_source.MAX_WHOLE_SEQUENCE = sequence_source.MAX_WHOLE_SEQUENCE, 1 << 40
        apart = np.abs(model.fit(few).transmat_ - cut).max()
        same = (np.concatenate(list(model.predict(few))) == states).mean()
        sequence_source.MAX_WHOLE_SEQUENCE = longest
        promise(f"3,000,000 of them in windows and whole: chances differ by {apart:.1e}", apart < 1e-9)
        promise(f"and the same path in {same:.7f} of the rows", same > 0.9999)


def main() -> int:
    """Run what was asked for; 1 if a promise is missed."""
    if sys.argv[1:] == ["long"]:
        long()
        return 1 if MISSED else 0
    every_path()
    never_falls()
    beside_hmmlearn()
    if "large" in sys.argv[1:]:
        large()
    return 1 if MISSED else 0


if __name__ == "__main__":
    sys.exit(main())
