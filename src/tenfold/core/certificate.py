"""How far a model can be trusted: claims about one state, and where it came from."""

from __future__ import annotations

import hashlib
import html
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tenfold.core.errors import enumerated
from tenfold.core.rows.row_sketch import digest_of, united, words

if TYPE_CHECKING:
    from tenfold.core.schema import Schema

Status = Literal["proved", "with confidence", "estimated", "assumed"]
"""a bound that rows drawn by chance may break, however seldom, is not proved: it holds with the confidence it names"""
About = Literal["objective", "arithmetic", "data", "unseen rows"]

FINDINGS = frozenset(
    (
        "another scan",
        "boundary",
        "collapsed components",
        "components to split",
        "constant columns",
        "dead ends",
        "dropped columns",
        "empty components",
        "empty states",
        "failed cells",
        "far targets",
        "few cells",
        "few rows",
        "merged components",
        "models without rows",
        "rows drawn together",
        "separable",
        "singular classes",
        "zero rows",
    )
)
"""kinds of claims that are absent or zero where the data give no trouble"""
FEW_DIGITS = 6
"""fewer correct digits than this are a finding"""
_OF_INPUT = " of its input"
_COLUMN = re.compile(rf"\bcolumn number (\d+)\b(?!{_OF_INPUT})")
_CLASS = re.compile(r"\bclass number (\d+)\b")
_CATEGORY = re.compile(rf"\bcategory number (\d+)(?= of column number (\d+)\b(?!{_OF_INPUT}))")
_NAMED = re.compile(r"\bcolumn '([^']*)'")
MAX_DIGITS = 17
"""significant digits of a double; a file may claim more"""


def number_of(count: float, noun: str, digits: int = 12) -> str:
    """A number with its noun: 1 row, 2,000 rows."""
    return f"{count:,.{digits}g} {noun}{'s' if count != 1 else ''}"


class Claim(NamedTuple):
    """One statement about a state."""

    kind: str
    """a short name: `gap`, `digits`, ...; stop rules read `gap`"""
    value: float
    """the number claimed; 1 and 0 where the claim is yes or no"""
    status: Status
    """proved, with the confidence that `because` names, estimated, or assumed"""
    because: str
    """the reason, as text for users"""
    about: About
    """the objective, the arithmetic, the data, or unseen rows"""
    assumptions: str = ""
    """conditions under which the claim holds; empty if it holds unconditionally"""

    def named(self, schema: Schema) -> Claim:
        """Return the claim with names for numbers of columns, categories and classes, all that a summary knows."""

        def category_of(found: re.Match[str]) -> str:
            known = schema.columns[int(found[2])].categories if int(found[2]) < len(schema.columns) else None
            return _name_of("category", () if known is None else known.tolist(), found)

        if " number " not in self.because:
            return self
        classes = () if schema.classes is None else schema.classes.tolist()
        because = _CATEGORY.sub(category_of, self.because)
        because = _COLUMN.sub(lambda found: _name_of("column", schema.names, found), because)
        return self._replace(because=_CLASS.sub(lambda found: _name_of("class", classes, found), because))

    def of_columns(self, columns: Sequence[int]) -> Claim:
        """Return the claim with the numbers that its columns have among those that these are chosen from."""
        because = _COLUMN.sub(lambda found: f"column number {columns[int(found[1])]}", self.because)
        return self._replace(because=because)

    def of_input(self) -> Claim:
        """Return the claim of a step whose columns are the outputs of the step before it, which have no names."""
        return self._replace(because=_COLUMN.sub(rf"\g<0>{_OF_INPUT}", self.because))

    def renamed(self, columns: Mapping[str, str]) -> Claim:
        """Return the claim with other names for columns that it names."""

        def name_of(found: re.Match[str]) -> str:
            return f"column {columns[found[1]]!r}" if found[1] in columns else found[0]

        return self._replace(because=_NAMED.sub(name_of, self.because))

    def __str__(self) -> str:
        text = f"{self.kind} = {self.value:.6g} ({self.status}; {self.about}): {self.because}"
        return f"{text}, assuming {self.assumptions}" if self.assumptions else text


def _name_of(kind: str, names: Sequence[object], found: re.Match[str]) -> str:
    """The name of what is numbered, if it has one."""
    number = int(found[1])
    return f"{kind} {names[number]!r}" if number < len(names) else found[0]


