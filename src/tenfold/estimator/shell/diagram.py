"""What a notebook shows of a model: scikit-learn's diagram of its parts, and the verdict of its certificate below."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from sklearn.utils import estimator_html_repr
from sklearn.utils._repr_html.estimator import _VisualBlock


def diagram(model: Any) -> str:
    """The diagram of a learner; of a fitted one also what its certificate says, which opens to all claims."""
    shown = str(estimator_html_repr(model))
    certificate = getattr(model, "certificate_", None)
    if certificate is None:
        return shown
    verdict = escape(str(certificate).partition("\n")[0])
    return f"{shown}<details class='tenfold-verdict'><summary>{verdict}</summary>{certificate._repr_html_()}</details>"


def side_by_side(parts: Sequence[tuple[str, Any]], details: Sequence[Any] | None = None) -> Any:
    """The parts of a learner as boxes beside each other, each with its name and details, such as columns."""
    names, learners = zip(*parts, strict=True)
    said = None if details is None else [str(one) for one in details]
    return _VisualBlock("parallel", learners, names=names, name_details=said)
