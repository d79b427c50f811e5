"""What all tests share: the environment, tiers, the list of kernels' signatures, and kernels that are compiled.

Tests come in three tiers. `pytest` runs the gate: every test but those marked `full`, with few draws. `pytest --full`
runs everything, with all draws. `pytest -m quick` runs one test of each file, for the inner loop: the first of the file
that is not marked `full`, or those marked `quick`, if there are any.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it, and so would tests

# scipy must know of the array API before it is first imported, or scikit-learn skips a check: no imports of it above
os.environ["SCIPY_ARRAY_API"] = "1"
os.environ["TENFOLD_TRACEBACK"] = "full"  # errors of tests show where they come from

KERNELS = Path(__file__).parent / "compiled"
unlisted = []


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run all tests, with all draws")


def pytest_configure(config):
    from hypothesis import settings

    import tiers
    from tenfold.compiled.shipped import Kernel

    tiers.full = config.getoption("full")
    settings.register_profile("gate", max_examples=20, deadline=None, derandomize=True, database=None)
    settings.register_profile("full", max_examples=100, deadline=None, derandomize=True, database=None)
    settings.load_profile("full" if tiers.full else "gate")
    Kernel.watchers.append(note_unlisted)


def pytest_collection_modifyitems(config, items):
    """Mark one test of each file as quick, and leave out tests of the full tier where it is not asked for."""
    by_file = {}
    for item in items:
        if not item.get_closest_marker("full"):
            by_file.setdefault(item.path, []).append(item)
    for some in by_file.values():
        if not any(item.get_closest_marker("quick") for item in some):
            some[0].add_marker(pytest.mark.quick)
    if not config.getoption("full"):
        left_out = [item for item in items if item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("full")]


def note_unlisted(function, signature):
    from tenfold.compiled.signatures import fitting, line, name_of

    ours = function.__module__.startswith("tenfold.compiled.")
    if ours and fitting(name_of(function), signature) is None:
        unlisted.append(line(name_of(function), signature))


@pytest.fixture(autouse=True)
def only_listed_signatures(request):
    """What the library calls is on the list of signatures, or it would not come compiled.

    If it should be: `TENFOLD_RECORD=/tmp/r pytest`, then `python -m tenfold.compiled.compile --collect /tmp/r`.
    """
    yield
    found = [*unlisted]
    unlisted.clear()
    assert not found or KERNELS in request.path.parents, f"not on the list of signatures: {found}"


@pytest.fixture(scope="session")
def compiled():
    """The folder of compiled kernels of this checkout; they are compiled if they are not yet."""
    from tenfold.compiled import shipped

    subprocess.run([sys.executable, "-m", "tenfold.compiled.compile"], check=True)
    found = subprocess.run(
        [sys.executable, "-m", "tenfold.compiled.compile", "--check"], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout
    return shipped.PACKAGE_FOLDER / "_compiled" / shipped.tag(shipped.levels_here()[0])
