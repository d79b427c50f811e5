"""What a report shows, as plain values: nothing here knows of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Certificate, MatrixLike
from tenfold.core.certificate import Claim
from tenfold.display.drawing import summarized
from tenfold.display.evaluation.calibration import share_interval
from tenfold.inspection.profile.profile import Profile
from tenfold.metrics.predictors import check_model
from tenfold.model_selection.certification.certify import certify
from tenfold.model_selection.formatting import percent
from tenfold.reporting.charts import Chart, Line, Points, line_chart
from tenfold.reporting.segments import Segment, segments_of
from tenfold.sources.inputs import is_lazy
from tenfold.stats.metrics import Calibration, Ranking
from tenfold.stats.metrics.calibration import even_edges

CALIBRATION_BINS = 10
BINARY_SCORES = ("error", "roc_auc", "neg_log_loss")
REPRODUCE = """import tenfold as tn

model = tn.load("model.tenfold")  # saved by model.save("model.tenfold")
print(model.verify())  # the certificate, computed again from the summary in the file"""


class ReportedScore(NamedTuple):
    """A score on unseen rows, as text."""

    name: str
    value: str
    low: str
    high: str
    because: str


class Table(NamedTuple):
    """A table as text."""

    head: list[str]
    rows: list[list[str]]
    note: str


class Content(NamedTuple):
    """What a report shows."""

    title: str
    learner: str
    description: str
    """the first paragraph of the learner's documentation"""
    steps: list[tuple[str, str]]
    """name and parameters of each step of a pipeline, or of the learner itself"""
    columns: list[str]
    classes: list[str]
    certificate: Certificate
    claims: list[Claim]
    level: str
    scores: list[ReportedScore]
    baselines: list[Claim]
    """what a model without columns reaches"""
    remarks: list[Claim]
    """other claims about the performance, such as how often the rows were used"""
    test_rows: int | None
    profile: Table | None
    charts: list[Chart]
    segments: list[tuple[str, str, list[Segment]]]
    """for each column its name, what is averaged, and its values"""
    reproduce: str


def content_of(
    model: BaseEstimator, X: MatrixLike, y: ArrayLike | None, title: str | None,
    scoring: str | Sequence[str] | None, segments: tuple[str, ...], level: float,
) -> Content:  # fmt: skip
    """Read what the model says of itself, and score it on the rows."""
    check_is_fitted(model)
    steps = getattr(model, "steps", None) or [(type(model).__name__, model)]
    last = steps[-1][1]
    scores: list[ReportedScore] = []
    baselines: list[Claim] = []
    remarks: list[Claim] = []
    charts: list[Chart] = []
    found: list[tuple[str, str, list[Segment]]] = []
    profile, test_rows = None, None
    if X is not None:
        check_model(model)
        wanted = scoring if scoring is not None else _usual_scores(model)
        promised = certify(model, X, y, scoring=wanted, level=level, reused=1)
        scores, baselines, remarks = _scores(promised)
        test_rows = None if promised.provenance is None else promised.provenance.rows
        charts = _curves(model, X, y, level)
        profile = _profile(X, y)
        found = [(name, *segments_of(model, X, y, name, level)) for name in segments]
    certificate: Certificate = model.certificate_
    return Content(
        title=title or type(last).__name__,
        learner=type(last).__name__,
        description=" ".join((type(last).__doc__ or "").strip().split("\n\n")[0].split()),
        steps=[(name, " ".join(repr(step).split())) for name, step in steps],
        columns=[str(name) for name in getattr(model, "feature_names_in_", ())],
        classes=[str(label) for label in getattr(model, "classes_", ())],
        certificate=certificate,
        claims=list(certificate.claims),
        level=percent(level),
        scores=scores,
        baselines=baselines,
        remarks=remarks,
        test_rows=test_rows,
        profile=profile,
        charts=charts,
        segments=found,
        reproduce=REPRODUCE,
    )


def _usual_scores(model: BaseEstimator) -> list[str] | None:
    binary = is_classifier(model) and len(model.classes_) == 2 and hasattr(model, "predict_proba")
    return list(BINARY_SCORES) if binary else None


def _scores(promised: Certificate) -> tuple[list[ReportedScore], list[Claim], list[Claim]]:
    """Scores with their intervals, the baselines, and other claims."""
    known = {claim.kind: claim for claim in promised.claims}
    scores, baselines, remarks = [], [], []
    for kind, claim in known.items():
        if kind.endswith((" at least", " at most")):
            continue
        if kind.startswith("baseline "):
            baselines.append(claim)
        elif f"{kind} at least" in known or f"{kind} at most" in known or claim.about == "data":
            ends = [known.get(f"{kind} {end}") for end in ("at least", "at most")]
            low, high = ("" if end is None else f"{end.value:.4g}" for end in ends)
            end = next((end for end in ends if end is not None), claim)
            scores.append(ReportedScore(kind, f"{claim.value:.4g}", low, high, end.because))
        else:
            remarks.append(claim)
    return scores, baselines, remarks


def _curves(model: BaseEstimator, X: MatrixLike, y: ArrayLike | None, level: float) -> list[Chart]:
    """The ROC curve and the calibration of a classifier of two classes."""
    if not (is_classifier(model) and len(model.classes_) == 2):
        return []
    ranking, label, _ = summarized(model, X, y, None, None, "score", Ranking.of)
    fpr, tpr, _ = ranking.roc_curve(True)
    chance = Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "reference")
    charts = [
        line_chart(
            "ROC curve", f"false positive rate, class {label}", "true positive rate",
            [chance, Line(fpr, tpr, "model")], f"Area under the curve: {ranking.roc_auc:.3f}. The diagonal is chance.",
        )
    ]  # fmt: skip
    if hasattr(model, "predict_proba"):
        edges = even_edges(CALIBRATION_BINS)
        bins, _, _ = summarized(
            model, X, y, None, None, "probability", lambda *rows: Calibration.of(*rows, edges=edges)
        )
        ends = share_interval(bins, level)
        charts.append(
            line_chart(
                "Calibration", f"mean predicted probability of class {label}", "share of the class",
                [chance, Line(bins.prob_pred, bins.prob_true, "model"), Points(bins.prob_pred, bins.prob_true, ends)],
                f"Off by {bins.expected_error:.3f} on average; the bars are intervals of {percent(level)}.",
            )
        )  # fmt: skip
    return charts


def _profile(X: MatrixLike, y: ArrayLike | None) -> Table:
    """What the columns of the rows hold."""
    found = X.describe() if is_lazy(X) else Profile().fit(X, y).describe()
    return Table(found._head(), found._rows(), found._note())
