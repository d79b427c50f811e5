"""Candidate elimination with taxonomies and intervals: version spaces example by example, brute force, parts, files."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from tenfold import CandidateElimination, DataError, VersionSpace
from tenfold.concept.attribute import Attribute
from tenfold.concept.conjunction import covers
from tenfold.sources import part_rows
from tenfold.testing import bits

SHAPES = {
    "circle": "round", "ellipse": "round", "square": "angular", "triangle": "angular", "hexagon": "angular",
}  # fmt: skip
GIVEN = {"shape": SHAPES, "size": "ordered"}


def examples(seed, n=12):
    """Few kinds, whole numbers that repeat, and a concept of kinds and intervals, at times with a wrong label."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "shape": random.choice(["circle", "ellipse", "square", "triangle"], n),
            "size": random.integers(1, 7, n),
            "color": random.choice(["red", "blue"], n),
        }
    )
    label = frame["shape"].map(SHAPES).eq("round") & frame["size"].between(2, 4)
    if seed % 3 == 0:
        label[int(random.integers(n))] ^= True
    return frame, np.where(label, "yes", "no")


def step_by_step(frame, y):
    sizes = sorted(set(frame["size"].tolist()))
    attributes = (
        Attribute.taxonomy(SHAPES), Attribute.ordered(sizes), Attribute.nominal(set(frame["color"])),
    )  # fmt: skip
    rows = [tuple(row) for row in frame.astype(object).to_numpy().tolist()]
    return VersionSpace(attributes).learn_all(rows, y == "yes"), rows


@pytest.mark.parametrize("seed", range(12))
def test_boundaries_are_those_of_a_version_space_example_by_example(seed):
    frame, y = examples(seed)
    model = CandidateElimination(pos_label="yes", attributes=GIVEN).fit(frame, y)
    space, _ = step_by_step(frame, y)
    assert model.version_space_ == space
    assert model.certificate_["consistent"].value == (not space.is_empty)
    assert model.certificate_["size"].value == space.size


@pytest.mark.parametrize("seed", range(8))
def test_predictions_are_votes_of_all_hypotheses_by_brute_force(seed):
    frame, y = examples(seed)
    model = CandidateElimination(pos_label="yes", attributes=GIVEN, undecided="?").fit(frame, y)
    space, rows = step_by_step(frame, y)
    if space.is_empty:
        assert "no conjunction is consistent" in model.certificate_["consistent"].because
        return
    every = [tn.Conjunction(c) for c in product(*(a.constraints for a in space.attributes))]
    left = [h for h in every if all(covers(h, row) == (one == "yes") for row, one in zip(rows, y, strict=True))]
    assert len(left) == space.size - space.specific[0].covers_nothing
    if (y == "yes").any():
        share = np.mean([[covers(h, row) for row in rows] for h in left], axis=0)
        np.testing.assert_allclose(model.predict_proba(frame)[:, list(model.classes_).index("yes")], share)
    asked = pd.DataFrame(list(product(*(a.values for a in space.attributes[:2]), ["red"])), columns=frame.columns)
    known = asked[asked["shape"] != "hexagon"]
    for row, said in zip(known.astype(object).to_numpy().tolist(), model.predict(known), strict=True):
        votes = [covers(h, row) for h in left]
        assert said == ("yes" if all(votes) else "?" if any(votes) else "no")


def test_the_negative_that_is_covered_is_named_wherever_rows_are_cut():
    frame = pd.DataFrame({"shape": ["circle", "square", "ellipse", "square", "circle"], "size": [2, 9, 6, 8, 4]})
    y = ["yes", "no", "yes", "no", "no"]
    for size in (1, 2, 5):
        with part_rows(size):
            model = CandidateElimination(pos_label="yes", attributes=GIVEN).fit(frame, y)
        assert model.version_space_.is_empty
        assert "covers row 4 too" in model.certificate_["consistent"].because
        assert model.predict(frame).tolist() == ["yes", "no", "yes", "no", "yes"]  # the specific one decides


@pytest.mark.parametrize("seed", range(4))
def test_models_of_parts_add_up_and_files_hold_them(seed, tmp_path):
    frame, y = examples(seed + 1, 20)
    whole = CandidateElimination(pos_label="yes", attributes=GIVEN).fit(frame, y)
    first, second = (
        CandidateElimination(pos_label="yes", attributes=GIVEN).fit(frame[some], y[some])
        for some in (slice(0, 7), slice(7, 20))
    )
    both = first + second
    assert both.version_space_ == whole.version_space_
    assert bits(both.model_) == bits(whole.model_)
    with part_rows(3):
        cut = CandidateElimination(pos_label="yes", attributes=GIVEN).fit(frame, y)
    assert bits(cut.model_) == bits(whole.model_)
    whole.save(tmp_path / "space.tenfold")
    again = tn.load(tmp_path / "space.tenfold")
    assert again.version_space_ == whole.version_space_
    assert np.array_equal(again.predict_proba(frame), whole.predict_proba(frame))
    assert (again + CandidateElimination(pos_label="yes", attributes=GIVEN).fit(frame[:1], y[:1])).version_space_


def test_the_only_class_is_the_positive_one_until_another_is_known():
    frame, _ = examples(1)
    one = CandidateElimination(attributes=GIVEN).fit(frame, ["no"] * len(frame))
    assert covers(one.version_space_.specific[0], frame.iloc[0].tolist())
    both = one + CandidateElimination(attributes=GIVEN).fit(frame[:1].assign(size=40), ["yes"])
    assert covers(both.version_space_.specific[0], [frame["shape"][0], 40, frame["color"][0]])
    assert both.certificate_["consistent"].value == 1


def test_without_attributes_given_it_is_as_without():
    frame, y = examples(4)
    frame = frame.astype({"size": str})
    plain = CandidateElimination(pos_label="yes").fit(frame, y)
    coded = CandidateElimination(pos_label="yes", attributes={}).fit(frame, y)
    assert coded.version_space_ == plain.version_space_
    assert np.array_equal(coded.predict_proba(frame), plain.predict_proba(frame))


def test_columns_by_position_and_unknown_values():
    rows, y = [["circle", 1.5], ["ellipse", 2.5], ["square", 2.0]], [1, 1, 0]
    model = CandidateElimination(attributes={0: SHAPES, 1: "ordered"}, undecided=-1).fit(rows, y)
    assert str(model.version_space_.specific[0]) == "<round, ?>"
    assert model.predict([["circle", 77.0], ["square", 77.0]]).tolist() == [1, 0]
    assert model.predict([["hexagon", 1.5]]).tolist() == [0]  # no row had it: "?" alone would cover it


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"color": "ordered"}, DataError, "'color': only numbers have intervals"),
        ({"shade": "ordered"}, ValueError, "names the column 'shade'"),
        ({7: "ordered"}, ValueError, "names the column 7"),
        ({"shape": {"circle": "round"}}, DataError, r"'shape' has the value '\w+', which is no leaf of its taxonomy"),
        ({"shape": {"a": "b", "c": "b", "b": "d", "d": "b"}}, DataError, "'shape': the taxonomy has a cycle"),
        ({"size": "numbers"}, DataError, "'size': 'numbers' is neither 'ordered' nor a dict"),
    ],
)
def test_wrong_attributes_are_named(given, error, words):
    frame, y = examples(1)
    with pytest.raises(error, match=words):
        CandidateElimination(attributes=given).fit(frame, y)
