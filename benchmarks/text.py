"""A corpus out of core beside scikit-learn in memory: `python benchmarks/text.py [--documents 200000] [--folder DIR]`.

A generator writes the corpus as Parquet, once: words as frequent as in a language, two classes, 40 to 120 words a
document. Then, each in a process of its own: tf-idf with multinomial naive Bayes and with logistic regression, over the
file, on threads and on a cluster of Dask, whose bits must be the same; and the same by scikit-learn, in memory.
Features, log-probabilities and the objective of the regression are compared; the most memory is that of the process on
threads.
Last, how long documents take, beside scikit-learn, cut by its analyzers and by the kernel.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import tenfold as tn
from tenfold.testing import bits
from workloads import Promises

DOCUMENTS = 200_000
GROUP = 4000
"""documents of a row group"""
WORDS, COMMON = 30_000, 2000
"""words there are, and those that tell nothing of the class"""
FEATURES = 1e-12
"""by how much a feature may differ from scikit-learn's"""
MEMORY = 1024
"""megabytes that the process that fits may have at most"""
COUNTS, HASHED = 0.4, 3.0
"""times as fast as scikit-learn in memory: fit and transform of tf-idf, which cuts twice; hashed features"""


def write(path: Path, documents: int) -> str:
    """The corpus, in row groups; the same for the same number of documents."""
    random = np.random.default_rng(0)
    likely = 1 / np.arange(2, WORDS + 2)
    likely /= likely.sum()
    words = np.array([_spelled(k) for k in range(WORDS)], dtype=object)
    tilt = np.where(np.arange(WORDS) < COMMON, 1.0, random.choice([0.5, 2.0], WORDS))
    shares = [np.cumsum(likely * t / (likely * t).sum()) for t in (tilt, 1 / tilt)]
    schema = pa.schema({"text": pa.string(), "label": pa.string()})
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, documents, GROUP):
            label = random.integers(0, 2, min(GROUP, documents - start))
            lengths = random.integers(40, 121, len(label))
            texts = []
            for kind, length in zip(label, lengths, strict=True):
                at = np.minimum(np.searchsorted(shares[kind], random.random(length)), WORDS - 1)
                texts.append(" ".join(words[at]))
            writer.write_table(pa.table({"text": texts, "label": np.array(["ham", "spam"])[label]}, schema))
    return str(path)


