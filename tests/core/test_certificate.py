"""The first line of a certificate."""

import copy
import math
import re

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from tenfold.core import Schema
from tenfold.core.certificate import Certificate, Claim, Provenance

WHERE = Provenance("frame", 2_000, 0, 2, 3.0, "done", ("a worker",))


def claim(kind, value, status="proved"):
    return Claim(kind, value, status, "a reason", "data")


@pytest.mark.parametrize(
    ("claims", "where", "expected"),
    [
        ((), None, "no bound on the distance from the optimum"),
        ((), WHERE, "2,000 rows"),
        ((claim("gap", 0.0),), None, "solved exactly (proved)"),
        ((claim("gap", 0.00123),), WHERE, "2,000 rows; objective within 0.0012 of its optimum (proved)"),
        ((claim("gap", math.inf),), None, "no bound on the distance from the optimum (proved). Look at: gap"),
        ((claim("digits", 13.7, "estimated"),), None, "13 correct digits (estimated)"),
        ((claim("digits", 1.2),), None, "1 correct digit (proved). Look at: digits"),
        ((claim("digits", -2.0),), None, "0 correct digits (proved). Look at: digits"),
        (
            (claim("gap", 0.0), claim("scaler: constant columns", 2.0), claim("failed cells", 0.0)),
            WHERE,
            "2,000 rows; solved exactly (proved). Look at: scaler: constant columns",
        ),
    ],
)
def test_verdict(claims, where, expected):
    certificate = Certificate(claims, where)
    assert certificate.verdict == expected
    assert str(certificate).splitlines()[0] == f"Certificate (computed): {expected}"
    assert expected in re.sub("<.*?>", "", certificate._repr_html_())


def test_verdict_names_what_to_look_at():
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = X @ [1.0, 2.0, 3.0]
    X[:, 1] = 5.0
    assert tn.Ridge().fit(X, y).certificate_.verdict.endswith("Look at: constant columns")
    scaled = tn.make_pipeline(tn.StandardScaler(), tn.LogisticRegression(C=np.inf)).fit(X, y > 0)
    assert scaled.certificate_.verdict.endswith("Look at: standardscaler: constant columns")
    half = tn.LogisticRegression().fit(X[:, [0, 2]], y > 0)
    assert "Look at" not in half.certificate_.verdict
    early = Certificate((), Provenance("frame", 10, 0, 2, 1.0, "1 round", ("one",)))
    assert early.verdict == "10 rows. Look at: stopped after 1 round"
    two = Certificate((), Provenance("frame", 10, 0, 2, 1.0, "done", ("one", "another")))
    assert two.verdict == "10 rows. Look at: machines of several kinds"


@pytest.mark.parametrize(("digits", "expected"), [(np.inf, 17), (np.nan, 0), (-3.0, 0), (8.9, 8), (1.5, 1)])
def test_a_verdict_of_any_digits_that_a_file_claims(digits, expected):
    said = Certificate((Claim("digits", digits, "estimated", "rounding", "arithmetic"),)).verdict
    assert f"{expected} correct digit{'s' * (expected != 1)} (estimated)" in said


def test_claims_name_columns_and_classes(tmp_path):
    frame = pd.DataFrame({"price": [1.0, 2.0, 3.0, 9.0], "shop": list("aabb")})
    bayes = tn.GaussianNB().fit(frame[["price"]], ["yes", "no", "no", "no"])
    encoder = tn.OneHotEncoder().fit(frame[["shop"]])
    for model, wanted in ((bayes, "class 'yes', the smallest"), (encoder, "of column 'shop', the rarest")):
        model.save(tmp_path / "model.tenfold")
        loaded = tn.load(tmp_path / "model.tenfold")
        with pytest.warns(UserWarning, match="the same rows"):
            merged = model + model
        for certificate in (model.certificate_, model.verify(), merged.certificate_, loaded.certificate_):
            assert wanted in str(certificate)
        assert loaded.verify().origin == "verified"
        assert copy.deepcopy(model).certificate_.claims == model.certificate_.claims
    two = Schema((), "class", np.array([0, 1]))
    assert "class number 3" in Claim("x", 1.0, "proved", "class number 3", "data").named(two).because


def test_kinds_are_in_a_certificate_and_its_claims_are_gone_through():
    certificate = tn.Ridge().fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0]).certificate_
    assert "gap" in certificate
    assert "no such kind" not in certificate
    assert tuple(certificate) == certificate.claims


def test_a_certificate_is_used_as_a_list_of_claims_or_as_a_dictionary():
    one, two = (Claim(kind, 1.0, "proved", "so", "data") for kind in ("gap", "digits"))
    found = Certificate((one, two))
    assert list(found) == [one, two]
    assert [claim.kind for claim in found] == ["gap", "digits"]
    assert len(found) == 2
    assert "digits" in found
    assert "far" not in found
    assert found.keys() == ["gap", "digits"]
    assert dict(found) == dict(found.items()) == {"gap": one, "digits": two}
    assert found.values() == [one, two]
    assert found["digits"] is found.get("digits") is two
    assert found.get("far") is None
    assert found.get("far", 0) == 0
    assert Certificate()  # so that `model.certificate_ or ...` does not make its claims
    with pytest.raises(KeyError, match=r"no claim of kind 'digit'; did you mean \['digits'\]\?"):
        found["digit"]
    many = Certificate(tuple(one._replace(kind=f"claim {k}") for k in range(60)))
    with pytest.raises(KeyError, match=r"speaks of claim 0, .*, claim 4, \.\.\. \(60 in all\)"):
        many["ids"]


def test_a_certificate_of_a_pipeline_finds_the_claims_of_its_steps():
    model = tn.make_pipeline(tn.StandardScaler(), tn.Ridge()).fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0])
    found = model.certificate_
    assert "digits" in found
    assert {claim.kind for claim in found} == {*found.keys()}
    assert found["standardscaler: gap"].value == 0
