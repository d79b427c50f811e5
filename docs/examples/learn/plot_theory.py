"""
Sample size and shattering
==========================

Three pictures of learning theory: bounds on the error fall with the number of rows; a class of finite VC dimension
labels many points in few of all the ways; hyperplanes lose their power at twice as many points as they have parameters.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn
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
display = tn.display.ErrorBoundDisplay.from_classes(classes, rows)
display.ax_.plot(rows, [float(theory.held_out_bound(0, m, 0.05)) for m in rows.tolist()], "k--", label="a test set")
display.ax_.legend(frameon=False, fontsize="small")
plt.show()

# %%
# The growth function: in how many ways can a class label m points? All of them up to the VC dimension, then only as
# many as a polynomial. Intervals of the line are counted here, one labelling at a time; Sauer's bound is met exactly.

tn.display.GrowthDisplay.from_class("intervals", np.arange(12.0)[:, None], vc=[2, 3, 5])
plt.show()

# %%
# Cover's transition: the chance that a random labelling of n points in general position is linearly separable. It is
# exactly 1/2 at n = 2(d + 1), and the more dimensions, the steeper it falls there. Dots are labellings that were drawn
# and decided by linear programming.

display = tn.display.CoverDisplay.from_dimensions([2, 10, 50, 200])
rng = np.random.default_rng(0)
for n in (6, 12, 18, 22, 26, 32, 40):
    drawn = [theory.linearly_separable(rng.normal(size=(n, 10)), rng.integers(0, 2, n)) for _ in range(40)]
    display.ax_.plot(n / 11, np.mean([found.separable for found in drawn]), "o", color="C1")
plt.show()
