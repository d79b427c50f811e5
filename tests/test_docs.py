"""Every example in the documentation, the docstrings and the README runs and says what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tenfold
import tenfold.testing

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MODULES = [
    "tenfold",
    *(found.name for found in pkgutil.walk_packages(tenfold.__path__, "tenfold.")),
]
WITH_EXAMPLES = [name for name in MODULES if ">>> " in Path(importlib.import_module(name).__file__ or "").read_text()]
PAGES = sorted(DOCS.glob("*.rst"))
SMOKE = {"start", "how_it_works", "add_a_learner", "larger_than_memory", "certificates", "pipelines", "model_file"}
"""pages that the gate runs"""


def run(test: doctest.DocTest) -> int:
    """Run the examples of one test; how many there are."""
    said: list[str] = []
    assert not any(doctest.SKIP in example.options for example in test.examples), "a skipped example"
    result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert not result.failed, "".join(said)
    return result.attempted


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Examples write files, in a folder of their own, and draw pictures, which are closed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(DOCS))
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_docstrings(name):
    tests = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name), name)
    assert sum(run(test) for test in tests)


@pytest.mark.filterwarnings("ignore:X (does not have valid|has) feature names")  # scikit-learn's checks do so
@pytest.mark.parametrize(
    "page",
    [page if page.stem in SMOKE else pytest.param(page, marks=pytest.mark.full) for page in PAGES],
    ids=lambda page: page.stem,
)
def test_pages(page):
    text = page.read_text()
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, page.name, str(page), 0)
    assert run(test) == len(test.examples)
    assert "code-block:: python" not in text, "a block that does not run: write a doctest, or include a file"


def test_readme():
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(blocks) == 3
    used = {name for block in blocks for name in re.findall(r"^import (\w+)", block, re.M)}
    assert used == {"numpy", "pyarrow", "tempfile", "tenfold"}, "an install without extras has what the README imports"
    keyed, done, scanned = (
        subprocess.run([sys.executable, "-W", "error", "-c", block], capture_output=True, text=True) for block in blocks
    )
    assert keyed.returncode == 0, keyed.stderr
    assert keyed.stdout == re.search(r"^```\n\n```\n(.*?)^```", text, re.M | re.S)[1], (
        "the output that the README shows"
    )
    assert len([line for line in blocks[0].splitlines() if line]) <= 12
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("True\n")
    assert "digits = 1" in done.stdout
    assert done.stdout.endswith("verified\n")
    assert scanned.returncode == 0, scanned.stderr
    assert scanned.stdout.count("part-") == 4
    assert "Certificate (computed)" in done.stdout
    assert Path("week.tenfold").exists()


def test_the_learner_of_the_page_is_short_and_whole():
    page = (DOCS / "add_a_learner.rst").read_text()
    (path,) = re.findall(r"literalinclude:: (\S+)\n   :language: python\n   :linenos:", page)
    lines = (DOCS / path).read_text().splitlines()
    assert len(lines) <= 91


def test_the_reference_has_every_public_name():
    listed = re.findall(r"^   (\w+)$", (DOCS / "api.rst").read_text(), re.M)
    public = [
        *tenfold.__all__,
        *tenfold.kernels.__all__,
        *tenfold.datasets.__all__,
        *tenfold.display.__all__,
        *(n for n in tenfold.testing.__all__ if n != "LAWS"),
    ]
    assert sorted(listed) == sorted(public)


def test_the_house_has_every_room_and_its_picture_every_floor():
    import house

    rooms = [room for floor in reversed(house.floors()) for room in floor]
    folders = {path.parent.name for path in (ROOT / "src" / "tenfold").glob("*/__init__.py")}
    assert set(rooms) == folders - {"utils"}
    page, guide = (DOCS / "the_house.rst").read_text(), (ROOT / "CONTRIBUTING.md").read_text()
    assert re.findall(r"^   \* - `(\w+)`$", page, re.M) == rooms
    assert re.findall(r"^\| `(\w+)/` \|", guide, re.M) == rooms
    drawn = re.findall(r"<text[^>]*>(\w+)</text>", house.PICTURE.read_text())
    assert drawn == [room for floor in house.floors() for room in floor] + ["imports"], "Remedy: python docs/house.py"


def test_files_of_the_way_of_a_row_exist():
    linked = re.findall(r"^\d+\. :download:`(\S+) <(\S+)>`$", (DOCS / "the_house.rst").read_text(), re.M)
    assert len(linked) == 10
    for name, path in linked:
        assert path == f"../src/tenfold/{name}"
        assert (DOCS / path).is_file()


def test_the_list_of_statistics_has_those_of_all_folders():
    from shared_statistics import shared_statistics

    listed = {one.__module__ for one in shared_statistics()}
    paths = (ROOT / "src" / "tenfold" / "stats").rglob("*.py")
    declaring = {path.stem for path in paths if re.search(r"^class [A-Z]\w+\(Grouped", path.read_text(), re.M)}
    assert len(declaring) > 10
    assert declaring <= {name.split(".")[-1] for name in listed}


def test_every_example_is_in_a_section_of_the_gallery():
    text = (DOCS / "conf.py").read_text()
    sections = re.findall(r'"(\w+)"', re.search(r"^SECTIONS = \((.*?)\)", text, re.M | re.S)[1])
    examples = [path.relative_to(DOCS / "examples") for path in (DOCS / "examples").rglob("plot_*.py")]
    assert {str(path.parent) for path in examples} == set(sections)
