"""A folder as the store of a ledger: files that appear by a hard link, which replaces no other.

A file is written under a temporary name, flushed to the disk, and linked to its name: a link fails if the name is
taken, unlike a rename. The folder is flushed then, so that the name outlasts a power cut. A writer that dies leaves
its temporary file, which is a second link to all bytes; so whoever deletes a file removes all temporary ones, and a
living writer that loses its own writes it again.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from tenfold.core import DataError
from tenfold.models.ledger.store import Store

TEMPORARY = "@"
"""how the names of temporary files begin: no name of a leaf does"""
MAX_TRIES = 100
"""how often a writer that loses its temporary file to someone who deletes writes it again"""


NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK})
"""numbers of the errors of a file system that has no hard links"""


class LocalFiles:
    """What a folder is asked for, one system call or two each: tests replay them."""

    def __init__(self, folder: Any) -> None:
        self.folder = Path(folder).expanduser()

    def begin(self) -> None:
        """Make the folder, if it is not there."""
        self.folder.mkdir(parents=True, exist_ok=True)

    def write(self, name: str, raw: bytes) -> None:
        """Write a new file, and give it the time to the nanosecond: the clock of a file system ticks more slowly."""
        with open(self.folder / name, "xb") as file:
            file.write(raw)
            file.flush()
            now = time.time_ns()
            os.utime(file.fileno() if os.utime in os.supports_fd else file.name, ns=(now, now))

    def sync(self, name: str) -> None:
        """Flush a file to the disk."""
        _flush(self.folder / name, os.O_RDONLY if os.name == "posix" else os.O_RDWR)

    def link(self, name: str, other: str) -> None:
        """Give a file another name; FileExistsError if it is taken."""
        os.link(self.folder / name, self.folder / other)

    def unlink(self, name: str) -> None:
        """Remove a name; FileNotFoundError if it is not there."""
        os.unlink(self.folder / name)

    def sync_folder(self) -> None:
        """Flush the names to the disk."""
        if os.name == "posix":  # elsewhere a folder cannot be opened, and names are flushed with their files
            _flush(self.folder, os.O_RDONLY)

    def read(self, name: str) -> bytes:
        """Return all bytes of a file."""
        return (self.folder / name).read_bytes()

    def names(self) -> list[str]:
        """Return all names, in any order."""
        return os.listdir(self.folder)

    def tag(self, name: str) -> str:
        """Return what another file of the same name would not have."""
        found = os.stat(self.folder / name)
        return f"{found.st_ino:x}-{found.st_mtime_ns:x}-{found.st_size:x}"


def _flush(path: Path, flags: int) -> None:
    number = os.open(path, flags)
    try:
        os.fsync(number)
    finally:
        os.close(number)


class FolderStore(Store):
    """A folder of this machine, or of a drive with hard links.

    Parameters
    ----------
    folder : str or path
        Made if it is not there.
    files : LocalFiles, optional
        What carries out the calls.
    """

    def __init__(self, folder: Any, files: Any = None) -> None:
        self.folder = folder
        self.files = LocalFiles(folder) if files is None else files
        self.files.begin()

    def put(self, name: str, raw: bytes) -> bool:
        files = self.files
        for _ in range(MAX_TRIES):
            temporary = f"{TEMPORARY}{uuid4().hex}"
            try:
                files.write(temporary, raw)
                files.sync(temporary)
                self._link(temporary, name)
            except FileExistsError:
                return False
            except FileNotFoundError:  # someone deletes, and has swept the temporary file away
                continue
            finally:
                self._remove(temporary)
            files.sync_folder()
            return True
        raise DataError(f"{name} could not be written: its temporary file is deleted again and again")

    def _link(self, temporary: str, name: str) -> None:
        try:
            self.files.link(temporary, name)
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            raise DataError(
                f"{self.place()} is on a drive without hard links ({error}), by which a batch appears at once and "
                "replaces no other. Remedy: a folder of a local disk, or an object store, 's3://...'"
            ) from None

    def get(self, name: str) -> bytes:
        found: bytes = self.files.read(name)
        return found

    def names(self) -> Mapping[str, str]:
        return Listing(self.files)

    def delete(self, *names: str) -> None:
        # Temporary files last: a writer may have linked its own to a name until then.
        for name in names:
            self._remove(name)
        for other in self.files.names():
            if other.startswith(TEMPORARY):
                self._remove(other)
        if names:
            self.files.sync_folder()

    def place(self) -> str:
        return str(self.folder)

    def _remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self.files.unlink(name)


class Listing(Mapping[str, str]):
    """The names of a folder as they were; the tag of a file is looked up when it is asked for."""

    def __init__(self, files: Any) -> None:
        self._files = files
        self._names = {name: None for name in files.names() if not name.startswith(TEMPORARY)}

    def __getitem__(self, name: str) -> str:
        if name not in self._names:
            raise KeyError(name)
        try:
            found: str = self._files.tag(name)
        except FileNotFoundError:  # deleted since
            raise KeyError(name) from None
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
