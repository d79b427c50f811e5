"""Messages, docstrings and pages use the words of the field, which a reader can search for."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [
    *sorted((ROOT / "src/tenfold").rglob("*.py")),
    *sorted((ROOT / "docs").glob("*.rst")),
    *sorted((ROOT / "docs/decisions").glob("*.rst")),
    *sorted((ROOT / "docs/examples").rglob("*.py")),
    ROOT / "README.md",
]
INSTEAD = {
    r"(not|learners) told apart|tell \w+ and \w+ apart|tell the learners apart": "significantly different",
    r"rows (that )?(it|they) (has|have|had) not seen|rows that were not seen": "unseen rows, test rows",
    r"rows (kept|held) back|(kept|held)-back (error|bound)|those (kept|held) back": "validation rows",
    r"rows learned from": "training rows",
    r"\d+ % sure": "with 95 % confidence",
    r"always saying": "always predicting",
    r"normal curve": "normal approximation",
    r"\bmend(s|ed)? (it|them|the|or)\b": "correct",
    r"\bnoughts?\b": "zero",
    r"\banew\b": "again",
    r"by lot\b": "at random",
    r"grow without end": "diverge",
    r"thinnest": "smallest",
    r"stands? twice": "appears twice",
    r"falls to (zero|nothing)\b(?! as)": "is 0",
    r"in the values that say what is done here": "other values raise an error",
    r"and without effect: \*Coming from": "has no effect",
    r"is multiplied by it\b": "the factor on ..., shrinkage",
    r"Rounds at most\b": "Maximum number of rounds",
    r"where it is asked\b": "that match `where`",
    r"what (the )?(members|trees|estimators) says?\b": "predictions",
    r"has no say\b": "is left out",
    r"say to which group": "the group of the row",
    r"there is nothing to (learn|boost|compute)\b(?! from)": "nothing is estimated",
    r"(the|that) certificate (says|tells)\b": "reports, bounds",
}
CONSTANTS = {
    "FEW": "MAX_..., a bound with the noun that it counts: GATHER_BELOW_ROWS",
    "LEAST": "MIN_... with a noun: MIN_ROWS_PER_THREAD",
    "WIDE": "MAX_... with a noun: MAX_QR_FEATURES",
    "SMALL": "MAX_... or MIN_... with a noun",
    "TINY": "MIN_... with a noun, or ..._TOLERANCE",
    "BLOCK": "..._ROWS, ..._BYTES",
    "ROWS": "..._ROWS, with what they are for",
    "TRIES": "MAX_TRIES",
    "NOUGHT": "ZERO",
}
"""names that module-level constants must not have: an import of one says nothing, and what to write instead"""
NAMES = {
    "badness": "impurity",
    "so_manieth": "every n-th",
    "both_halves": "symmetrize",
    "met_by": "overlap",
    "said_from": "output_from",
    "said_of": "output_view",
    "may_hand_on": "may_pass_categories",
    "NOUGHT": "ZERO",
    "merit|least_merit": "gain, min_gain",
    "desk": "queue",
}
"""functions, fields and variables of a private dialect, and the field's word"""
DEFINITIONS = {
    "AGAIN|ALIKE|APART|ASKED|AT_ONCE|BETWEEN|BLOCK|CLOSE|EACH|ENOUGH|EVERY|FAR|FEW|FINE|HALF|HEFT|JUDGED|KEPT|LARGE": (
        "a noun: MAX_QR_FEATURES, ROWS_PER_BLOCK, RESIDUAL_TOLERANCE"
    ),
    "LEAST|LENT|LITTLE|LOOKED|MOST|MOVES|NEAR|REST|ROUGH|ROWS|SAME|SETTLE|SMALL|SOFT|SURE|TINY|USUAL|WAYS|WHOLE|WIDE": (
        "a noun: MAX_MOVES, SMALLEST_NORMAL, MISSING_RULES"
    ),
    "Judged|Followed|Onward|Itself|Begun|Solved|Roster|Unseen|UnseenNumbers": "what the record holds or the state does",
    "_?(said|told|says|tell|roles_said|told_apart|some|apart|shown)": (
        "a verb or a noun: member_output, select, split_groups, kept_summary, preview"
    ),
    "alike|enough|judged|others|breathe|lay_out|await_all": (
        "what is compared, checked or counted: same_axes, check_row_count, count_other_models, publish"
    ),
    "_(gone|there|near|why|which|enough|given|when)": (
        "a verb or a noun: _selected_terms, _are_missing, _binarized, _explanation, _center_counts"
    ),
    "judgement|judged_type|merits?|least_merit|cuts_at_price|prices|hands|crew|told_by|telling": (
        "claims, gain, alpha, C, threads, identity"
    ),
}
"""names that nothing may be defined with, and what to write instead"""


@pytest.mark.parametrize(("phrase", "instead"), INSTEAD.items())
def test_no_phrase_that_a_reader_would_stumble_over(phrase, instead):
    found = []
    for path in FILES:
        text = re.sub(r'"\s*\n\s*f?"|\s*\n\s*(# )?', " ", path.read_text())
        said = re.search(rf"(?<![\w`.])(?:{phrase})", text)
        if said:
            found.append(f"{path.relative_to(ROOT)}: {text[max(0, said.start() - 30) : said.end() + 30]}")
    assert not found, f"better: {instead}\n" + "\n".join(found)


def test_a_phrase_that_goes_over_two_literals_is_found():
    text = re.sub(r'"\s*\n\s*f?"|\s*\n\s*(# )?', " ", '    "as many rows "\n    f"learned from"\n')
    assert re.search(r"rows +learned from", text)


def sources():
    return [(path.relative_to(ROOT), path.read_text()) for path in sorted((ROOT / "src/tenfold").rglob("*.py"))]


def test_constants_name_what_they_bound():
    bare = re.compile(rf"^({'|'.join(CONSTANTS)})\b *[:=]", re.MULTILINE)
    found = {f"{path}: {match[1]}": CONSTANTS[match[1]] for path, text in sources() for match in bare.finditer(text)}
    assert not found


def test_identifiers_are_words_of_the_field():
    word = re.compile(rf"\b({'|'.join(NAMES)})\b")
    found = {f"{path}: {match[1]}": NAMES[match[1]] for path, text in sources() for match in word.finditer(text)}
    assert not found


def defined(path: Path) -> Iterator[str]:
    """Names of the constants of a module, and of its classes, functions, methods and fields."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
        for one in node.body if isinstance(node, ast.ClassDef | ast.Module) else ():
            targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


@pytest.mark.parametrize(("names", "instead"), DEFINITIONS.items())
def test_nothing_is_defined_by_a_name_that_a_reader_has_to_look_up(names, instead):
    paths = sorted((ROOT / "src/tenfold").rglob("*.py"))
    found = [f"{path}: {name}" for path in paths for name in defined(path) if re.fullmatch(names, name)]
    assert not found, f"better: {instead}\n" + "\n".join(found)
