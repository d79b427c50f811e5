"""A report of a fitted model: one page of HTML that needs nothing else, or a model card in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tenfold.core import MatrixLike
from tenfold.core.errors import from_here
from tenfold.reporting.content import Content, content_of
from tenfold.theory.checks import fraction

HTML, MARKDOWN = "page.html.jinja", "model_card.md.jinja"


@dataclass(frozen=True, repr=False)
class Report:
    """A report of a fitted model. Save it as HTML or Markdown, or show it in a notebook.

    Parameters
    ----------
    content : Content
        What the page shows.
    """

    content: Content

    def to_html(self) -> str:
        """Return the page: it has no script, makes no request, and follows the light or dark mode of the browser."""
        return _rendered(HTML, self.content)

    def to_markdown(self) -> str:
        """Return a model card in Markdown, for a repository."""
        return _rendered(MARKDOWN, self.content)

    def save(self, path: Any) -> None:
        """Write the report to a file, as HTML or as a model card in Markdown.

        Parameters
        ----------
        path : str or path
            Its name ends in `.html` or `.md`.
        """
        path = Path(path)
        if path.suffix not in (".html", ".md"):
            raise ValueError(f"the name of {path} must end in .html, or in .md for a model card")
        path.write_text(self.to_html() if path.suffix == ".html" else self.to_markdown(), encoding="utf-8")

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe srcdoc="{escape(self.to_html())}" sandbox width="100%" height="800"></iframe>'

    def __repr__(self) -> str:
        return f"<Report: {self.content.title}>"


@from_here
def report(
    model: BaseEstimator,
    X: MatrixLike = None,
    y: ArrayLike | None = None,
    *,
    title: str | None = None,
    scoring: str | Sequence[str] | None = None,
    segments: str | Sequence[str] = (),
    level: float = 0.95,
) -> Report:
    """Report on a fitted model: what it is, how far it can be trusted, and where it errs.

    Parameters
    ----------
    model : learner or Pipeline
        Fitted, of tenfold.
    X : frame, array or Source, optional
        Rows that the model was not made from. Without them the report has no performance. A Source brings its own
        target and weights.
    y : array, optional
        The target of each row; None if a Source names it.
    title : str, optional
        By default the name of the learner.
    scoring : str or list of str, optional
        Scores as scikit-learn names them. By default the error rate of classifiers, with two classes and probabilities
        also the area under the ROC curve and the log loss; the errors and R² of regressors.
    segments : str or list of str, optional
        Columns of a Source or frame: the error is reported for each of their values, too.
    level : float, default=0.95
        Of the confidence intervals.

    Returns
    -------
    report : Report

    Examples
    --------
    >>> import numpy as np, tenfold as tn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> y = X[:, 0] + rng.normal(size=600) > 0
    >>> model = tn.GaussianNB().fit(X[:400], y[:400])
    >>> page = tn.report(model, X[400:], y[400:], title="Which rows are positive?")
    >>> page
    <Report: Which rows are positive?>
    >>> page.to_markdown().splitlines()[0]
    '# Which rows are positive?'
    """
    names = (segments,) if isinstance(segments, str) else tuple(segments)
    return Report(content_of(model, X, y, title, scoring, names, fraction("level", level)))


def _rendered(template: str, content: Content) -> str:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise ImportError("a report needs Jinja2. Remedy: pip install 'tenfold[report]'") from None
    from tenfold.reporting.markdown import in_markdown

    is_page = template == HTML
    environment = Environment(
        loader=PackageLoader("tenfold.reporting"), autoescape=is_page, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, finalize=None if is_page else in_markdown,
    )  # fmt: skip
    return environment.get_template(template).render(report=content)
