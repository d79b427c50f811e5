"""A history of a ledger that is cut at a call, and what must hold when the power is back."""

from __future__ import annotations

import numpy as np

import tenfold as tn
from tenfold.models.ledger.folder_store import FolderStore

from .ledger_rows import day, ledger_at, rows_of
from .simulated_files import PowerCut, SimulatedFiles

NAMES = ("price",)


class Cuts:
    """Cuts of histories.

    Parameters
    ----------
    store : class
        The store whose calls are cut.
    """

    def __init__(self, store=FolderStore):
        self.store = store
        own = ledger_at(FolderStore("", SimulatedFiles()), NAMES)
        (learner,) = own._learners.values()
        rows = [tn.scan(rows_of(k, keyed=False)[[*"abc", "price"]], target="price") for k in range(8)]
        self.known = [{"price": learner.of_fit(learner.fit(some))} for some in rows]
        self.raw = [some["price"].summary.comoment.tobytes() for some in self.known]

    def opened(self, files):
        return ledger_at(self.store("", files), NAMES)

    def history(self, seed, steps=14):
        """Steps of a history: appends, drops of one or two days, and models, which keep merges."""
        random = np.random.default_rng(seed)
        there, found = [], []
        for _ in range(steps):
            draw = random.random()
            if there and draw < 0.25:
                some = random.choice(there, min(len(there), int(random.integers(1, 3))), replace=False).tolist()
                there = [k for k in there if k not in some]
                found.append(("drop", tuple(some)))
            elif there and draw < 0.4:
                found.append(("model", ()))
            elif len(there) < len(self.known):
                number = int(random.choice([k for k in range(len(self.known)) if k not in there]))
                there.append(number)
                found.append(("append", (number,)))
        return found

    def run(self, step, ledger):
        what, numbers = step
        if what == "append":
            ledger._put(day(numbers[0]), self.known[numbers[0]], False)
        elif what == "drop":
            ledger.drop(*(day(k) for k in numbers))
        else:
            ledger.model()

    def calls(self, seed):
        files = SimulatedFiles()
        ledger = self.opened(files)
        for step in self.history(seed):
            self.run(step, ledger)
        return files.calls

    def check(self, seed, fuse):
        """Cut the history at a call; what is there must be the state before the step, or after it."""
        files, steps = SimulatedFiles(fuse), self.history(seed)
        there, cut = set(), None
        ledger = self.opened(files)
        for step in steps:
            try:
                self.run(step, ledger)
            except PowerCut:
                cut = step
                break
            there = _after(there, step)
        back = files.after_cut(seed * 100_003 + fuse)
        ledger = self.opened(back)
        found = {k for k in range(len(self.known)) if day(k) in ledger.keys_}
        if cut is None or cut[0] == "model":
            assert found == there
        elif cut[0] == "append":
            assert found in (there, _after(there, cut))
        else:  # leaf by leaf
            assert _after(there, cut) <= found <= there
        ledger.verify()
        if cut is not None:  # the step is done again
            if cut[0] == "drop":
                left = [k for k in cut[1] if k in found]
                if left:
                    ledger.drop(*map(day, left))
            else:
                self.run(cut, ledger) if cut[0] == "append" or found else None
            there = _after(there, cut)
        assert ledger.keys_ == [day(k) for k in sorted(there)]
        if there:
            never = self.opened(SimulatedFiles())
            for k in sorted(there):
                never._put(day(k), self.known[k], False)
            assert never.digest_ == ledger.digest_
            a, b = ledger.model().model_, never.model().model_
            assert a.coef.tobytes() == b.coef.tobytes()
        if cut is not None and cut[0] == "drop":  # also of writers and readers that died
            held = [back.read(name) for name in back.names()]
            assert not any(self.raw[k] in raw for k in cut[1] if k not in there for raw in held)


def _after(there, step):
    what, numbers = step
    return there | {*numbers} if what == "append" else there - {*numbers} if what == "drop" else there
