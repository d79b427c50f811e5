"""What a command prints: text for people, or one JSON document."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import typer


def show(text: object, document: Mapping[str, object], as_json: bool) -> None:
    """Print what a command found, in words or as JSON."""
    typer.echo(json.dumps(plain(document), indent=2) if as_json else str(text))


def plain(found: Any) -> Any:
    """Return a value as JSON has it; numbers that are not finite are null."""
    if isinstance(found, Mapping):
        return {str(key): plain(one) for key, one in found.items()}
    if is_dataclass(found) and not isinstance(found, type):
        return {field.name: plain(getattr(found, field.name)) for field in fields(found)}
    if type(found).__module__ == "numpy":  # which need not be loaded for it
        return plain(found.tolist())
    if isinstance(found, str) or found is None or isinstance(found, bool | int):
        return found
    if isinstance(found, float):
        return found if math.isfinite(found) else None
    if isinstance(found, Sequence | set | frozenset):
        return [plain(one) for one in found]
    return str(found)


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Return rows of equal keys as text in columns."""
    if not rows:
        return "no rows"
    heads = list(rows[0])
    cells = [heads, *([_cell(row[head]) for head in heads] for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(heads))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)


def _cell(found: object) -> str:
    return "" if found is None else f"{found:.5g}" if isinstance(found, float) else str(found)


def check_can_write(path: Path, suffixes: Sequence[str]) -> None:
    """Refuse a file to write whose name ends otherwise, or whose folder is not there."""
    if path.suffix not in suffixes:
        raise typer.BadParameter(f"the name of {path} must end in {' or '.join(suffixes)}", param_hint="--out")
    if not path.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {path.parent}", param_hint="--out")
