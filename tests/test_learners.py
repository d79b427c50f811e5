"""Every learner is found by itself, and has every law and every check put on it."""

import re
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from pathlib import Path

import numpy as np
import pytest
import sklearn.preprocessing
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

import tenfold
from helpers import by_law_params, learners, name_of
from parameter_sets import parameter_sets
from tenfold.core import SEQUENTIAL
from tenfold.core.axes import fields
from tenfold.testing import LAWS, check_contract, check_law
from tenfold.testing.data import draw
from tenfold.testing.scikit_learn_checks import SMALL_PART_CHECKS
from tiers import law_draws

DRAWS = law_draws()
"""of each law, for the first of the parameter sets of a learner; `benchmarks/laws.py` draws a thousand"""

QUICK = {f"MLP{kind}": {"max_iter": 30, "learning_rate_init": 0.02} for kind in ("Classifier", "Regressor")}
QUICK["Adaline"] = {"max_iter": 50}
"""parameters for scikit-learn's checks, which fit hundreds of times: of learners whose defaults take long"""


def draws_of(law, at):
    """A draw of `distribution` is 24 fits: a third of them. The other sets of parameters of a learner: an eighth."""
    return max(DRAWS // (8 if at else 3 if law == "distribution" else 1), 1)


SLOW_LAWS = ("distribution", "threads")
"""laws of several fits: in the gate they are put on the first set of parameters of each learner"""


def learners_and_laws():
    return [
        pytest.param((at, one), law, marks=[pytest.mark.full] if at and law in SLOW_LAWS else [])
        for at, one in by_law_params()
        for law in LAWS
    ]


def name_and_number(given):
    return f"{name_of(given[1])}-{given[0]}" if isinstance(given, tuple) else given


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few rounds are few on purpose
@pytest.mark.parametrize(("given", "law"), learners_and_laws(), ids=name_and_number)
def test_law(given, law):
    at, learner = given
    check_law(law, learner, draws_of(law, at))


@pytest.mark.filterwarnings("ignore")  # classes by chance, few rounds
@pytest.mark.parametrize("kind", ["float32", "words"])
@pytest.mark.parametrize("given", by_law_params(), ids=name_and_number)
def test_kernels_for_short_numbers_and_for_words_are_on_the_list(given, kind):
    """As a fixture looks after each test; with weights, and with more than two classes."""
    learner, random = clone(given[1]), np.random.default_rng(0)
    X = np.round(random.normal(size=(120, 4)), 2).astype(np.float32)
    if kind == "words":
        X = np.array(["a", "b", "c"], dtype=object)[random.integers(0, 3, (120, 4))]
    number = learner.need.target == "number"
    y = random.gamma(2.0, size=120) if number else random.integers(0, 3, 120)
    weight = random.integers(0, 3, 120).astype(float)
    try:
        learner.fit(X, y, sample_weight=weight)
    except (ValueError, TypeError):  # rows, classes or missing values that it does not take
        return
    methods = ("predict", "transform", "score_samples")
    for use in [getattr(learner, name) for name in methods if hasattr(learner, name)][:1]:
        assert use(X).shape[0] == 120


@pytest.mark.parametrize("learner", learners(), ids=name_of)
def test_sets_of_parameters_are_declared_by_name(learner):
    """Each set makes a learner with other parameters; none is the same as another."""
    made = [str(type(learner)(**given).get_params(deep=False)) for given in learner.law_params]
    assert len(set(made)) == len(made) >= 1


WEIGHTS = tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))
IGNORING = {
    "OneHotEncoder": {"handle_unknown": "ignore"},
    "OrdinalEncoder": {"handle_unknown": "use_encoded_value", "unknown_value": -1},
}
"""parameters for those two checks alone: one of their fits lacks rows, which are then transformed, so that their
categories are unknown; by default that is an error, also of scikit-learn's encoders"""
BY_PARAMETERS = (
    "check_classifiers_one_label",
    "check_classifiers_train",
    "check_clustering",
    "check_dict_unchanged",
    "check_estimator_sparse_array",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_estimators_pickle",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in_after_fitting",
    "check_readonly_memmap_input",
    "check_regressors_int",
    "check_regressors_train",
    "check_transformer_general",
)
"""checks that parameters may break; others look at signatures, tags, names of columns and words of errors"""


def takes_tables(learner):
    """Whether scikit-learn's checks have rows for it."""
    return learner.__sklearn_tags__().input_tags.two_d_array


