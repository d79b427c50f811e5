"""Chains and hidden Markov models, held against matrix powers, counts by hand and all paths one by one."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import tenfold as tn
from adversary.book import check
from adversary.case import Skip, close, must, refused

SYMBOLS = np.array(["home", "cart", "pay", "left", "done", "ä"], dtype=object)


def funnel_drawn(random: Any, size: int) -> list[list[str]]:
    """Sequences of symbols: of any, or such that some are left for good and some never left, as in a shop."""
    k = int(random.integers(1, 7))
    ends = min(int(random.choice([0, 0, 1, 2, 2, 3])), k - 1)
    found = []
    for _ in range(int(random.integers(1, 4 + size))):
        at = int(random.integers(k))
        one = [at]
        for _ in range(int(random.integers(0, 3 + size))):
            if at < ends:
                break
            at = int(random.integers(at + 1)) if ends and random.random() < 0.7 else int(random.integers(k))
            one.append(at)
        if at < ends:
            one += [at] * int(random.integers(3))
        found.append([str(SYMBOLS[at]) for at in one])
    return found


def rows_of(found: list[list[str]]) -> tuple[Any, list[int]]:
    """One column of symbols, and the length of each sequence."""
    return np.array([[s] for one in found for s in one], dtype=object), [len(one) for one in found]


@check("sequences", often=4.0)
def the_long_run_of_a_chain(case: Any) -> None:
    """The long run is the limit of powers of the chain that waits half of the time, which has the same long run."""
    random = case.random
    X, lengths = rows_of(funnel_drawn(random, case.size))
    model = tn.MarkovChain(alpha=(0.0, 0.0, 0.5)[case.size % 3]).fit(X, lengths=lengths)
    k = len(model.symbols_)
    waits = (model.transmat_ + np.eye(k)) / 2
    truth = model.startprob_ @ np.linalg.matrix_power(waits, 2**14)
    close(model.stationary_distribution(), truth, 1e-6, "the long run")


@check("sequences", often=2.0)
def chains_are_counts(case: Any) -> None:
    """Chances are shares of counts, and a sequence's log-probability their product."""
    found = funnel_drawn(case.random, case.size)
    X, lengths = rows_of(found)
    alpha = (0.0, 0.5)[case.size % 2]
    model = tn.MarkovChain(alpha=alpha).fit(X, lengths=lengths)
    symbols = sorted({s for one in found for s in one})
    must(model.symbols_.tolist() == symbols, f"symbols {model.symbols_}")
    k = len(symbols)
    began, moved = np.full(k, alpha), np.full((k, k), alpha)
    for one in found:
        codes = [symbols.index(s) for s in one]
        began[codes[0]] += 1
        for a, b in itertools.pairwise(codes):
            moved[a, b] += 1
    total = moved.sum(axis=1, keepdims=True)
    chances = np.where(total > 0, moved / np.where(total > 0, total, 1), 1 / k)
    close(model.startprob_, began / began.sum(), 1e-12, "first symbols")
    close(model.transmat_, chances, 1e-12, "transitions")
    by_hand = []
    with np.errstate(divide="ignore"):
        for one in found:
            codes = [symbols.index(s) for s in one]
            by_hand.append(
                np.log(began[codes[0]] / began.sum()) + sum(np.log(chances[p]) for p in itertools.pairwise(codes))
            )
    close(model.score_samples(X, lengths), by_hand, 1e-9, "log-probabilities", size=1.0)


def written(folder: str, ids: list[int], values: list[Any], rows: int) -> Any:
    """A source of sequences in a Parquet file, cut into row groups, or in several files."""
    table = pa.table({"id": ids, "s": values})
    if rows % 2:
        pq.write_table(table, f"{folder}/rows.parquet", row_group_size=rows)
    else:
        for number, start in enumerate(range(0, len(table), rows)):
            pq.write_table(table.slice(start, rows), f"{folder}/{number:04d}.parquet")
    return tn.scan(folder, sequence="id")


@check("sequences", often=3.0)
def sequences_are_whole_wherever_they_are_cut(case: Any) -> None:
    """From files cut anywhere the chain is that of memory; an id that comes back later is refused by name."""
    random = case.random
    found = funnel_drawn(random, case.size)
    names = random.permutation(1000)[: len(found)].tolist()
    ids = [name for name, one in zip(names, found, strict=True) for _ in one]
    values = [s for one in found for s in one]
    comes_back = len(found) > 2 and random.random() < 0.5
    if comes_back:
        ids += [names[0]] * 2
        values += [values[0]] * 2
    with tempfile.TemporaryDirectory() as folder:
        source = written(folder, ids, values, int(random.integers(1, 6)))
        if comes_back:
            refused(lambda: tn.MarkovChain().fit(source), str(names[0]))
            return
        model = tn.MarkovChain().fit(source)
    X, lengths = rows_of(found)
    whole = tn.MarkovChain().fit(X, lengths=lengths)
    must(np.array_equal(model.symbols_, whole.symbols_), f"symbols {model.symbols_}")
    close(model.transmat_, whole.transmat_, 1e-12, "transitions of files")
    close(model.startprob_, whole.startprob_, 1e-12, "first symbols of files")


