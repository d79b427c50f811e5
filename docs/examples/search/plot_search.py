"""
Four peaks: comparing search methods
====================================

Ones at the head of a string of bits are good, and so are zeros at the tail. Following one of the two leads to a peak
of height 60; the peaks of height 113 want both at once. Each method gets the same evaluations, from five seeds.
"""

import matplotlib.pyplot as plt

import tenfold as tn
from tenfold import search

methods = {
    "hill climbing": search.HillClimbing(climbers=20),
    "simulated annealing": search.SimulatedAnnealing(chains=20),
    "genetic": search.Genetic(crossover="one_point"),
    "MIMIC": search.MIMIC(population=500),
}
found = search.compare_searches(search.four_peaks(60), methods, evaluations=15_500, seeds=5)
print(found)

# %%
# The band is an interval for the mean over seeds, not for one run.

tn.display.SearchDisplay(found).plot()
plt.show()
