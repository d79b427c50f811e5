"""
The attribute lists of SLIQ
===========================

SLIQ sorts each column once, into an attribute list of values and rows. Where a row is in the tree, the class list says:
a split changes nothing but that. Cells have the colour of the node that their row is in.
"""

import matplotlib.pyplot as plt

import tenfold as tn
from tenfold.datasets import load_play_tennis

days, play = load_play_tennis(numeric=True, return_X_y=True, as_frame=True)
steps = tn.trace(tn.SLIQ(max_depth=2), days, play)
tn.display.TraceDisplay(steps).plot()
plt.show()

# %%
# For the next split, one walk down each attribute list is enough: it counts the classes below and above each value, for
# all nodes at once.

table = steps.attribute_list("Humidity", step=1)
for value, row, label, node in zip(*table.values()):
    print(f"humidity {value:.0f}: row {row:2d}, {label:3s}, in node {node}")
