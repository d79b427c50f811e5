"""Cubes of random tables, as `benchmarks/cube_tables.py` makes them, and that it finds a fault which is planted."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
LAST_BIT = """
import numpy as np
from tenfold.models import cell_models
solve = cell_models.solve_many
cell_models.solve_many = lambda w, m, c, alpha, *more: solve(w, m, c, np.nextafter(alpha, 2.0), *more)
import cube_tables
cube_tables.main()
"""


def run(*call):
    """The exit code and the output of a run without a process pool and Dask."""
    done = subprocess.run([sys.executable, *call, "--every", "0"], cwd=BENCHMARKS, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.full
def test_cells_of_random_tables_are_fits_to_their_rows():
    code, said = run("cube_tables.py", "--tables", "5", "--seed", "1000")
    assert code == 0, said
    assert "cells compared" in said
    assert "difference" not in said


def test_a_penalty_that_differs_in_its_last_bit_is_found():
    code, said = run("-c", LAST_BIT, "--tables", "2", "--only", "Ridge")
    assert code == 1, said
    assert "differs from its fit" in said
