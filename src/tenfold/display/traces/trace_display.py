"""A trace, drawn: what an algorithm does step by step, in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.display.traces.boosting_steps import draw_boosting
from tenfold.display.traces.boundary_steps import draw_boundaries
from tenfold.display.traces.center_steps import draw_centers
from tenfold.display.traces.list_steps import draw_lists
from tenfold.display.traces.unrolled_steps import draw_unrolled
from tenfold.display.traces.weight_steps import draw_weights
from tenfold.inspection.traces.ada_boost_trace import AdaBoostTrace
from tenfold.inspection.traces.kmeans_trace import KMeansTrace
from tenfold.inspection.traces.perceptron_trace import PerceptronTrace
from tenfold.inspection.traces.sliq_trace import SLIQTrace
from tenfold.inspection.traces.step_table import StepTable
from tenfold.inspection.traces.trace import trace
from tenfold.inspection.traces.unrolled_network import UnrolledNetwork
from tenfold.inspection.traces.version_space_trace import VersionSpaceTrace
from tenfold.model_selection.formatting import pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWN: dict[type, Any] = {
    PerceptronTrace: draw_weights,
    AdaBoostTrace: draw_boosting,
    KMeansTrace: draw_centers,
    SLIQTrace: draw_lists,
    VersionSpaceTrace: draw_boundaries,
    UnrolledNetwork: draw_unrolled,
}
"""traces, and what draws each of them"""


class TraceDisplay:
    """A picture of what an algorithm does step by step.

    - Perceptron: the line after each mistake, the later the darker, and the rows that it was wrong about; of other than
      two features the weights by mistake.
    - AdaBoost: the weights of the rows by round, with a cross where the member is wrong.
    - k-means: the ways of the centres; of other than two columns the inertia by round.
    - SLIQ: attribute lists and class list before and after each split, coloured by node.
    - Version spaces: S (blue) and G (orange) after each example.
    - Recurrent networks: the network unrolled in time; units are coloured by their states.

    Parameters
    ----------
    trace : PerceptronTrace, AdaBoostTrace, KMeansTrace, SLIQTrace, VersionSpaceTrace or UnrolledNetwork
        From :func:`~tenfold.trace`.

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import tenfold as tn
    >>> from tenfold.datasets import load_gate
    >>> steps = tn.trace(tn.Perceptron(shuffle=False, tol=None), *load_gate("or", return_X_y=True))
    >>> len(steps.row), len(tn.display.TraceDisplay(steps).plot().ax_.lines)  # the first mistake leaves no line
    (9, 8)
    """

    def __init__(self, trace: StepTable) -> None:
        self.trace = trace

    def plot(self, ax: Axes | None = None) -> TraceDisplay:
        """Draw the steps.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        display : TraceDisplay
        """
        draw = DRAWN.get(type(self.trace))
        if draw is None:
            raise TypeError(f"{type(self.trace).__name__} is not a trace. Remedy: TraceDisplay(tenfold.trace(...))")
        self.ax_ = draw(self.trace, ax)
        self.figure_ = self.ax_.figure
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        y: VectorLike = None,
        *,
        sample_weight: VectorLike = None,
        ax: Axes | None = None,
    ) -> TraceDisplay:
        """Trace a learner with :func:`~tenfold.trace`, and draw it.

        Parameters
        ----------
        estimator, X, y, sample_weight
            As in `trace`.
        ax : matplotlib axes, optional

        Returns
        -------
        display : TraceDisplay
        """
        pyplot(cls.__name__)
        return cls(trace(estimator, X, y, sample_weight=sample_weight)).plot(ax)
