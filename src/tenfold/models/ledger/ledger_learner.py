"""One learner of a ledger: how what it knows of a batch is written to a leaf, and read.

What leaves have in common, the columns and what the learner chose by them, is decoded once and known by its digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from tenfold.core import ONE, Certificate, MergeError, ModelFileError, Provenance, Schema
from tenfold.estimator import Estimator
from tenfold.estimator.files.encoding import Reader, Writer, parts
from tenfold.estimator.files.model_file import (
    read_certificate,
    read_computed,
    read_schema,
    read_summary,
    write_certificate,
    write_schema,
    write_summary,
)
from tenfold.estimator.files.registry import id_of
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.estimator.updating.capabilities import remedy_for_more_rows
from tenfold.estimator.updating.merging import different
from tenfold.models.ledger.leaf_file import LeafFile, digest, read_section, section
from tenfold.models.ledger.merged import Merged

MAX_KNOWN = 1024
"""schemas, and choices of a learner, that are kept decoded"""
MAX_SHOWN = 200
"""letters of a parameter that an error shows"""
FIELDS = ("learner", "statistic", "schema", "summary", "choices", "record", "decided", "fingerprint")
"""what the header of a leaf has of each learner"""


class LedgerLearner:
    """A learner of a ledger.

    Parameters
    ----------
    name : str
    learner : learner
        Unfitted.
    """

    def __init__(self, name: str, learner: Any) -> None:
        if not isinstance(learner, Estimator):
            raise TypeError(
                f"{name}: {learner!r} is not a learner of tenfold, so its batches do not merge. Remedy: a learner of "
                "tenfold of one pass, such as tenfold.Ridge()"
            )
        learner = learner._blank()
        learner._validate_params()
        if learner.passes != ONE or learner.need.sequence is not None:
            kind = type(learner).__name__
            how = "learns from whole sequences" if learner.need.sequence is not None else "reads its rows several times"
            raise TypeError(
                f"{f'{name}: ' * (name != kind)}{kind} {how}, so the summaries of its batches do not merge to a model. "
                f"Remedy: {remedy_for_more_rows(learner)}"
            )
        if learner.seeded and learner.random_state is None:  # batches draw alike, today and tomorrow
            learner.random_state = 0
        self.name, self.learner, self.kind = name, learner, id_of(type(learner))
        self._schemas: dict[tuple[str, str], Schema] = {}
        self._chosen: dict[str, tuple[Any, Any]] = {}
        self._agreed: dict[tuple[str, str], str] = {}

    def forget(self) -> None:
        """Forget what was decoded of leaves: one of them may be dropped."""
        self._schemas, self._chosen, self._agreed = {}, {}, {}

    # ---- writing -----------------------------------------------------------------------------------

    def fit(self, rows: Any) -> Any:
        """Return the learner, fitted to the rows of a batch."""
        fitted = self.learner._blank().fit(rows)
        if len(fitted.each_output()) != 1 or fitted.each_output()[0] is not fitted:
            raise MergeError(f"{self.name}: a ledger has one target for a learner. Remedy: a learner for each column")
        if why := fitted.does_not_merge:
            raise MergeError(f"{self.name}: {why}")
        return as_fitted(fitted)

    def of_fit(self, fitted: Any) -> Merged:
        """Return what a fitted learner knows of its rows."""
        decided = {name: fitted.__dict__[name] for name in fitted.decided if name in fitted.__dict__}
        learner = fitted._blank()
        return Merged(
            learner, fitted.schema_, fitted.summary_, lambda: fitted.certificate_.provenance, "", fitted.computed,
            tuple(decided.items()),
        )  # fmt: skip

    def write(self, known: Merged, sections: list[bytes]) -> dict[str, Any]:
        """Add the sections of what is known of some rows to those of a leaf; return what the header has of it."""
        learner = known.learner
        to = Writer()
        schema = _add(sections, section(to, write_schema(to, known.schema)))
        to = Writer()
        summary = _add(sections, section(to, write_summary(to, known.summary)))
        mine, theirs = self.learner.get_params(deep=False), learner.get_params(deep=False)
        chosen = [name for name in mine if different({name: mine[name]}, {name: theirs[name]})]
        choices = None
        if chosen or known.computed:
            to = Writer()
            node = {
                "given": _described({name: mine[name] for name in chosen}),
                "chosen": {name: to.value(theirs[name], name) for name in chosen},
                "computed": [[list(pair) for pair in made] for made in known.computed],
            }
            choices = _add(sections, section(to, node))
        to = Writer()
        certificate = write_certificate(to, Certificate((), known.provenance()))
        record = _add(sections, section(to, {"params": _described(mine), "certificate": certificate}))
        text = "".join(digest(sections[at]) for at in (schema, summary))
        return {
            "learner": self.kind, "statistic": self._statistic(learner, known.schema), "schema": schema,
            "summary": summary, "choices": choices, "record": record, "decided": dict(known.decided),
            "fingerprint": digest(text.encode()),
        }  # fmt: skip

    def _statistic(self, learner: Any, schema: Schema) -> str:
        """Return the digest of what the learner asks of rows with these columns."""
        found: str = learner.ask(learner.start(schema)).digest.hex()
        return found

    # ---- reading -----------------------------------------------------------------------------------

    def about(self, leaf: LeafFile) -> dict[str, Any]:
        """Return what the header of a leaf has of this learner."""
        learners = leaf.about.get("learners")
        found = learners.get(self.name) if isinstance(learners, dict) else None
        if found is None:
            raise MergeError(
                f"{leaf.where} has no summary of {self.name!r}. Remedy: append its rows again, after drop; or a window "
                "of the batches that have one, since="
            )
        if not isinstance(found, dict) or set(found) != set(FIELDS) or not _plain(found):
            raise ModelFileError(f"{leaf.where} is malformed: its header")
        if found["learner"] != self.kind:
            raise MergeError(
                f"{leaf.where} has summaries of {found['learner']} as {self.name!r}, and this ledger a {self.kind}. "
                "Remedy: another name for the new learner"
            )
        return found

    def read(self, leaf: LeafFile, key: str) -> Merged:
        """Return what this learner knows of a leaf. Parameters that its summary depends on are compared."""
        about = self.about(leaf)
        with _naming(leaf.where):
            learner, computed = self._choices(leaf, about)
            schema = self._schema(leaf, about, learner)
            self._check_agrees(leaf, about, learner, schema)
            node, reader = leaf.section(about["summary"])
            reader.know(learner)
            summary = read_summary(reader, node, learner, schema)
            reader.finish()
        if summary is None:
            raise ModelFileError(f"{leaf.where} has no summary")
        where = cache(partial(_provenance, leaf.bytes_of(about["record"]), leaf.where))
        return Merged(learner, schema, summary, where, key, computed, tuple(about["decided"].items()))

    def _choices(self, leaf: LeafFile, about: dict[str, Any]) -> tuple[Any, Any]:
        """Return the learner with what it chose when it saw the rows, and the computed columns of these."""
        if about["choices"] is None:
            return self.learner, ()
        known = leaf.digest_of(about["choices"])
        if known in self._chosen:
            leaf.bytes_of(about["choices"])
            return self._chosen[known]
        node, reader = leaf.section(about["choices"])
        given, chosen, computed = parts(node, "given", "chosen", "computed")
        after = _values(reader, chosen, self.learner)
        reader.finish()
        if said := self._other_parameters(given):
            raise MergeError(f"its parameters are others: {said}. {_OTHER_PARAMETERS}")
        learner = self.learner._blank()
        learner.__dict__.update(after)
        try:
            learner._validate_params()
        except (ValueError, TypeError) as error:
            raise ModelFileError(f"a parameter in the file is not allowed: {error}") from None
        _keep(self._chosen, known, (learner, read_computed(computed)))
        return self._chosen[known]

    def _schema(self, leaf: LeafFile, about: dict[str, Any], learner: Any) -> Schema:
        """Return the columns of a leaf; one object for all leaves that have the same."""
        known = _columns(leaf, about)
        if known in self._schemas:
            leaf.bytes_of(about["schema"])
            return self._schemas[known]
        node, reader = leaf.section(about["schema"])
        found = read_schema(reader, node, learner)
        reader.finish()
        return _keep(self._schemas, known, found)

    def _check_agrees(self, leaf: LeafFile, about: dict[str, Any], learner: Any, schema: Schema) -> None:
        """Refuse a leaf whose summary is of another statistic than this learner asks for."""
        known = _columns(leaf, about)
        if known not in self._agreed:
            _keep(self._agreed, known, self._statistic(learner, schema))
        if self._agreed[known] == about["statistic"]:
            return
        node = leaf.section(about["record"])[0]
        said = self._other_parameters(parts(node, "params", "certificate")[0])
        raise MergeError(
            f"its parameters are others: {said}. {_OTHER_PARAMETERS}"
            if said
            else "another version of tenfold wrote it, whose summaries were others. Remedy: append its rows again, "
            "after drop"
        )

    def _other_parameters(self, given: Any) -> str:
        """Return the parameters in which this learner is not the one that wrote a leaf."""
        mine = self.learner.get_params(deep=False)
        if not isinstance(given, dict) or not {*given} <= {*mine}:
            raise ModelFileError("the file has other parameters than the learner")
        now = _described({name: mine[name] for name in given})
        return ", ".join(
            f"{name} is {_text_of(given[name])} and {now[name][0]}" for name in given if given[name] != now[name]
        )


_OTHER_PARAMETERS = (
    "The first is the leaf's, and its summary depends on it. Remedy: the parameters that the leaf has; or append its "
    "rows again, after drop"
)


def _described(params: dict[str, Any]) -> dict[str, list[str]]:
    """Return for each parameter a text to show, and a digest by which equal ones are known."""
    found = {}
    for name, value in params.items():
        to = Writer()
        try:
            text = json.dumps(to.value(value, name))
        except ModelFileError:  # each batch chooses it again, so that no file has to hold it
            text = repr(value)
        raw = b"".join([text.encode(), *(array.tobytes() for array in to.tensors.values())])
        found[name] = [repr(value)[:MAX_SHOWN], digest(raw)]
    return found


def _text_of(one: Any) -> str:
    return one[0] if isinstance(one, list) and one and isinstance(one[0], str) else "?"


def _provenance(raw: bytes, where: str) -> Provenance:
    """Return where the rows of a leaf came from, by the bytes of its record."""
    with _naming(where):
        node, reader = read_section(raw, where)
        found = read_certificate(reader, parts(node, "params", "certificate")[1]).provenance
    assert found is not None
    return found


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Name the leaf that an error is about."""
    try:
        yield
    except (ModelFileError, MergeError) as error:
        raise error if where in str(error) else type(error)(f"{where}: {error}") from None


