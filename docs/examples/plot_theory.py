"""
How many rows, and how many labellings
======================================

Three pictures of learning theory: bounds on the error fall with the number of rows; a class of finite VC dimension
labels many points in few of all the ways; hyperplanes lose their power at twice as many points as they have parameters.
"""

import matplotlib.pyplot as plt
import numpy as np

from tenfold import theory

# %%
# What m rows prove about the error of a hypothesis that is right on all of them, but for a chance of 5 %. The finer the
# class, the more rows it takes; all fall like 1/m. A test set, which knows no class, is there for comparison.

rows = np.unique(np.geomspace(30, 100_000, 80).astype(int))
classes = {
    "conjunctions of 10 attributes": {"size": theory.class_size("conjunctions", 10)},
    "2-CNF of 10 attributes": {"log_size": theory.log_k_cnf(10, 2)},
    "half-planes (VC dimension 3)": {"vc": 3},
    "all concepts of 10 attributes": {"log_size": theory.log_all_concepts(10)},
}
fig, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
for name, given in classes.items():
    ax.plot(rows, [min(float(theory.error_bound(m, 0.05, **given)), 1.0) for m in rows.tolist()], label=name)
ax.plot(rows, [float(theory.held_out_bound(0, m, 0.05)) for m in rows.tolist()], "k--", label="a test set")
ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="bound on the error")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, fontsize="small")
plt.show()

# %%
# The growth function: in how many ways can a class label m points? All of them up to the VC dimension, then only as
# many as a polynomial. Intervals of the line are counted here, one labelling at a time; Sauer's bound is met exactly.

m = np.arange(1, 13)
points = np.arange(12.0)[:, None]
counted = [len(theory.labellings("intervals", points[:k])) for k in m.tolist()]
fig, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
ax.plot(m, 2.0**m, "k--", label="all labellings")
for vc in (2, 3, 5):
    ax.plot(m, [theory.growth(k, vc) for k in m.tolist()], label=f"Sauer's bound, VC dimension {vc}")
ax.plot(m, counted, "o", color="C0", label="intervals, counted")
ax.set(yscale="log", xlabel="points", ylabel="labellings")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, fontsize="small")
plt.show()

# %%
# Cover's transition: the chance that a random labelling of n points in general position is linearly separable. It is
# exactly 1/2 at n = 2(d + 1), and the more dimensions, the steeper it falls there. Dots are labellings that were drawn
# and decided by linear programming.

fig, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
for d in (2, 10, 50, 200):
    n = np.unique(np.linspace(1, 4 * (d + 1), 120).astype(int))
    ax.plot(n / (d + 1), [theory.cover_probability(k, d) for k in n.tolist()], label=f"{d} dimensions")
rng = np.random.default_rng(0)
for n in (6, 12, 18, 22, 26, 32, 40):
    drawn = [theory.linearly_separable(rng.normal(size=(n, 10)), rng.integers(0, 2, n)) for _ in range(40)]
    ax.plot(n / 11, np.mean([found.separable for found in drawn]), "o", color="C1")
ax.plot([2], [0.5], "k+", markersize=12)
ax.set(xlabel="points for each parameter, n / (d + 1)", ylabel="share of labellings that are separable")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, fontsize="small")
plt.show()
