"""What statistics declare, and what is refused when a class is made."""

import numpy as np
import pytest

from tenfold.core.statistic import CAPABILITIES, Gathered, Grouped, Held, Lens, Ordered, Stacked, Statistic, Strided


class Doubled(Lens):
    by: float = 2.0

    def __call__(self, chunk):
        return self.by * chunk


class Through(Held[float]):
    round: int

    def summarize(self, chunk):
        return float(self.round)


def test_a_lens_is_a_field_of_what_holds():
    assert Through(1, lens=Doubled()).lens == Through(2, lens=Doubled()).lens
    assert Through(1, lens=Doubled()) != Through(1, lens=Doubled(3.0))
    assert Through(1, lens=Doubled()).follow(np.zeros(3), None) is None
    with pytest.raises(TypeError, match="lens"):
        Through(1)


def test_a_share_of_the_parts_is_a_field():
    class Some(Strided[float]):
        pass

    assert Some(every=4).every == 4
    with pytest.raises(TypeError, match="every"):
        Some()
    for wrong in (0, 3, 12):
        with pytest.raises(ValueError, match="a power of two"):
            Some(every=wrong)


@pytest.mark.parametrize("base", [Held, Grouped, Stacked])
def test_what_walks_in_order_neither_holds_nor_groups(base):
    with pytest.raises(TypeError, match="Walks: what walks the rows in order cannot hold them"):
        type("Walks", (Ordered, base), {"__module__": __name__})


def test_what_gathers_names_its_relative():
    with pytest.raises(TypeError, match="must say what to use for more than fit"):
        type("All", (Gathered,), {"__module__": __name__})()
    assert type("All", (Gathered,), {"__module__": __name__, "relative": "Ridge()"})().relative == "Ridge()"


def test_every_capability_says_what_it_is_for():
    assert {c for c in Statistic.__subclasses__() if c.__module__ == Statistic.__module__} == set(CAPABILITIES[1:])
    assert all(len(c.__doc__.splitlines()[0].split()) >= 6 for c in CAPABILITIES)
