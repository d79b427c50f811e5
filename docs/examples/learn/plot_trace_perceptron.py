"""
A perceptron, mistake by mistake
================================

A perceptron changes its weights when it is wrong, and at no other time. Each grey line is the border after a mistake,
the later the darker; the rows that it was wrong about have a ring, with the numbers of their mistakes.
"""

import matplotlib.pyplot as plt

import tenfold as tn
from tenfold.datasets import make_separable

X, y = make_separable(30, margin=0.15, random_state=4)
steps = tn.trace(tn.Perceptron(shuffle=False, tol=None), X + [0.3, 0.2], y)
print(steps)

tn.display.TraceDisplay(steps).plot()
plt.show()

# %%
# With more than two features the weights themselves are drawn.

X, y = make_separable(200, 4, margin=0.05, random_state=0)
tn.display.TraceDisplay.from_estimator(tn.Perceptron(tol=None), X, y)
plt.show()
