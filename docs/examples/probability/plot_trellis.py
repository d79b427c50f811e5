"""
The trellis of a hidden Markov model
====================================

A model is given: two states, three symbols, and how likely each is. Three questions are asked of a sequence of symbols:
how likely it is (forward recursion), how likely each state is behind each row (forward and backward recursion), and
which path of states is likeliest (Viterbi). The trellis shows how all three are computed.
"""

import matplotlib.pyplot as plt

import tenfold as tn

model = tn.HMMClassifier.from_parameters(
    startprob=[0.5, 0.5],
    transmat=[[0.8, 0.2], [0.3, 0.7]],
    emissionprob=[[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]],
    classes=["high water", "low water"],
    symbols=["dry", "damp", "wet"],
)
days = [["wet"], ["damp"], ["dry"], ["dry"], ["wet"], ["wet"]]
trellis = model.trellis(days)

# %%
# α is the probability of the rows so far and of a state, β that of the rows after it, δ that of the likeliest path to a
# state, and ψ the state before on that path. A star marks the likeliest path of all.

print(trellis)

# %%
# The same as a picture. Each point shows α, which is computed from left to right; β, from right to left; and γ, the
# probability of each state given all rows, which follows from both.

figure, each = plt.subplots(3, 1, figsize=(8, 7.5), layout="constrained")
for ax, values in zip(each, ("alpha", "beta", "gamma")):
    tn.display.TrellisDisplay(trellis).plot(ax, values=values)
plt.show()

# %%
# A grey line leads to each state from the state ψ before it. Walking back from the largest δ of the last row gives the
# red path.

tn.display.TrellisDisplay(trellis).plot(values="delta")
plt.show()
