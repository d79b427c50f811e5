"""Histories of a ledger of any learner: whatever came and went, it is one that never had what is gone."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

import tenfold as tn
from helpers import by_law_params
from tenfold.core import ONE
from tenfold.core.axes import is_record, values
from tenfold.models.ledger.batch_keys import LeafName, read_leaf_name
from tenfold.models.ledger.folder_store import FolderStore
from tenfold.models.ledger.kept_merges import read_kept_name
from tenfold.testing.comparison import bits
from tenfold.testing.data import draw

from .ledger_rows import day
from .simulated_files import SimulatedFiles

BATCHES = 5
MERGEABLE = [(at, one) for at, one in by_law_params() if one.passes == ONE and one.need.sequence is None]
DISTINCT = 8
"""different numbers of an array by which a batch is looked for"""


def fits(learner, parts):
    """Fits of some parts of the rows, of the first table that the learner can be fitted to."""
    for seed in range(10):
        table = draw(learner.need, seed, rows=24 * parts)
        cuts = np.linspace(0, len(table.weight), parts + 1).astype(int)
        some = [table.rows(slice(a, b)) for a, b in zip(cuts[:-1], cuts[1:], strict=True)]
        with suppress(ValueError, Warning):
            return [learner._blank().fit(part.X, part.y, **part.given) for part in some]
    raise AssertionError("there is no table for it")


class Histories:
    """Batches of a learner, and histories of them.

    Parameters
    ----------
    learner : learner
    """

    def __init__(self, learner):
        self.learner = learner
        (own,) = self.opened(SimulatedFiles())._learners.values()
        fitted = fits(own.learner, BATCHES)
        self.merges = not fitted[0].does_not_merge
        self.known = [{own.name: own.of_fit(one)} for one in fitted]
        self.needles = [_needles(one.summary_) for one in fitted]

    def opened(self, files):
        return tn.Ledger(FolderStore("", files), self.learner)

    def check(self, seed):
        """Append, drop and look at models at random, and compare with a ledger that had only what is left."""
        random, files, there = np.random.default_rng(seed), SimulatedFiles(), set()
        ledger = self.opened(files)
        for _ in range(16):
            number = int(random.integers(BATCHES))
            if number in there:
                ledger.drop(day(number)).check()
                there.discard(number)
                self._check_gone(files, there, number)
            else:
                assert ledger._put(day(number), self.known[number], False)
                there.add(number)
            if there and random.random() < 0.5:
                with suppress(ValueError, Warning):
                    ledger.model()
        never = self.opened(SimulatedFiles())
        for number in random.permutation(sorted(there)).tolist():
            never._put(day(number), self.known[number], False)
        assert ledger.digest_ == never.digest_
        if not there:
            return
        found = [_model(one) for one in (ledger, self.opened(files), never)]
        assert found[0] == found[1] == found[2]
        ledger.verify()

    def _check_gone(self, files, there, number):
        """No file is of a batch that is gone, and no bytes of it are left, but for those that others have too."""
        names = [read_kept_name(name) or read_leaf_name(name) for name in files.names()]
        assert not any(name.key == day(number) for name in names if isinstance(name, LeafName))
        assert not any(name.first <= day(number) <= name.last for name in names if not isinstance(name, LeafName))
        held = [files.read(name) for name in files.names()]
        for needle in self.needles[number] - set().union(*(self.needles[k] for k in there)):
            assert not any(needle in raw for raw in held)


def _model(ledger):
    """The bits of the model, or the error that there is instead."""
    try:
        found = ledger.model()
    except (ValueError, Warning) as error:
        return str(error)
    return bits(found.summary_), bits(found.model_), found.certificate_.to_dict()


def _needles(record):
    """The bytes of all arrays of numbers that no other rows have by chance."""
    found = set()
    for _, field, value in values(record):
        if is_record(field.type):
            found |= _needles(value)
        elif isinstance(value, np.ndarray) and value.dtype == np.float64 and len(np.unique(value)) >= DISTINCT:
            found.add(value.tobytes())
    return found
