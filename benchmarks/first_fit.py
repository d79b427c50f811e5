"""Ready at once: `python benchmarks/first_fit.py`, which needs a network for pip, and about half an hour.

In an empty environment: `pip install .`, then a fresh process with empty caches for the first fit and prediction of
every learner, and one for its peer in scikit-learn; the workers of a fresh Dask cluster; the bits of each level that
this processor can run, and of numba's own compiler; first fits where no compiled kernels are at hand.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from workloads import Promises

ROOT = Path(__file__).resolve().parents[1]
INSTALL, WHEEL = 240.0, 15.0
"""seconds of `pip install .`; megabytes of a wheel with two levels"""
TIMES, MORE, MOST = 1.5, 1.0, 4.0
"""a first fit takes so many times that of the peer, and seconds more; seconds that it takes at most"""
TREE, BOOSTING = 12.0, 18.0
"""seconds until a first fit is done where its kernels are compiled"""
RUNS = 3
"""of each process, the best counts"""

PEERS = {
    "LinearRegression": "linear_model", "Ridge": "linear_model", "Lasso": "linear_model", "ElasticNet": "linear_model",
    "LassoCV": "linear_model", "ElasticNetCV": "linear_model", "RidgeCV": "linear_model",
    "LogisticRegression": "linear_model", "PoissonRegressor": "linear_model", "GammaRegressor": "linear_model",
    "SGDClassifier": "linear_model", "SGDRegressor": "linear_model", "Perceptron": "linear_model",
    "Adaline": "linear_model SGDClassifier",
    "LinearDiscriminantAnalysis": "discriminant_analysis", "QuadraticDiscriminantAnalysis": "discriminant_analysis",
    "LinearSVC": "svm", "LinearSVR": "svm",
    "PCA": "decomposition", "GaussianNB": "naive_bayes", "CategoricalNB": "naive_bayes",
    "BernoulliNB": "naive_bayes", "MultinomialNB": "naive_bayes", "ComplementNB": "naive_bayes", "KMeans": "cluster",
    "NaiveBayes": "naive_bayes GaussianNB",
    "GaussianMixture": "mixture", "BisectingKMeans": "cluster", "MiniBatchKMeans": "cluster",
    "SplineTransformer": "preprocessing",
    "RobustScaler": "preprocessing", "QuantileTransformer": "preprocessing", "KBinsDiscretizer": "preprocessing",
    "PowerTransformer": "preprocessing",
    "FunctionTransformer": "preprocessing",
    "SimpleImputer": "impute SimpleImputer", "OneHotEncoder": "preprocessing", "OrdinalEncoder": "preprocessing",
    "StandardScaler": "preprocessing", "MinMaxScaler": "preprocessing", "MaxAbsScaler": "preprocessing",
    "DecisionTreeClassifier": "tree", "DecisionTreeRegressor": "tree", "RandomForestClassifier": "ensemble",
    "ExtraTreesClassifier": "ensemble", "ExtraTreesRegressor": "ensemble",
    "RandomForestRegressor": "ensemble", "AdaBoostClassifier": "ensemble", "BaggingClassifier": "ensemble",
    "BaggingRegressor": "ensemble", "DummyClassifier": "dummy", "DummyRegressor": "dummy", "SVC": "svm", "SVR": "svm",
    "TextFeatures": "feature_extraction.text TfidfVectorizer",
    "GradientBoostingClassifier": "ensemble GradientBoostingClassifier",
    "GradientBoostingRegressor": "ensemble GradientBoostingRegressor",
    "HistGradientBoostingClassifier": "ensemble HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor": "ensemble HistGradientBoostingRegressor",
}  # fmt: skip

ROWS = {
    "": "[[float(i % 5), float(i % 3)] for i in range(40)]",
    "TextFeatures": "[f'red wine {i % 5} or green tea {i % 3}' for i in range(40)]",
}
"""to fit, as Python writes them; the first are for all learners that have none of their own"""

FIT = """
import time
start = time.perf_counter()
{imports}
learner = {learner}
rows = {rows}
target = [1 + i % 2 for i in range(40)]
learner.fit(rows, target)
(learner.predict if hasattr(learner, "predict") else learner.transform)(rows)
print(time.perf_counter() - start)
"""
EVERY = """
import hashlib, json, sys, warnings
import numpy as np
import tenfold as tn
from tenfold.estimator import Estimator
from tenfold.compiled.decorators import compilations
from tenfold.testing import bits
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = np.round(rng.normal(size=(300, 4)), 2)
holes = np.where(rng.random(X.shape) < 0.1, np.nan, X)
words = np.array(["a", "b", "c"], dtype=object)[rng.integers(0, 3, (300, 4))]
y = np.exp(X @ [0.5, -0.5, 0.2, 0.0] + 0.1 * rng.normal(size=300))
weight = rng.integers(0, 3, 300).astype(float)
public = (getattr(tn, name) for name in tn.__all__)
found = {}
for cls in [c for c in public if isinstance(c, type) and issubclass(c, Estimator)]:
    for number, params in enumerate(cls.law_params):
        for kind, rows in {"f8": X, "f4": X.astype("f4"), "nan": holes, "words": words}.items():
            learner = cls(**params)
            rows = np.abs(rows) if learner.need.counts and kind != "words" else rows
            classes = rng.integers(0, 3, 300) if kind == "f4" else (y > 1).astype(int)
            target = y if learner.need.target == "number" else classes
            try:
                model = learner.fit(rows, target, sample_weight=weight)
            except (ValueError, TypeError) as error:
                said = type(error).__name__
            else:
                out = (model.predict if hasattr(model, "predict") else model.transform)(rows)
                out = out.toarray() if hasattr(out, "toarray") else np.asarray(out)
                said = bits(model.model_) + hashlib.sha256(out.tobytes()).hexdigest()
            found[f"{cls.__name__} {number} {kind}"] = said
