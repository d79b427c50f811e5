"""
A Bayesian network with its tables
==================================

An alarm rings for burglars and for earthquakes, and two neighbours may call. The joint distribution of the five
variables is the product of five small tables; what is known of some tells of the others.
"""

import matplotlib.pyplot as plt
import pandas as pd

import tenfold as tn
from tenfold.datasets import load_burglary

network = load_burglary()
tn.display.NetworkDisplay(network).plot()
plt.show()

# %%
# John calls, then Mary too, then there was an earthquake, which explains the alarm away.

known = {}
for name in ("john", "mary", "earthquake"):
    known[name] = True
    print(f"P(burglary | {', '.join(known)}) = {network.probability({'burglary': True}, known):.4f}")

# %%
# The tables can be learned from rows, and the graph too, if it is a tree: one scan counts pairs of values.

rows = pd.DataFrame(network.sample(100_000, random_state=1))
learned = tn.BayesianNetworkDensity().fit(rows)
tn.display.NetworkDisplay(learned.network_).plot()
plt.show()