def _spelled(k: int) -> str:
    """The word with a number: some have accents, some are capital."""
    letters = "bcdfghjklmnprstvwz"
    vowels = "aeiouäéø"
    text = ""
    k += 7
    while k:
        text += letters[k % 18] + vowels[k // 18 % 8]
        k //= 144
    return text.capitalize() if len(text) % 3 == 0 else text


# ---- processes ---------------------------------------------------------------------------------------------


def fitted(path: str, workers: int) -> dict[str, Any]:
    """Both models over the file, on threads or on a cluster: their bits, their numbers, seconds, and memory."""
    rows = tn.scan(path, columns=["text"], target="label")
    found: dict[str, Any] = {}

    def fit() -> None:
        start = time.perf_counter()
        features = tn.TextFeatures().fit(rows)
        found["tf-idf"] = time.perf_counter() - start
        made = features.transform(rows)
        bayes = tn.MultinomialNB().fit(made)
        found["bayes"] = time.perf_counter() - start
        logistic = tn.LogisticRegression().fit(made)
        found["logistic"] = time.perf_counter() - start
        found["bits"] = [bits(one.model_) for one in (features, bayes, logistic)]
        found["passes"] = logistic.certificate_.provenance.passes
        found["gap"] = logistic.certificate_["gap"].value
        np.savez(f"{path}.ours.npz", log_prob=bayes.feature_log_prob_, coef=logistic.coef_, b=logistic.intercept_)
        features.save(f"{path}.features")

    if workers:
        from distributed import Client, LocalCluster

        options = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with LocalCluster(**options) as cluster, Client(cluster) as client, tn.on(tn.Dask(client)):
            fit()
    else:
        with tn.on(tn.Local(threads=2, memory=200 << 20)):
            fit()
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def compared(path: str) -> dict[str, Any]:
    """scikit-learn in memory, and how far what was fitted is from it."""
    from scipy.special import expit
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB

    table = pq.read_table(path)
    texts, label = table["text"].to_pylist(), table["label"].to_numpy()
    start = time.perf_counter()
    vectorizer = TfidfVectorizer()
    X = vectorizer.fit_transform(texts)
    found: dict[str, Any] = {"tf-idf": time.perf_counter() - start}
    bayes = MultinomialNB().fit(X, label)
    found["bayes"] = time.perf_counter() - start
    logistic = LogisticRegression(tol=1e-8, max_iter=1000).fit(X, label)
    found["logistic"] = time.perf_counter() - start
    ours, model = np.load(f"{path}.ours.npz"), tn.load(f"{path}.features")
    assert model.vocabulary_ == vectorizer.vocabulary_
    worst, at = 0.0, 0
    for part in model.transform(tn.scan(path, columns=["text"])):
        theirs = X[at : at + part.shape[0]]
        worst = max(worst, abs(part - theirs).max())
        at += part.shape[0]
    assert at == X.shape[0]
    found["features"], found["terms"], found["entries"] = float(worst), X.shape[1], int(X.nnz)
    found["log_prob"] = float(np.abs(ours["log_prob"] - bayes.feature_log_prob_).max())
    sign = np.where(label == "spam", 1.0, -1.0)

    def objective(coef: Any, b: Any) -> float:
        margin = sign * (np.asarray(X @ coef[0]).ravel() + b[0])
        return float(-np.log(np.maximum(expit(margin), 1e-300)).sum() + 0.5 * (coef**2).sum())

    mine, theirs = objective(ours["coef"], ours["b"]), objective(logistic.coef_, logistic.intercept_)
    found["above"] = (mine - theirs) / len(label)
    return found


def timed(path: str) -> dict[str, Any]:
    """Some documents in memory, cut and hashed here and there, one after the other; the best of some runs."""
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

    texts = pq.ParquetFile(path).read_row_group(0)["text"].to_pylist()
    tasks: dict[str, tuple[Any, Any]] = {
        "tf-idf": (lambda: tn.TextFeatures().fit_transform(texts), lambda: TfidfVectorizer().fit_transform(texts)),
        "hashed": (
            lambda: tn.TextFeatures("count", n_features=2**18).fit(texts[:1]).transform(texts),
            lambda: HashingVectorizer(n_features=2**18, alternate_sign=False, norm=None).transform(texts),
        ),
    }
    found = {}
    with tn.on(tn.Local(threads=1)):
        for name, both in tasks.items():
            best = [np.inf, np.inf]
            for _ in range(7):
                for side, call in enumerate(both):
                    start = time.perf_counter()
                    call()
                    best[side] = min(best[side], time.perf_counter() - start)
            found[name] = best[1] / best[0]
            found[f"{name}, documents a second"] = len(texts) / best[0]
    return found


ROLES: dict[str, Any] = {
    "threads": lambda path: fitted(path, 0),
    "cluster": lambda path: fitted(path, 2),
    "compared": compared,
    "timed": timed,
}


def ran(role: str, path: str) -> dict[str, Any]:
    """What a process says that does this alone."""
    said = subprocess.check_output([sys.executable, __file__, "--role", role, "--folder", path], text=True)
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    print(f"{role}: " + ", ".join(f"{k} {v:.4g}" for k, v in found.items() if not isinstance(v, list)), flush=True)
    return found


def main() -> None:
    """Write, fit here and there, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--role", choices=sorted(ROLES), default=None, help="one process of these, by the command")
    given = parser.parse_args()
    if given.role:
        print(json.dumps(ROLES[given.role](str(given.folder))))
        return
    promises = Promises()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"corpus{given.documents}.parquet"
        start = time.perf_counter()
        corpus = str(path) if path.exists() else write(path, given.documents)
        print(f"{given.documents:,} documents, {path.stat().st_size >> 20} MiB, {time.perf_counter() - start:.0f} s")
        here = ran("threads", corpus)
        there = ran("compared", corpus)
        cluster = ran("cluster", corpus)
        speed = ran("timed", corpus)
    promises.at_most("features beside scikit-learn's", there["features"], FEATURES)
    promises.at_most("log-probabilities of naive Bayes beside scikit-learn's", there["log_prob"], 1e-9)
    promises.at_most("objective of logistic regression above scikit-learn's", there["above"], here["gap"] + 1e-12)
    promises.at_least("the bits on a cluster are those on threads", float(here["bits"] == cluster["bits"]), 1.0)
    promises.at_most("megabytes of the process on threads", here["megabytes"], MEMORY)
    promises.at_least("tf-idf in memory, times as fast as scikit-learn", speed["tf-idf"], COUNTS)
    promises.at_least("hashed features, times as fast as scikit-learn", speed["hashed"], HASHED)
    promises.settle()


if __name__ == "__main__":
    main()
