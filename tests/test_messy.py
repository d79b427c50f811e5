"""The benchmark of a messy table, at few rows and on threads: scans, and no leak."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

import messy

sys.path.pop()  # its modules have names that folders of tests have too


@pytest.mark.full
@pytest.mark.slow
def test_a_messy_table_is_prepared_in_three_scans_and_nothing_leaks(tmp_path):
    path, few = (messy.write(tmp_path / f"{rows}.parquet", rows) for rows in (20_000, 5_000))
    found = messy.judged(path, few, 0)
    assert found["scans"] == messy.STAGES
    assert found["coin"]["mean"] == pytest.approx(0.5, abs=0.05)
    assert found["logistic"]["mean"] > 0.75
    assert len(found["logistic"]["scores"]) == 10
    assert found["boosting"]["mean"] > 0.65
