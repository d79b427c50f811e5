"""Each page as Markdown beside it, and `llms.txt`, by `sphinx-llm-friendly`; here is what it does not know by itself.

Types of parameters, code and pictures of the gallery, and tables of names are nodes that it leaves out; drawings and
thumbnails are HTML, which no reader of Markdown wants. A link of a Markdown page, or of `llms.txt`, that leads nowhere
is a warning, and so ends the build.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.autosummary import autosummary_table
from sphinx.util import logging

logger = logging.getLogger(__name__)
FENCED = re.compile(r"^(\s*(?:> )*)(```+).*?^\1\2\s*$|(`+)(?!`).+?(?<!`)\3(?!`)", re.M | re.S)
"""code, in blocks and in lines"""
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)(?: \"[^\"]*\")?\)")
BEFORE_PAGE, AFTER_LLMS_TXT = 400, 900
"""priorities: the Markdown of a page is written at 500, and so is `llms.txt`"""


class code_links_block(nodes.General, nodes.TextElement):
    """Name of the node in which sphinx-gallery puts code whose names are links."""


class imgsgnode(nodes.General, nodes.Element):
    """Name of the node of a picture of sphinx-gallery."""


def visit_classifier(self: Any, node: nodes.Element) -> None:
    """A parameter and its type: `**alpha** : float, default=1.0`."""
    self.add(" : ")


def visit_code(self: Any, node: nodes.Element) -> None:
    """Code of the gallery, without the links in it."""
    self.add(f"```python\n{node.astext().rstrip()}\n```", prefix_eol=2, suffix_eol=2)
    raise nodes.SkipNode


def visit_picture(self: Any, node: nodes.Element) -> None:
    """A picture of the gallery."""
    self.add(f"![{node['alt']}]({posixpath.join(self.builder.imgpath, posixpath.basename(node['uri']))})", 2, 2)
    raise nodes.SkipNode


def skip(self: Any, node: nodes.Element) -> None:
    raise nodes.SkipNode


def show_summaries(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Unwrap the tables of autosummary: they are comments, which are left out. The HTML is written by now."""
    for table in [] if doctree is None else list(doctree.findall(autosummary_table)):
        table.replace_self(table.children)


def dead_links(folder: Path) -> list[str]:
    """Return the links of `llms.txt` and of Markdown pages to files that are not in the folder."""
    found = []
    for page in [folder / "llms.txt", *sorted(folder.rglob("*.md"))]:
        targets = [target.partition("#")[0] for target in LINK.findall(FENCED.sub("", page.read_text()))]
        local = {unquote(target) for target in targets if target and not re.match(r"\w+:", target)}
        found += [
            f"{page.relative_to(folder)}: {target}" for target in sorted(local) if not (page.parent / target).is_file()
        ]
    return found


def check_links(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.name == "html":
        for link in dead_links(Path(app.outdir)):
            logger.warning("a link of a Markdown page leads nowhere: %s", link)


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx_llm_friendly")
    app.add_node(nodes.classifier, override=True, llm_markdown=(visit_classifier, None))
    app.add_node(code_links_block, override=True, llm_markdown=(visit_code, None))
    app.add_node(imgsgnode, override=True, llm_markdown=(visit_picture, None))
    app.add_node(nodes.raw, override=True, llm_markdown=(skip, None))
    app.connect("html-page-context", show_summaries, priority=BEFORE_PAGE)
    app.connect("build-finished", check_links, priority=AFTER_LLMS_TXT)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