def shares_drawn(random: Any, *shape: int) -> Any:
    """Chances, some of them zero."""
    p = random.random(shape) * (random.random(shape) < pick_share(random))
    p[..., 0] += (p.sum(axis=-1) == 0).astype(float)
    return p / p.sum(axis=-1, keepdims=True)


def pick_share(random: Any) -> float:
    """How many of the chances are not zero."""
    return (1.0, 0.5, 0.3)[int(random.integers(3))]


def enumerated(start: Any, move: Any, likelihood: Any) -> tuple[float, Any, float, Any]:
    """Of all paths through one sequence: the likelihood, posteriors, the best path's probability, filtered chances."""
    n, k = likelihood.shape
    total, best, posterior, filtered = 0.0, 0.0, np.zeros((n, k)), np.zeros((n, k))
    for path in itertools.product(range(k), repeat=n):
        p = start[path[0]] * likelihood[0, path[0]]
        for t in range(1, n):
            p *= move[path[t - 1], path[t]] * likelihood[t, path[t]]
        total, best = total + p, max(best, p)
        posterior[range(n), path] += p
    for t in range(n):
        for path in itertools.product(range(k), repeat=t + 1):
            p = start[path[0]] * likelihood[0, path[0]]
            for s in range(1, t + 1):
                p *= move[path[s - 1], path[s]] * likelihood[s, path[s]]
            filtered[t, path[-1]] += p
    return total, posterior, best, filtered


def held_to_all_paths(model: Any, X: Any, likelihood: Any) -> None:
    """The answers of a hidden Markov model for one sequence are those of all its paths."""
    start, move = np.asarray(model.startprob_), np.asarray(model.transmat_)
    total, posterior, best, filtered = enumerated(start, move, likelihood)
    if total == 0:
        must(model.score(X) == -np.inf, f"an impossible sequence scores {model.score(X)}")
        for call in (model.predict, model.predict_proba, model.filter, model.decode):
            refused(lambda call=call: call(X))
        return
    close(model.score(X), np.log(total), 1e-9, "log-likelihood", size=1.0)
    close(model.predict_proba(X), posterior / total, 1e-9, "posteriors")
    close(model.filter(X), filtered / filtered.sum(axis=1, keepdims=True), 1e-9, "filtered")
    log, path = model.decode(X)
    close(log, np.log(best), 1e-9, "the likeliest path", size=1.0)
    codes = model.numbered(path) if hasattr(model, "numbered") else path
    p = start[codes[0]] * likelihood[0, codes[0]]
    for t in range(1, len(codes)):
        p *= move[codes[t - 1], codes[t]] * likelihood[t, codes[t]]
    close(np.log(max(p, 1e-300)), np.log(best), 1e-9, "the probability of the path that is returned", size=1.0)


