"""What dropping batches leaves behind: a receipt, which a script without this library can check."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

CLAIM = (
    "The leaves listed as dropped are no longer among the files of this ledger, and no file of it is made of them. "
    "Models and copies that left the ledger earlier are not covered, nor are backups, nor earlier versions of objects "
    "in a store that keeps versions."
)
"""all that a receipt says"""


def state_digest(leaves: dict[str, str]) -> str:
    """Return the digest of a ledger: of its leaves, each with its fingerprint, in the order of their names."""
    lines = "".join(f"{name} {fingerprint}\n" for name, fingerprint in sorted(leaves.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


@dataclass(frozen=True)
class Receipt:
    """Receipt of batches that were dropped from a ledger.

    `before` and `after` are digests of the ledger: the SHA-256 of a line for each leaf, its name, a blank, its
    fingerprint and a line feed, sorted by name. So whoever has the receipt can check it: `after` is made of `kept`, and
    `before` of `kept` and `dropped`.

    Attributes
    ----------
    keys : tuple of str
        The keys that were dropped.
    dropped : dict of str to str
        The leaves that were dropped, each with its fingerprint.
    kept : dict of str to str
        The leaves that the ledger had afterwards.
    before, after : str
        Digests of the ledger.
    time : str
        When, in UTC.
    version : str
        Of tenfold.
    claim : str
        What the receipt says, and what it does not.
    """

    keys: tuple[str, ...]
    dropped: dict[str, str]
    kept: dict[str, str]
    before: str
    after: str
    time: str
    version: str
    claim: str = CLAIM

    def check(self) -> None:
        """Raise ValueError if the digests are not those of the leaves that the receipt lists."""
        if state_digest(self.kept) != self.after or state_digest(self.kept | self.dropped) != self.before:
            raise ValueError("the receipt does not hold: its digests are not those of the leaves that it lists")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {**asdict(self), "keys": list(self.keys)}

    def save(self, path: Any) -> None:
        """Write the receipt as JSON.

        Parameters
        ----------
        path : str or path
        """
        Path(path).expanduser().write_text(json.dumps(self.to_dict(), indent=1) + "\n")
