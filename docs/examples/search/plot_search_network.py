"""
Training a network without gradients
====================================

A network of eight hidden units that decide by a step has no gradient. Its 33 weights are numbers in a box, and one
call of the objective scores the networks of a whole population.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import tenfold as tn
from tenfold import search

X, y = make_moons(300, noise=0.2, random_state=0)
HIDDEN = 8


def outputs(W, rows):
    """What each network of a population says of each row: networks x rows."""
    first, bias = W[:, : 2 * HIDDEN].reshape(-1, 2, HIDDEN), W[:, 2 * HIDDEN : 3 * HIDDEN]
    hidden = np.sign(rows @ first + bias[:, None])
    return (hidden @ W[:, 3 * HIDDEN : 4 * HIDDEN, None])[:, :, 0] + W[:, -1:]


def accuracy(W):
    """Share of rows on the right side, with a little for how far they are there."""
    side = outputs(W, X) * (2 * y - 1)
    return (side > 0).mean(axis=1) + 1e-3 * np.tanh(side).mean(axis=1)


size = 4 * HIDDEN + 1
problem = search.Problem(
    accuracy, search.Box([-3.0] * size, [3.0] * size, step=0.1), name="steps that tell moons apart"
)
methods = {
    "hill climbing": search.HillClimbing(climbers=10),
    "simulated annealing": search.SimulatedAnnealing(10, search.GeometricDecay(0.02, 0.99, 1e-4)),
    "genetic": search.Genetic(population=50),
}
found = search.compare_searches(problem, methods, evaluations=5_000, seeds=3)
print(found)

# %%
# The borders of the best network are straight pieces, one for each hidden unit.

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
tn.display.SearchDisplay(found).plot(left)
best = max((one for runs in found.results.values() for one in runs), key=lambda one: one.fitness)
across, up = np.meshgrid(np.linspace(-1.8, 2.8, 200), np.linspace(-1.4, 1.9, 200))
side = outputs(best.best[None], np.stack([across.ravel(), up.ravel()], axis=1))[0].reshape(across.shape)
right.contourf(across, up, side > 0, levels=[-0.5, 0.5, 1.5], colors=["#d9822b", "#3b82c4"], alpha=0.25)
right.scatter(*X.T, c=np.where(y == 1, "#3b82c4", "#d9822b"), s=12)
right.set(title=f"right on {accuracy(best.best[None])[0]:.1%} of the rows")
plt.show()
