"""Live loss curves: a picture in a notebook, a line on a terminal, by scikit-learn's callbacks."""

from __future__ import annotations

import sys
import time
from io import BytesIO
from typing import Any

import numpy as np

from tenfold.core import Array
from tenfold.display.evaluation.loss_curve import LossCurveDisplay
from tenfold.engine.progress import in_notebook, is_watched

SECONDS_BETWEEN_PICTURES = 0.3
"""seconds between two pictures, at least"""
LINE_CHARACTERS = 48
"""characters of the line on a terminal"""
BAR_CHARACTERS = "▁▂▃▄▅▆▇█"


class LossCurveCallback:
    """Show the loss curve of a fit while it runs: a picture in a notebook, a line on a terminal, elsewhere nothing.

    A callback of scikit-learn's protocol, for learners that have `loss_curve_`: networks, stochastic gradient descent,
    Adaline. Callbacks are called for the first hundred iterations of a fit, then for every tenth, then for every
    hundredth.

    Attributes
    ----------
    loss_curve_ : array of shape (epochs,)
        What was last seen.
    validation_scores_ : array of shape (epochs,)
        The same of validation rows; empty if there are none.

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> live = tn.display.LossCurveCallback()
    >>> model = tn.MLPRegressor(4, max_iter=7).set_callbacks(live).fit(X, X[:, 0])
    >>> bool(np.array_equal(live.loss_curve_, model.loss_curve_))
    True
    """

    loss_curve_: Array = np.zeros(0)
    validation_scores_: Array = np.zeros(0)
    _screen: Any = None
    _due = 0.0

    def setup(self, estimator: Any, context: Any) -> None:
        """Find where to draw: in a notebook, on a terminal, or nowhere."""
        self.loss_curve_ = self.validation_scores_ = np.zeros(0)
        self._screen = (_Picture() if in_notebook() else _Line()) if is_watched() else None
        self._due = 0.0

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Do nothing: the first picture is drawn after an epoch."""

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any = None) -> bool:
        """Draw the curve if it is longer now, and the last picture is some time ago; never stop the fit."""
        curve = getattr(fitted_estimator, "loss_curve_", None)
        if curve is not None and len(curve) >= len(self.loss_curve_):
            self.loss_curve_ = np.asarray(curve, dtype=np.float64)
            scores = getattr(fitted_estimator, "validation_scores_", None)
            self.validation_scores_ = np.zeros(0) if scores is None else np.asarray(scores, dtype=np.float64)
            if time.monotonic() >= self._due:
                self._draw()
                self._due = time.monotonic() + SECONDS_BETWEEN_PICTURES
        return False

    def _draw(self) -> None:
        if self._screen is not None and len(self.loss_curve_):
            self._screen.draw(self.loss_curve_, self.validation_scores_)

    def teardown(self, estimator: Any, context: Any) -> None:
        """Draw the whole curve; a picture stays, a line on a terminal too."""
        self._draw()
        if self._screen is not None:
            self._screen.close()
            self._screen = None


class _Picture:
    """An image in a notebook's cell that is changed in place."""

    def __init__(self) -> None:
        from IPython.display import Image, display
        from matplotlib.figure import Figure

        self._image, self._figure, self._display = Image, Figure, display
        self._handle: Any = None

    def draw(self, loss: Array, scores: Array) -> None:
        figure = self._figure(figsize=(6.4, 3.6), layout="constrained")
        LossCurveDisplay(losses=[loss], validation_scores=[scores]).plot(figure.subplots())
        png = BytesIO()
        figure.savefig(png, format="png", dpi=90)
        image = self._image(data=png.getvalue(), format="png")
        if self._handle is None:
            self._handle = self._display(image, display_id=True)
        else:
            self._handle.update(image)

    def close(self) -> None:
        """Do nothing: the last picture stays in the cell."""


class _Line:
    """A line of a terminal that is drawn over, and stays at the end."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        self._text = Text
        self._live = Live("", console=Console(file=sys.stderr), auto_refresh=False)
        self._live.start()

    def draw(self, loss: Array, scores: Array) -> None:
        score = f" · validation score {scores[-1]:.4g}" if len(scores) else ""
        line = f"epoch {len(loss)} · loss {loss[-1]:.4g} {sparkline(loss)}{score}"
        self._live.update(self._text(line), refresh=True)

    def close(self) -> None:
        self._live.stop()


def sparkline(values: Array, width: int = LINE_CHARACTERS) -> str:
    """A curve as one line of blocks; of more values than characters, the mean of each stretch."""
    some = values[np.isfinite(values)]
    if not len(some):
        return ""
    means = np.array([part.mean() for part in np.array_split(some, min(width, len(some)))])
    low, high = means.min(), means.max()
    heights = np.rint((means - low) / (high - low) * (len(BAR_CHARACTERS) - 1)) if high > low else np.zeros(len(means))
    return "".join(BAR_CHARACTERS[int(height)] for height in heights)
