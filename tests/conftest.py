"""What all tests share: the environment, the list of kernels' signatures, and kernels that are compiled."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it, and so would tests

# scipy must know of the array API before it is first imported, or scikit-learn skips a check: no imports of it above
os.environ["SCIPY_ARRAY_API"] = "1"

KERNELS = Path(__file__).parent / "kernels"
unlisted = []


def pytest_configure():
    from tenfold.kernels.shipped import Kernel

    Kernel.watchers.append(note_unlisted)


def note_unlisted(function, signature):
    from tenfold.kernels.signatures import fitting, line, name_of

    ours = function.__module__.startswith("tenfold.kernels.")
    if ours and fitting(name_of(function), signature) is None:
        unlisted.append(line(name_of(function), signature))


@pytest.fixture(autouse=True)
def only_listed_signatures(request):
    """What the library calls is on the list of signatures, or it would not come compiled.

    If it should be: `TENFOLD_RECORD=/tmp/r pytest`, then `python -m tenfold.kernels.compile --collect /tmp/r`.
    """
    yield
    found = [*unlisted]
    unlisted.clear()
    assert not found or KERNELS in request.path.parents, f"not on the list of signatures: {found}"


@pytest.fixture(scope="session")
def compiled():
    """The folder of compiled kernels of this checkout; they are compiled if they are not yet."""
    from tenfold.kernels import shipped

    subprocess.run([sys.executable, "-m", "tenfold.kernels.compile"], check=True)
    found = subprocess.run([sys.executable, "-m", "tenfold.kernels.compile", "--check"], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
    return shipped.HERE / "_compiled" / shipped.tag(shipped.levels_here()[0])
