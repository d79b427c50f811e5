"""`import tenfold` is light, and the first fit says that it compiles."""

import os
import pty
import subprocess
import sys

import pytest

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


OTHER_NAMES = {"Imputer": "SimpleImputer", "UnitVector": "Normalizer"}
"""of learners that scikit-learn calls otherwise, with the same defaults"""


def test_every_public_name_is_there_and_typed():
    stub = os.path.join(os.path.dirname(tenfold.__file__), "__init__.pyi")
    with open(stub, encoding="utf-8") as lines:
        text = lines.read()
    for name in tenfold.__all__:
        assert getattr(tenfold, name).__name__ == OTHER_NAMES.get(name, name)
        assert f"{name} as {name}" in text
    assert set(tenfold.__all__) <= set(dir(tenfold))


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
