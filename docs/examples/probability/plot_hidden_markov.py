"""
Decoding a hidden Markov model
==============================

A river has calm days and floods. Nobody writes down which it is: there is only the level, with noise. A hidden Markov
model finds the two states, and how they follow each other. Its path of states is far steadier than what each level says
by itself, and next to it stands how sure each day is.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

random = np.random.default_rng(3)
flood = np.zeros(300, bool)
for day in range(1, 300):
    flood[day] = random.random() < (0.93 if flood[day - 1] else 0.03)
level = (2.0 + 1.6 * flood + random.normal(scale=0.8, size=300))[:, None]

# %%
# The model starts from two clusters, and rounds of Baum and Welch's algorithm do the rest.

model = tn.GaussianHMM(2, random_state=0).fit(level)
high = int(model.means_.argmax())
path = model.predict(level) == high
sure = model.predict_proba(level)[:, high]
alone = tn.GaussianMixture(2).fit(level)
single = alone.predict(level) == alone.means_.argmax()
print(f"right by the path: {(path == flood).mean():.2f}, by each day alone: {(single == flood).mean():.2f}")
print(model.certificate_["log-likelihood"])

# %%
# Above the level with the true floods, below what each of the two says.

figure, (top, middle, bottom) = plt.subplots(
    3, 1, figsize=(8, 5.4), sharex=True, height_ratios=[2.2, 1, 1], layout="constrained"
)
top.plot(level[:, 0], ".", color="0.35", markersize=4)
top.fill_between(np.arange(300), -2, 7, where=flood, color="C0", alpha=0.2, label="flood, not seen")
top.set(ylabel="level", ylim=(level.min() - 0.3, level.max() + 0.3))
top.legend(loc="upper right")
middle.fill_between(np.arange(300), sure, color="C0", alpha=0.35, label="probability of flood")
middle.step(np.arange(300), path, color="C3", where="mid", label="likeliest path")
middle.legend(loc="center left")
middle.set(ylabel="hidden Markov\nmodel", ylim=(-0.05, 1.05))
bottom.step(np.arange(300), single, color="C1", where="mid")
bottom.set(ylabel="each day\nby itself", xlabel="day", ylim=(-0.05, 1.05))
plt.show()