@check("sequences", often=3.0)
def hidden_symbols_are_all_paths(case: Any) -> None:
    """Score, posteriors and path of a hidden Markov model of symbols, against every path; gaps and new symbols too."""
    random = case.random
    k, m = int(random.integers(1, 4)), int(random.integers(1, 4))
    start, move, show = shares_drawn(random, k), shares_drawn(random, k, k), shares_drawn(random, k, m)
    train: list[int] = []
    at = 0
    for row in range(3 * (6 + 2 * case.size)):
        at = int(random.choice(k, p=start if row % 3 == 0 else move[at]))  # sequences of three rows, all possible
        train.append(int(random.choice(m, p=show[at])))
    if len(set(train)) < m:
        raise Skip("a symbol that was not drawn")
    X = np.array([[f"s{v}"] for v in train], dtype=object)
    given = {"startprob_init": start, "transmat_init": move, "emissionprob_init": show}
    model = tn.CategoricalHMM(k, max_iter=1 + case.size % 3, alpha=(0.0, 0.1)[case.size % 4 == 1], **given)
    model.fit(X, lengths=[3] * (len(train) // 3))
    n = int(random.integers(1, 6))
    asked = [pick_symbol(random, m) for _ in range(n)]
    emission = np.asarray(model.emissionprob_)
    known = [str(s) for s in model.symbols_]
    likelihood = np.array([emission[:, known.index(s)] if s in known else np.ones(k) for s in asked])
    held_to_all_paths(model, np.array([[s] for s in asked], dtype=object), likelihood)


def pick_symbol(random: Any, m: int) -> Any:
    """A symbol that was there, one that was not, or none."""
    at = random.random()
    return None if at < 0.08 else "new" if at < 0.16 else f"s{int(random.integers(m))}"


@check("sequences", often=2.0)
def hidden_numbers_are_all_paths(case: Any) -> None:
    """The same of a hidden Markov model of numbers, with densities by scipy."""
    from scipy.stats import multivariate_normal

    random = case.random
    k, p = int(random.integers(1, 4)), int(random.integers(1, 3))
    kind = ("diag", "full", "tied", "spherical")[case.size % 4]
    X = random.normal(size=(12 + 4 * case.size, p)) + 3 * random.integers(0, k, 12 + 4 * case.size)[:, None]
    model = tn.GaussianHMM(k, covariance_type=kind, max_iter=2, reg_covar=1e-2).fit(X, lengths=[5, len(X) - 5])
    C = np.asarray(model.covars_)
    full = {
        "diag": lambda j: np.diag(C[j]), "full": lambda j: C[j], "tied": lambda j: C,
        "spherical": lambda j: C[j] * np.eye(p),
    }[kind]  # fmt: skip
    asked = X[: int(random.integers(1, 6))].copy()
    gap = None
    if random.random() < 0.3:
        gap = int(random.integers(len(asked)))
        asked[gap] = np.nan
    likelihood = np.array(
        [
            [1.0 if t == gap else multivariate_normal.pdf(row, model.means_[j], full(j)) for j in range(k)]
            for t, row in enumerate(asked)
        ]
    )
    if likelihood.max(axis=1).min() < 1e-60:
        raise Skip("densities leave the range of the brute force")
    held_to_all_paths(model, asked, likelihood)


@check("sequences", often=2.0)
def labelled_sequences_are_all_paths(case: Any) -> None:
    """A classifier of labelled sequences is shares of counts, and its path the likeliest of all."""
    random = case.random
    k, m = int(random.integers(2, 4)), int(random.integers(1, 4))
    n = 4 + 4 * case.size
    codes, y = random.integers(0, m, n), random.integers(0, k, n)
    cut = int(random.integers(1, n))
    alpha = (0.2, 1.0)[case.size % 2]
    names = np.array(["x", "y", "z"], dtype=object)
    X = np.array([[f"s{v}"] for v in codes], dtype=object)
    model = tn.HMMClassifier(alpha=alpha).fit(X, names[y], lengths=[cut, n - cut])
    classes, levels = np.unique(y), np.unique(codes)
    began, moved, said = (
        np.full(s, alpha) for s in ((len(classes),), (len(classes),) * 2, (len(classes), len(levels)))
    )
    at, seen = np.searchsorted(classes, y), np.searchsorted(levels, codes)
    for start in (0, cut):
        began[at[start]] += 1
    for t in range(1, n):
        if t != cut:
            moved[at[t - 1], at[t]] += 1
    np.add.at(said, (at, seen), 1)
    for found, counts, what in (
        (model.startprob_, began, "first"),
        (model.transmat_, moved, "next"),
        (model.emissionprob_, said, "symbols"),
    ):
        close(found, counts / counts.sum(axis=-1, keepdims=True), 1e-12, f"chances: {what}")
    asked = [int(random.integers(m + 1)) for _ in range(int(random.integers(1, 6)))]
    emission = np.asarray(model.emissionprob_)
    place = {int(v): j for j, v in enumerate(levels)}
    likelihood = np.array([emission[:, place[v]] if v in place else np.ones(len(classes)) for v in asked])
    rows = np.array([[f"s{v}"] for v in asked], dtype=object)
    held_to_path(model, rows, likelihood)


def held_to_path(model: Any, X: Any, likelihood: Any) -> None:
    """The path and posteriors are those of all paths."""
    total, posterior, best, _ = enumerated(np.asarray(model.startprob_), np.asarray(model.transmat_), likelihood)
    close(model.predict_proba(X), posterior / total, 1e-9, "posteriors")
    log, _ = model.decode(X)
    close(log, np.log(best), 1e-9, "the likeliest path", size=1.0)


@check("sequences", often=2.0)
def rounds_never_lose_likelihood(case: Any) -> None:
    """Each round of expectation and maximisation is at least as likely as the one before, and parts do not matter."""
    random = case.random
    k, m, n = int(random.integers(1, 4)), int(random.integers(1, 4)), 6 + 4 * case.size
    X = np.array([[f"s{v}"] for v in random.integers(0, m, n)], dtype=object)
    cuts = sorted({int(v) for v in random.integers(1, n, 3)})
    lengths = np.diff([0, *cuts, n]).tolist()
    scores = [
        tn.CategoricalHMM(k, max_iter=rounds, tol=0.0, random_state=case.size)
        .fit(X, lengths=lengths)
        .score(X, lengths=lengths)
        for rounds in (1, 2, 4)
    ]
    for a, b in itertools.pairwise(scores):
        must(b >= a - 1e-9 * abs(a) - 1e-12, f"log-likelihood falls: {scores}")
    ids = np.repeat(np.arange(len(lengths)), lengths).tolist()
    with tempfile.TemporaryDirectory() as folder:
        source = written(folder, ids, X[:, 0].tolist(), int(random.integers(1, 6)))
        model = tn.CategoricalHMM(k, max_iter=4, tol=0.0, random_state=case.size).fit(source)
        must(Path(folder).exists(), "the folder")
        close(model.score(X, lengths=lengths), scores[-1], 1e-7, "log-likelihood of files", size=1.0)
