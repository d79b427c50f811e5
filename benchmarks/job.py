"""A job from raw files to an updated model: `python benchmarks/job.py [--days 60] [--rows 50000] [--by tenfold ...]`.

Orders of sixty days lie in a Parquet file each, with gaps, categories, text and dates. The same job is done by
tenfold, here and on a cluster of Dask that loses a worker, by polars and scikit-learn, and by LightGBM, each in a
process of its own, one after the other: explore, fit, compare four learners by days, tune, save, predict a new day to
Parquet, plot, explain, update with the new day. A table has lines of code, CPU time, peak memory and quality. tenfold's
comparison of four learners must take at most 12 scans, its process at most 600 MB, and what the cluster finds must have
the same bits.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from orders.rows import write
from workloads import Promises

DAYS, ROWS, ROUNDS = 60, 50_000, 100
SCANS, MEMORY = 12, 600
"""scans of the comparison, and megabytes of the process, that tenfold may take at most"""
FOLDER = Path(__file__).parent
SCRIPTS = {
    "tenfold": "by_tenfold.py",
    "on Dask": "on_dask.py",
    "scikit-learn": "by_sklearn.py",
    "LightGBM": "by_lightgbm.py",
}


def done_by(tools: str, folder: Path, days: int, rounds: int) -> dict[str, Any]:
    """Do the job by these tools in a process of its own; return what it cost and found."""
    script = FOLDER / "orders" / SCRIPTS[tools]
    environment = {**os.environ, "PYTHONPATH": f"{FOLDER}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    environment["MPLBACKEND"] = "agg"
    print(f"\n==== {tools}", flush=True)
    command = [sys.executable, str(script), str(folder), "--days", str(days), "--rounds", str(rounds)]
    subprocess.run(command, check=True, env=environment)
    found: dict[str, Any] = json.loads((folder / f"{tools}.json").read_text())
    return {**found, "lines": _lines(script)}


def _lines(script: Path) -> int:
    """Return the number of lines of code: no blank ones, comments, docstrings of a line, imports, or book-keeping."""
    lines = (line.strip() for line in script.read_text().splitlines())
    return sum(bool(line) and not line.startswith(("#", '"""', "from ", "import ", "steps.")) for line in lines)


def table(results: list[dict[str, Any]]) -> None:
    """Print what each of the tools cost, step by step."""
    names = list(dict.fromkeys(name for result in results for name in result["steps"]))
    print(f"\n{'':32}" + "".join(f"{result['job']:>16}" for result in results))
    for name in names:
        figures = [result["steps"].get(name, {}).get("cpu") for result in results]
        print(f"{name + ', CPU s':32}" + "".join(f"{'-' if cpu is None else f'{cpu:.1f}':>16}" for cpu in figures))
    rows = {
        "all, CPU s": lambda r: f"{sum(step['cpu'] for step in r['steps'].values()):.0f}",
        "all, wall s": lambda r: f"{sum(step['wall'] for step in r['steps'].values()):.0f}",
        "peak memory, MB": lambda r: f"{r['peak MB']:.0f}",
        "lines of code": lambda r: str(r["lines"]),
        "best AUC": lambda r: f"{max(r['found']['auc'].values()):.4f}",
    }
    for name, figure in rows.items():
        print(f"{name:32}" + "".join(f"{figure(result):>16}" for result in results))


def main() -> None:
    """Write the files, do the job by each of the tools, and hold tenfold to its promises."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--rows", type=int, default=ROWS, help="orders of a day")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of boosting")
    parser.add_argument("--by", nargs="+", choices=list(SCRIPTS), default=list(SCRIPTS))
    parser.add_argument("--folder", type=Path, help="where files and pictures go; default: a temporary folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        write(folder / "orders", given.days + 1, given.rows)
        results = []
        for tools in given.by:
            shutil.rmtree(folder / "predictions", ignore_errors=True)  # of an earlier run
            results.append(done_by(tools, folder, given.days, given.rounds))
    table([result for result in results if result["job"] != "on Dask"])  # its workers' time is not known
    promises = Promises(bind=(given.days, given.rows, given.rounds) == (DAYS, ROWS, ROUNDS))
    for result in results:
        if result["job"] == "tenfold":
            assert result["found"]["rows"] == given.days * given.rows
            assert result["found"]["predicted"] == given.rows
            assert result["found"]["rows after the update"] == (given.days + 1) * given.rows
            promises.at_most("scans of four learners and five folds", result["found"]["scans"], SCANS)
            promises.at_most("peak memory of tenfold, MB", result["peak MB"], MEMORY)
    found = {result["job"]: result["found"] for result in results}
    if found.keys() >= {"tenfold", "on Dask"}:
        unlike = [name for name, here in found["tenfold"]["bits"].items() if here != found["on Dask"]["bits"][name]]
        promises.at_most("results on Dask, a worker killed, of other bits", len(unlike), 0)
        assert not unlike, unlike
    promises.settle()


if __name__ == "__main__":
    main()
