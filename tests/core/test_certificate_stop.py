"""Certificates print, show and convert; stop rules compose."""

import copy
import json
import pickle
from dataclasses import replace

import pytest

from tenfold import Certificate, Claim, Gap, Provenance, Rounds, Seconds
from tenfold.core import Never
from tenfold.core.certificate import number_of

CLAIM = Claim("gap", 0.01, "proved", "a <bound>", "objective", "convexity")
WHERE = Provenance("array 3 x 1", 3, 1, 2, 1.0, "done", ("cpu a",), 7)
CERTIFICATE = Certificate((CLAIM, Claim("limit", float("inf"), "assumed", "none", "data")), WHERE)


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 rows"), (1, "1 row"), (1.0, "1 row"), (1.5, "1.5 rows"), (2_000_000, "2,000,000 rows")]
)
def test_numbers_and_their_nouns(count, text):
    assert number_of(count, "row") == text


def test_one_is_singular():
    assert "rows: 3 in 1 part, 1 of weight zero" in str(Certificate((CLAIM,), replace(WHERE, parts=1)))
    assert Rounds(1)(1, None, 0.0) == "1 round"
    assert Seconds(1.0)(1, None, 2.0) == "1 second"


def test_text_html_and_dict():
    text = str(CERTIFICATE)
    assert "gap = 0.01 (proved; objective): a <bound>, assuming convexity" in text
    assert "rows: 3 in 2 parts, 1 of weight zero" in text
    assert "seed: 7" in text
    html = CERTIFICATE._repr_html_()
    assert "a &lt;bound&gt;" in html
    assert "<bound>" not in html
    plain = json.loads(json.dumps(CERTIFICATE.to_dict(), allow_nan=False))
    assert plain["claims"][0]["value"] == 0.01
    assert plain["claims"][1]["value"] == "inf"
    assert plain["provenance"]["mixed"] is False


def test_claims_that_are_made_later():
    calls = []
    later = Certificate.later(lambda: calls.append("claims") or (CLAIM,), lambda: calls.append("where") or WHERE)
    assert calls == []
    assert later.provenance is WHERE
    assert calls == ["where"]
    again = later.made_from(lambda: WHERE)
    assert calls == ["where"]
    assert again["gap"] is CLAIM
    assert later.claims == (CLAIM,)
    assert later.known
    assert calls == ["where", "claims"]
    assert again == later == Certificate((CLAIM,), WHERE)
    with pytest.raises(AttributeError, match="no 'other'"):
        _ = later.other


def test_a_learner_may_know_nothing_yet():
    nothing = Certificate.later(lambda: None)
    assert not nothing.known
    assert nothing.claims == ()
    assert Certificate.later(tuple).known
    assert nothing.provenance is None


def test_what_claims_are_made_of_does_not_travel():
    later = Certificate.later(lambda: (CLAIM,), lambda: WHERE)
    back = pickle.loads(pickle.dumps(later))
    assert back == Certificate((CLAIM,), WHERE)
    assert list(back.__dict__) == ["claims", "provenance", "origin"]


def test_claims_by_kind():
    assert CERTIFICATE["gap"] is CLAIM
    assert CERTIFICATE.get("digits") is None
    with pytest.raises(KeyError, match="speaks of gap, limit"):
        CERTIFICATE["digits"]


def test_provenance_merges_and_says_mixed():
    both = WHERE + Provenance("array 4 x 1", 4, 0, 1, 2.0, "done", ("cpu b",), 7)
    assert (both.rows, both.dropped, both.parts, both.passes, both.seed) == (7, 1, 3, 2.0, 7)
    assert both.mixed
    assert "mixed" in str(Certificate((), both))
    many = WHERE
    for _ in range(50):
        many = many + WHERE
    assert len(many.source) < 250


def test_stop_rules():
    rule = Gap(0.1) | Rounds(5) | Seconds(60)
    assert rule(0, None, 0.0) is None
    assert rule(0, CERTIFICATE, 0.0) == "gap at most 0.1"
    assert rule(5, None, 0.0) == "5 rounds"
    assert rule(0, None, 61.0) == "60 seconds"
    assert Gap(0.001)(0, CERTIFICATE, 0.0) is None
    assert Never()(10**9, CERTIFICATE, 1e9) is None


@pytest.mark.parametrize("found", [None, (), (Claim("gap", 0.5, "proved", "why", "objective"),)])
def test_whether_anything_is_known_outlives_copies(found):
    """A learner that claims nothing yet has no model to stop with, also after the certificate has travelled."""
    made = Certificate.later(lambda: found)
    wanted = found is not None
    travelled = pickle.loads(pickle.dumps(made))
    assert travelled.known is made.known is wanted
    assert copy.deepcopy(travelled).known is wanted
    assert travelled == made
    assert made.coming_from("verified").known is wanted
    assert made.made_from(lambda: None).known is wanted
    assert Certificate().known
