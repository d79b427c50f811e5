"""
What hidden units learn
=======================

Two moons that no straight line separates: networks with more and more hidden units, the regions that they tell apart,
and how the loss falls with each way of training.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)
angle = rng.uniform(0, np.pi, 600)
moon = rng.integers(0, 2, 600)
X = np.column_stack([np.cos(angle) + moon, np.sin(angle)])
X[moon == 1, 1] = 0.4 - X[moon == 1, 1]
X += 0.13 * rng.normal(size=X.shape)

# %%
# Without hidden units the network is logistic regression, and its border a line. Each unit that is added may bend it
# once more. L-BFGS looks at all rows in every round; the certificate reports the norm of its gradient.

nets = {units: tn.MLPClassifier(units, "tanh", solver="lbfgs", alpha=0.01).fit(X, moon) for units in ((), 2, 12)}
figure, axes = plt.subplots(1, 3, figsize=(12, 4), sharey=True, layout="constrained")
for ax, (units, net) in zip(axes, nets.items()):
    tn.display.DecisionBoundaryDisplay.from_estimator(net, X, moon, ax=ax)
    steep = net.certificate_["gradient"].value
    ax.set_title(f"{units or 'no'} hidden units: {net.score(X, moon):.1%} right, gradient {steep:.0e}", fontsize=10)
plt.show()

# %%
# The same network by the three solvers, from the same weights. An epoch is one pass over the rows: three steps of
# batches of 200 rows, or mostly one of L-BFGS.

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
ways = {
    "lbfgs": {},
    "adam": {"learning_rate_init": 0.01},
    "sgd": {"learning_rate_init": 0.1},
}
for (solver, given), colour in zip(ways.items(), ["#3b82c4", "#d9822b", "#4c9f70"]):
    net = tn.MLPClassifier(12, "tanh", solver=solver, max_iter=120, tol=0.0, alpha=0.01, **given).fit(X, moon)
    ax.plot(np.arange(1, len(net.loss_curve_) + 1), net.loss_curve_, color=colour, label=solver)
ax.set_yscale("log")
ax.set_xlabel("epochs, or steps of L-BFGS")
ax.set_ylabel("mean loss")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %%
# A small one as a graph, for the first row: states in the nodes, and along the edges how the loss changes with each
# weight, which is what backpropagation finds.

small = tn.MLPClassifier(4, "tanh", solver="lbfgs", alpha=0.01).fit(X, moon)
figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
tn.NetworkGraph.of(small).plot(X[0], moon[0], ax=ax)
plt.show()
