"""What a test run on other versions installs: `lowest` pins each lower bound of pyproject.toml, `latest` none.

The library's own dependencies, those of `dask`, and the tools that tests import. Checkers (ruff, mypy) are left out.
"""

import re
import sys
import tomllib
from pathlib import Path

CHECKERS = {"ruff", "mypy", "import-linter", "lightgbm", "pytest-xdist", "coverage"}


def wanted(lowest: bool) -> list[str]:
    """A line for each requirement."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    lines = []
    for one in dict.fromkeys([*project["dependencies"], *extras["dask"], *extras["test"]]):
        name = re.match(r"[\w.-]+", one)
        assert name is not None, f"no name in {one!r}"
        if name[0] not in CHECKERS:
            lines.append(one.replace(">=", "==") if lowest else one)
    return lines


if __name__ == "__main__":
    print("\n".join(wanted(sys.argv[1] == "lowest")))
