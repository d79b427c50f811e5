"""A soak of every law on every learner and its parameter sets: `python benchmarks/laws.py [--draws 1000]`.

A law that is broken raises what it says, and the process fails.
"""

from __future__ import annotations

import argparse
import time

import tenfold as tn
from tenfold.estimator import Estimator
from tenfold.testing import LAWS, check_law


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=1000)
    draws = parser.parse_args().draws
    public = (getattr(tn, name) for name in tn.__all__)
    for cls in (c for c in public if isinstance(c, type) and issubclass(c, Estimator)):
        for given in cls.law_params:
            start = time.perf_counter()
            for name in LAWS:
                check_law(name, cls(**given), draws)
            taken = time.perf_counter() - start
            print(f"{cls.__name__:18s} {given} {len(LAWS)} laws x {draws} draws hold  ({taken:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
