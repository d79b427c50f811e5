"""Seconds of the import and of the first fit, kernels not compiled: `python benchmarks/first_fit.py`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from workloads import Promises

IMPORT = 0.2
"""seconds of `import tenfold`, which loads nothing of others"""
FIRST = 90.0
"""seconds until a first fit is done, kernels compiled; boosting took 41"""
SECOND = 15.0
"""seconds of the next process, which finds them"""

PROGRAM = """
import time
start = time.perf_counter()
import tenfold as tn
light = time.perf_counter() - start
learner = tn.{name}()
ready = time.perf_counter() - start
rows = [[float(i % 5), float(i % 3)] for i in range(40)]
target = [i % 2 for i in range(40)]
learner.fit(rows, target)
print(f"{{light:.3f}} {{ready:.2f}} {{time.perf_counter() - start:.2f}}")
"""


def main() -> None:
    import tenfold as tn
    from tenfold.estimator import Estimator

    public = (getattr(tn, name) for name in tn.__all__)
    names = [c.__name__ for c in public if isinstance(c, type) and issubclass(c, Estimator)]
    promises = Promises()
    for name in names:
        with tempfile.TemporaryDirectory() as cache:
            env = {**os.environ, "NUMBA_CACHE_DIR": cache}
            runs = [
                subprocess.check_output([sys.executable, "-c", PROGRAM.format(name=name)], env=env, text=True)
                for _ in range(2)
            ]
        (light, ready, cold), (_, _, warm) = (run.split() for run in runs)
        print(f"{name:18s} import {light} s, with learner {ready} s, first fit done {cold} s, second {warm} s")
        promises.at_most(f"{name}, import, seconds", float(light), IMPORT)
        promises.at_most(f"{name}, first fit, seconds", float(cold), FIRST)
        promises.at_most(f"{name}, second process, seconds", float(warm), SECOND)
    promises.settle()


if __name__ == "__main__":
    main()
