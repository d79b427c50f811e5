"""Every parameter of every public learner and function is described in its docstring."""

import inspect
import re

import pytest

import tenfold

PUBLIC = [getattr(tenfold, name) for name in tenfold.__all__]
DESCRIBED = [one for one in PUBLIC if inspect.isfunction(one) or (inspect.isclass(one) and hasattr(one, "fit"))]


def described(doc: str) -> dict[str, str]:
    """What the section of parameters of a docstring says of each of them."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}$|\Z)", doc, re.S | re.M)
    found: dict[str, str] = {}
    names: list[str] = []
    for line in re.sub(r"\\\n\S", " ", section[1] if section else "").splitlines():
        if line[:1].strip():
            names = [name.strip().lstrip("*") for name in line.split(" :")[0].split(",")]
            found |= dict.fromkeys(names, "")
        else:
            found |= {name: f"{found[name]} {line.strip()}".strip() for name in names}
    return found


@pytest.mark.parametrize("thing", DESCRIBED, ids=lambda thing: thing.__name__)
def test_every_parameter_has_a_sentence(thing):
    said = described(inspect.getdoc(thing) or "")
    missing = [name for name in inspect.signature(thing).parameters if len(said.get(name, "").split()) < 2]
    assert not missing, f"{thing.__name__} does not describe {missing}"


def test_a_parameter_without_a_sentence_is_found():
    said = described(
        "Fit.\n\nParameters\n----------\na, b : int\n    Both of them.\nc : int\n\nReturns\n-------\nd : int\n"
    )
    assert said == {"a": "Both of them.", "b": "Both of them.", "c": ""}
