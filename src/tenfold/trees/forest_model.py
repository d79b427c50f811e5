"""What a forest says once its trees are there: means of what they say, and what columns were worth to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Columns, Schema
from tenfold.estimator.base import Estimator
from tenfold.kernels.forests import add_forest
from tenfold.trees.forest import Forest


class ForestModel(Estimator):
    """Trees that are averaged."""

    random_state: Any

    def means(self, state: Forest, X: Columns) -> Array:
        """The mean of what the trees say of each row."""
        out, t = np.zeros((len(X), state.outputs)), state.trees
        for rows, block in X.blocks():
            add_forest(
                block, t.feature, t.threshold, t.missing_left, t.first_child, t.route_at, t.route_width, t.route,
                state.roots, state.value, out[rows],
            )  # fmt: skip
        return out / len(state.roots)

    @property
    def feature_importances_(self) -> Array:
        """Share of the decrease of impurity that is due to each column, a mean over the trees.

        It favours columns with many values, and says nothing about rows that were not seen: a column of noise gets
        its share too.
        """
        state: Forest = self.model_
        p, n = len(state.levels), len(state.roots)
        inner = state.trees.feature >= 0
        tree = np.repeat(np.arange(n), np.diff(np.append(state.roots, state.trees.node_count)))
        cell = tree[inner] * p + state.trees.feature[inner]
        each = np.bincount(cell, state.trees.merit[inner], n * p).reshape(n, p)
        whole = each.sum(axis=1, keepdims=True)
        mean = (each / np.where(whole > 0, whole, 1.0)).mean(axis=0)
        return np.asarray(mean / mean.sum() if mean.any() else mean)

    def sound(self, state: Forest, summary: Any, schema: Schema) -> bool:
        """Whether it is grown."""
        return state.phase == "done" and state.step > 0
