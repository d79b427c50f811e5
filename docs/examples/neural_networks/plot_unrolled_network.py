"""
A recurrent network, unrolled
=============================

A recurrent network is a graph with cycles: its states lead back to themselves, a step later. Unrolled, it has a copy of
every node for each row of a sequence and no cycle, so that gradients go back through it as through any other network.
The gradient of a weight is the sum over its copies: backpropagation through time.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

random = np.random.default_rng(0)
rows, lengths = random.choice([-1.0, 1.0], (400, 1)), np.full(100, 4)
last_differs = [bool(one[0, 0] != one[-1, 0]) for one in np.split(rows, 100)]
model = tn.RNNClassifier(3, cell="simple", max_iter=60, learning_rate_init=0.03).fit(
    rows, last_differs, lengths=lengths
)
graph = tn.NetworkGraph.of(model)

# %%
# Edges that take a step are delayed; they are curved and dashed.

graph.plot()
plt.show()

# %%
# The same network over four rows, with its states for one sequence, and the gradient of each copy of an edge.

unrolled = graph.unroll(4)
figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
unrolled.plot(graph.at_steps(rows[:4]), float(last_differs[0]), ax=ax)
plt.show()

# %%
# What the copies of one edge add up to is its gradient through time.

found, copies = (
    graph.gradients_through_time(rows[:4], float(last_differs[0])),
    unrolled.gradients(graph.at_steps(rows[:4]), float(last_differs[0])),
)
each = [copies.edges[edge] for edge, of in unrolled.origin.items() if of == ("h1_0", "h1_1")]
print(f"{' + '.join(f'{g:.4g}' for g in each)} = {found.edges['h1_0', 'h1_1']:.4g}")
