"""
Models over time
================

A shop sells every day, and what its sales depend on changes. A `Ledger` summarizes each day once. Afterwards the model
of any window of days is the merge of their summaries, so that one can look at all of them: no row is read again.
"""

import tempfile
import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import tenfold as tn

# %%
# Half a year of days. The effect of a discount fades from April on, and from day 120 on the sensor of the temperature
# is a degree off.

DAYS = pd.date_range("2026-01-01", periods=180)


def sales(number):
    random = np.random.default_rng(number)
    rows = 800
    frame = pd.DataFrame({"discount": random.uniform(0, 0.5, rows), "temperature": random.normal(12, 4, rows)})
    frame["city"] = random.choice(["Bonn", "Kiel", "Ulm"], rows)
    effect = 8.0 if number < 90 else 8.0 * np.exp(-(number - 90) / 30)
    frame["items"] = 5 + effect * frame["discount"] + 0.2 * frame["temperature"] + random.normal(0, 1.5, rows)
    frame["temperature"] += 1.0 * (number >= 120)
    frame["day"] = DAYS[number]
    return frame


folder = tempfile.TemporaryDirectory()
ledger = tn.Ledger(
    folder.name,
    {"items": tn.LinearRegression(), "rows": tn.Profile()},
    target={"items": "items"},
    features={"items": ["discount", "temperature"]},
)
for number in range(len(DAYS)):
    ledger.append(sales(number))

# %%
# The model of the last 28 days, for each day: 153 windows of 22,400 rows, made of summaries. With a half-life older
# days count less instead.

began = time.perf_counter()
windows = dict(ledger.rolling("28d", "items", since=DAYS[27].date()))
print(f"{len(windows)} models of 28 days: {time.perf_counter() - began:.2f} seconds, no row read")
whole = ledger.model("items")
fading = {key: ledger.model("items", until=key, half_life="7d") for key in list(windows)[::4]}

# %%
# And each day beside the four weeks before it: is there a column that is not as it was? The p values are corrected for
# all columns of a day.

drifts = {str(day.date()): ledger.drift(day.date(), against="28d") for day in DAYS[28::4]}
smallest = {
    column: [min(c.adjusted for c in found.changes if c.column == column) for found in drifts.values()]
    for column in ("discount", "temperature", "city")
}

# %%
figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6.5), sharex=True, layout="constrained")
above.plot(pd.to_datetime(list(windows)), [m.coef_[0] for m in windows.values()], label="last 28 days")
above.plot(pd.to_datetime(list(fading)), [m.coef_[0] for m in fading.values()], label="half-life of 7 days")
above.axhline(whole.coef_[0], color="gray", linestyle=":", label="all days")
above.set_ylabel("items for a discount of 100 %")
above.legend()
for column, p in smallest.items():
    below.semilogy(pd.to_datetime(list(drifts)), np.maximum(p, 1e-30), marker=".", label=column)
below.axhline(0.05, color="gray", linestyle=":")
below.set_ylabel("p of drift, corrected")
below.legend()
for axes in (above, below):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The discount lost its effect without any change of the rows, so that only the coefficients show it; the temperature
# drifts for the weeks that it takes until the days before are as far off as the new ones. The days of the faulty sensor
# can be taken out, with a receipt, and the model is that of a ledger which never had them.

receipt = ledger.drop(*(day.date() for day in DAYS[120:]))
print(f"{len(receipt.keys)} days dropped, {len(ledger.keys_)} left")
print(ledger.model("items", last="28d").coef_.round(2))
folder.cleanup()
