"""Sphinx configuration. Nothing is fetched from the network; what can be generated is not written by hand."""

from __future__ import annotations

import inspect
import os
import re
import sys
import textwrap
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "agg")

from docutils.nodes import Node
from sklearn.utils import all_estimators
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import tenfold
import tenfold.testing
from tenfold.core.statistic import CAPABILITIES
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.keywords import Decision, Refused, RefusedValues, keywords_of

DOCS = Path(__file__).parent
GENERATED = DOCS / "api" / "generated"
sys.path.append(str(DOCS))  # programs that pages and examples use

project = "tenfold"
author = "The tenfold developers"
copyright = author
version = release = tenfold.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "markdown_pages",
]
exclude_patterns = ["_build", "examples", "api/generated/*.inc"]
default_role = "literal"  # one backtick is code, in docstrings and in the changelog too
smartquotes = False  # values in descriptions of parameters are code: default="normal"
toc_object_entries_show_parents = "hide"
llm_friendly_exclude = ["gallery/index.rst", "gallery/*/index.rst"]  # thumbnails; `llms.txt` lists the examples

autosummary_generate = False
autodoc_typehints = "none"
autodoc_class_signature = "mixed"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = "tenfold"
html_static_path = ["_static"]
html_css_files = ["tenfold.css"]
html_js_files = ["copy.js"]
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"**": [], "api": ["sidebar-nav-bs"]}
for part in ("user_guide", "contributing"):
    for page in (part, *re.findall(r"^   (\w+)$", (DOCS / f"{part}.rst").read_text(), re.M)):
        html_sidebars[page] = ["sidebar-nav-bs"]
html_theme_options = {
    "header_links_before_dropdown": 7,
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "navigation_with_keys": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_center": [],
    "footer_end": [],
}

SECTIONS = (
    "core_ideas",
    "rows",
    "linear_models",
    "trees",
    "probability",
    "neighbors_and_clusters",
    "neural_networks",
    "evaluation",
    "explanation",
    "search",
    "learn",
)
"""folders of examples, in the order of the gallery"""
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 60,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "subsection_order": [f"examples/{section}" for section in SECTIONS],
    "within_subsection_order": "FileNameSortKey",
}

MODULES = (
    "tenfold",
    "tenfold.kernels",
    "tenfold.datasets",
    "tenfold.display",
    "tenfold.stats.metrics",
    "tenfold.search",
    "tenfold.theory",
    "tenfold.testing",
)
"""whose public names have a page each"""

METHODS = (
    "fit",
    "partial_fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "transform",
    "inverse_transform",
    "__add__",
    "verify",
    "save",
)


