"""A reduce of an expression in one thread of this process: the plainest thing that does all of it.

What any engine does must give these bits: it is the measure of executors, and enough for small data.
"""

from __future__ import annotations

from typing import Any

from tenfold.core.statistic import Expression
from tenfold.engine.holding import Piece, Scratch, follow, hold, of_held
from tenfold.engine.ordered import Places, arrived, route, walk
from tenfold.engine.plan import Leaf, Plan
from tenfold.engine.scanning import Found, Scan
from tenfold.engine.threads import one_blas_thread
from tenfold.engine.tree import merge
from tenfold.sources import Source


class SerialSession:
    """A source, opened, and what is held of it between reduces.

    Parameters
    ----------
    source : Source
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._held: dict[tuple[bytes, int], list[Piece]] = {}
        self._scratch: dict[tuple[bytes, int], list[Scratch]] = {}

    def reduce(self, expression: Expression) -> Any:
        """What an expression says of all rows: summaries, counted, in the expression's shape."""
        plan = Plan(expression)
        with one_blas_thread:
            found = self._merged(plan) | self._walked(plan)
        self._forget(plan)
        return plan.answer([found[at] for at in range(len(plan.leaves))])

    def _merged(self, plan: Plan) -> dict[int, Any]:
        read = [at for at, leaf in enumerate(plan.leaves) if leaf.order is None and not leaf.held]
        held = [at for at, leaf in enumerate(plan.leaves) if leaf.held]
        if not read and not held:
            return {}
        scan = Scan(tuple(plan.leaves[at] for at in read))

        def one(part: int) -> Found:
            fresh = scan(self.source, part).each if read else ()
            return Found([*fresh, *(self._of_held(plan.leaves[at], part) for at in held)])

        done: Found = merge(one(part) for part in range(len(self.source)))
        return dict(zip([*read, *held], done.each, strict=True))

    def _of_held(self, leaf: Leaf, part: int) -> Any:
        if part % leaf.every:
            return None
        pieces = self._held.get((leaf.held, part)) or hold(leaf, self.source, part)
        scratch = follow(leaf, pieces, self._scratch.get((leaf.before, part)))
        self._held[leaf.held, part], self._scratch[leaf.digest, part] = pieces, scratch
        return of_held(leaf, pieces, scratch)

    def _walked(self, plan: Plan) -> dict[int, Any]:
        found: dict[int, Any] = {}
        for order in sorted({leaf.order for leaf in plan.leaves if leaf.order is not None}):
            some = [at for at, leaf in enumerate(plan.leaves) if leaf.order == order]
            leaves, places = [plan.leaves[at] for at in some], Places()
            for part in route(len(self.source), order):
                places = walk(leaves, self.source, part, places)
            found |= zip(some, arrived(leaves, places), strict=True)
        return found

    def _forget(self, plan: Plan) -> None:
        """Drop what no leaf of this plan has held: the next one goes on from these, or from none."""
        held = {leaf.held for leaf in plan.leaves}
        scratch = {leaf.digest for leaf in plan.leaves if leaf.held}
        self._held = {at: pieces for at, pieces in self._held.items() if at[0] in held}
        self._scratch = {at: some for at, some in self._scratch.items() if at[0] in scratch}
