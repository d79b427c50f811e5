"""
Categories with confidence intervals
====================================

A linear model takes text as it is: each category has a coefficient. Without a penalty the first one is the reference,
and the others say how they differ from it. Two models of different cities add up to the model of all.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import tenfold as tn

CITIES = {"Bern": 0, "Graz": -150, "Kyiv": -60, "Lyon": 40, "Oslo": 180, "Rome": -90, "Wien": 120}

rng = np.random.default_rng(4)
n = 1_500
homes = pd.DataFrame(
    {
        "city": rng.choice(list(CITIES), n, p=[0.3, 0.05, 0.05, 0.2, 0.2, 0.1, 0.1]),
        "heating": rng.choice(["gas", "heat pump", "oil"], n),
        "size": rng.uniform(20, 120, n),
    }
)
rent = 900 + 12 * (homes["size"] - 70) + homes["city"].map(CITIES) + 150 * rng.normal(size=n)
rent += homes["heating"].map({"gas": 0, "heat pump": 30, "oil": 0})

# %%
# One model saw the cities of the north, the other those of the south. Their sum knows all of them.

north = homes["city"].isin(["Oslo", "Kyiv", "Bern"])
parts = [tn.LinearRegression().fit(homes[some], rent[some]) for some in (north, ~north)]
model = parts[0] + parts[1]
print([len(part.coef_) for part in parts], "coefficients, and together", len(model.coef_))
print(model.summary())

# %%
# What the categories add to the rent, with intervals of 95 percent. Hollow dots are the references, rings the truth. A
# city with few homes has a wide interval. That of Kyiv just misses the truth, as one in twenty does. Oil is not
# significantly different from gas, the reference: its interval covers 0.

names, ends = model.coef_names_, model.conf_int(0.95)
shown = [j for j, name in enumerate(names) if name != "size"]
truth = [CITIES.get(names[j].removeprefix("city_"), 30 if names[j] == "heating_heat pump" else 0) for j in shown]

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for row, j in enumerate(shown):
    color = "#3b82c4" if names[j].startswith("city") else "#d9822b"
    fill = color if model.coef_[j] else "white"
    axes.plot(ends[j], [row, row], color=color, linewidth=2, solid_capstyle="round")
    axes.plot(model.coef_[j], row, "o", color=color, markerfacecolor=fill, markersize=7, zorder=3)
axes.plot(truth, range(len(shown)), "o", color="black", markerfacecolor="none", markersize=12, linewidth=1)
axes.axvline(0, color="0.6", linewidth=1, linestyle=(0, (4, 4)), zorder=0)
axes.set_yticks(range(len(shown)), [names[j].replace("_", ": ") for j in shown])
axes.invert_yaxis()
axes.set_xlabel("rent compared with the reference")
axes.spines[["top", "right"]].set_visible(False)
plt.show()
