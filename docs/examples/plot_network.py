"""
A network with its tables
=========================

An alarm rings for burglars and for earthquakes, and two neighbours may call. The joint distribution of the five
variables is the product of five small tables; what is known of some tells of the others.
"""

import matplotlib.pyplot as plt
import pandas as pd

import tenfold as tn

yes_no = ["yes", "no"]
network = tn.BayesianNetwork(
    values=dict.fromkeys(["burglary", "earthquake", "alarm", "john", "mary"], yes_no),
    parents={"alarm": ["burglary", "earthquake"], "john": ["alarm"], "mary": ["alarm"]},
    tables={
        "burglary": [0.001, 0.999],
        "earthquake": [0.002, 0.998],
        "alarm": [[[0.95, 0.05], [0.94, 0.06]], [[0.29, 0.71], [0.001, 0.999]]],
        "john": [[0.9, 0.1], [0.05, 0.95]],
        "mary": [[0.7, 0.3], [0.01, 0.99]],
    },
)
tn.display.NetworkDisplay(network).plot()
plt.show()

# %%
# John calls, then Mary too, then there was an earthquake, which explains the alarm away.

known = {}
for name in ("john", "mary", "earthquake"):
    known[name] = "yes"
    print(f"P(burglary | {', '.join(known)}) = {network.probability({'burglary': 'yes'}, known):.4f}")

# %%
# The tables can be learned from rows, and the graph too, if it is a tree: one scan counts pairs of values.

rows = pd.DataFrame(network.sample(100_000, random_state=1))
learned = tn.BayesianNetworkDensity().fit(rows)
tn.display.NetworkDisplay(learned.network_).plot()
plt.show()
