"""Orders of many days, a Parquet file for each, as a shop has them: gaps, text, categories, a target that drifts."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FIRST_DAY = date(2025, 3, 1)
SHOPS = 200
CATEGORIES = [
    "bags",
    "books",
    "coats",
    "dresses",
    "games",
    "garden",
    "hats",
    "lamps",
    "pans",
    "shirts",
    "shoes",
    "toys",
]
WORDS = [
    "ring",
    "fast",
    "gift",
    "leave",
    "door",
    "neighbour",
    "wrong",
    "size",
    "broken",
    "late",
    "box",
    "call",
    "please",
]
_WORD_EFFECTS = dict(zip(WORDS, np.array([0, -2, -4, 0, 0, 1, 8, 6, 10, 4, 0, 0, 0]) / 10, strict=True))


def file_of(folder: Path, day: int) -> Path:
    """Return the path of the file of a day."""
    return folder / f"{FIRST_DAY + timedelta(days=day)}.parquet"


def write(folder: Path, days: int, rows: int, seed: int = 0, walk: float = 0.0) -> None:
    """Write a file of `rows` orders for each of `days` days."""
    folder.mkdir(parents=True, exist_ok=True)
    for day in range(days):
        table, _ = orders(day, rows, seed, walk)
        pq.write_table(table, file_of(folder, day))


def orders(day: int, rows: int, seed: int = 0, walk: float = 0.0) -> tuple[pa.Table, np.ndarray]:
    """Return the orders of a day, and the true probability that each is returned.

    The logit grows by 0.004 a day. With `walk`, the effects of shops and categories take a random step from each day
    to the next, of this standard deviation.
    """
    effects = np.random.default_rng(seed)
    of_shop, of_category = effects.normal(0, 0.5, SHOPS), effects.normal(0, 0.7, len(CATEGORIES))
    at_hour = effects.normal(0, 0.2, 24)
    if walk:
        steps = np.random.default_rng([seed, 0, 0]).normal(0, walk, (day, SHOPS + len(CATEGORIES))).sum(axis=0)
        of_shop, of_category = of_shop + steps[:SHOPS], of_category + steps[SHOPS:]
    random = np.random.default_rng([seed, day])
    popularity = 1 / (1 + np.arange(SHOPS))
    shop = random.choice(SHOPS, rows, p=popularity / popularity.sum())
    category = random.integers(0, len(CATEGORIES), rows)
    price = np.round(np.exp(random.normal(3.2, 0.8, rows)), 2)
    quantity = 1 + random.poisson(0.7, rows)
    discount = np.where(random.random(rows) < 0.3, np.nan, random.choice([0.0, 5.0, 10.0, 20.0, 50.0], rows))
    seconds = np.sort(random.integers(0, 86_400, rows))
    start = np.datetime64(FIRST_DAY + timedelta(days=day), "us")
    words = random.integers(0, len(WORDS), (rows, 3))
    named = random.random(rows) < 0.6
    logit = (
        -1.4
        + of_shop[shop]
        + of_category[category]
        + 0.8 * np.sin(np.log(price))
        - 0.15 * (quantity - 1)
        + 0.012 * np.nan_to_num(discount)
        + at_hour[seconds // 3_600]
        + np.where(named, np.array([_WORD_EFFECTS[word] for word in WORDS])[words].sum(axis=1), 0.0)
        + 0.004 * day
    )
    probability = 1 / (1 + np.exp(-logit))
    notes = [" ".join(WORDS[k] for k in row) if has else None for row, has in zip(words.tolist(), named, strict=True)]
    table = pa.table(
        {
            "order_id": np.arange(day * rows, (day + 1) * rows),
            "timestamp": start + (seconds * 1_000_000).astype("timedelta64[us]"),
            "shop": pa.array([f"shop {k:03d}" for k in shop]),
            "category": pa.array([CATEGORIES[k] for k in category]),
            "price": price,
            "quantity": quantity,
            "discount": pa.array(discount, from_pandas=True),
            "note": pa.array(notes, pa.string()),
            "returned": pa.array(np.where(random.random(rows) < probability, "yes", "no")),
        }
    )
    return table, probability
