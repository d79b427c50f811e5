"""
Row weights of AdaBoost, round by round
=======================================

AdaBoost raises the weights of the rows that a member is wrong about, so that the next one attends to them. A column is
a round, a row is a row of the data; a cross shows that the next member is wrong about it.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

X = np.random.default_rng(0).normal(size=(24, 2))
inside = (X**2).sum(axis=1) < 1.2
steps = tn.trace(tn.AdaBoostClassifier(n_estimators=8), X, inside)
tn.display.TraceDisplay(steps).plot()
plt.show()

# %%
# Under the weights that it leads to, each member is as good as guessing, so the next one is another. Some rows stay
# hard: those that most members are wrong about.

for t, (weights, wrong, vote_wrong) in enumerate(zip(steps.weights[1:], steps.wrong, steps.vote_wrong), start=1):
    print(
        f"round {t}: {weights[wrong].sum():.3f} of the weight on its mistakes, the vote wrong about {vote_wrong.sum()}"
    )
print("heaviest rows:", np.argsort(-steps.weights[-1])[:3].tolist())
