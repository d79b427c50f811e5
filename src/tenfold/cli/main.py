"""Entry of the command line: run a command, and turn its errors into a message and an exit code."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

NO_TYPER = "the command line needs typer. Remedy: pip install 'tenfold[cli]'"
FAILED = 1
"""exit code of a command that did not succeed; typer's is 2 for arguments that make no sense"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        0; 1 if the command failed, such as for rows that a model cannot take; 2 if its arguments make no sense.
    """
    try:
        import typer  # noqa: F401
    except ImportError:
        return _failed(NO_TYPER)
    from tenfold.cli.app import app

    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            app(list(sys.argv[1:] if arguments is None else arguments), prog_name="tenfold")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 0
    except KeyboardInterrupt:
        return _failed("interrupted")
    except KeyError as error:
        return _failed(str(error.args[0]) if error.args else "a key is missing")
    except (ValueError, TypeError, AttributeError, OSError, ImportError) as error:
        return _failed(str(error))
    return 0


def _failed(message: str) -> int:
    print(f"tenfold: {message}", file=sys.stderr)
    return FAILED


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print the words of a warning: the line of Python that gave it means nothing here."""
    print(f"tenfold: warning: {message}", file=sys.stderr)
