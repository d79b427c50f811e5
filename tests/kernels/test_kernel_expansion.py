"""Learners whose rows are strings, sets or trees: equal to those of the Gram matrix, in memory and in files."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tenfold as tn
from tenfold.core.rows.objects import as_text, from_text
from tenfold.kernels import SetKernel, SpectrumKernel, TreeKernel

random = np.random.default_rng(0)
STRINGS = ["".join(random.choice(list("abä"), n)) for n in random.integers(0, 9, 60)]
SETS = [set(random.choice(list("abcdef"), 3).tolist()) for _ in range(60)]
TREES = [("S", ("NP", a), ("VP", b, ("PP", c))) for a in "abcd" for b in "xyz" for c in "mnopq"]
random.shuffle(TREES)
KINDS = {
    "strings": (SpectrumKernel(2).normalized() + 1, STRINGS),
    "sets": (SetKernel("jaccard"), SETS),
    "trees": (TreeKernel(0.5), TREES),
}
Y = random.normal(size=60)
CLASS = np.where(Y > 0, "up", "down")
LEARNERS = {
    "SVC": (tn.SVC(), CLASS),
    "SVR": (tn.SVR(), Y),
    "KernelRidge": (tn.KernelRidge(alpha=0.5), Y),
    "KernelPerceptron": (tn.KernelPerceptron(max_iter=5), CLASS),
}


def decided(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LEARNERS)
def test_objects_are_rows_as_their_gram_matrix_is(name, kind, tmp_path):
    (learner, y), (kernel, X) = LEARNERS[name], KINDS[kind]
    model = type(learner)(**{**learner.get_params(), "kernel": kernel}).fit(X, y)
    given = type(learner)(**{**learner.get_params(), "kernel": "precomputed"}).fit(kernel(X), y)
    if name != "KernelPerceptron":  # which takes rows in the order of their values
        np.testing.assert_allclose(decided(model, X), decided(given, kernel(X)), atol=1e-9)
        np.testing.assert_allclose(decided(model, X[:7]), decided(given, kernel(X[:7], X)), atol=1e-9)
    model.save(tmp_path / "model")
    loaded = tn.load(tmp_path / "model")
    assert decided(loaded, X).tobytes() == decided(model, X).tobytes()
    assert loaded.verify().claims == model.certificate_.claims
    halves = type(model)(**model.get_params()).fit(X[:30], y[:30]) + type(model)(**model.get_params()).fit(
        X[30:], y[30:]
    )
    np.testing.assert_array_equal(decided(halves, X), decided(model, X))
    as_arrays = np.empty(len(X), dtype=object)
    as_arrays[:] = X
    np.testing.assert_array_equal(decided(model, as_arrays), decided(model, X))
    frame = pd.DataFrame({"text": as_arrays})
    framed = type(model)(**model.get_params()).fit(frame, y)
    np.testing.assert_array_equal(decided(framed, frame), decided(model, X))


@pytest.mark.parametrize("kind", KINDS)
def test_folds_are_those_of_the_gram_matrix(kind):
    kernel, X = KINDS[kind]
    ours = tn.cross_validate(tn.SVC(kernel=kernel), X, CLASS, folds=5)
    theirs = tn.cross_validate(tn.SVC(kernel="precomputed"), kernel(X), CLASS, folds=5)
    # a fold of a precomputed kernel is compared with the rows that it learned from, by their numbers
    np.testing.assert_allclose(ours.scores, theirs.scores)


def test_perceptron_is_that_of_numbers_with_the_same_kernel():
    """Strings of a letter: each row a number of letters, in the order of the strings."""
    many = random.integers(1, 8, 40)
    y = many % 2
    k = SpectrumKernel(1)
    strings = tn.KernelPerceptron(kernel=k, max_iter=30).fit(["a" * n for n in many], y)
    numbers = tn.KernelPerceptron(kernel="linear", max_iter=30).fit(many[:, None].astype(float), y)
    np.testing.assert_allclose(
        strings.decision_function(["a" * n for n in many]), numbers.decision_function(many[:, None].astype(float))
    )


def test_support_vectors_are_the_objects():
    model = tn.SVC(kernel=SetKernel()).fit(SETS, CLASS)
    assert model.support_vectors_.tolist() == [frozenset(SETS[at]) for at in model.support_]
    numbers = tn.SVC().fit(Y[:, None], CLASS)
    np.testing.assert_array_equal(numbers.support_vectors_, Y[numbers.support_, None])


def test_text_of_a_file_is_read_where_it_is(tmp_path):
    table = pa.table({"word": STRINGS, "y": CLASS})
    pq.write_table(table, tmp_path / "words.parquet", row_group_size=7)
    kernel = KINDS["strings"][0]
    of_file = tn.SVC(kernel=kernel).fit(tn.scan(tmp_path / "words.parquet", target="y"))
    in_memory = tn.SVC(kernel=kernel).fit(STRINGS, CLASS)
    assert of_file.decision_function(STRINGS).tobytes() == in_memory.decision_function(STRINGS).tobytes()


def test_sets_may_be_lists_of_a_table():
    table = pa.table({"words": [sorted(one) for one in SETS]})
    model = tn.SVC(kernel=SetKernel()).fit(table, CLASS)
    of_sets = tn.SVC(kernel=SetKernel()).fit(SETS, CLASS)
    np.testing.assert_array_equal(model.decision_function(SETS), of_sets.decision_function(SETS))


@pytest.mark.parametrize(
    "one",
    [set(), {"a", 1, 2.5}, {("a", ("b", 2)), "ä"}, frozenset({np.int64(3), np.float64(0.5)})],
    ids=["empty", "of kinds", "nested", "frozen"],
)
def test_sets_come_back(one):
    assert from_text(as_text(one, "sets", "it"), "sets") == one


def test_equal_sets_have_equal_texts():
    assert as_text({3, "b", "a"}, "sets", "it") == as_text(["a", "b", "a", 3], "sets", "it")


def test_trees_come_back():
    tree = ("S", ("NP", "we", ("Det",)), 3)
    assert from_text(as_text(tree, "trees", "it"), "trees") == tree


@pytest.mark.parametrize(
    ("kernel", "X", "says"),
    [
        (SpectrumKernel(2), [1, 2], "row 0 of X is 1, and the kernel compares strings.*list of strings"),
        (SpectrumKernel(2), ["a", None], "row 1 of X is None"),
        (SpectrumKernel(2), np.zeros((2, 2)), "compares strings"),
        (SpectrumKernel(2), np.array([["a", "b"], ["c", "d"]], dtype=object), "have 2 columns: .*one of them"),
        (SpectrumKernel(2), "ab", "X is one string"),
        (SetKernel(), ["ab", "c"], "row 0 of X is 'ab', and the kernel compares sets"),
        (SetKernel(), [{"a"}, {float("nan")}], "row 1 of X has the member nan"),
        (SetKernel(), [{"a"}, {frozenset("a")}], "row 1 of X has the member frozenset"),
        (TreeKernel(), [("S", "a"), ["S", "a"]], r"row 1 of X is \['S', 'a'\], and the kernel compares trees"),
        (TreeKernel(), [("S", "a"), ()], r"row 1 of X is \(\)"),
    ],
    ids=str,
)
def test_rows_that_the_kernel_does_not_compare_are_named(kernel, X, says):
    with pytest.raises(ValueError, match=says):
        tn.SVC(kernel=kernel).fit(X, [0, 1])


def test_trees_that_are_too_deep_are_named():
    tree = ("a", "b")
    for _ in range(100_000):
        tree = ("a", tree)
    with pytest.raises(tn.DataError, match="row 1 of X is a tree that is too deep"):
        tn.SVC(kernel=TreeKernel()).fit([("a", "b"), tree], [0, 1])


def test_text_that_is_no_set_is_named():
    source = tn.scan(pa.table({"word": ["a", "b"], "y": [0, 1]}), target="y")
    with pytest.raises(tn.DataError, match="row 0 is the text 'a', and the kernel compares sets"):
        tn.SVC(kernel=SetKernel()).fit(source)


def test_a_matrix_of_values_is_no_kernel_of_rows():
    with pytest.raises(ValueError, match="Remedy: kernel='precomputed'"):
        tn.SVC(kernel=tn.kernels.PrecomputedKernel(np.eye(2))).fit([[0.0], [1.0]], [0, 1])


def test_many_strings_are_refused_before_they_are_read(monkeypatch):
    monkeypatch.setattr("tenfold.svm.support_vector_machine.TOO_MANY", 50)
    with pytest.raises(tn.DataError, match="SVC has 60 rows: it compares them with each other"):
        tn.SVC(kernel=SpectrumKernel(2)).fit(STRINGS, CLASS)
