"""What a boosted learner says once its trees are there: margins, round after round, and what is known of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tenfold.core import Array, Claim, Columns, Schema
from tenfold.estimator.base import Estimator
from tenfold.kernels.gradients import add_trees
from tenfold.trees.boosted import Boosted, Loss
from tenfold.trees.promises import category_claims
from tenfold.trees.slopes import Slopes


class BoostedModel(Estimator):
    """A sum of trees. A learner brings its loss and where to start."""

    cat_penalty: float

    @property
    def n_iter_(self) -> int:
        """Rounds that were made."""
        state: Boosted = self.model_
        return len(state.roots) // state.outputs

    def outputs_of(self, schema: Schema) -> int:
        """Trees in a round."""
        return 1

    def loss_of(self, state: Boosted) -> int:
        """Which loss."""
        raise NotImplementedError

    def level_of(self) -> float:
        """Of the quantile, if there is one."""
        return 0.5

    def slopes_of(self, state: Boosted) -> Slopes:
        """The loss, and the units of its sums."""
        return Slopes.of(state, self.loss_of(state), self.level_of())

    def margins(self, state: Boosted, X: Columns, start: int = 0, stop: int | None = None) -> Array:
        """The sum of the trees, for each output; of some rounds, without the constant, if a start is given."""
        t, k, walk = state.trees, state.outputs, state.ensemble.walk
        out = np.zeros((len(X), k)) if start else np.repeat(state.base[None], len(X), axis=0)
        roots = state.roots if stop is None else state.roots[: stop * k]
        for rows, block in X.blocks():
            add_trees(
                block, walk.column, walk.threshold, walk.strays, walk.first, t.route_at, t.route_width, t.route,
                walk.deep, state.value, roots, start * k, k, out[rows],
            )  # fmt: skip
        return out

    def _staged(self, X: Any) -> Iterator[Array]:
        """Margins after each round."""
        margin: Any = 0.0
        for t in range(self.n_iter_):
            step = self._apply(lambda model, state, X, t=t: model.margins(state, X, t, t + 1), X, list)
            if not isinstance(step, np.ndarray):
                raise TypeError("staged predictions take arrays and frames. Remedy: fit with fewer rounds")
            margin = margin + step
            yield margin

    def certify(self, state: Boosted, s: Any) -> tuple[Claim, ...] | None:
        """The loss at the end, from all rows sent down all trees."""
        if state.phase != "done" or not isinstance(s, Loss):
            return None
        score = s.sums * self.slopes_of(state).unit / np.maximum(s.weight, 1e-300)
        why = "mean over the rows learned from, all sent down all trees"
        claims = [Claim("training loss", float(score[0]), "proved", why, "data")]
        if s.weight[1]:
            why = "mean over the rows kept back, which chose the number of rounds: a little too low"
            claims.append(Claim("validation loss", float(score[1]), "estimated", why, "unseen rows"))
        return *claims, *category_claims(state.levels, state.rows, self.cat_penalty)

    def sound(self, state: Boosted, summary: Any, schema: Schema) -> bool:
        """Whether it is grown, and every round has a tree for each output."""
        return state.phase == "done" and len(state.roots) > 0 and len(state.roots) % state.outputs == 0
