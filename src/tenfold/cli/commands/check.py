"""Command `tenfold check`: whether this installation is complete, and what it may use of the machine."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from re import compile as pattern

import typer

import tenfold
from tenfold.cli import options
from tenfold.cli.output import show

EXTRA = pattern(r"^([A-Za-z0-9_.-]+)[^;]*;\s*extra == ['\"](\w+)['\"]")
"""a requirement of an extra: `dask[array]>=2025.1; extra == 'dask'`"""
TOOLS = ("all", "test", "docs", "bench")
"""extras that bring no feature"""


def check(as_json: options.AsJson = False) -> None:
    """Check the installation: compiled kernels, threads, memory and extras."""
    from tenfold.compiled.compile import missing
    from tenfold.compiled.shipped import folder
    from tenfold.engine.executors.threads import memory_of_this_machine, threads_for_parts

    found = folder()
    lacking = None if found is None else len(missing(found))
    kernels = "compiled at first use" if found is None else "compiled" if not lacking else f"{lacking} are not compiled"
    extras = {name: not _lacking(packages) for name, packages in sorted(_extras().items())}
    document = {
        "tenfold": tenfold.__version__, "python": platform.python_version(), "kernels": kernels,
        "threads": threads_for_parts(), "memory": memory_of_this_machine(), "extras": extras,
    }  # fmt: skip
    said = [
        f"tenfold {tenfold.__version__}, Python {platform.python_version()}, {platform.machine()}",
        f"kernels: {kernels}" + ("" if found and not lacking else ". Remedy: python -m tenfold.compiled.compile"),
        f"threads: {threads_for_parts()}, memory: {memory_of_this_machine() / 2**30:.1f} GiB",
        f"extras installed: {', '.join(name for name, there in extras.items() if there) or 'none'}",
        f"not installed: {', '.join(name for name, there in extras.items() if not there) or 'none'}",
    ]
    show("\n".join(said), document, as_json)
    if found is None or lacking:
        raise typer.Exit(1)


def _extras() -> dict[str, list[str]]:
    """The packages of each extra, as the installed distribution declares them."""
    named: dict[str, list[str]] = {}
    for line in requires("tenfold") or ():
        if (match := EXTRA.match(line)) and match[2] not in TOOLS:
            named.setdefault(match[2], []).append(match[1])
    return named


def _lacking(packages: list[str]) -> list[str]:
    """Packages that are not installed."""
    return [name for name in packages if not _installed(name)]


def _installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return find_spec(name) is not None
    return True
