"""Pages of the docs as Markdown, and llms.txt: a small site is built with the docs' own extension."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx_llm_friendly")
from markdown_pages import dead_links

DOCS = Path(__file__).parents[1] / "docs"
PAGE = "model_file"
CONF = f"""
import sys
sys.path.append({str(DOCS)!r})
project = "tenfold"
extensions = ["sphinx.ext.autosummary", "numpydoc", "sphinx_gallery.gen_gallery", "markdown_pages"]
default_role, numpydoc_show_class_members, smartquotes = "literal", False, False
html_theme, exclude_patterns = "basic", ["examples"]
llm_friendly_exclude = ["gallery/index.rst"]
sphinx_gallery_conf = {{"examples_dirs": "examples", "gallery_dirs": "gallery", "write_computation_times": False}}
"""
INDEX = f"""
A small site
============

.. toctree::

   {PAGE}
   gallery/index

.. raw:: html

   <svg><title>a drawing</title></svg>

.. autosummary::

   tenfold.tune

.. autoclass:: tenfold.Ridge
"""
EXAMPLE = '''"""
An example
==========

What it draws.
"""

import matplotlib.pyplot as plt

figure, axes = plt.subplots()
'''


def built(folder, index=INDEX):
    """Build the site; the folder of its pages, and what the build printed."""
    source = folder / "docs"
    (source / "examples").mkdir(parents=True)
    (source / "conf.py").write_text(CONF)
    (source / "index.rst").write_text(index)
    (source / f"{PAGE}.rst").write_text((DOCS / f"{PAGE}.rst").read_text())
    (source / "examples" / "GALLERY_HEADER.rst").write_text("Examples\n========\n")
    (source / "examples" / "plot_rows.py").write_text(EXAMPLE)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", "html"]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return folder / "html", found.returncode, found.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pages, failed, said = built(tmp_path_factory.mktemp("site"))
    assert not failed, said
    return pages


def test_a_page_has_its_headings_and_its_code(site):
    source, page = (DOCS / f"{PAGE}.rst").read_text(), (site / f"{PAGE}.md").read_text()
    titles = re.findall(r"^(\S.*)\n([=-])\2+$", source, re.M)
    headings = [f"{'#' if line == '=' else '##'} {title}" for title, line in titles]
    assert headings == re.findall(r"^#+ .*$", page, re.M)
    blocks = "".join(re.findall(r"^```pycon\n(.*?)^```", page, re.M | re.S)).splitlines()
    code = [line for line in source.splitlines() if re.match(r"(>>>|\.\.\.)( |$)", line)]
    assert len(code) > 30
    assert code == [line for line in blocks if re.match(r"(>>>|\.\.\.)( |$)", line)]


def test_parameters_have_their_types_and_drawings_are_left_out(site):
    page = (site / "index.md").read_text()
    assert "**alpha** : float, default=1.0\n  : Strength of the penalty." in page
    assert '**precision** : {"normal", "high"}, default="normal"' in page
    assert "a drawing" not in page


def test_a_table_of_names_is_there(site):
    page = (site / "index.md").read_text()
    assert re.search(r"^\| .*`tenfold\.tune`.* \| Try parameters of a learner", page, re.M)


def test_an_example_has_its_code_and_its_picture(site):
    page = (site / "gallery" / "plot_rows.md").read_text()
    assert page.startswith("# An example\n")
    assert "```python\nimport matplotlib.pyplot as plt\n\nfigure, axes = plt.subplots()\n```" in page
    (picture,) = re.findall(r"!\[plot rows\]\((.+)\)", page)
    assert (site / "gallery" / picture).is_file()


def test_every_page_is_in_llms_txt_and_its_links_resolve(site):
    listed = re.findall(r"^- \[.+\]\((.+)\)$", (site / "llms.txt").read_text(), re.M)
    assert sorted(listed) == sorted(str(page.relative_to(site)) for page in site.rglob("*.md"))
    assert 'rel="alternate" type="text/markdown" href="model_file.md"' in (site / "model_file.html").read_text()
    assert dead_links(site) == []


def test_links_that_lead_nowhere_are_found_and_code_has_none(tmp_path):
    (tmp_path / "llms.txt").write_text("- [a page](page.md)\n- [another](other.md)\n")
    (tmp_path / "page.md").write_text(
        "[one](gone.html) `[two](code.md)`\n\n```\n[three](code.md)\n```\n[four](page.md#a)\n"
    )
    assert dead_links(tmp_path) == ["llms.txt: other.md", "page.md: gone.html"]


@pytest.mark.full
def test_a_link_that_leads_nowhere_ends_the_build(tmp_path):
    _, failed, said = built(tmp_path, INDEX + "\nSee `this page <no_such_page.html>`_, but not `](no_such_code.md)`.\n")
    assert failed
    assert "index.md: no_such_page" in said
    assert "no_such_code" not in said
