"""Text as Markdown shows it: a name of a column is never markup."""

from __future__ import annotations

import re

SPECIAL = re.compile(r"([\\`*_\[\]|~])")


def in_markdown(value: object) -> object:
    """Escape what Markdown and HTML take for markup."""
    if not isinstance(value, str) or hasattr(value, "__html__"):  # the latter is markup already
        return value
    text = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return SPECIAL.sub(r"\\\1", text).replace("\n", " ")
