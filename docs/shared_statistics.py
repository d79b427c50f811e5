"""The statistics that families share, as `add_a_learner.rst` lists them: `python docs/shared_statistics.py`."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

import tenfold.stats
from tenfold.core.statistic import Statistic


def shared_statistics() -> list[type[Statistic[object]]]:
    """Those of all folders below `stats/`."""
    found: list[type[Statistic[object]]] = []
    for module in pkgutil.walk_packages(tenfold.stats.__path__, "tenfold.stats."):
        for name, value in vars(import_module(module.name)).items():
            mine = inspect.isclass(value) and issubclass(value, Statistic) and value.__module__ == module.name
            if mine and not name.startswith("_"):
                found.append(value)
    return found


if __name__ == "__main__":
    for one in shared_statistics():
        print(f"{one.__name__}({', '.join(one.names)}) in {one.__module__}: {(one.__doc__ or '').splitlines()[0]}")
