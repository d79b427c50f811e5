"""`tenfold`: commands for those who do not write Python."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tenfold.cli import bound


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code: 2 if the arguments make no sense.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
    """
    parser = argparse.ArgumentParser(prog="tenfold", description="Machine learning by merging.")
    commands = parser.add_subparsers(required=True, metavar="command")
    bound.add(commands)
    given = parser.parse_args(arguments)
    try:
        print(given.run(given))
    except ValueError as error:
        print(f"tenfold: {error}", file=sys.stderr)
        return 2
    return 0