def write_stubs(app: Sphinx) -> None:
    """Write one page for each public name; a page that would not change is left alone."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    pages = {}
    for module in MODULES:
        for name in import_module(module).__all__:
            if inspect.isclass(value := getattr(import_module(module), name)) or inspect.isfunction(value):
                pages[f"{module}.{name}.rst"] = stub(module, name)
                app.config.html_sidebars[f"api/generated/{module}.{name}"] = ["sidebar-nav-bs"]
    for page in GENERATED.glob("*.rst"):
        if page.name not in pages:
            page.unlink()
    for name, text in pages.items():
        page = GENERATED / name
        if not page.exists() or page.read_text() != text:
            page.write_text(text)


def stub(module: str, name: str) -> str:
    """The page of one public name."""
    value = getattr(import_module(module), name)
    title = f"{module}.{name}".removeprefix("tenfold.")  # short, since it is in the list of pages too
    lines = [title, "=" * len(title), "", f".. currentmodule:: {module}", ""]
    if not inspect.isclass(value):
        return "\n".join([*lines, f".. autofunction:: {name}", ""])
    if value.__name__ != name:
        same = f"   Scikit-learn's name of :class:`~{module}.{value.__name__}`: both are the same class."
        return "\n".join([*lines, f".. class:: {name}", "", same, ""])
    lines += [f".. autoclass:: {name}"]
    if not issubclass(value, Estimator):
        lines += ["   :members:", ""]
        if value.__module__ == "tenfold.core.certificate":
            lines += [":doc:`/certificates` says how to read it.", ""]
        return "\n".join(lines)
    fresh = value()
    methods = [m for m in METHODS if hasattr(fresh, m) and (m != "__add__" or value.passes == "one")]
    lines += ["", *(f"   .. automethod:: {method}" for method in methods), ""]
    return "\n".join(lines)


class Laws(SphinxDirective):
    """Every published law with its docstring."""

    def run(self) -> list[Node]:
        lines = []
        for name, law in tenfold.testing.LAWS.items():
            lines += [f"`{name}`", textwrap.indent(inspect.getdoc(law) or "", "   ")]
        return self.parse_text_to_nodes("\n".join(lines))


def table(rows: list[tuple[str, str]]) -> str:
    """Two columns, as reStructuredText."""
    lines = [".. list-table::", "   :widths: 30 70", ""]
    for left, right in rows:
        lines += [f"   * - {left}", f"     - {right}"]
    return "\n".join(lines)


def first_line(value: object) -> str:
    """What a class is, in a line."""
    return (inspect.getdoc(value) or "").split("\n", 1)[0]


class Capabilities(SphinxDirective):
    """What a statistic can declare, by its base class."""

    def run(self) -> list[Node]:
        return self.parse_text_to_nodes(table([(f"`{one.__name__}`", first_line(one)) for one in CAPABILITIES]))


PASSES = {
    "one": "one pass; models merge",
    "many": "several passes",
    "sequential": "one row after another",
}


def learner_rows() -> list[tuple[str, str, str, str]]:
    """Name, what it takes, how it reads, and whether it is eager or lazy, of each learner."""
    found = []
    for name in sorted(tenfold.__all__):
        value = getattr(tenfold, name)
        if inspect.isclass(value) and issubclass(value, Estimator):
            kinds = value().need.kinds if _plain(value) else "as its members"
            passes = PASSES[value.passes] if isinstance(value.passes, str) else "by its parameters"
            found.append((name, kinds, passes, value.learning))
    return found


def _plain(value: type) -> bool:
    """Whether a learner can be made without arguments."""
    given = inspect.signature(value).parameters.values()
    return all(one.default is not one.empty or one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL) for one in given)


class Learners(SphinxDirective):
    """Every learner, with what its class declares."""

    def run(self) -> list[Node]:
        lines = [".. list-table::", "   :header-rows: 1", "   :widths: 40 18 28 14", ""]
        head = ("learner", "columns", "reads rows in", "learning")
        for row in (head, *((f":class:`~tenfold.{name}`", *rest) for name, *rest in learner_rows())):
            lines += [f"   {'* -' if not at else '  -'} {cell}" for at, cell in enumerate(row)]
        return self.parse_text_to_nodes("\n".join(lines))


class Updating(SphinxDirective):
    """Every learner, with what a fitted one can do with more rows."""

    def run(self) -> list[Node]:
        from updating import updating_rows

        lines = [".. list-table::", "   :header-rows: 1", "   :widths: 31 27 27 15", ""]
        head = ("learner", "added", "`partial_fit`", "continued")
        for row in (head, *((f":class:`~tenfold.{name}`", *rest) for name, *rest in updating_rows())):
            lines += [f"   {'* -' if not at else '  -'} {cell}" for at, cell in enumerate(row)]
        return self.parse_text_to_nodes("\n".join(lines))


class Choosing(SphinxDirective):
    """Every learner: what it is for, its bias, when it generalises, and what it costs."""

    def run(self) -> list[Node]:
        lines = [".. list-table::", "   :header-rows: 1", "   :widths: 24 13 33 8 11 11", ""]
        head = ("learner", "for", "bias", "learning", "fit", "predict")
        for row in (head, *choosing_rows()):
            lines += [f"   {'* -' if not at else '  -'} {cell}" for at, cell in enumerate(row)]
        return self.parse_text_to_nodes("\n".join(lines))


def choosing_rows() -> list[tuple[str, ...]]:
    """The rows of the table for choosing, sorted by what learners are for."""
    from choosing import BIASES, CHOICES, PROBLEMS

    learning = {name: rest[-1] for name, *rest in learner_rows()}
    found = []
    for name, one in sorted(CHOICES.items(), key=lambda item: (PROBLEMS.index(item[1].problem), item[0])):
        bias = one.words if one.bias == "none" else f"{BIASES[one.bias]}: {one.words}"
        found.append((f":class:`~tenfold.{name}`", one.problem, bias, learning[name], one.fit, one.predict))
    return found


class Clauses(SphinxDirective):
    """The canon clause by clause, with the test that checks each."""

    def run(self) -> list[Node]:
        lines = [".. list-table::", "   :header-rows: 1", "   :widths: 7 35 24 34", ""]
        for row in (("id", "clause", "public name", "test"), *clause_rows()):
            lines += [f"   {'* -' if not at else '  -'} {cell}" for at, cell in enumerate(row)]
        return self.parse_text_to_nodes("\n".join(lines))


def clause_rows() -> list[tuple[str, ...]]:
    """Topic, words, public name and test of each clause, in the order of topics."""
    from clauses import CLAUSES

    order = {topic: at for at, topic in enumerate(dict.fromkeys(one.topic.rstrip("+") for one in CLAUSES))}
    found = []
    for one in sorted(CLAUSES, key=lambda clause: (order[clause.topic.rstrip("+")], clause.topic)):
        path, test = one.test.split("::")
        found.append((one.topic, one.words, f"`{one.name}`", f"`{test}` in `tests/{path}`"))
    return found


class ScikitLearnKeywords(SphinxDirective):
    """What becomes of scikit-learn's keywords, learner by learner."""

    def run(self) -> list[Node]:
        lines = [
            ".. list-table::",
            "   :header-rows: 1",
            "   :widths: 25 20 55",
            "",
            "   * - learner",
            "     - keyword",
        ]
        lines += ["     - what becomes of it"]
        for name, decided in keyword_decisions().items():
            for at, (word, one) in enumerate(decided.items()):
                what = shown_decision(one)
                lines += [f"   * - {'' if at else f':class:`~tenfold.{name}`'}", f"     - `{word}`", f"     - {what}"]
        return self.parse_text_to_nodes("\n".join(lines))


