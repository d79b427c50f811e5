import matplotlib.pyplot as plt
import numpy as np
import pytest

import tenfold as tn
from random_networks import random_network


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_every_variable_has_a_box_with_its_table_and_every_edge_an_arrow():
    tables = {"a": [0.25, 0.75], "b": [0.5, 0.5], "c": [[[0.1, 0.9], [0.2, 0.8]], [[0.3, 0.7], [0.4, 0.6]]]}
    network = tn.BayesianNetwork(dict.fromkeys("abc", ("yes", "no")), {"c": ["a", "b"]}, tables)
    display = tn.display.NetworkDisplay(network).plot()
    words = [text.get_text() for text in display.texts_]
    assert {"0.25", "0.75", "0.1", "0.9", "0.4", "0.6"} <= set(words)
    assert words.count("c") == 1
    assert len(display.arrows_) == 2
    boxes = {name: box.get_bbox() for name, box in display.boxes_.items()}
    assert boxes["a"].y0 > boxes["c"].y1
    without = tn.display.NetworkDisplay(network).plot(plt.subplots()[1], tables=False)
    assert [text.get_text() for text in without.texts_] == ["a", "b", "c"]


def test_boxes_do_not_overlap_and_parents_are_above():
    for case in range(6):
        network = random_network(np.random.default_rng(case), 12 + 4 * (case % 2), least_values=2)
        display = tn.display.NetworkDisplay(network).plot()
        boxes = [box.get_bbox() for box in display.boxes_.values()]
        for at, one in enumerate(boxes):
            for other in boxes[:at]:
                apart = one.x1 <= other.x0 or other.x1 <= one.x0 or one.y1 <= other.y0 or other.y1 <= one.y0
                assert apart
        place = {name: box.get_bbox() for name, box in display.boxes_.items()}
        assert all(place[parent].y0 > place[child].y1 for parent, child in network.edges)
        plt.close("all")


def test_long_tables_and_names_are_cut():
    values = {"a": range(20), "a name that is much too long to be written in a little box": ["x", "y"]}
    long = list(values)[1]
    network = tn.BayesianNetwork(values, {long: ["a"]}, {"a": np.full(20, 0.05), long: np.full((20, 2), 0.5)})
    words = [text.get_text() for text in tn.display.NetworkDisplay(network).plot().texts_]
    assert words.count("...") == 1
    assert max(map(len, words)) <= 40
