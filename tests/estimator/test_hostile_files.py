"""Files that were made to do harm: every index and bound that a kernel uses is proved when they are loaded."""

import time

import numpy as np
import pytest

import fuzzing
import tenfold as tn
from forged_files import put_together, taken_apart
from helpers import learners, name_of
from tenfold.core import ModelFileError
from tenfold.core.axes import Bundle, fields, is_record
from tenfold.core.field_values import COUNTS, EDGES, RISING, Between, Index, OneOf
from tenfold.sources import part_rows

pytestmark = pytest.mark.timeout(120)

D = fuzzing.data()
FEW = {"max_iter": 2, "max_leaf_nodes": 4, "min_samples_leaf": 3}
TREES = {
    "tree": (tn.DecisionTreeClassifier(max_depth=3), D.mixed, D.three, "tree"),
    "forest": (tn.RandomForestClassifier(n_estimators=2, max_depth=3), D.mixed, D.three, "trees"),
    "boosting": (tn.HistGradientBoostingRegressor(**FEW), D.mixed, D.y, "trees"),
    "boosting of classes": (tn.HistGradientBoostingClassifier(**FEW), D.mixed, D.three, "trees"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The bytes of a saved model of each kind of tree."""
    path = tmp_path_factory.mktemp("trees") / "m.tenfold"
    found = {}
    for name, (learner, X, y, _) in TREES.items():
        learner.fit(X, y).save(path)
        found[name] = path.read_bytes()
    return found


def forged(raw, path, where, change):
    """Write a file in which one tensor, or one value, is another."""
    parts = taken_apart(raw)
    node = parts.document
    for key in where[:-1]:
        node = node[key]
    name = node[where[-1]]
    if where[-1] in ("tensor", "bytes"):
        parts.tensors[name] = np.asarray(change(parts.tensors[name].copy()), parts.tensors[name].dtype)
    else:
        node[where[-1]] = change(name)
    path.write_bytes(put_together(parts))
    return path


def leaves(to):
    """Say something else of the last node, which is a leaf."""

    def change(values):
        values[-1] = to
        return values

    return change


def first(to):
    """Say something else of the root."""

    def change(values):
        values[0] = to
        return values

    return change


FORGED = [
    ("route_at", leaves(1 << 40)),
    ("route_at", leaves(0)),
    ("route_width", leaves(1 << 40)),
    ("route_width", first(1 << 40)),
    ("route", first(1 << 15)),
    ("route", lambda a: a[:-1]),
    ("first_child", leaves(1 << 33)),
    ("first_child", first(0)),
    ("children", leaves(1 << 40)),
    ("children", first(1 << 40)),
    ("children", first(1)),
    ("depth", leaves(1 << 60)),
    ("depth", first(1)),
    ("depth", first(-1)),
    ("feature", first(3)),
    ("feature", leaves(0)),
    ("place", first(-1)),
    ("missing_left", first(2)),
]


@pytest.mark.parametrize(("field", "change"), FORGED)
@pytest.mark.parametrize("kind", TREES)
def test_a_tree_that_a_kernel_could_not_go_down_is_refused(kind, field, change, files, tmp_path):
    where = ("model", TREES[kind][3], "record", field, "tensor")
    path = forged(files[kind], tmp_path / "m", where, change)
    with pytest.raises(ModelFileError, match=r"Tree|the fields of|belong together|length"):
        tn.load(path)


@pytest.mark.parametrize("kind", ["forest", "boosting", "boosting of classes"])
@pytest.mark.parametrize("change", [lambda a: a[::-1], leaves(1), leaves(1 << 40), lambda a: a[:-1], lambda a: a * 0])
def test_trees_that_do_not_begin_at_their_roots_are_refused(kind, change, files, tmp_path):
    path = forged(files[kind], tmp_path / "m", ("model", "roots", "tensor"), change)
    with pytest.raises(ModelFileError):
        tn.load(path)


@pytest.mark.parametrize("kind", TREES)
def test_what_nodes_say_is_finite_and_of_every_node(kind, files, tmp_path):
    for change in (first(np.nan), leaves(np.inf), lambda a: a[:-1], lambda a: np.concatenate([a, a])):
        with pytest.raises(ModelFileError, match="value"):
            tn.load(forged(files[kind], tmp_path / "m", ("model", "value", "tensor"), change))


@pytest.mark.parametrize("learner", [tn.PolynomialFeatures(2), tn.PolynomialRegression(2)], ids=name_of)
@pytest.mark.parametrize("only", [False, True])
def test_a_degree_that_never_ends_is_refused_at_once(learner, only, tmp_path):
    learner.set_params(interaction_only=only).fit(D.numbers, D.y).save(tmp_path / "m")
    raw, began = (tmp_path / "m").read_bytes(), time.process_time()
    for degree in (2**64, 2**62, 10**9, 10**6):
        path = forged(raw, tmp_path / "m", ("params", "degree", "int"), lambda old, degree=degree: str(degree))
        if not only:
            with pytest.raises(ModelFileError):
                tn.load(path)
            with pytest.raises(ValueError, match=r"more than (1,000,000|2,000) terms|'degree' parameter"):
                type(learner)(degree).fit(D.numbers, D.y)
    assert time.process_time() - began < 2


def test_records_within_records_end(files, tmp_path):
    """However deeply a file nests bundles: the stack does not."""
    vote = tn.VotingClassifier([("b", tn.BaggingClassifier(tn.GaussianNB(), 2)), ("n", tn.GaussianNB())])
    vote.fit(D.numbers, D.three).save(tmp_path / "m")
    parts = taken_apart((tmp_path / "m").read_bytes())
    inner = parts.document["model"]["members"]["record"]
    for _ in range(300):
        inner = {"each": [{"type": "Bundle", "record": inner}], "width": 0, "beside": False}
    parts.document["model"]["members"]["record"] = inner
    (tmp_path / "m").write_bytes(put_together(parts))
    with pytest.raises(ModelFileError, match="nested too deeply|not readable"):
        tn.load(tmp_path / "m")


# ---- numbers that no rows give ---------------------------------------------------------------------------


def output_view(learner, X, y, where, change, path):
    """What comes of a forged file when its model is asked everything."""
    learner.fit(X, y).save(path)
    forged(path.read_bytes(), path, where, change)
    calls = fuzzing.calls_of(type(learner), X, y)
    case = fuzzing.Case("", b"", None, [], learner, X, y, "", calls, {})
    with fuzzing.quietly():
        return fuzzing._model(case, path, lambda step: None, 0)


def number(value):
    return lambda old: float(value).hex()


NUMBERS = {
    "steps in an average": (
        tn.SGDClassifier(average=True, max_iter=2),
        ("model", "training", "record", "summary", "record", "averaged", "float"),
        number(-1),
    ),
    "squares": (tn.RandomForestRegressor(2), ("summary", "record", "away", "float"), number(1e200)),
    "a claim of digits": (tn.LinearRegression(), ("certificate", "claims", 0, 1, "float"), number(-1e308)),
    "a race of none": (tn.SigmoidBasis(), ("summary", "record", "most", "int"), lambda old: "0"),
    "a claim that is gone": (tn.KMeans(2), ("certificate", "claims", 0, 0, "is"), lambda old: "else"),
    "no weight": (tn.LogisticRegression(), ("summary", "record", "weight", "float"), number(0)),
    "an intercept": (tn.LinearRegression(), ("model", "intercept", "float"), number(-1e308)),
    "penalties": (tn.RidgeCV(), ("params", "alphas", "tuple", 0), lambda old: {"dict": []}),
    "errors of folds": (tn.LassoCV(), ("summary", "record", "mean", "tensor"), lambda a: a * 0 - 1e308),
}


@pytest.mark.parametrize("what", NUMBERS)
def test_numbers_that_no_rows_give_are_refused_or_answered(what, tmp_path):
    learner, where, change = NUMBERS[what]
    X, y = fuzzing._rows(learner, D)
    assert output_view(learner, X, y, where, change, tmp_path / "m") in ("refused", "loaded")


def test_a_tree_too_deep_to_be_read_says_so(tmp_path):
    model = tn.DecisionTreeClassifier(max_depth=2).fit(D.numbers, D.three)
    model.save(tmp_path / "m", summary=False)
    parts = taken_apart((tmp_path / "m").read_bytes())
    k = 3000
    n, inner = 2 * k + 1, np.arange(0, 2 * k, 2)  # every other node splits, and so does its second child
    new = {"feature": np.full(n, -1), "first_child": np.zeros(n), "children": np.zeros(n), "route_at": np.full(n, -1)}
    new["feature"][inner], new["first_child"][inner], new["children"][inner] = 0, inner + 1, 2
    new["depth"] = (np.arange(n) + 1) // 2
    zeros = {name: np.zeros(n) for name in ("threshold", "place", "missing_left", "route_width", "gain")}
    for name, values in (new | zeros | {"route": np.zeros(0)}).items():
        tensor = parts.document["model"]["tree"]["record"][name]["tensor"]
        parts.tensors[tensor] = values.astype(parts.tensors[tensor].dtype)
    tensor = parts.document["model"]["value"]["tensor"]
    parts.tensors[tensor] = np.repeat(parts.tensors[tensor][:1], n, axis=0)
    (tmp_path / "m").write_bytes(put_together(parts))
    deep = tn.load(tmp_path / "m")
    assert deep.predict(D.numbers).shape == (60,)
    assert deep.tree_stats().height == k
    for read in (lambda: deep.rules_, deep.to_sql, lambda: deep.to_dnf(1)):
        with pytest.raises(ValueError, match="3000 levels is too deep"):
            read()


# ---- annotations ---------------------------------------------------------------------------------------


def records(kind):
    """A record class and those within it."""
    yield kind
    if kind is Bundle:
        return
    for field in fields(kind).values():
        if is_record(field.type):
            yield from records(field.type)


@pytest.mark.parametrize("learner", learners(), ids=name_of)
def test_every_field_of_codes_says_what_they_may_be(learner):
    for kind in {k for one in learner.record_types.all for k in records(one)}:
        for name, field in fields(kind).items():
            if field.type == np.dtype(np.int64):
                assert field.allowed, f"{kind.__name__}.{name} holds codes: say which, as in core/field_values.py"
            if name == "phase":
                assert any(isinstance(rule, OneOf) for rule in field.allowed), f"{kind.__name__}.phase"


def test_rules_hold_for_what_they_say():
    size = {"axis": 3, "none": 0}.get
    schema = None
    good = [
        (Index("axis"), [0, 2]), (Index("axis", none=True), [-1, 2]), (Index("none"), []),
        (Index("none", none=True), [-1]), (Between(0, 1), [0.0, 1.0]),
        (COUNTS, [0, 2**62]), (OneOf(1, 3), [1, 3]), (RISING, [1, 2]), (RISING, []),
        (EDGES, [[0.0, 1.0, np.inf], [np.inf, np.inf, np.inf]]), (EDGES, [[]]),
    ]  # fmt: skip
    bad = [
        (Index("axis"), [3]), (Index("axis"), [-1]), (Index("axis", none=True), [-2]), (Index("none"), [0]),
        (Between(0, 1), [np.nan]), (Between(0, 1), [1.5]), (COUNTS, [-1]), (OneOf(1, 3), [2]), (RISING, [1, 1]),
        (EDGES, [[1.0, 0.0]]), (EDGES, [[0.0, np.nan]]), (EDGES, [[np.inf, 0.0]]), (EDGES, [[-np.inf, 0.0]]),
    ]  # fmt: skip
    assert all(rule.holds(np.array(values), size, schema) for rule, values in good)
    assert not any(rule.holds(np.array(values), size, schema) for rule, values in bad)
    assert all(str(rule) for rule, _ in good)


# ---- checkpoints ---------------------------------------------------------------------------------------


def checkpoints(name):
    return {case.name: case for case in fuzzing.checkpoint_cases(name, exact=True)}


def state_type(case):
    return case.parts.document["state"]["type"]


def frontier(case):
    """The table of the nodes that grow."""
    return case.parts.tensors[case.parts.document["state"]["record"]["frontier"]["record"]["node"]["tensor"]]


def resumed(case, where, change, folder):
    """Go on from a checkpoint in which one thing is another."""
    forged(case.raw, folder / case.file, where, change)
    with part_rows(25), fuzzing.gathering(0 if "by levels" in case.name else None):
        return type(case.learner)(**case.learner.get_params(deep=False)).fit(case.X, case.y, checkpoint=folder)


def test_a_checkpoint_whose_tree_cannot_grow_is_refused(tmp_path):
    every = checkpoints("tree, leaves") | checkpoints("forest, mixed")
    levels = next(c for c in every.values() if state_type(c) == "GrowingLevels" and len(frontier(c)) > 4)
    gathered = next(c for c in every.values() if state_type(c) == "GrowingForest")
    table = ("state", "record", "frontier", "record", "node", "tensor")
    for column in (0, 4, 5, 6, 7, 10):  # what it splits, first child, how many, routes, depth, slot
        for to in (1 << 40, -7):

            def change(node, column=column, to=to):
                node[:, column] = np.where(node[:, 0] >= 0, to, node[:, column])
                return node

            with pytest.raises(ModelFileError, match="Remedy: remove it"):
                resumed(levels, table, change, tmp_path)
    with pytest.raises(ModelFileError, match="not those of a fit"):
        resumed(gathered, ("summary", "record", "bytes", "tensor"), lambda a: a * 0 + 200, tmp_path)
    with pytest.raises(ModelFileError, match=r"GatheredBins\.label"):
        resumed(gathered, ("summary", "record", "label", "tensor"), lambda a: a + 1000, tmp_path)
    with pytest.raises(ModelFileError, match="GatheredBins"):
        resumed(gathered, ("summary", "record", "label", "tensor"), lambda a: a[:-1], tmp_path)


def test_a_checkpoint_of_other_rows_or_another_turn_is_refused(tmp_path):
    case = next(c for c in checkpoints("KMeans").values() if c.parts.document["summary"]["type"] == "Lloyd")
    with pytest.raises(ModelFileError, match="made from other rows"):
        resumed(case, ("schema", "names", "bytes"), lambda a: a[::-1], tmp_path)
    with pytest.raises(ModelFileError, match="not those of a fit"):
        resumed(case, ("asked", "is"), lambda old: old[::-1], tmp_path)
    with pytest.raises(ModelFileError, match=r"Lloyd\.weight"):
        resumed(case, ("summary", "record", "weight", "tensor"), lambda a: a[:-1], tmp_path)


def test_a_checkpoint_of_numbers_that_no_rows_give_is_refused(tmp_path):
    case = list(checkpoints("AdaBoostClassifier").values())[-1]
    with pytest.raises(ModelFileError, match="Remedy: remove it"):
        resumed(case, ("summary", "record", "mass", "float"), number(0), tmp_path)


def test_a_checkpoint_of_another_hypothesis_is_refused(tmp_path):
    """It would be asked for again and again."""
    for case in checkpoints("FindS").values():
        with pytest.raises(ModelFileError):
            resumed(case, ("summary", "record", "tested", "tensor"), lambda a: np.where(a == -3.0, 0.0, -3.0), tmp_path)


def test_rows_that_a_checkpoint_did_not_count_are_refused(tmp_path):
    """Margins are made for as many rows as were counted: a kernel goes through all of both."""
    every = checkpoints("boosting, monotonic").values()
    case = next(c for c in every if state_type(c) == "FindingConstantOfRows" and "by levels" not in c.name)
    where = ("state", "record", "setup", "record", "ranges", "record", "rows", "int")
    for rows in ("4", "0", "1000"):
        with pytest.raises(tn.DataError, match="60 rows, but"):
            resumed(case, where, lambda old, rows=rows: rows, tmp_path)


def saved(model, path):
    model.save(path)
    return path.read_bytes()


def test_the_last_summaries_of_members_are_those_of_their_trees(tmp_path):
    raw = saved(tn.BaggingRegressor(n_estimators=2).fit(D.numbers, D.y), tmp_path / "m.tenfold")
    where = ("model", "found", "record", "each", 0, "record", "sums", "tensor")
    with pytest.raises(ModelFileError):
        tn.load(forged(raw, tmp_path / "forged", where, lambda a: a[:-1]))


def test_a_gradient_has_two_shares_of_each_output(tmp_path):
    raw = saved(tn.SGDRegressor(max_iter=2).fit(D.numbers, D.y), tmp_path / "m.tenfold")
    with pytest.raises(ModelFileError):
        tn.load(forged(raw, tmp_path / "forged", ("summary", "record", "share", "tensor"), lambda a: a[:, :0]))


def test_moments_of_terms_have_a_centre_for_each(tmp_path):
    raw = saved(tn.PolynomialRegression().fit(D.numbers, D.y), tmp_path / "m.tenfold")
    with pytest.raises(ModelFileError):
        tn.load(forged(raw, tmp_path / "forged", ("summary", "record", "center", "tensor"), lambda a: a[:1]))


def test_a_hessian_has_a_matrix_for_each_two_classes(tmp_path):
    raw = saved(tn.LogisticRegression().fit(D.numbers, D.three), tmp_path / "m.tenfold")
    with pytest.raises(ModelFileError):
        tn.load(forged(raw, tmp_path / "forged", ("summary", "record", "gram", "tensor"), lambda a: a[:2]))


def test_parameters_cost_no_more_than_a_file_holds(tmp_path):
    raw = saved(tn.TanhBasis(4).fit(D.numbers), tmp_path / "m.tenfold")
    with pytest.raises(ModelFileError):
        tn.load(forged(raw, tmp_path / "forged", ("params", "centers", "int"), lambda old: "2147483648"))
    raw = saved(tn.LassoCV(alphas=7).fit(D.numbers, D.y), tmp_path / "m.tenfold")
    with pytest.raises(ModelFileError):
        tn.load(forged(raw, tmp_path / "forged", ("params", "alphas", "int"), lambda old: "65536"))


def test_rules_fire_as_often_as_there_are_rules(tmp_path):
    raw = saved(tn.RuleListClassifier().fit(D.mixed, D.two), tmp_path / "m.tenfold")
    with pytest.raises(ModelFileError):
        tn.load(forged(raw, tmp_path / "forged", ("summary", "record", "weight", "tensor"), lambda a: a[:-1]))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_moments_that_overflow_cost_no_time(tmp_path):
    raw = saved(tn.LassoCV().fit(D.mixed, D.y), tmp_path / "m.tenfold")
    forged(
        raw, tmp_path / "forged", ("summary", "record", "rest", "tensor"), lambda a: np.where(a == a[3, 2], 1e155, a)
    )
    model, began = tn.load(tmp_path / "forged"), time.perf_counter()
    with pytest.raises(tn.DataError, match="too large to be squared"):
        model.verify()
    assert time.perf_counter() - began < 2


def test_moments_of_no_rows_cost_little_time(tmp_path):
    raw = saved(tn.LassoCV().fit(D.mixed, D.y), tmp_path / "m.tenfold")
    forged(raw, tmp_path / "forged", ("summary", "record", "comoment", "tensor"), lambda a: np.where(a > 5, 2.0, a))
    model, began = tn.load(tmp_path / "forged"), time.process_time()
    model.partial_fit(D.mixed, D.y)
    assert time.process_time() - began < 4


# ---- a few hundred at random -----------------------------------------------------------------------------


def told(finds):
    return "\n".join(map(str, finds))


@pytest.mark.full
@pytest.mark.timeout(600)
def test_forged_files_of_every_learner():
    """The short form of `benchmarks/fuzz_files.py`."""
    cases = fuzzing.model_cases()
    assert {type(case.learner) for case in cases} >= {type(one) for one in learners()}
    finds, table, _ = fuzzing.run(fuzzing.Fuzz(cases, 1), range(4 * len(cases)))
    assert not finds, told(finds)
    assert sum(table.values()) == 4 * len(cases)


@pytest.mark.timeout(600)
def test_forged_checkpoints_of_some_learners():
    cases = [
        case for name in ("KMeans", "forest, mixed", "vote") for case in fuzzing.checkpoint_cases(name, exact=True)
    ]
    finds, _, _ = fuzzing.run(fuzzing.Fuzz(cases, 1), range(8 * len(cases)))
    assert not finds, told(finds)


@pytest.mark.parametrize("name", ["GaussianNB", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"])
def test_priors_that_are_no_numbers_are_refused(name):
    for wrong in ({}, [{}, {}], ["a", "b"]):
        with pytest.raises(ValueError, match="priors must be numbers"):
            getattr(tn, name)(priors=wrong).fit(D.numbers, D.two)


def test_names_of_members_are_text():
    with pytest.raises(ValueError, match=r"must be a list of \(name, learner\) pairs"):
        tn.VotingRegressor([((), tn.Ridge()), ("b", tn.Ridge())]).fit(D.numbers, D.y)


def test_ratios_that_are_no_numbers_are_refused_with_the_file(tmp_path):
    raw = saved(tn.ElasticNetCV(l1_ratio=[0.5, 0.9]).fit(D.numbers, D.y), tmp_path / "m.tenfold")
    forged(raw, tmp_path / "forged", ("params", "l1_ratio"), lambda old: {"list": [{"is": "half"}, {"is": "all"}]})
    with pytest.raises(tn.ModelFileError, match="not allowed: l1_ratio must be numbers"):
        tn.load(tmp_path / "forged")
