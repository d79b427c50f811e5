"""`import tenfold` is light, and the first fit says that it compiles."""

import os
import pkgutil
import pty
import runpy
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import sklearn.datasets
import sklearn.ensemble
import sklearn.isotonic
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
    for folder in (tenfold.kernels, tenfold.datasets, tenfold.display):
        for name in folder.__all__:
            assert getattr(folder, name).__name__ == name
            with pytest.raises(AttributeError, match=f"Remedy: {folder.__name__}.{name}"):
                getattr(tenfold, name)
    offered = {name for name in dir(tenfold) if not name.startswith("_")}
    assert offered >= set(tenfold.__all__)
    for name in offered - set(tenfold.__all__):
        assert isinstance(import_module(f"tenfold.{name}"), ModuleType)  # a folder, not `annotations`


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


def public_modules():
    """The modules of scikit-learn whose names people import."""
    left_out = ("tests", "externals", "conftest")  # and data sets, which are files
    for found in pkgutil.walk_packages(sklearn.__path__, "sklearn."):
        parts = found.name.split(".")
        if not any(part.startswith("_") or part in left_out for part in parts) and parts[1:2] != ["datasets"]:
            yield found.name


def test_every_public_name_of_scikit_learn_is_found_in_the_same_place():
    ours = 0
    for theirs in ("sklearn", "sklearn.datasets", *public_modules()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of those that are experimental
            module = import_module(theirs)
        here = import_module(theirs.replace("sklearn", "tenfold", 1))
        for name in getattr(module, "__all__", [name for name in dir(module) if not name.startswith("_")]):
            if name == "externals" or not hasattr(module, name):
                continue
            found = getattr(here, name)
            if name in tenfold._WHERE:
                ours += 1
                assert found is tenfold._find(name), (theirs, name)
            elif not isinstance(found, ModuleType):
                assert found is getattr(module, name), (theirs, name)
    assert ours > 90


def test_a_name_of_scikit_learn_that_is_not_ours_is_refused_with_its_place():
    """And nothing of scikit-learn is loaded for that."""
    said = "Remedy: {}tenfold.impute{}KNNImputer, which is scikit-learn's own; tenfold's own there: SimpleImputer"
    with pytest.raises(AttributeError, match=f"has no attribute 'KNNImputer'. {said.format('', '.')}"):
        tenfold.KNNImputer  # noqa: B018
    with pytest.raises(
        ImportError, match=f"cannot import name 'KNNImputer' from 'tenfold'. {said.format('from ', ' import ')}"
    ):
        from tenfold import KNNImputer  # noqa: F401
    with pytest.raises(AttributeError, match="Remedy: tenfold.linear_model.HuberRegressor.*there: Adaline, .* more$"):
        tenfold.HuberRegressor  # noqa: B018
    with pytest.raises(AttributeError, match="Remedy: tenfold.metrics.accuracy_score, which is scikit-learn's own$"):
        tenfold.accuracy_score  # noqa: B018
    with pytest.raises(ImportError, match="Remedy: from tenfold.kernels import GaussianKernel$"):
        from tenfold import GaussianKernel  # noqa: F401
    for name in ("NoSuchLearner", "_no_such_name"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'$") as error:
            getattr(tenfold, name)
        assert (error.value.name, error.value.obj) == (name, tenfold)
    program = "import sys, tenfold; hasattr(tenfold, 'KNNImputer'); print([m for m in sys.modules if 'sklearn' in m])"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_every_name_of_scikit_learn_is_ours_or_refused_with_its_place():
    refused = 0
    for name, learner in all_estimators():
        if name in tenfold._WHERE:
            continue
        with pytest.raises(
            AttributeError, match=f"Remedy: (tenfold[.].*[.]{name}), which is scikit-learn's own"
        ) as error:
            getattr(tenfold, name)
        place = str(error.value).partition("Remedy: ")[2].partition(",")[0].rpartition(".")[0]
        assert getattr(import_module(place), name) is learner
        refused += 1
    assert refused > 100
    there = vars(tenfold).keys() | tenfold._WHERE.keys() | vars(sklearn).keys()
    for room in sorted(tenfold._FOLDERS | tenfold._ONLY_THEIRS):
        theirs = sys.modules.get(f"sklearn.{room}")
        for name in getattr(theirs, "__all__", ()):
            if not name.startswith("_") and name not in there:
                with pytest.raises(AttributeError, match=f"Remedy: tenfold[.].*[.]{name}, which is scikit-learn's own"):
                    getattr(tenfold, name)


def test_modules_that_scikit_learn_alone_has_are_found_below_tenfold():
    from tenfold.gaussian_process.kernels import RBF
    from tenfold.metrics.pairwise import cosine_similarity
    from tenfold.utils.validation import check_is_fitted

    from tenfold import clone, isotonic

    assert isotonic.IsotonicRegression is sklearn.isotonic.IsotonicRegression
    assert tenfold.isotonic is isotonic
    assert {RBF.__module__, clone.__module__} == {"sklearn.gaussian_process.kernels", "sklearn.base"}
    assert (cosine_similarity.__name__, check_is_fitted.__name__) == ("cosine_similarity", "check_is_fitted")
    for name in ("tenfold.no_such_module", "tenfold.core.no_such_module", "tenfold.metrics.no_such_module"):
        with pytest.raises(ModuleNotFoundError, match=f"No module named '{name}'"):
            import_module(name)


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
