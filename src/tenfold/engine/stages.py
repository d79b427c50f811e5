"""Rows as fitted transformers make them for a learner that comes after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import Chunk, Columns, Need
from tenfold.core.value import Itself
from tenfold.stats.combinators import Stage

Before = Sequence[tuple[Any, Any]]
"""fitted transformers, each with its model"""


class Fitted(Stage):
    """A fitted transformer, before something with a need."""

    learner: Itself
    model: Itself
    taker: Need
    training: bool = False
    """whether a learner learns from the rows: what was made of their target is then made without it"""

    def stage(self, chunk: Chunk) -> Chunk:
        """The rows as it makes them.

        It may let missing values pass: whether the next transformer, or the learner, takes them is for its need to say.
        """
        learner = self.learner.it
        found = (learner.training_from if self.training else learner.transform_from)(self.model.it, chunk.X)
        found = in_form(found, self.taker)
        names = chunk.X.names if found.shape[1] == chunk.X.shape[1] else None
        place = f"the output of {type(learner).__name__}"
        X = Columns(found, names, missing=self.taker.missing, offset=chunk.X.offset, kept=chunk.X.kept, place=place)
        return chunk._replace(X=X)


def in_form(found: Any, need: Need) -> Any:
    """What a transformer makes of rows, as a need takes it: CSR, or a dense array."""
    if not sp.issparse(found):
        return np.asarray(found)
    return sp.csr_array(found) if need.sparse else found.toarray()


def stages_of(before: Before, need: Need, training: bool = False) -> tuple[Fitted, ...]:
    """Transformers as stages before a learner with this need, which learns from the rows or predicts."""
    takers = [*(learner.need for learner, _ in before[1:]), need]
    return tuple(
        Fitted(Itself(learner), Itself(model), taker, training) for (learner, model), taker in zip(before, takers)
    )


def transformed(before: Before, chunk: Chunk, need: Need) -> Chunk:
    """Rows as fitted transformers make them for a learner with this need."""
    for stage in stages_of(before, need):
        chunk = stage.stage(chunk)
    return chunk
