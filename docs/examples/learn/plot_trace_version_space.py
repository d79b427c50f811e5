"""
Candidate elimination, example by example
=========================================

Candidate elimination keeps two boundaries: S, the most specific hypotheses that agree with the examples, and G, the
most general ones. A positive raises S, a negative lowers G; all that lies between is left.
"""

import matplotlib.pyplot as plt

import tenfold as tn
from tenfold.datasets import load_enjoy_sport

sport = load_enjoy_sport()
steps = tn.trace(tn.VersionSpace(sport.categories), sport.data, sport.target == "Yes")
tn.display.TraceDisplay(steps).plot()
plt.show()

# %%
# The third example, a negative, splits G in three: each keeps one value by which S differs from it. The fourth, a
# positive, leaves out the one that does not cover it.
#
# A contradiction empties the space, and the trace names the example:

wrong = tn.trace(
    tn.VersionSpace(sport.categories), [*sport.data.tolist(), sport.data[0].tolist()], [True, True, False, True, False]
)
print(wrong.emptied_by, wrong.table["size"])
