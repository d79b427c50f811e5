"""Every link inside the docs leads somewhere: pages, labels, names of the reference, files. Nothing is fetched."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import tenfold

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(
    [
        *DOCS.glob("*.rst"),
        *DOCS.glob("decisions/*.rst"),
        *DOCS.glob("examples/**/*.py"),
        *DOCS.glob("examples/**/*.rst"),
    ]
)
SOURCES = sorted((ROOT / "src" / "tenfold").rglob("*.py"))
TEXTS = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
LABELS = {
    label.lower() for page in PAGES for label in re.findall(r"^\s*(?:# )?\.\. _([\w -]+):\s*$", page.read_text(), re.M)
}
DOCUMENTED = (
    "tenfold",
    "tenfold.kernels",
    "tenfold.display",
    "tenfold.stats.metrics",
    "tenfold.stats.counts.impurity",
    "tenfold.stats.counts.information",
    "tenfold.naive_bayes.distributions",
    "tenfold.search",
    "tenfold.datasets",
    "tenfold.theory",
    "tenfold.testing",
)
"""modules whose public names have a page in the reference"""


def id_of(path):
    return str(path.relative_to(ROOT))


def links(text, role):
    """What a role points at: `target`, `~target` or `words <target>`."""
    for said in re.findall(rf":{role}:`([^`]+)`", text):
        yield re.sub(r"^.*<(.+)>$", r"\1", " ".join(said.split())).lstrip("~")


def page_exists(target):
    target = target.removeprefix("/").removeprefix("../")
    if target.startswith("gallery/"):  # made from the examples
        name = target.removeprefix("gallery/")
        return name == "index" or (DOCS / "examples" / f"{name}.py").exists()
    return (DOCS / f"{target}.rst").exists()


def has_a_page(name):
    """Whether a name, or the class that it belongs to, has a page in the reference."""
    for module in DOCUMENTED:
        rest = name.removeprefix(f"{module}.").split(".")
        if name.startswith(f"{module}.") and rest[0] in import_module(module).__all__:
            value = getattr(import_module(module), rest[0])
            return len(rest) == 1 or hasattr(value, rest[1])
    return False


@pytest.mark.parametrize(
    "path", [*PAGES, *(one for one in SOURCES if re.search(r":\w+:`", one.read_text()))], ids=id_of
)
def test_roles_lead_somewhere(path):
    text = path.read_text()
    wrong = [target for target in links(text, "doc") if not page_exists(target)]
    wrong += [target for target in links(text, "ref") if target.lower() not in LABELS]
    module = (re.findall(r"^\.\. currentmodule:: (\S+)$", text, re.M) or ["tenfold"])[0]
    for target in [*links(text, "class"), *links(text, "func"), *links(text, "meth")]:
        name = target.removesuffix("()")
        wrong += [] if has_a_page(name) or has_a_page(f"{module}.{name}") else [target]
    assert not wrong


@pytest.mark.parametrize("path", TEXTS, ids=id_of)
def test_files_that_are_named_exist(path):
    """Included files, local links, and paths from the root of the project in backticks."""
    text = path.read_text()
    wrong = []
    for target in re.findall(r"^\.\. (?:literalinclude|include|image|figure):: (\S+)$", text, re.M):
        wrong += [] if (path.parent / target).exists() else [target]
    for target in re.findall(r"\[[^\]]*\]\(([^)#]+)[^)]*\)", text) if path.suffix == ".md" else []:
        wrong += [] if target.startswith("http") or (ROOT / target).exists() else [target]
    for target in re.findall(r"`(?:python |bash )?((?:src|tests|docs|benchmarks|\.ci)/[\w./-]+)[^`]*`", text):
        wrong += [] if (ROOT / target).exists() else [target]
    assert not wrong


def test_every_page_is_reached_from_the_index():
    """By tables of contents alone, as readers find them."""
    seen, todo = set(), ["index"]
    while todo:
        page = todo.pop()
        if page in seen or not (DOCS / f"{page}.rst").exists():
            continue
        seen.add(page)
        for block in re.findall(r"^\.\. toctree::\n((?:   .*\n|\n)+)", (DOCS / f"{page}.rst").read_text(), re.M):
            entries = [line.strip() for line in block.splitlines() if line.strip() and not line.strip().startswith(":")]
            todo += [re.sub(r"^.*<(.+)>$", r"\1", entry) for entry in entries]
    assert {page.stem for page in DOCS.glob("*.rst")} - seen == set()


def test_no_page_has_the_name_of_one_that_sphinx_writes_itself():
    """It would be written over: `search.html` is the page with the results of a search."""
    assert not {page.stem for page in DOCS.glob("*.rst")} & {"search", "genindex", "py-modindex", "opensearch"}


def test_a_link_to_nowhere_is_seen():
    assert not page_exists("no_such_page")
    assert not page_exists("gallery/plot_nothing")
    assert not has_a_page("tenfold.NoSuchLearner")
    assert not has_a_page("tenfold.Ridge.no_such_method")
    assert has_a_page("tenfold.Ridge.fit")
    assert list(links("see :class:`the ridge <tenfold.Ridge>` and :doc:`start`", "class")) == ["tenfold.Ridge"]
    assert tenfold.__all__
