"""Curves of searches: the best fitness by the evaluations spent, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tenfold.display.drawing import REFERENCE_LINE_STYLE
from tenfold.model_selection.formatting import axes, percent, pyplot
from tenfold.search import Method, Problem, SearchComparison, compare_searches

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SearchDisplay:
    """The best fitness of several search methods by the evaluations spent: mean over seeds, with an interval.

    Parameters
    ----------
    comparison : SearchComparison

    Attributes
    ----------
    lines_ : list of matplotlib lines
    fill_between_ : list of matplotlib collections
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import tenfold as tn
    >>> from tenfold import search
    >>> methods = {"genetic": search.Genetic(), "MIMIC": search.MIMIC()}
    >>> display = tn.display.SearchDisplay.from_methods(search.flip_flop(30), methods, evaluations=4_000, seeds=3)
    >>> [line.get_label() for line in display.lines_]
    ['genetic', 'MIMIC']
    """

    def __init__(self, comparison: SearchComparison) -> None:
        self.comparison = comparison

    def plot(self, ax: Axes | None = None, *, level: float = 0.95, **kwargs: Any) -> SearchDisplay:
        """Draw a curve for each of the methods.

        Parameters
        ----------
        ax : matplotlib axes, optional
        level : float, default=0.95
            Of the interval of the mean.
        **kwargs
            For matplotlib's `plot`.

        Returns
        -------
        display : SearchDisplay
        """
        found = self.comparison
        self.ax_ = axes(type(self).__name__, ax, (6.4, 4))
        self.figure_ = self.ax_.figure
        self.lines_, self.fill_between_ = [], []
        for name in found.results:
            curves = found.curves(name)
            self.lines_ += self.ax_.plot(
                found.evaluations, curves.mean(axis=1), **{"label": name, "linewidth": 2.0, **kwargs}
            )
            if curves.shape[1] > 1:
                low, high = found.interval(name, level).T
                color = self.lines_[-1].get_color()
                band = self.ax_.fill_between(found.evaluations, low, high, color=color, alpha=0.15, linewidth=0)
                self.fill_between_.append(band)
        if found.problem.optimum is not None:
            look: dict[str, Any] = {**REFERENCE_LINE_STYLE, "label": "optimum"}
            self.ax_.axhline(found.problem.optimum, **look)
        band_note = f" (band: {percent(level)} interval of the mean)" if self.fill_between_ else ""
        self.ax_.set(xlabel=f"evaluations{band_note}", ylabel="best fitness", title=found.problem.name)
        self.ax_.grid(alpha=0.3)
        self.ax_.spines[["top", "right"]].set_visible(False)
        self.ax_.legend(frameon=False)
        return self

    @classmethod
    def from_methods(
        cls, problem: Problem, methods: Mapping[str, Method], *, evaluations: int, seeds: int | Iterable[int] = 10,
        ax: Axes | None = None, **kwargs: Any,
    ) -> SearchDisplay:  # fmt: skip
        """Search with `compare_searches`, and draw what was found.

        Parameters
        ----------
        problem, methods, evaluations, seeds
            As in `compare_searches`.
        ax : matplotlib axes, optional
        **kwargs
            For `plot`.

        Returns
        -------
        display : SearchDisplay
        """
        pyplot(cls.__name__)
        return cls(compare_searches(problem, methods, evaluations=evaluations, seeds=seeds)).plot(ax, **kwargs)
