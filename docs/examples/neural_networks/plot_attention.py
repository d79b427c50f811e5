"""
Attention of a transformer
==========================

Each row of a sequence has a bit, and two rows have a mark. Whether the two marked bits are equal cannot be seen from
any row alone, nor from counts. A recurrent network carries the first one along; a transformer looks at both.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn
from tenfold.datasets import make_marked_sequences

rows, equal, lengths = make_marked_sequences(400, min_length=5, max_length=9, random_state=0)

# %%
# The loss in each epoch. For a while nothing seems to be learned, and then all of it is.

given = {"max_iter": 15, "batch_size": 40}
nets = {
    "GRU": tn.RNNClassifier(12, learning_rate_init=0.03, **given),
    "transformer": tn.TransformerClassifier(
        16, n_heads=2, n_layers=1, dim_feedforward=24, learning_rate_init=0.02, **given
    ),
}
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, net), colour in zip(nets.items(), ["#3b82c4", "#d9822b"]):
    net.fit(rows, equal, lengths=lengths)
    right = net.score(rows, equal, lengths=lengths)
    ax.plot(np.arange(1, net.n_iter_ + 1), net.loss_curve_, color=colour, label=f"{name}: {right:.1%} right")
ax.axhline(np.log(2), color="#999999", linewidth=1, linestyle=":", label="a coin")
ax.set_xlabel("epoch")
ax.set_ylabel("mean loss")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %%
# The attention of both heads for the first sequence: a bit is + or -, a mark is a star. Marked rows are looked at.

first = slice(0, lengths[0])
labels = [("+" if bit > 0 else "-") + ("*" if mark else "") for bit, mark in rows[first]]
tn.display.AttentionDisplay.from_estimator(nets["transformer"], rows[first], labels=labels)
plt.show()
