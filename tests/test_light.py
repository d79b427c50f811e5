"""`import tenfold` is light, and the first fit says that it compiles."""

import os
import pty
import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import sklearn.datasets
import sklearn.ensemble
import sklearn.metrics
from sklearn.utils import all_estimators

import tenfold


def test_import_loads_nothing_of_others():
    program = (
        "import sys, time; before = set(sys.modules); start = time.perf_counter(); import tenfold; "
        "print(time.perf_counter() - start); print(*sorted(set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    seconds, modules = out.splitlines()
    standard = sys.stdlib_module_names
    foreign = [m for m in modules.split() if m.split(".")[0] not in standard and m != "tenfold"]
    assert foreign == []
    assert float(seconds) < 0.2


def test_every_public_name_is_there():
    for name in tenfold.__all__:
        assert getattr(tenfold, name).__name__ == name
    for folder in (tenfold.kernels, tenfold.display):
        for name in folder.__all__:
            assert getattr(folder, name).__name__ == name
            with pytest.raises(AttributeError, match=f"Remedy: {folder.__name__}.{name}"):
                getattr(tenfold, name)
    assert set(tenfold.__all__) <= set(dir(tenfold))


def test_stubs_have_every_public_name():
    path = Path(__file__).parents[1] / ".ci" / "stubs.py"
    written = runpy.run_path(str(path))["stubs"]()
    assert len(written) > 20
    stale = [str(path) for path, text in written.items() if path.read_text() != text]
    assert not stale, "Remedy: python .ci/stubs.py"


def test_names_are_found_where_scikit_learn_has_them():
    from tenfold.datasets import load_iris
    from tenfold.ensemble import IsolationForest, RandomForestClassifier
    from tenfold.linear_model import Ridge
    from tenfold.metrics import RocCurveDisplay, accuracy_score
    from tenfold.pipeline import FeatureUnion, make_pipeline

    assert Ridge is tenfold.Ridge
    assert RandomForestClassifier is tenfold.RandomForestClassifier
    assert RocCurveDisplay is tenfold.display.RocCurveDisplay
    assert (FeatureUnion, make_pipeline) == (tenfold.FeatureUnion, tenfold.make_pipeline)
    assert (IsolationForest, accuracy_score, load_iris) == (
        sklearn.ensemble.IsolationForest,
        sklearn.metrics.accuracy_score,
        sklearn.datasets.load_iris,
    )
    assert {"Ridge", "HuberRegressor"} <= set(dir(tenfold.linear_model))
    with pytest.raises(AttributeError, match="has no attribute 'NoSuchLearner'"):
        tenfold.linear_model.NoSuchLearner  # noqa: B018


def test_every_name_that_scikit_learn_has_is_ours_in_its_module():
    found = 0
    for name, learner in all_estimators():
        module = learner.__module__.removeprefix("sklearn.").partition("._")[0]
        if name in tenfold._WHERE:
            found += 1
            assert getattr(import_module(f"tenfold.{module}"), name) is getattr(tenfold, name), (module, name)
    assert found > 60


def first_fit(cache, *, terminal):
    """What a first fit writes to its standard error."""
    program = "import tenfold; tenfold.Ridge().fit([[0.0], [1.0], [3.0]], [1.0, 2.0, 4.0])"
    env = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "TENFOLD_COMPILED": "0"}
    if not terminal:
        done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
        return done.stderr
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", program], env=env, stderr=theirs)
    assert process.wait(120) == 0
    os.close(theirs)
    try:
        said = os.read(ours, 10_000)
    except OSError:  # the other end is closed and nothing was written
        said = b""
    os.close(ours)
    return said.decode()


@pytest.mark.full
def test_first_fit_says_so_once_on_a_terminal(tmp_path):
    cold = first_fit(tmp_path, terminal=True)
    warm = first_fit(tmp_path, terminal=True)
    assert cold.count("compiling, once") == 1
    assert warm == ""


def test_nothing_is_said_elsewhere(tmp_path):
    said = first_fit(tmp_path / "b", terminal=False)
    assert said == ""
