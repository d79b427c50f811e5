"""
Version spaces: the hypotheses that remain
==========================================

A version space holds every hypothesis that agrees with the examples. It starts with all of them; positives raise its
lower boundary S (blue), negatives lower its upper boundary G (orange), and when they meet the concept is identified.
"""

import matplotlib.pyplot as plt

import tenfold as tn
from tenfold.datasets import load_enjoy_sport

sport = load_enjoy_sport()
space = tn.VersionSpace(sport.categories)
print(f"{space.size} conjunctions")
for row, label in zip(sport.data, sport.target):
    space = space.learn(row, label == "Yes")
    print(f"{space.size:3d} after {label:3s} {' '.join(row)}: S {space.specific[0]}, G {list(space.general)}")

# %%
# Six conjunctions are left. All of them lie between the boundaries:

tn.display.VersionSpaceDisplay(space).plot()
plt.show()

# %%
# Which day to ask about next? One on which three of the six say yes: either answer halves what is left. Two or three
# such questions identify the concept.

target = tn.Conjunction(["Sunny", "?", "?", "Strong", "?", "?"])
while (day := space.query()) is not None:
    answer = day[0] == "Sunny" and day[3] == "Strong"
    space = space.learn(day, answer)
    print(f"{' '.join(day)}: {'Yes' if answer else 'No'}, {space.size} left")
print(space.specific[0] == target)