@dataclass(frozen=True)
class Provenance:
    """Provenance of a model: its data, and where and how it was fitted."""

    source: str
    """fingerprint of the source"""
    rows: int
    """number of rows that were summarized"""
    dropped: int
    """number of rows with weight zero"""
    parts: int
    """number of parts of the source"""
    passes: float
    """scans of the source, shares of the parts counted as shares"""
    stopped: str
    """reason why the fit ended"""
    workers: tuple[str, ...]
    """CPU, BLAS and versions of each kind of process that took part"""
    seed: int | None = None
    """the seed, if the learner draws anything"""
    marks: str = field(default="", repr=False)
    """hashes of some rows, by which they are recognised again"""
    first_part: int = 0
    """from which parts were numbered, if the learner draws rows by their places"""
    overlap: int = 0
    """upper bound on the rows whose ids occur in several of the merged models"""
    sources: str = ""
    """hashes of the fingerprints of all sources, if there are several"""

    @property
    def places(self) -> int:
        """Lower bound on the distinct row ids, of which each has a random draw of its own."""
        return self.rows - self.overlap

    @property
    def each_source(self) -> frozenset[str]:
        """A hash of the fingerprint of every source that went into the model."""
        return frozenset(words(self.sources)) or frozenset([digest_of(self.source)])

    @property
    def mixed(self) -> bool:
        """Whether unlike machines took part: bits may then differ from a run on like ones."""
        return len(self.workers) > 1

    def __add__(self, other: Provenance) -> Provenance:
        """The provenance of a merged model."""
        apart = self.first_part + self.parts <= other.first_part or other.first_part + other.parts <= self.first_part
        return Provenance(
            _joined_fingerprint(self.source, other.source),
            self.rows + other.rows,
            self.dropped + other.dropped,
            self.parts + other.parts,
            max(self.passes, other.passes),
            "merged",
            tuple(sorted({*self.workers, *other.workers})),
            self.seed if self.seed == other.seed else None,
            united(self.marks, other.marks),
            min(self.first_part, other.first_part),
            self.overlap + other.overlap + (0 if apart else min(self.places, other.places)),
            "".join(sorted(self.each_source | other.each_source)),
        )


