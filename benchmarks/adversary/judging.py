"""One case: drawn from a seed and a number, then scored: held, refused with a reason, skipped, or a find."""

from __future__ import annotations

import re
import traceback
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tenfold
from adversary import (  # noqa: F401  (checks publish themselves)
    by_hand,
    claims,
    concepts,
    data,
    evaluation,
    graphs,
    laws,
    learners,
    networks,
    peers,
    pipeline_laws,
    pipelines,
    sequences,
    sources,
    ways,
)
from adversary.book import LAWS, OF_KIND, ORACLES, drawn_from
from adversary.case import Case, Problem, Skip, Wrong

HOME = str(Path(tenfold.__file__).parent)
CHECKS = {**LAWS, **ORACLES, **{name: entry for book in OF_KIND.values() for name, entry in book.items()}}
SHARES = {
    "learners": 0.4,
    "pipelines": 0.3,
    "sequences": 0.06,
    "graphs": 0.04,
    "concepts": 0.04,
    "networks": 0.02,
    "evaluation": 0.05,
    "sources": 0.04,
    "claims": 0.05,
}
"""how often each kind of case is drawn"""

DECLARED: tuple[tuple[str, str], ...] = (
    (r"as one sample would be|is more than there are samples", "one row leaves nothing to be scored on"),
    (r"too large|too long|too small|beyond", "sums of squares leave the range of float64, and that is said"),
    (
        r"decides its own prediction",
        "the error of a row far from all others, left out, is lost to rounding: it is said",
    ),
    (r"integers that float64 cannot", "identifiers are not rounded, and the remedy is named"),
    (r"weights diverge", "steps of a length that was asked for diverge, and that is said"),
    (r"needs two classes", "rows without weight are no rows, and have no class"),
    (r"of so few rows do not merge", "models that draw the same places do not add up, and the remedy is named"),
    (r"that are not integers: they are measurements", "numbers with a fraction are no categories"),
    (r"Found unknown categories", "rows without weight are no rows, and have no categories"),
    (r"row was set aside for validation", "pruning by validation rows needs some; scikit-learn has no such pruning"),
    (
        r"early stopping sets (no row|all rows) .*aside",
        "rows for validation are drawn one by one: of few, perhaps none",
    ),
    (r"with alpha=0 its weight is infinite", "scikit-learn divides by zero there"),
    (r"no member has drawn a row", "one row, and no bag drew it"),
    (
        r"degree \d+ of \d+ columns gives more than 2,000 terms",
        "one matrix of the moments of all pairs of terms is held, and its bound is said; scikit-learn holds rows",
    ),
    (r"n_samples=\d+ should be >= n_clusters", "rows without weight are no rows"),
    (
        r"Expected n_neighbors <= n_samples_fit",
        "scikit-learn says so too, but of classes that it counts by brute force: there it reads beyond the rows",
    ),
    (r"cannot be used as numbers|holds text", "text in a frame is text, though it looks like numbers"),
    (r"Big-endian buffer not supported", "pandas takes no rows of such a column"),
    (r"NaN|infinity|missing", "learners that take no missing value say so; pandas and polars hand them on"),
)
"""refusals where scikit-learn answers: what the message says, and why it is right to refuse"""

RAW: tuple[tuple[str, str], ...] = (
    (r"could not convert string to float", "numpy's words, which scikit-learn passes on too"),
    (r"Big-endian buffer not supported", "pandas' words, which scikit-learn passes on too"),
)
"""messages of other libraries that may pass through"""


class Verdict(NamedTuple):
    """What became of a case."""

    outcome: str
    """held, refused, skipped or find"""
    why: str = ""
    kind: str = ""
    """of a find: wrong, error, refusal, crash"""

    @property
    def words(self) -> str:
        """The reason without its numbers, to tell finds apart."""
        return re.sub(r"[-+]?\d[\d.e+-]*|nan|\[[^]]*\]?", "#", self.why)[:60]


def draw(seed: int, index: int, only: str = "", dask: bool = True, kind: str = "") -> Case | Problem:
    """The case with this number: a pure function of seed, number and what may be drawn.

    `only` is a part of the names of learners; `kind` names kinds of cases, with commas between them.
    """
    random = np.random.default_rng([seed, index])
    kinds = ["learners"] if only else kind.split(",") if kind else list(SHARES)
    shares = np.array([SHARES[name] for name in kinds])
    chosen = kinds[int(random.choice(len(kinds), p=shares / shares.sum()))]
    if chosen == "learners":
        return _one_learner(random, only, dask)
    if chosen == "pipelines":
        return pipelines.drawn(random)
    check: Any = drawn_from(random, OF_KIND[chosen])
    return Problem(check, (seed, index), int(random.integers(1, 13)), chosen)


