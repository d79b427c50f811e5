"""
What is left after each example
===============================

A version space holds every hypothesis that agrees with the examples. It starts with all of them; positives raise its
lower boundary S (blue), negatives lower its upper boundary G (orange), and when they meet the concept is identified.
"""

import matplotlib.pyplot as plt

import tenfold as tn

SPORT = """
Sunny Warm Normal Strong Warm Same   yes
Sunny Warm High   Strong Warm Same   yes
Rainy Cold High   Strong Warm Change no
Sunny Warm High   Strong Cool Change yes
"""
rows = [line.split() for line in SPORT.strip().split("\n")]
values = [
    ["Sunny", "Cloudy", "Rainy"],
    ["Warm", "Cold"],
    ["Normal", "High"],
    ["Strong", "Weak"],
    ["Warm", "Cool"],
    ["Same", "Change"],
]
space = tn.VersionSpace(values)
print(f"{space.size} conjunctions")
for *row, label in rows:
    space = space.learn(row, label == "yes")
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
    print(f"{' '.join(day)}: {'yes' if answer else 'no'}, {space.size} left")
print(space.specific[0] == target)
