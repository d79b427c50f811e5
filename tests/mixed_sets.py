"""Fifty random sets of rows for mixed models, and how lme4's answers to them are made:

python tests/mixed_sets.py FOLDER && Rscript tests/models/lme4_answers.R FOLDER tests/models/lme4_answers.json
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

KINDS = {
    "intercept": ("y ~ a + b + (1 | store)", "store", "intercept"),
    "slopes": ("y ~ a + b + (1 + a | store)", "store", ["intercept", "a"]),
    "three": ("y ~ a + b + (1 + a + b | store)", "store", ["intercept", "a", "b"]),
    "nested": ("y ~ a + b + (1 | country / store)", ["country", "store"], "intercept"),
    "nested slopes": (
        "y ~ a + b + (1 + a | country) + (1 | country:store)",
        ["country", "store"],
        {"country": ["intercept", "a"], "store": "intercept"},
    ),
    "slope alone": ("y ~ a + b + (0 + a | store)", "store", "a"),
}
"""by name: lme4's formula, and the key and the random terms of the same model here"""
ORDER = (
    ["intercept"] * 14 + ["slopes"] * 14 + ["nested"] * 10 + ["nested slopes"] * 6 + ["three"] * 3 + ["slope alone"] * 3
)


def mixed_set(number: int) -> pd.DataFrame:
    """Rows of one set; of every fifth one component is zero."""
    random = np.random.RandomState(number)  # whose stream is the same in every version
    stores, countries = random.randint(8, 60), random.randint(5, 12)
    store = random.randint(0, stores, random.randint(4, 12) * stores)
    country = np.sort(random.randint(0, countries, stores))[store]
    a, b = random.normal(1, 2, len(store)), random.uniform(0, 5, len(store))
    spread = random.uniform(0.3, 2, 5)
    spread[random.randint(0, 5)] *= number % 5 > 0
    of_store, of_country = random.normal(size=(stores, 3)), random.normal(size=(countries, 2))
    of_store[:, 1] += random.uniform(-1, 1) * of_store[:, 0]
    y = 3 + 0.7 * a - 0.4 * b + spread[0] * of_store[store, 0] + random.normal(size=len(store))
    if ORDER[number] in ("slopes", "three", "slope alone"):
        y += spread[1] * of_store[store, 1] * a
    if ORDER[number] == "three":
        y += spread[2] * of_store[store, 2] * b
    if ORDER[number].startswith("nested"):
        y += spread[3] * of_country[country, 0] + spread[4] * of_country[country, 1] * a
    rows = pd.DataFrame({"a": a, "b": b, "y": y}).round(3)
    return rows.assign(store=store, country=country)


if __name__ == "__main__":
    for number, kind in enumerate(ORDER):
        mixed_set(number).to_csv(Path(sys.argv[1]) / f"{number}.csv", index=False)
        (Path(sys.argv[1]) / f"{number}.txt").write_text(KINDS[kind][0])
