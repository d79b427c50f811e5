"""A version space, drawn as a lattice: general hypotheses above, specific ones below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenfold.concept.candidate_elimination import CandidateElimination
from tenfold.concept.conjunction import Conjunction
from tenfold.concept.version_space import VersionSpace
from tenfold.model_selection.formatting import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

MAX_HYPOTHESES = 200
"""hypotheses that are drawn, at most"""
BOUNDARY_COLOURS = {
    (True, False): "#3b82c4",
    (False, True): "#d9822b",
    (True, True): "#4c9a5b",
    (False, False): "#666666",
}
"""by whether a hypothesis is in the specific and in the general boundary"""


class VersionSpaceDisplay:
    """A picture of a small version space: a box for each hypothesis, a line where no other lies between two.

    The boundary G is orange, S is blue; a hypothesis that is both is green: the concept is identified.

    Parameters
    ----------
    space : VersionSpace
        Of 200 hypotheses at most.

    Attributes
    ----------
    boxes_, lines_ : lists of matplotlib artists
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import tenfold as tn
    >>> space = tn.VersionSpace([["rain", "sun"], ["cold", "warm"]]).learn(["sun", "warm"], True)
    >>> display = tn.display.VersionSpaceDisplay(space).plot()
    >>> len(display.boxes_), len(display.lines_)
    (4, 4)
    """

    def __init__(self, space: VersionSpace) -> None:
        self.space = space

    @classmethod
    def from_estimator(
        cls, estimator: CandidateElimination, *, ax: Axes | None = None, fontsize: float = 9.0
    ) -> VersionSpaceDisplay:
        """Draw the version space of a fitted model.

        Parameters
        ----------
        estimator : CandidateElimination
        ax : matplotlib axes, optional
        fontsize : float, default=9.0

        Returns
        -------
        display : VersionSpaceDisplay
        """
        if not isinstance(estimator, CandidateElimination):
            raise TypeError(f"{type(estimator).__name__} has no version space. Remedy: CandidateElimination")
        return cls(estimator.version_space_).plot(ax, fontsize=fontsize)

    def plot(self, ax: Axes | None = None, *, fontsize: float = 9.0) -> VersionSpaceDisplay:
        """Draw the lattice of the version space.

        Parameters
        ----------
        ax : matplotlib axes, optional
        fontsize : float, default=9.0

        Returns
        -------
        display : VersionSpaceDisplay
        """
        if not 1 <= self.space.size <= MAX_HYPOTHESES:
            raise ValueError(f"{self.space.size:,} hypotheses cannot be drawn: 1 to {MAX_HYPOTHESES} can")
        levels = _levels(list(self.space.members()))
        place = {h: (k - (len(some) - 1) / 2, y) for y, some in enumerate(levels) for k, h in enumerate(some)}
        wide = max(map(len, levels))
        longest = max(len(str(h)) for h in place)
        size = (max(4.0, 0.012 * fontsize * wide * longest), 0.9 + 0.9 * len(levels))
        self.ax_ = axes("VersionSpaceDisplay", ax, size)
        self.figure_ = self.ax_.figure
        self.lines_: list[Line2D] = []
        for low, high in _steps(list(place)):
            (a, y), (b, z) = place[low], place[high]
            self.lines_ += self.ax_.plot([a, b], [y, z], color="#999999", linewidth=0.8, zorder=1)
        self.boxes_: list[Text] = [self._box(h, x, y, fontsize) for h, (x, y) in place.items()]
        self.ax_.set(xlim=(-wide / 2, wide / 2), ylim=(-0.5, len(levels) - 0.5))
        self.ax_.axis("off")
        return self

    def _box(self, hypothesis: Conjunction, x: float, y: float, fontsize: float) -> Text:
        ends = hypothesis in self.space.specific, hypothesis in self.space.general
        width = 2.0 if any(ends) else 0.8
        style = {
            "boxstyle": "round,pad=0.3",
            "facecolor": "white",
            "edgecolor": BOUNDARY_COLOURS[ends],
            "linewidth": width,
        }
        return self.ax_.text(x, y, str(hypothesis), ha="center", va="center", fontsize=fontsize, bbox=style, zorder=2)


def _levels(members: list[Conjunction]) -> list[list[Conjunction]]:
    """Hypotheses by how long the longest chain below them is; each level in a steady order."""
    height: dict[Conjunction, int] = {}
    for h in sorted(members, key=lambda h: sum(other < h for other in members)):
        height[h] = 1 + max((height[other] for other in height if other < h), default=-1)
    return [sorted((h for h in members if height[h] == y), key=str) for y in range(max(height.values()) + 1)]


def _steps(members: list[Conjunction]) -> list[tuple[Conjunction, Conjunction]]:
    """Pairs of which one is more general, with no other between them."""
    above = {h: [other for other in members if h < other] for h in members}
    return [(h, g) for h, more in above.items() for g in more if not any(other < g for other in more)]