def keyword_decisions() -> dict[str, Mapping[str, Decision]]:
    """What becomes of the keywords of each of scikit-learn's learners that we have, by its name."""
    found = ((name, getattr(tenfold, name)) for name, _ in all_estimators() if name in tenfold.__all__)
    return {name: keywords_of(ours) for name, ours in found if issubclass(ours, Estimator)}


def shown_decision(decision: Decision) -> str:
    """What becomes of a keyword, with calls as literals."""
    each = decision.each if isinstance(decision, RefusedValues) else [decision] if isinstance(decision, Refused) else []
    calls = {one.remedy.call for one in each if one.remedy.call}
    cuts = "|".join(re.escape(call) for call in sorted(calls, key=len, reverse=True))
    pieces = re.split(f"({cuts})", str(decision)) if calls else [str(decision)]
    return "".join(
        f"``{piece}``" if piece in calls else re.sub(r"\b(\w+_)(?=\W|$)", r"`\1`", piece) for piece in pieces
    )


class ScikitLearnDefaults(SphinxDirective):
    """Keywords that both libraries have, and whose defaults differ."""

    def run(self) -> list[Node]:
        lines = [
            ".. list-table::",
            "   :header-rows: 1",
            "   :widths: 30 24 23 23",
            "",
            "   * - learner",
            "     - keyword",
        ]
        lines += ["     - here", "     - in scikit-learn"]
        for name, word, ours, theirs in other_defaults():
            lines += [
                f"   * - :class:`~tenfold.{name}`",
                f"     - `{word}`",
                f"     - `{ours!r}`",
                f"     - `{theirs!r}`",
            ]
        return self.parse_text_to_nodes("\n".join(lines))


def other_defaults() -> list[tuple[str, str, object, object]]:
    """Learner, keyword, our default and scikit-learn's, where they differ; a seed is 0 everywhere."""
    found = []
    for name, theirs in all_estimators():
        if name not in tenfold.__all__:
            continue
        given = inspect.signature(theirs).parameters
        for word, one in inspect.signature(getattr(tenfold, name)).parameters.items():
            default = given[word].default if word in given else one.default
            if default is not one.empty and default != one.default and word != "random_state":
                found.append((name, word, one.default, default))
    return found


class Statistics(SphinxDirective):
    """The statistics that families share."""

    def run(self) -> list[Node]:
        from shared_statistics import shared_statistics

        found = shared_statistics()
        calls = [f"`{one.__name__}({', '.join(one.names)})` in `{one.__module__}`" for one in found]
        return self.parse_text_to_nodes(table(list(zip(calls, map(first_line, found), strict=True))))


class Changelog(SphinxDirective):
    """CHANGELOG.md without its title: its headings and lists, as reStructuredText."""

    def run(self) -> list[Node]:
        path = DOCS.parent / "CHANGELOG.md"
        self.env.note_dependency(str(path))
        text = re.sub(r"\A# .*\n", "", path.read_text())
        text = re.sub(r"^## (.*)$", lambda found: f"{found[1]}\n{'-' * len(found[1])}", text, flags=re.M)
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def hide_aliases(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """Leave out what the fields of a NamedTuple say of themselves, and scikit-learn's methods of metadata routing.

    And `classes_`, which the page of each class has among its attributes: as a target it would be that of one class.
    """
    routing = name.startswith("set_") and name.endswith("_request")
    alias = (inspect.getdoc(obj) or "").startswith("Alias for field number")
    return True if routing or alias or name == "classes_" else None


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write_stubs)
    app.connect("autodoc-skip-member", hide_aliases)
    app.add_directive("laws", Laws)
    app.add_directive("capabilities", Capabilities)
    app.add_directive("statistics", Statistics)
    app.add_directive("learners", Learners)
    app.add_directive("updating", Updating)
    app.add_directive("choosing", Choosing)
    app.add_directive("clauses", Clauses)
    app.add_directive("changelog", Changelog)
    app.add_directive("scikit-learn-keywords", ScikitLearnKeywords)
    app.add_directive("scikit-learn-defaults", ScikitLearnDefaults)
