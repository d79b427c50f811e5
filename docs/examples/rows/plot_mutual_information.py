"""
Mutual information between columns
==================================

Mutual information sees any dependence, of numbers and of categories, also one that no correlation shows. One scan
counts the pairs of values of all columns; counts of parts, files or sites add up.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import tenfold as tn

rng = np.random.default_rng(0)
n = 20_000
hour = rng.integers(0, 24, n)
season = np.array(["winter", "spring", "summer", "autumn"])[rng.integers(0, 4, n)]
warmth = {"winter": 1, "spring": 10, "summer": 21, "autumn": 11}
heat = np.array([warmth[s] for s in season]) + 4 * np.sin((hour - 9) * np.pi / 12) + 3 * rng.normal(size=n)
rain = rng.random(n) < 0.3
rides = pd.DataFrame(
    {
        "hour": hour,
        "season": season,
        "temperature": heat,
        "felt": heat - 2 * rain + rng.normal(size=n),
        "weather": np.where(rain, "rain", "dry"),
        "rides": rng.poisson(np.exp(3 - ((hour - 13) / 6) ** 2 + 0.03 * heat - 0.8 * rain)),
        "bike": rng.integers(0, 40, n),
    }
)

# %%
# The rides depend on the hour, though not by a line; which bike it was, on nothing.

found = tn.mutual_information_matrix(rides, correction="miller_madow")
tn.display.MutualInformationDisplay(found).plot()
plt.show()

print(
    f"correlation of hour and rides {rides['hour'].corr(rides['rides']):.2f}, bits {found.between('hour', 'rides'):.2f}"
)
print(f"bits between bike and rides {found.between('bike', 'rides'):.3f}")
