"""The analyses of variance of NIST's Statistical Reference Datasets: rows are replicates, columns treatments."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

SI_RSTV = [
    [196.3052, 196.3042, 196.1303, 196.2795, 196.2119],
    [196.1240, 196.3825, 196.2005, 196.1748, 196.1051],
    [196.1890, 196.1669, 196.2889, 196.1494, 196.1850],
    [196.2569, 196.3257, 196.0343, 196.1485, 196.0052],
    [196.3403, 196.0422, 196.1811, 195.9885, 196.2090],
]
ATM_WT_AG = """
1568 1079 1465 1344 1572 1513 1785 1197 1446 1604 1903 1385 1526 1642 1494 1365 1616 1151 1587 1082 1519 1517 1486 1448
1419 1198 1569 1482 1508 1334 1672 1609 1385 1101 1518 1512 1662 1469 1424 1360 1360 1254 1333 1261 1610 1450 1477 1368
"""


def simon_lesage(base: int, replicates: int) -> Any:
    """SmLs: the first digits are constant, the last are a pattern."""
    middle = [4, *[3, 5] * 4]
    return [[float(f"{base}.{m + (0 if i == 0 else -1 if i % 2 else 1)}") for m in middle] for i in range(replicates)]


def sets() -> dict[str, tuple[Any, float]]:
    """Values by name, and the certified F."""
    silver = np.array([float(f"107.868{v}") for v in ATM_WT_AG.split()]).reshape(-1, 2)
    found: dict[str, tuple[Any, float]] = {
        "SiRstv": (np.array(SI_RSTV), 1.18046237440255),
        "AtmWtAg": (silver, 15.9467335677930),
    }
    cases = [(base, n) for base in (1, 10**6, 10**12) for n in (21, 201, 2001)]
    for k, (base, n) in enumerate(cases):
        found[f"SmLs0{k + 1}"] = np.array(simon_lesage(base, n)), float(n)
    return found


def exact_f(values: Any) -> float:
    """F of these float64 values, in rational arithmetic: no program can be nearer to the certified one."""
    rows, columns = values.shape
    exact = [[Fraction(v) for v in column] for column in values.T.tolist()]
    means = [sum(column) / rows for column in exact]
    middle = sum(means) / columns
    between = rows * sum((m - middle) ** 2 for m in means) / (columns - 1)
    within = sum((v - m) ** 2 for column, m in zip(exact, means) for v in column) / (columns * (rows - 1))
    return float(between / within)


def digits(found: float, wanted: float) -> float:
    """Decimal digits that agree, 0 to 16."""
    off = abs(found - wanted) / abs(wanted)
    return min(max(-math.log10(off), 0.0), 16.0) if off > 0 else 16.0
