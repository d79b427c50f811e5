import matplotlib.pyplot as plt
import numpy as np
import pytest

import tenfold as tn
from tenfold.display import TrellisDisplay


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def fever():
    return tn.HMMClassifier.from_parameters(
        [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]], ["fine", "fever"], [1, 2, 3]
    )


@pytest.mark.quick
def test_the_path_and_the_values_are_drawn():
    X = [[1], [2], [3]]
    display = TrellisDisplay.from_estimator(fever(), X)
    found = display.trellis
    assert found.states == ("fever", "fine")
    assert display.path_.get_ydata().tolist() == [1, 1, 0] == found.path_codes.tolist()
    assert len(display.lines_) == 4  # to both states of the second and the third row
    assert [line.get_ydata().tolist() for line in display.lines_] == [
        [before, state] for row in found.psi[1:].tolist() for state, before in enumerate(row)
    ]
    np.testing.assert_allclose(display.points_.get_array(), found.gamma.ravel())
    assert [text.get_text() for text in display.texts_] == [f"{p:.2g}" for p in found.gamma.ravel()]
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["fever", "fine"]
    again = TrellisDisplay(found).plot(values="delta", digits=3)
    shade = again.points_.get_array().reshape(3, 2)
    np.testing.assert_allclose(shade, found.delta / found.delta.max(axis=1, keepdims=True))


def test_states_that_cannot_be_reached_have_no_line():
    model = tn.CategoricalHMM.from_parameters([1.0, 0.0], [[0.5, 0.5], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]])
    display = TrellisDisplay.from_estimator(model, [[0]] * 3)
    assert [line.get_ydata().tolist() for line in display.lines_] == [[0, 0], [0, 1], [0, 0], [1, 1]]
    assert len(TrellisDisplay.from_estimator(model, [[0]]).lines_) == 0


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="values must be one of gamma"):
        TrellisDisplay.from_estimator(fever(), [[1]], values="epsilon")
    with pytest.raises(ValueError, match="60 rows at most"):
        TrellisDisplay.from_estimator(fever(), [[1]] * 61)
    with pytest.raises(TypeError, match="LinearRegression has no hidden states"):
        TrellisDisplay.from_estimator(tn.LinearRegression(), [[1]])
