"""Parameters are declared as annotated fields of a class, from which scikit-learn's machinery gets all it reads."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import pytest
from sklearn.base import clone

import tenfold as tn
from helpers import learners, name_of
from tenfold.core.errors import Remedy
from tenfold.estimator import Estimator, Regressor
from tenfold.estimator.shell.constraints import anything, boolean, choice, integer, real
from tenfold.estimator.shell.fitted_params import param_names
from tenfold.estimator.shell.keyword_decisions import copied, some_rounds
from tenfold.estimator.shell.keywords import NoEffect, Refused, keywords_of, refused
from tenfold.estimator.shell.parameters import Behind, fixed

one_penalty = refused("one penalty is needed", Remedy("tn.{name}(alpha=1.0)"), "array-like")
no_sign = Refused("signs are free", Remedy("tn.Lasso{kind}()"), (False,))


class Shrunken(Estimator):
    """A base with parameters."""

    need_not: ClassVar[int] = 3
    solver = fixed(None)
    alpha: Annotated[float, real(0), one_penalty] = 1.0
    _: KW_ONLY
    fit_intercept: Annotated[bool, boolean] = True
    copy_X: Annotated[bool, copied] = True


class Line(Shrunken, Regressor):
    """Another default, a positional parameter, a keyword behind another, and a base's that is fixed."""

    copy_X = False
    degree: Annotated[int, integer(1)] = 2
    alpha: Annotated[float, real(0), one_penalty] = 0.5
    _: KW_ONLY
    positive: Annotated[bool, no_sign] = False
    solver: Annotated[str | None, choice("svd"), None, Behind("degree")] = None
    weights: Annotated[Any, anything] = None


class ByHand(Line):
    """A subclass that any user of scikit-learn would write."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {"alpha": [real(1)]}
    note: str = "no parameter"

    def __init__(self, alpha=2.0, *, positive=False):
        super().__init__(alpha=alpha, positive=positive)


class Same(ByHand):
    """It inherits the `__init__` that was written."""


def test_the_signature_is_made_from_the_fields():
    assert str(inspect.signature(Shrunken)) == (
        "(alpha: float = 1.0, *, fit_intercept: bool = True, copy_X: bool = True) -> None"
    )
    assert str(inspect.signature(Line)) == (
        "(alpha: float = 0.5, degree: int = 2, *, solver: str | None = None, fit_intercept: bool = True, "
        "positive: bool = False, weights: Any = None) -> None"
    )
    assert (Line.__init__.__qualname__, Line.__init__.__module__) == ("Line.__init__", __name__)


def test_scikit_learn_reads_parameters_as_ever():
    model = Line(2.0, 3, solver="svd")
    assert model.get_params() == {
        "alpha": 2.0, "degree": 3, "fit_intercept": True, "positive": False, "solver": "svd", "weights": None
    }  # fmt: skip
    assert clone(model).get_params() == pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
    assert repr(model.set_params(degree=2, solver=None)) == "Line(alpha=2.0)"
    assert model.copy_X is False
    with pytest.raises(TypeError, match="copy_X"):
        Line(copy_X=True)
    with pytest.raises(AttributeError):
        Line.degree  # noqa: B018


def test_constraints_and_decisions_are_read_off_the_fields():
    assert Line._parameter_constraints == {
        "alpha": [Line._parameters["alpha"].allowed[0]],
        "degree": list(Line._parameters["degree"].allowed),
        "solver": list(Line._parameters["solver"].allowed),
        "fit_intercept": ["boolean"],
        "positive": "no_validation",
        "weights": "no_validation",
    }
    assert Shrunken._parameter_constraints["copy_X"] == ["boolean"]
    with pytest.raises(ValueError, match="The 'degree' parameter of Line must be an int"):
        Line(degree=0)._validate_params()
    with pytest.raises(tn.ParameterError, match=r"Remedy: tn\.Line\(alpha=1\.0\)"):
        Line(alpha=[1.0])._validate_params()
    with pytest.raises(tn.ParameterError, match=r"Remedy: tn\.LassoRegressor\(\)"):
        Line(positive=True)._validate_params()


def test_a_remedy_names_the_learner_of_the_library_that_is_meant():
    class Mine(tn.KMeans):
        pass

    assert keywords_of(Mine) == keywords_of(tn.KMeans)
    assert str(keywords_of(tn.MiniBatchKMeans)["init"].each[0].remedy) == 'tn.MiniBatchKMeans(init="k-means++")'


def test_a_class_may_write_its_own_init():
    assert str(inspect.signature(ByHand)) == str(inspect.signature(Same)) == "(alpha=2.0, *, positive=False)"
    assert clone(ByHand(3.0)).get_params() == {"alpha": 3.0, "positive": False}
    assert (Same().note, Same().degree) == ("no parameter", 2)
    for kind in (ByHand, Same):
        with pytest.raises(ValueError, match=f"The 'alpha' parameter of {kind.__name__} must be a float"):
            kind(0.5)._validate_params()
        with pytest.raises(tn.ParameterError, match="signs are free"):
            kind(positive=True)._validate_params()


def test_a_field_below_an_init_that_was_written_is_refused():
    with pytest.raises(TypeError, match=r"Below declares more, but ByHand writes its own.*Remedy: write one for Below"):

        class Below(ByHand):
            more: Annotated[int, integer(0)] = 0


def test_an_annotation_is_a_parameter_or_a_class_variable():
    with pytest.raises(TypeError, match=r"Vague\.alpha is annotated as float.*Remedy: Annotated\[type, constraint\]"):

        class Vague(Estimator):
            alpha: float = 1.0


def test_defaults_are_in_order_and_not_shared():
    with pytest.raises(TypeError, match="a parameter without a default follows one with a default"):

        class Late(Estimator):
            alpha: Annotated[float, real(0)] = 1.0
            degree: Annotated[int, integer(1)]

    with pytest.raises(TypeError, match=r"Mutable\.names: all models would share this list"):

        class Mutable(Estimator):
            names: Annotated[list[str], list] = []  # noqa: RUF012

    class Required(Estimator):
        names: Annotated[list[str], list]
        _: KW_ONLY
        degree: Annotated[int, integer(1)]

    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'degree'"):
        Required(["a"])


def test_one_keyword_has_one_decision():
    with pytest.raises(TypeError, match="NoEffect and Refused are two decisions about one keyword"):

        class Torn(Estimator):
            positive: Annotated[bool, copied, no_sign] = False

    class Both(Estimator):
        max_iter: Annotated[Any, NoEffect("it is exact", (integer(0),)), some_rounds] = 1

    assert Both._parameter_constraints["max_iter"] == list(Both._parameters["max_iter"].decision.takes)
    with pytest.raises(tn.ParameterError, match="a model needs a round"):
        Both(max_iter=0)._validate_params()


@pytest.mark.parametrize("learner", learners(), ids=name_of)
def test_every_parameter_of_the_library_is_a_field(learner):
    kind = type(learner)
    assert set(kind._parameters) == param_names(kind)
    assert set(kind._parameter_constraints or ()) == param_names(kind)
    assert not [name for name in kind._parameters if name in vars(kind)]
