"""
Growing, pruning and drawing a tree
===================================

Fourteen days, and whether tennis was played: the tree of the textbooks. Then 569 tumours, where the full tree learns
more than there is to learn, and validation rows cut it.
"""

import matplotlib.pyplot as plt

import tenfold as tn
from tenfold.datasets import load_breast_cancer, load_play_tennis

days, play = load_play_tennis(return_X_y=True, as_frame=True)
model = tn.ID3().fit(days, play)
tn.display.TreeDisplay.from_estimator(model)
plt.show()

# %%
# A box names the column that is asked for, a line the answer. The number is the weight of the training rows; the colour
# of a leaf is its class. The same tree as a formula, and what it takes to go down it:

print(model.to_dnf("Yes"))
print(model.tree_stats())

# %%
# Why Outlook comes first: what a split of each column would gain at the root, by four measures. On sunny days, at node
# 3, it is humidity that tells all:

print(tn.split_gains(days, play))
print(tn.split_gains(days, play, tree=model, node=3).best())

# %%
# A real one
# ----------
#
# Of the tumours, a full tree is right on every row it was grown from. Its certificate bounds what that is worth: a tree
# that takes so many bits to write down may be right by luck.

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
full = tn.DecisionTreeClassifier().fit(X, y)
print(f"{len(full.tree_.leaves)} leaves")
for claim in full.certificate_.claims:
    print(f"{claim.kind}: {claim.value:.3f} ({claim.status})")
tn.display.TreeDisplay.from_estimator(full, max_depth=3)
plt.show()

# %%
# The picture ends at a depth of three; what goes on below is marked by dots.
#
# Cost-complexity pruning takes the price of a leaf that suits rows best that were held back. Three leaves are left, and
# the bound is worth something.

pruned = tn.DecisionTreeClassifier(prune="cost_complexity").fit(X, y)
for claim in pruned.certificate_.claims:
    print(f"{claim.kind}: {claim.value:.3f} ({claim.status})")
tn.display.TreeDisplay.from_estimator(pruned)
plt.show()

# %%
# It goes into a database as it is.

print(pruned.to_sql())
