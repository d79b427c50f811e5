"""
Learning a list of rules
========================

Each leaf of a tree is a rule. By itself it can do without some of its conditions: those that its branch has only
because the root was asked first. What is left is put in order, and the first rule that fits decides.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

import tenfold as tn

data = load_wine(as_frame=True)
X, y = data.data, np.array(["Barolo", "Grignolino", "Barbera"])[data.target]
tree = tn.DecisionTreeClassifier("gain_ratio").fit(X, y)
model = tn.RuleListClassifier().fit(X, y)
print(f"a tree of {len(tree.rules_)} leaves, a list of {len(model.rules_)} rules")
print(model.to_text())

# %%
# A picture of the list: how many of the rows that no earlier rule decides fit a rule, and of which class they are.

COLOURS = dict(zip(model.classes_, ("#d9822b", "#3b82c4", "#4c9a5b")))
left = np.ones(len(X), bool)
figure, ax = plt.subplots(figsize=(9, 0.75 * len(model.rules_) + 0.9), layout="constrained")
for place, rule in enumerate(model.rules_):
    fits = left.copy()
    for one in rule.conditions:
        value = X.iloc[:, one.column]
        fits &= value <= one.bound if one.sign == "<=" else value > one.bound
    left &= ~fits
    start = 0
    for kind, colour in COLOURS.items():
        many = int((fits & (y == kind)).sum())
        ax.barh(place, many, left=start, color=colour, height=0.45, label=kind if place == 0 else None)
        start += many
    ax.text(0, place - 0.3, str(rule), va="bottom", fontsize=9)
    ax.text(start + 0.6, place, start, va="center", fontsize=9, color="#666666")
ax.set(ylim=(len(model.rules_) - 0.6, -0.75), yticks=[], xlabel="wines that this rule decides")
ax.legend(frameon=False, loc="lower right")
ax.spines[["top", "right", "left"]].set_visible(False)
plt.show()

# %%
# How good is it on wines that it has not seen? The same folds for the list and for the tree, ten times:

learners = {"rules": tn.RuleListClassifier(), "tree": tn.DecisionTreeClassifier("gain_ratio")}
found = tn.cross_validate(learners, X, y, shuffle=True, repeats=10)
print(found)
print(found.compare("rules", "tree").sentence)