print(json.dumps([found, compilations]))
"""
NAMES = """
import tenfold as tn
from tenfold.estimator import Estimator
public = (getattr(tn, name) for name in tn.__all__)
print(*(c.__name__ for c in public if isinstance(c, type) and issubclass(c, Estimator)))
"""
CLUSTER = """
import numpy as np
import tenfold as tn

def compiled():
    from tenfold.compiled.decorators import compilations
    return compilations

if __name__ == "__main__":
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            import dask.array as da
            X = da.from_array(np.random.default_rng(0).normal(size=(400, 4)), chunks=(50, 4))
            with tn.on(tn.Dask(client)):
                for learner in (tn.Ridge(), tn.GaussianNB(), tn.HistGradientBoostingClassifier(max_iter=5)):
                    learner.fit(X, (X[:, 0] > 0).astype(int))
            print(sum(map(len, client.run(compiled).values())))
"""


def run(python: Path, program: str, **variables: str) -> str:
    with tempfile.TemporaryDirectory() as empty:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TENFOLD"))}
        env |= {"NUMBA_CACHE_DIR": empty, **variables}
        script = Path(empty) / "program.py"
        script.write_text(program)
        return subprocess.check_output([python, "-W", "ignore", script], env=env, text=True, cwd=empty)


def fits(python: Path, promises: Promises) -> None:
    """Every learner, beside its peer where it has one."""
    for name in run(python, NAMES).split():
        rows = ROWS.get(name, ROWS[""])
        ours = FIT.format(imports="import tenfold as tn", learner=f"tn.{name}()", rows=rows)
        module, _, other = PEERS.get(name, "").partition(" ")
        imports = f"from sklearn.{module} import {other or name}"
        theirs = FIT.format(imports=imports, learner=f"{other or name}()", rows=rows)
        times: list[float] = []
        peer: list[float] = []
        for _ in range(RUNS):
            times.append(float(run(python, ours)))
            if module:
                peer.append(float(run(python, theirs)))
        counted = ours + "from tenfold.compiled.decorators import compilations\nprint(*compilations)"
        made = run(python, counted).split()[1:]  # what comes first is the time
        print(f"{name:32s} {min(times):6.2f} s, compiled {len(made)}" + (f", peer {min(peer):.2f} s" if peer else ""))
        promises.at_most(f"{name}, kernels compiled", len(made), 0)
        promises.at_most(f"{name}, first fit, seconds", min(times), MOST)
        if peer:
            promises.at_most(f"{name}, first fit beside the peer's", min(times), TIMES * min(peer) + MORE)


def bits_of_levels(python: Path, work: Path, promises: Promises) -> None:
    """Each level that this processor can run, and numba's compiler."""
    levels = run(python, "from tenfold.compiled.shipped import levels_here\nprint(*levels_here())").split()
    compiler, _ = json.loads(run(python, EVERY, TENFOLD_COMPILED="0"))
    for level in levels:
        folder = work / level
        subprocess.check_call([python, "-m", "tenfold.compiled.compile", "--level", level, "--to", folder], cwd=work)
        shipped, made = json.loads(run(python, EVERY, TENFOLD_COMPILED=str(folder)))
        other = [name for name in compiler if compiler[name] != shipped[name]]
        print(f"{level}: {len(compiler)} fits, {len(other)} with other bits, {len(made)} compiled", *other, *made)
        promises.at_most(f"{level}, fits with other bits", len(other), 0)
        promises.at_most(f"{level}, kernels compiled", len(made), 0)
        size = sum(file.stat().st_size for file in folder.rglob("*")) / 1e6
        print(f"{level}: {size:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=["fits", "cluster", "bits", "fallback", "wheel"])
    only = parser.parse_args().only or ["fits", "cluster", "bits", "fallback", "wheel"]
    promises = Promises()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        subprocess.check_call([sys.executable, "-m", "venv", work / "empty"])
        python = work / "empty" / ("Scripts" if os.name == "nt" else "bin") / "python"
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TENFOLD"))}
        clean = work / "source"  # as it is committed: nothing that was compiled here comes along
        subprocess.check_call(["git", "clone", "-q", ROOT, clean])
        began = time.perf_counter()
        subprocess.check_call([*pip, clean], env=env)
        took = time.perf_counter() - began
        print(f"pip install . {took:.0f} s, with all that it needs")
        promises.at_most("pip install ., seconds", took, INSTALL)
        if "fits" in only:
            fits(python, promises)
        if "cluster" in only:
            subprocess.check_call([*pip, "dask[array]", "distributed"])
            made = int(run(python, CLUSTER))
            print(f"workers of a fresh cluster compiled {made}")
            promises.at_most("workers of a fresh cluster, kernels compiled", made, 0)
        if "bits" in only:
            bits_of_levels(python, work, promises)
        if "fallback" in only:
            for name, most in (("DecisionTreeClassifier", TREE), ("HistGradientBoostingClassifier", BOOSTING)):
                program = FIT.format(imports="import tenfold as tn", learner=f"tn.{name}()")
                took = min(float(run(python, program, TENFOLD_COMPILED="0")) for _ in range(2))
                print(f"{name}, compiled at first use: {took:.1f} s")
                promises.at_most(f"{name}, compiled at first use, seconds", took, most)
        if "wheel" in only:
            env["TENFOLD_LEVELS"] = "x86-64-v2,x86-64-v3"
            subprocess.check_call([python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", work, clean], env=env)
            (made_wheel,) = work.glob("*.whl")
            kernels = sum(".z" in name for name in zipfile.ZipFile(made_wheel).namelist())
            print(f"{made_wheel.name}: {made_wheel.stat().st_size / 1e6:.1f} MB, {kernels} compiled kernels")
            promises.at_most("wheel, megabytes", made_wheel.stat().st_size / 1e6, WHEEL)
    promises.settle()


if __name__ == "__main__":
    main()