def _columns(leaf: LeafFile, about: dict[str, Any]) -> tuple[str, str]:
    """Return the digests of the columns of a leaf, and of what the learner chose by them."""
    return leaf.digest_of(about["schema"]), "" if about["choices"] is None else leaf.digest_of(about["choices"])


def _add(sections: list[bytes], raw: bytes) -> int:
    """Add a section, and return its number; one that is there already serves again."""
    if raw in sections:
        return sections.index(raw)
    sections.append(raw)
    return len(sections) - 1


def _values(reader: Reader, node: Any, learner: Any) -> dict[str, Any]:
    """Return parameters by their names."""
    if not isinstance(node, dict) or not {*node} <= {*learner._get_param_names()}:
        raise ModelFileError("the file has other parameters than the learner")
    return {name: reader.value(value) for name, value in node.items()}


def _plain(found: dict[str, Any]) -> bool:
    """Whether what a header has of a learner is of the types that it must be of."""
    texts = all(isinstance(found[name], str) for name in ("learner", "statistic", "fingerprint"))
    decided = found["decided"]
    return texts and isinstance(decided, dict) and all(type(value) is bool for value in decided.values())


def _keep(known: dict[Any, Any], key: Any, value: Any) -> Any:
    """Keep what was decoded; the oldest gives way."""
    if len(known) >= MAX_KNOWN:
        del known[next(iter(known))]
    known[key] = value
    return value
