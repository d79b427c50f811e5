"""The wheel holds the whole library and nothing else, and works where nothing but the wheel is installed."""

import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from email.parser import HeaderParser
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PROGRAM = """
import sys
import numpy as np
import tenfold as tn
from tenfold.compiled.decorators import compilations

assert tn.__file__.startswith(sys.prefix), tn.__file__
X = np.array([["sun", "warm"], ["sun", "cold"], ["rain", "cold"], ["rain", "warm"]] * 5, dtype=object)
y = ["out", "in", "in", "in"] * 5
model = tn.CategoricalNB().fit(X, y)
model.save("model.tenfold")
again = tn.load("model.tenfold")
assert (again.predict_proba(X) == model.predict_proba(X)).all()
assert again.verify().origin == "verified"
assert (tn.CategoricalNB().fit(X[:8], y[:8]) + tn.CategoricalNB().fit(X[8:], y[8:])).predict(X).tolist() == y
assert tn.MaxAbsScaler().fit([[2.0], [4.0]]).transform([[1.0]]).tolist() == [[0.25]]
assert not compilations, compilations
print("it works")
"""


@pytest.fixture(scope="module")
def wheel(compiled, tmp_path_factory):
    """With the kernels of this checkout, which are not compiled once more.

    Built without a network where hatchling is installed, as the extra `test` has it; else pip looks for it.
    """
    folder = tmp_path_factory.mktemp("wheel")
    here = ["--no-build-isolation"] if find_spec("hatchling") else []
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *here, "--wheel-dir", folder, ROOT]
    done = subprocess.run(pip, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("tenfold-*.whl")
    return made


def test_it_holds_the_library_and_nothing_else(wheel, compiled):
    with zipfile.ZipFile(wheel) as held:
        names = {name for name in held.namelist() if ".dist-info/" not in name}
    source = ROOT / "src"
    files = (path for path in (source / "tenfold").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    there = {str(path.relative_to(source)) for path in files if "_compiled" not in path.parts}
    kernels = {str(path.relative_to(source)) for path in compiled.iterdir()}
    assert names == there | kernels
    assert len(kernels) > 50
    assert wheel.stat().st_size < 15e6
    assert not wheel.name.endswith("-none-any.whl")
    assert {"tenfold/py.typed", "tenfold/__init__.pyi"} <= names


def test_it_asks_for_what_the_project_says(wheel):
    with zipfile.ZipFile(wheel) as held:
        (name,) = (one for one in held.namelist() if one.endswith(".dist-info/METADATA"))
        facts = HeaderParser().parsestr(held.read(name).decode())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [one for one in facts.get_all("Requires-Dist") if "extra ==" not in one]
    assert sorted(asked) == sorted(project["dependencies"])
    assert facts["Requires-Python"] == project["requires-python"]
    assert set(facts.get_all("Provides-Extra")) == set(project["optional-dependencies"])


@pytest.mark.full
def test_it_works_where_only_it_is_installed(wheel, tmp_path):
    """A fresh environment, in which third-party packages are seen, and tenfold from the wheel alone."""
    venv.create(tmp_path / "env", with_pip=False)
    bin_, paths = ("Scripts", "nt") if os.name == "nt" else ("bin", "posix_prefix")
    base = {"base": str(tmp_path / "env"), "platbase": str(tmp_path / "env")}
    site = Path(sysconfig.get_path("purelib", paths, base))
    with zipfile.ZipFile(wheel) as held:
        held.extractall(site)
    # paths in a .pth file are searched, but .pth files there are not read: an editable install stays out of sight
    (site / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [tmp_path / "env" / bin_ / "python", "-W", "error", "-c", PROGRAM],
        cwd=tmp_path, env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == "it works\n", done.stderr
