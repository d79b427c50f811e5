"""
States of a recurrent network, row by row
=========================================

A recurrent network goes from row to row of a sequence, and carries a state along. Unrolled, it is one copy of the same
network for each row. Here the first letter of a word, "a" or "b", is its class, and the letters behind it tell nothing.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)
words = [rng.choice(["a", "b"]) + "".join(rng.choice(["c", "d"], rng.integers(1, 6))) for _ in range(60)]
net = tn.RNNClassifier(3, cell="simple", max_iter=60, learning_rate_init=0.03)
net.fit([[letter] for word in words for letter in word], [word[0] for word in words], lengths=list(map(len, words)))

# %%
# The first letter makes a state, and what follows hardly changes it: some units remember, others follow the letters.

for word in ("acddc", "bcddc"):
    steps = tn.trace(net, [[letter] for letter in word])
    tn.display.TraceDisplay(steps).plot()
    plt.show()

# %%
# The same numbers as a table:

print(steps)
