"""
Describing the columns of a table
=================================

`describe` reads the rows once, wherever they are, and describes every column: missing values, quantiles, frequent
values, and the target by value. It is a learner: profiles of two days merge to the profile of both.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import tenfold as tn

rng = np.random.default_rng(0)
n = 20_000
price = np.round(np.exp(rng.normal(3, 1, n)), 2)
shop = rng.choice(["north", "south", "east", "west"], n, p=[0.5, 0.3, 0.15, 0.05])
note = np.where(rng.random(n) < 0.4, None, rng.choice(["late", "broken", "thanks", "wrong size"], n))
risk = -2 + 0.3 * np.log(price) + 0.6 * (shop == "east") + 1.5 * (note == "broken")
orders = pd.DataFrame(
    {
        "ordered": pd.Timestamp("2025-03-01") + pd.to_timedelta(rng.integers(0, 30 * 86_400, n), unit="s"),
        "shop": shop,
        "price": price,
        "items": rng.poisson(1, n) + 1,
        "discount": np.where(rng.random(n) < 0.3, np.nan, rng.choice([0, 0.05, 0.1, 0.2], n)),
        "note": note,
        "returned": np.where(rng.random(n) < 1 / (1 + np.exp(-risk)), "yes", "no"),
    }
)

found = tn.scan(orders, target="returned").describe()
print(found)

# %%
# Bars show the values of a column, the line the share of returned orders in them; dashed, that of all orders.

tn.display.ProfileDisplay(found).plot()
plt.show()

# %%
# Profiles add up.

profiles = [
    tn.Profile().fit(tn.scan(some, target="returned")) for _, some in orders.groupby(orders["ordered"].dt.day > 15)
]
print((profiles[0] + profiles[1]).describe()["price"].quantiles == found["price"].quantiles)
