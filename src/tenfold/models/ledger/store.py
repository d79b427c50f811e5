"""Where a ledger keeps its files: four verbs, which folders and object stores have alike.

A file appears at once with all its bytes, or not at all, and only if no file has its name; it never changes. So the
listing is all that is to be known: there is no manifest, no lock, and nothing to repair after a crash.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping


class Store(ABC):
    """Files by their names, flat."""

    @abstractmethod
    def put(self, name: str, raw: bytes) -> bool:
        """Write a file if none has the name; whether this call did. Once it returns, the file outlasts a crash."""

    @abstractmethod
    def get(self, name: str) -> bytes:
        """Return the bytes of a file; FileNotFoundError if there is none."""

    @abstractmethod
    def names(self) -> Mapping[str, str]:
        """Return the files that are there, each with a tag: another file of the same name has another tag."""

    @abstractmethod
    def delete(self, *names: str) -> None:
        """Remove files, if they are there, and what writers that died have left of them."""

    @abstractmethod
    def place(self) -> str:
        """Where the store is, for errors."""