@pytest.mark.parametrize("learner", learners(), ids=name_of)
def test_contract(learner):
    name = name_of(learner)
    learner.set_params(**QUICK.get(name, {}))
    passed = check_contract(learner)
    assert len(passed) > (48 if takes_tables(learner) else 10)
    assert not set(passed) & set(learner.expected_failed_checks), "a check that is expected to fail passes"


@pytest.mark.parametrize("name", IGNORING)
def test_encoders_that_take_unknown_categories_pass_the_checks_of_weights(name):
    learner = getattr(tenfold, name)(**IGNORING[name])
    assert check_contract(learner, only=WEIGHTS.__contains__) == list(learner.expected_failed_checks)


@pytest.mark.full
@pytest.mark.parametrize("learner", [one for one in learners() if takes_tables(one)], ids=name_of)
def test_contract_with_one_row_a_part(learner):
    """The checks that parts of few rows may break."""
    learner.set_params(**QUICK.get(name_of(learner), {}), **IGNORING.get(name_of(learner), {}))
    assert len(check_contract(learner, 1, SMALL_PART_CHECKS.__contains__)) > 5


@pytest.mark.full
@pytest.mark.parametrize(
    "learner",
    [other for one in learners() for given in parameter_sets(one) if takes_tables(other := type(one)(**given))],
    ids=name_of,
)
def test_contract_with_other_parameters(learner):
    """Two sets beside the defaults; a learner that goes from row to row, or draws them, does not take two for one."""
    refuses = learner.get_params(deep=False).get("handle_unknown") == "error"  # what one of two fits does not know
    repeatable = not (learner.draws_rows or learner.passes == SEQUENTIAL or refuses)
    checks = (*BY_PARAMETERS, *(WEIGHTS if repeatable else ()))
    assert len(check_contract(learner, only=checks.__contains__)) > 10


@pytest.mark.parametrize("learner", [one for one in learners() if one.expected_failed_checks], ids=name_of)
def test_checks_that_are_expected_to_fail_are_those_of_scikit_learn(learner):
    """Or such as are not made there, since its learner takes no weights."""
    from sklearn.utils._test_common.instance_generator import PER_ESTIMATOR_XFAIL_CHECKS

    if name_of(learner) in IGNORING:
        peer = getattr(sklearn.preprocessing, name_of(learner))()
        assert not has_fit_parameter(peer, "sample_weight")
        assert set(learner.expected_failed_checks) <= set(WEIGHTS)
        return
    theirs = {kind.__name__: checks for kind, checks in PER_ESTIMATOR_XFAIL_CHECKS.items()}
    assert set(learner.expected_failed_checks) <= set(theirs[name_of(learner)])
    assert learner.draws_rows


def test_the_readme_counts_the_checks_that_are_expected_to_fail():
    text = " ".join((Path(__file__).parents[1] / "README.md").read_text().split())
    (said,) = re.findall(r"(\d+) failures are expected, in (\d+) of the (\d+) learners", text)
    declared = [len(one.expected_failed_checks) for one in learners()]
    assert tuple(map(int, said)) == (sum(declared), np.count_nonzero(declared), len(declared))


@pytest.mark.parametrize("learner", learners(), ids=name_of)
def test_fields_are_annotated(learner):
    kinds = learner.record_types
    fields(kinds.model)  # refuses what is not
    assert all("step" in fields(kind) for kind in kinds.states)
    assert all(fields(kind) for kind in kinds.summaries)


def arrays_in(value):
    """Every array of a model, however deep."""
    match value:
        case np.ndarray():
            yield value
        case dict():
            for one in value.values():
                yield from arrays_in(one)
        case tuple() | list():
            for one in value:
                yield from arrays_in(one)
        case _ if is_dataclass(value):
            yield from arrays_in([getattr(value, field.name) for field in dataclass_fields(value)])


@pytest.mark.filterwarnings("ignore")  # few rounds
@pytest.mark.parametrize("given", by_law_params(), ids=name_and_number)
def test_arrays_of_a_model_lie_in_memory_as_a_file_gives_them_back(given):
    """Else products with them may differ in their last digits after it is loaded."""
    learner = clone(given[1])
    table = draw(learner.need, 0, rows=60)
    learner.fit(table.X, table.y, **table.given)
    assert all(array.flags.c_contiguous or array.size <= 1 for array in arrays_in(learner.model_))