def _one_learner(random: Any, only: str, dask: bool) -> Case:
    """A table, a learner of rows and a check that speaks of both."""
    learner = learners.drawn(random, only)
    need = learner.need
    n = data.rows_drawn(random)
    ordinary = random.random() < 0.5
    columns, kinds = data.columns_drawn(random, n, need, ordinary)
    if need.counts and random.random() < 0.9:
        columns = data.above_zero(columns)
    s = data.signal(random, columns, n)
    y = None
    if need.target == "class":
        y, kind = data.classes_drawn(random, s, n)
        kinds.append(kind)
    elif need.target == "number":
        y, kind = data.numbers_drawn(random, s, n, need.positive, ordinary)
        kinds.append(kind)
    weight, kind = data.weights_drawn(random, n, ordinary)
    kinds.append(kind)
    if y is not None and random.random() < 0.15:
        columns, y = data.sorted_by_target(columns, y)
        kinds.append("sorted")
    text = any(values.dtype.kind == "O" for values in columns.values())
    form = data.pick(random, [f for f in ways.FORMS if f not in ways.SPARSE or (need.sparse and not text)])
    at = random.random()
    some: Any = ways.SAME_BITS
    if at < 0.01:
        some = ways.ON_DASK if dask else ways.OTHER_PARTS
    elif at < 0.35:
        some = ways.OTHER_PARTS
    elif at < 0.5 and learner.passes == "one":
        some = ways.MERGES
    target = data.pick(random, ways.TARGETS)
    case = Case(learner, columns, y, weight, form, target, data.pick(random, some), lambda case: None, tuple(kinds))
    check = drawn_from(random, ORACLES if random.random() < 0.45 else LAWS, case) or drawn_from(random, LAWS, case)
    return case._replace(check=check)


def judge(case: Case | Problem) -> Verdict:
    """What becomes of a case when its check is run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        warnings.filterwarnings("ignore", module="sklearn")  # of predictions far off, or scores that are infinite: said
        warnings.filterwarnings(
            "ignore", "overflow encountered in exp", module="tenfold.linear_model.glm.log_link"
        )  # it is
        try:
            case.check(case)
        except Wrong as wrong:
            return Verdict("find", str(wrong), "wrong")
        except Skip as skip:
            return Verdict("skipped", str(skip))
        except MemoryError as error:
            return Verdict("find", f"MemoryError: {error}", "error")
        except Exception as error:
            return _error(case, error)
    return Verdict("held")


def _error(case: Case | Problem, error: Exception) -> Verdict:
    """A refusal, if it is of a declared class and says something; else a find."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f.filename.startswith(HOME)]
    said = f"{type(error).__name__}: {error}"
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})"
    if not ours:
        theirs = [f for f in frames if "sklearn" in f.filename]
        if theirs and not any("adversary" in f.filename and f.name == "fitted" for f in frames):
            ours = theirs
        else:
            return Verdict("find", said + where, "adversary")
    if not isinstance(error, (ValueError, TypeError)):
        return Verdict("find", said + where + f" in {Path(ours[-1].filename).name}", "error")
    if isinstance(error, np.linalg.LinAlgError) or len(str(error)) < 15:
        return Verdict("find", said + where, "error")
    known = any(re.search(pattern, str(error)) for pattern, _ in RAW)
    if not known and not _worded(frames[-1]):
        return Verdict("find", said + where + f" in {Path(ours[-1].filename).name}:{ours[-1].lineno}", "error")
    if isinstance(case, Problem):
        return Verdict("find", f"refused: {said}", "refusal")
    if not any(re.search(pattern, str(error)) for pattern, _ in DECLARED) and _they_answer(case):
        return Verdict("find", f"refused, but scikit-learn answers: {said}", "refusal")
    return Verdict("refused", str(error))


def _worded(last: traceback.FrameSummary) -> bool:
    """Whether an error was raised on purpose, by us or by scikit-learn: not by Python or numpy at work for us."""
    if "/sklearn/" in last.filename:
        return True
    return last.filename.startswith(HOME) and (last.line or "").lstrip().startswith("raise")


def _they_answer(case: Case | Problem) -> bool:
    """Whether scikit-learn fits the same rows, and says something finite of them; also of those with weight alone.

    To it, rows without weight are rows: it counts their classes, and their values.
    """
    weight = getattr(case, "weight", None)
    if weight is not None and not (weight > 0).all():
        return _fits(case) and _fits(case.rows(weight > 0))
    return _fits(case)


def _fits(case: Any) -> bool:
    try:
        theirs, X = _theirs(case)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = theirs.predict(X) if hasattr(theirs, "predict") else theirs.transform(X)
        found = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
        return bool(found.dtype.kind != "f" or np.isfinite(found).all())
    except Exception:
        return False


def _theirs(case: Any) -> Any:
    """scikit-learn's equal, fitted, and the rows in a form that it takes."""
    if hasattr(case.learner, "steps"):
        return pipeline_laws.theirs(case), ways.frame(case.columns)
    return peers.fitted(case)
