"""Write the type stubs of public names, from the one list in `src/tenfold/__init__.py`: `python .ci/stubs.py`.

Each folder that hands on names has a stub beside its `__init__.py`, so that editors and type checkers know what is
loaded lazily. Names that are scikit-learn's own have no types.
"""

from pathlib import Path

import tenfold

HERE = Path(tenfold.__file__).parent
TOP = """from collections.abc import Callable
from typing import Any

from sklearn import clone as clone
from sklearn import config_context as config_context
from sklearn import get_config as get_config
from sklearn import set_config as set_config
from sklearn import show_versions as show_versions

__version__: str
_WHERE: dict[str, str]

def _find(name: str) -> Any: ...
def _namespace(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]: ...
"""


def imports(names: list[str]) -> str:
    """Lines that import names from their modules, under the same names."""
    return "".join(f"from {tenfold._WHERE[name]} import {name} as {name}\n" for name in sorted(names, key=place))


def place(name: str) -> tuple[str, str]:
    """The module of a name, and the name."""
    return tenfold._WHERE[name], name


def stubs() -> dict[Path, str]:
    """The text of each stub."""
    folders = "".join(f"from tenfold import {name} as {name}\n" for name in sorted(tenfold._FOLDERS))
    found = {HERE / "__init__.pyi": f"{TOP}\n{folders}{imports(tenfold.__all__)}"}
    for path in HERE.rglob("__init__.py"):
        if "_namespace(__name__)" in path.read_text():
            package = ".".join(["tenfold", *path.parent.relative_to(HERE).parts])
            ours = [name for name, module in tenfold._WHERE.items() if module.startswith(f"{package}.")]
            rest = "from typing import Any\n\n", "\ndef __getattr__(name: str) -> Any: ...\n"
            found[path.with_suffix(".pyi")] = imports(ours).join(rest)
    return found


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text)
