"""A disk in memory that loses its power: what was not flushed is torn, and names that were not flushed may be there."""

from __future__ import annotations

import numpy as np


class PowerCut(Exception):
    """The disk has no power from here on."""


class SimulatedFiles:
    """The files of a folder, as `LocalFiles` has them, with a call at which the power goes.

    Parameters
    ----------
    fuse : int, optional
        How many calls that change something are carried out before the power goes.
    """

    def __init__(self, fuse=None):
        self.fuse, self.calls = fuse, 0
        self.data, self.flushed = {}, set()
        self.names_now, self.names_flushed, self.pending = {}, {}, []

    def _count(self):
        if self.fuse is not None and self.calls >= self.fuse:
            raise PowerCut
        self.calls += 1

    def _change(self, name, number):
        self.pending.append((name, number))
        self._apply(self.names_now, name, number)

    @staticmethod
    def _apply(names, name, number):
        if number is None:
            names.pop(name, None)
        else:
            names[name] = number

    def begin(self):
        pass

    def write(self, name, raw):
        self._count()
        if name in self.names_now:
            raise FileExistsError(name)
        number = len(self.data)
        self.data[number] = bytes(raw)
        self._change(name, number)

    def sync(self, name):
        self._count()
        self.flushed.add(self._number(name))

    def link(self, name, other):
        self._count()
        if other in self.names_now:
            raise FileExistsError(other)
        self._change(other, self._number(name))

    def unlink(self, name):
        number = self._number(name)
        self._count()
        assert number is not None
        self._change(name, None)

    def sync_folder(self):
        self._count()
        self.names_flushed, self.pending = dict(self.names_now), []

    def _number(self, name):
        if name not in self.names_now:
            raise FileNotFoundError(name)
        return self.names_now[name]

    def read(self, name):
        return self.data[self._number(name)]

    def names(self):
        return list(self.names_now)

    def tag(self, name):
        return f"{self._number(name)}-{len(self.read(name))}"

    def after_cut(self, seed):
        """The disk when the power is back: any of the changes of names that were not flushed, and torn files."""
        random = np.random.default_rng(seed)
        found = SimulatedFiles()
        names = dict(self.names_flushed)
        for name, number in self.pending:
            if random.random() < 0.5:
                self._apply(names, name, number)
        for name, number in names.items():
            raw = self.data[number]
            if number not in self.flushed:
                end = int(random.integers(0, len(raw) + 1))
                raw = raw[:end] + bytes(len(raw) - end) * int(random.integers(0, 2))
            place = len(found.data)
            found.data[place] = raw
            found.flushed.add(place)
            found.names_now[name] = place
        found.names_flushed = dict(found.names_now)
        return found
