"""Random kernel expressions against their eigenvalues: `python benchmarks/kernel_expressions.py [--draws 1000]`.

Expressions that claim to be positive semidefinite have no eigenvalue below -1e-9 of the largest, and feature maps whose
inner products are the kernel to 1e-10; sigmoid's failure has a witness.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import tenfold as tn

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from kernel_expressions import draw


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=1000)
    found = [draw(seed) for seed in range(parser.parse_args().draws)]
    claimed = [one for one in found if one.claims]
    lowest, away = min(one.lowest for one in claimed), max(one.away for one in claimed)
    broken = sum(one.lowest < -1e-9 for one in found if not one.claims)
    print(f"{len(found)} expressions, {len(claimed)} claim to be PSD; {broken} of the others are not, on random rows")
    print(f"lowest eigenvalue of those that claim it, as a share of the largest: {lowest:.2e} (promised -1e-9)")
    print(f"inner products of features from the kernel: {away:.2e} (promised 1e-10)")
    line = np.linspace(-2, 2, 9)[:, None]
    witness = tn.kernels.is_psd(tn.kernels.SigmoidKernel(1.0, -1.0), line)
    print(f"tanh(⟨x, z⟩ - 1): {witness}")
    if lowest < -1e-9 or away > 1e-10 or witness or not broken:
        sys.exit(1)


if __name__ == "__main__":
    main()