@dataclass(frozen=True)
class Certificate:
    """Claims about a model, with its provenance.

    Print it, show it in a notebook, or take `to_dict()`. `certificate["gap"]` is a claim, `"gap" in certificate` tells
    whether there is one, and a loop goes through all claims.
    """

    # Factories, not plain defaults: a default would be an attribute of the class, which Python finds before it calls
    # `__getattr__`, and claims that are made `later` would never be computed.
    claims: tuple[Claim, ...] = field(default_factory=tuple)
    provenance: Provenance | None = field(default_factory=lambda: None)
    origin: Literal["computed", "claimed by the file", "verified"] = field(default="computed")

    @classmethod
    def later(
        cls,
        claims: Callable[[], tuple[Claim, ...] | None],
        provenance: Callable[[], Provenance | None] = lambda: None,
    ) -> Certificate:
        """Return a certificate whose claims and provenance are computed on first access.

        Parameters
        ----------
        claims : callable
            A function of immutable values only, such as a model and its summary; None: nothing is known.
        provenance : callable
            The same.
        """
        made = cls.__new__(cls)  # without __init__, which would set the attributes that are to be computed
        made.__dict__["_later"] = {"claims": claims, "provenance": provenance}
        return made

    def __getattr__(self, name: str) -> Any:
        later = self.__dict__.get("_later", {})
        if name not in later:
            raise AttributeError(f"a certificate has no {name!r}")
        found = later[name]()
        if name == "claims":
            self.__dict__["_known"] = found is not None  # the class is frozen: its dictionary is not
            found = found or ()
        self.__dict__[name] = found
        later[name] = lambda: found  # what it was made of is needed no more
        return found

    def now(self) -> Certificate:
        """Return the same certificate with its claims computed, while their inputs exist and errors can be raised."""
        _ = self.claims
        return self

    @property
    def known(self) -> bool:
        """Whether the learner claims anything yet: before that it has no model to stop with."""
        return bool(self.claims) or bool(self.__dict__.get("_known", True))

    def __getstate__(self) -> dict[str, object]:
        """Return the state with computed claims: their inputs are not pickled."""
        made: dict[str, object] = {"claims": self.claims, "provenance": self.provenance, "origin": self.origin}
        return made if self.known else made | {"_known": False}

    def made_from(self, provenance: Callable[[], Provenance]) -> Certificate:
        """The same claims about a model that was made from this, both also if they are yet to be made."""
        return Certificate.later(lambda: self.claims if self.known else None, provenance)

    def named(self, schema: Schema) -> Certificate:
        """The same certificate with the names of columns and classes in its claims, also if they are yet to be made."""

        def claims() -> tuple[Claim, ...] | None:
            return tuple(claim.named(schema) for claim in self.claims) if self.known else None

        made = Certificate.later(claims, lambda: self.provenance)
        made.__dict__["origin"] = self.origin
        return made

    def get(self, kind: str, default: Any = None) -> Any:
        """The claim of a kind, or the default."""
        return next((c for c in self.claims if c.kind == kind), default)

    def keys(self) -> list[str]:
        """The kinds of the claims: `dict(certificate)` has the claims by their kinds."""
        return list(dict.fromkeys(c.kind for c in self.claims))

    def values(self) -> list[Claim]:
        """The claims, each by its kind."""
        return [self[kind] for kind in self.keys()]

    def items(self) -> list[tuple[str, Claim]]:
        """The kinds and their claims."""
        return [(kind, self[kind]) for kind in self.keys()]

    def __len__(self) -> int:
        return len(self.claims)

    def __bool__(self) -> bool:
        return True  # also without claims, and without making those that are yet to be made

    def __contains__(self, kind: object) -> bool:
        return any(c.kind == kind for c in self.claims)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __getitem__(self, kind: str) -> Claim:
        claim: Claim | None = self.get(kind)
        if claim is None:
            kinds = self.keys()
            near = get_close_matches(str(kind), kinds, 3) or [one for one in kinds if one.endswith(f": {kind}")]
            hint = f"did you mean {near[:3]}?" if near else f"this certificate speaks of {enumerated(kinds)}."
            raise KeyError(f"no claim of kind {kind!r}; {hint} list(certificate) has all claims")
        return claim

    def coming_from(self, origin: Literal["claimed by the file", "verified"]) -> Certificate:
        """The same claims, marked with where they come from."""
        found = replace(self, origin=origin)
        found.__dict__["_known"] = self.known
        return found

    def to_dict(self) -> dict[str, object]:
        """Plain values, ready for JSON (infinite values as strings)."""
        where = self.provenance
        return {
            "origin": self.origin,
            "claims": [{**c._asdict(), "value": _plain(c.value)} for c in self.claims],
            "provenance": None if where is None else {**asdict(where), "mixed": where.mixed},
        }

    @property
    def verdict(self) -> str:
        """One sentence of how good the solution is, and one of the claims to look at, if there are any."""
        where, gap, digits = self.provenance, self.get("gap"), self.get("digits")
        found = [] if where is None else [number_of(where.rows, "row")]
        if gap is not None:
            found.append(f"{_distance(gap.value)} ({gap.status})")
        if digits is not None:
            correct = math.floor(min(max(0.0, digits.value), MAX_DIGITS))
            found.append(f"{number_of(correct, 'correct digit')} ({digits.status})")
        findings = [c.kind for c in self.claims if _is_finding(c)]
        if where is not None:
            findings += [f"stopped after {where.stopped}"] if where.stopped[:1].isdigit() else []
            findings += ["machines of several kinds"] if where.mixed else []
        sentence = "; ".join(found) or "no bound on the distance from the optimum"
        return f"{sentence}. Look at: {', '.join(findings)}" if findings else sentence

    def __str__(self) -> str:
        lines = [f"Certificate ({self.origin}): {self.verdict}", *(f"  {c}" for c in self.claims)]
        lines += [f"  {name}: {value}" for name, value in self._facts()]
        return "\n".join(lines)

    def _facts(self) -> list[tuple[str, str]]:
        where = self.provenance
        if where is None:
            return []
        facts = [
            ("source", where.source),
            ("rows", f"{where.rows:,} in {number_of(where.parts, 'part')}, {where.dropped:,} of weight zero"),
            ("passes", f"{where.passes:g}, stopped: {where.stopped}"),
            *(("worker", w) for w in where.workers),
        ]
        if where.mixed:
            facts.append(("mixed", "machines of several kinds took part: bits may differ from those of one kind"))
        if where.seed is not None:
            facts.append(("seed", str(where.seed)))
        return facts

    def _repr_html_(self) -> str:
        cell = "text-align:left;vertical-align:top"
        rows = "".join(
            f"<tr><td style='{cell}'><b>{html.escape(c.kind)}</b></td>"
            f"<td style='{cell}'>{c.value:.6g}</td><td style='{cell}'>{c.status}</td>"
            f"<td style='{cell}'>{html.escape(c.because)}"
            + (f" <i>assuming {html.escape(c.assumptions)}</i>" if c.assumptions else "")
            + f"</td><td style='{cell}'>{c.about}</td></tr>"
            for c in self.claims
        )
        facts = "".join(
            f"<tr><td style='{cell}'>{html.escape(name)}</td><td style='{cell}'>{html.escape(value)}</td></tr>"
            for name, value in self._facts()
        )
        head = "".join(f"<th style='{cell}'>{h}</th>" for h in ("claim", "value", "status", "because", "about"))
        return (
            f"<table class='tenfold-certificate'><caption>Certificate ({self.origin}): "
            f"{html.escape(self.verdict)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            f"<details><summary>provenance</summary><table>{facts}</table></details>"
        )


def _distance(gap: float) -> str:
    """Return in words how far the objective may be from its optimum."""
    if gap == 0:
        return "solved exactly"
    return (
        f"objective within {gap:.2g} of its optimum"
        if math.isfinite(gap)
        else "no bound on the distance from the optimum"
    )


def _is_finding(claim: Claim) -> bool:
    kind = claim.kind.rpartition(": ")[2]  # a pipeline names the step before it
    if kind == "digits":
        return claim.value < FEW_DIGITS
    return not math.isfinite(claim.value) if kind == "gap" else kind in FINDINGS and claim.value > 0


def _joined_fingerprint(a: str, b: str) -> str:
    """Two fingerprints as one, which stays short however many models are merged."""
    text = f"{a} + {b}"
    if len(text) <= 200:
        return text
    return f"many, {hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"


def _plain(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
