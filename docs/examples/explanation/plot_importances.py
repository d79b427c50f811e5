"""
Permutation importance with intervals
=====================================

Boosted trees learn how many bicycles are lent in a day. Which columns help them on days they have not seen, and what do
they make of each?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import tenfold as tn

rng = np.random.default_rng(0)
days = 4_000
weather = pd.DataFrame(
    {
        "temperature": rng.normal(14, 8, days).round(1),
        "humidity": rng.uniform(20, 100, days).round(),
        "weekday": rng.choice(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], days),
        "wind": rng.gamma(4, 3, days).round(),
        "coin": rng.integers(0, 2, days),
    }
)
weather["felt"] = weather["temperature"] - 0.1 * weather["wind"] + rng.normal(0, 1, days)
warm = 1 / (1 + np.exp(-(weather["temperature"] - 12) / 4))
lent = 300 * warm * (1 - 0.004 * weather["humidity"]) + 60 * weather["weekday"].isin(["Sat", "Sun"]) * warm
lent = lent - 2 * weather["wind"] + rng.normal(0, 15, days)

model = tn.HistGradientBoostingRegressor(max_iter=100).fit(weather[:2_500], lent[:2_500])
unseen, truth = weather[2_500:], lent[2_500:]
print(f"R² on {len(unseen):,} other days: {model.score(unseen, truth):.3f}")

# %%
# One scan scores every column in each of ten repeats. The bars tell how far other days would move a dot. The coin helps
# nobody: its bar holds zero. How warm it feels seems to matter little beside the temperature; swapped together, the
# two weigh more than the sum of both by themselves.

columns = [*weather.columns, ("temperature", "felt")]
display = tn.display.PermutationImportanceDisplay.from_estimator(model, unseen, truth, columns=columns, n_repeats=10)
display.figure_.set_size_inches(7, 3.6)
print(display.importances)

# %%
# On average, and for 40 days one by one: warmth saturates, the weekend adds more on warm days than on cold ones, and
# wind takes off about the same from every day. Tick marks are deciles: beyond them there is little to learn from.

display = tn.display.PartialDependenceDisplay.from_estimator(
    model,
    unseen,
    ["temperature", "weekday", "wind", ("temperature", "humidity")],
    kind="both",
    grid_resolution=30,
    subsample=40,
    n_cols=2,
    custom_values={"weekday": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]},
)
display.figure_.set_size_inches(9, 7)
plt.show()
