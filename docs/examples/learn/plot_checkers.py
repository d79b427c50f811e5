"""
Learning checkers from play
===========================

A learning problem is a task, a performance and an experience: here to play checkers, the share of games won, and games
against oneself. A board after a move is worth V = w0 + w1 x1 + ... + w6 x6, where x are counts of pieces, of kings, and
of pieces that can be taken next. The player takes the move with the largest V. After each game
:class:`~tenfold.SGDRegressor` learns, by LMS, that each board was worth what the player's next one is worth now, and
the last one what the game has brought: 1, 0 or -1. The rules and the player are in `docs/checkers.py`.
"""

import matplotlib.pyplot as plt
import numpy as np
from checkers import NAMES, games_won, learn

weights = learn(games=100)

# %%
# The starting weights are zero, and so play at random. Who can take must take, so it does not help to count pieces
# alone: the first thing learned is not to leave them where they can be taken.

after = [0, 1, 2, 4, 8, 16, 32, 64, 100]
fig, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
left.plot(after, [games_won(weights[games], 60) for games in after], marker="o")
left.set_xscale("symlog", linthresh=1)
left.set_xticks([0, 1, 2, 4, 8, 16, 32, 100], ["0", "1", "2", "4", "8", "16", "32", "100"])
left.set(xlabel="games against itself", ylabel="won against the starting weights", ylim=(0, 1.03))
left.grid(alpha=0.3)
right.plot(np.array(weights)[:, 1:], label=NAMES)
right.axhline(0, color="#777777", linewidth=0.8)
right.set(xlabel="games against itself", ylabel="weight")
right.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()
