"""Storage of files: this machine, or a remote store with a URL.

A store travels to workers by its URL and options, not by an open connection. What fails on the way is tried again a few
times; a file that is not there, or may not be read, is an error at once.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cache
from glob import glob, has_magic
from io import UnsupportedOperation
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

from tenfold.core import DataError

T = TypeVar("T")
MAX_TRIES = 6
"""how often a read is tried before it is an error"""
FIRST_WAIT_SECONDS = 0.1
"""seconds before the second try; each further wait is twice as long"""
CLOCK_TICK = 10_000_000
"""nanoseconds between distinct times of a file system: Linux has at least a hundred ticks a second"""
TIME_STEPS = (1, 100, 1_000, 1_000_000, 1_000_000_000)
"""nanoseconds to which copies keep the time of a file: archives keep whole seconds, Windows hundreds of nanoseconds"""
NATIVE = ("s3", "gs", "hdfs")
"""schemes that Arrow reads by itself; fsspec knows the others"""
REFUSED = re.compile(
    r"AWS Error \w*(?:ACCESS_DENIED|NO_SUCH_BUCKET|INVALID_ACCESS_KEY|SIGNATURE)|HTTP status 40[13]|PERMISSION_DENIED|"
    r"error occurred \((?:403|AccessDenied)\)|^Forbidden\b"
)
"""in an error of a store: trying again would not help"""


PARSING = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError)
"""errors of a file's contents, which retries cannot fix"""
SCAN_AGAIN = "scan it again once nobody writes it"
"""remedy for a file that changes"""
IN_ORDER = re.compile("range requests|Cannot seek streaming")
"""in an error of fsspec: the server gives no parts of a file"""


class Facts(NamedTuple):
    """Facts of a store about a file."""

    size: int
    time: int
    """time of modification in nanoseconds; 0 if the store does not record it"""
    inode: int = 0
    """the number of the file in its file system; 0 in a store"""
    changed: int = 0
    """when its content, its name or its rights last changed, in nanoseconds; 0 in a store"""
    place: str = ""
    """the machine and its file system; none of a store, which is the same for all machines"""

    @property
    def identity(self) -> tuple[int, int, int]:
        """Return the identity of a file in its place, which renaming and changed permissions keep."""
        return self.size, self.time, self.inode

    def is_same_file(self, other: Facts) -> bool:
        """Whether two facts describe the same file, or a copy on another machine that keeps its time.

        Of times of different precision, the finer one is rounded down. A file system that renumbers its files, as
        some network drives do, leaves all times as they were.
        """
        a, b = self.time, other.time
        written = self.size == other.size and any(a // n == b // n and 0 in (a % n, b % n) for n in TIME_STEPS)
        return written and (self.place != other.place or self.inode == other.inode or self.changed == other.changed)


class Moved(OSError):
    """A file was written, renamed or replaced while it was read: the next try may succeed."""


class MatchedFiles(NamedTuple):
    """Files of one path."""

    files: list[str]
    root: str = ""
    """the folder, if the path is one"""


class Storage(ABC):
    """Files by their paths, as users write them."""

    near: bool = False
    """whether many short reads take about as long as a single one"""

    @abstractmethod
    def find(self, path: str) -> MatchedFiles:
        """Return the sorted files of a path, a glob or a folder; an empty list if there are none."""

    @abstractmethod
    def facts(self, path: str) -> Facts:
        """Size and time of a file."""

    @abstractmethod
    def open(self, path: str) -> pa.NativeFile:
        """Open a file to read any place of it."""

    def hint(self, path: str) -> str:
        """Return a hint about existing files near a missing path, for the error message."""
        return ""

    def remedy(self, error: BaseException) -> str:
        """Return the remedy for an unreadable file."""
        return SCAN_AGAIN if isinstance(error, Moved) else "write the file again, or leave it out"

    def error_text(self, error: BaseException) -> str:
        """Return the message of an error, to include in another one."""
        return str(error)

    def absolute(self, path: str) -> str:
        """The path as a worker in another folder must write it."""
        return path

    def steadily(self, read: Callable[[], Iterator[T]]) -> Iterator[T]:
        """Yield from a read; after a transient failure, wait, restart it, and skip the items already yielded."""
        given, failed = 0, 0
        while True:
            try:
                for found in islice(read(), given, None):
                    yield found
                    given, failed = given + 1, 0
                return
            except failures() as error:
                failed += 1
                if failed == MAX_TRIES or not self.may_pass(error):
                    raise
            except ValueError as error:
                if not IN_ORDER.search(str(error)):
                    raise
                raise UnsupportedOperation("its server returns whole files only (no range requests)") from None
            time.sleep(FIRST_WAIT_SECONDS * 2 ** (failed - 1))

    def may_pass(self, error: BaseException) -> bool:
        """Whether a read that failed may succeed when it is tried again."""
        return isinstance(error, Moved)

    def at_rest(self, path: str) -> Facts:
        """Size and time of a file that is not being written: whoever writes it from now on gives it another time."""
        return self.facts(path)

    def steady(self, read: Callable[[], T]) -> T:
        """Return the result of a read, retried after transient failures."""
        (found,) = self.steadily(lambda: iter([read()]))
        return found


class Disk(Storage):
    """The files of this machine."""

    near = True

    def find(self, path: str) -> MatchedFiles:
        here = Path(path).expanduser()
        if here.is_dir():
            files = (p for p in here.rglob("*") if p.is_file() and not _hidden(p.relative_to(here).parts))
            return MatchedFiles(sorted(map(str, files)), str(here))
        if here.exists():
            return MatchedFiles([str(here)])
        fixed = next((k for k, part in enumerate(here.parts) if has_magic(part)), len(here.parts))
        matches = [Path(match) for match in glob(str(here), recursive=True)]
        return MatchedFiles(sorted(str(p) for p in matches if p.is_file() and not _hidden(p.parts[fixed:])))

    def hint(self, path: str) -> str:
        # Where a path leaves what is there: its last folder that exists, and names in it that are alike.
        here = Path(path).expanduser().absolute()
        folder = next((p for p in here.parents if p.is_dir()), None)
        if folder is None or has_magic(path):
            return ""
        wanted = here.relative_to(folder).parts[0]
        alike = get_close_matches(wanted, sorted(p.name for p in folder.iterdir())[:10_000], 3)
        return f": {str(folder)!r} has no {wanted!r}" + (f"; did you mean {alike}?" if alike else "")

    def facts(self, path: str) -> Facts:
        found = os.stat(path)
        place = f"{this_machine()} {found.st_dev}"
        return Facts(found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns, place)

    def at_rest(self, path: str) -> Facts:
        # Size and time of a file, once the clock of the file system has gone on since it was written.
        for _ in range(MAX_TRIES):
            found = self.facts(path)
            age = time.time_ns() - found.time
            if not 0 <= age < CLOCK_TICK:
                return found
            time.sleep((CLOCK_TICK - age) / 1e9)
        raise Moved("it is being written")

    def open(self, path: str) -> pa.NativeFile:
        # Open a file to be read, not mapped: the system ends a process that reads a mapped page which is cut off.
        return pa.OSFile(path)

    def absolute(self, path: str) -> str:
        return os.path.abspath(path)


DISK = Disk()


class RemoteStore(Storage):
    """Remote store: S3, Google Cloud, Azure, HTTP, and other systems that Arrow or fsspec reads.

    Parameters
    ----------
    filesystem : file system of pyarrow or fsspec, optional
        The connection to use; by default one is made of each URL, with the credentials that the environment has.
    options : dict, optional
        Options of fsspec for the connection: `key`, `secret`, `endpoint_url` and so on.
    query : str
        Query string of the URL, for Arrow: `region=...&endpoint_override=...`.
    signed : dict, optional
        Complete URLs by their form in error messages, which omits query strings: these may hold a signature.
    """

    def __init__(
        self,
        filesystem: Any = None,
        options: dict[str, Any] | None = None,
        query: str = "",
        signed: dict[str, str] | None = None,
    ) -> None:
        self.filesystem, self.options, self.query, self.signed = filesystem, options, query, signed or {}
        self._made: dict[str, Any] = {}
        """connections, by scheme and host"""

    def __getstate__(self) -> dict[str, object]:
        """Return the state for a worker, which makes its own connections."""
        return {**self.__dict__, "_made": {}}

    def _connection(self, path: str) -> tuple[Any, str]:
        """A file system of Arrow or of fsspec, and the path there."""
        scheme, _, rest = path.rpartition("://") if "://" in path else ("", "", path)
        made = self.filesystem
        if made is None:
            host = f"{scheme}://{urlsplit(path).netloc}"
            if host not in self._made:
                self._made[host] = self._connect(scheme, path)
            made = self._made[host]
        if isinstance(made, fs.FileSystem):
            return made, rest if scheme != "hdfs" else urlsplit(path).path
        return made, made._strip_protocol(self.signed.get(path, path))

    def _connect(self, scheme: str, path: str) -> Any:
        if scheme in NATIVE and self.options is None:
            endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
            if scheme == "s3" and endpoint and not self.query:
                at = urlsplit(endpoint)
                return fs.S3FileSystem(endpoint_override=at.netloc, scheme=at.scheme)
            host = f"{scheme}://{urlsplit(path).netloc}"  # without the rest, which may have blanks
            return fs.FileSystem.from_uri(f"{host}?{self.query}" if self.query else host)[0]
        try:
            import fsspec

            return fsspec.url_to_fs(path, **(self.options or {}))[0]
        except ImportError as error:
            raise DataError(
                f"{path} cannot be read without another package: {error}. Remedy: pip install 'tenfold[remote]', "
                "and gcsfs for gs:// or adlfs for az://"
            ) from None
        except ValueError as error:
            raise DataError(
                f"{path} is at a kind of place that neither pyarrow nor fsspec knows: {error}. Remedy: install the "
                "package of fsspec for it (adlfs for abfss://), or give filesystem=..."
            ) from None

    def find(self, path: str) -> MatchedFiles:
        path = path.rstrip("/")
        try:
            return self.steady(lambda: self._find(path))
        except failures(TypeError) as error:
            wrong = error if isinstance(error, TypeError) else error.__cause__
            if isinstance(wrong, TypeError) and self.options:
                raise DataError(
                    f"storage_options {sorted(self.options)} do not fit {path}: {self.error_text(wrong)}. "
                    "Remedy: give the options that fsspec's file system for such URLs takes"
                ) from None
            if isinstance(error, FileNotFoundError) and _is_lasting(error):
                return MatchedFiles([])
            raise DataError(
                f"{path} cannot be accessed: {self.error_text(error)}. Remedy: check the name, the region and your "
                "credentials; storage_options= or filesystem= give others than the environment's"
            ) from None

    def _find(self, path: str) -> MatchedFiles:
        if has_magic(path) and not _is_web(path):
            if "[" in path and (exact := self._exact(path)).files:
                return exact
            fixed = re.split(r"/[^/]*[*?[]", path, maxsplit=1)[0]
            wanted = re.compile(_glob_pattern(path))
            return MatchedFiles([p for p in self._below(fixed) if wanted.fullmatch(p)])
        return self._exact(path)

    def _exact(self, path: str) -> MatchedFiles:
        """The file or folder of this very name."""
        made, there = self._connection(path)
        if isinstance(made, fs.FileSystem):
            kind = made.get_file_info(there).type
            if kind == fs.FileType.NotFound:
                return MatchedFiles([])
            folder = kind == fs.FileType.Directory
        elif has_magic(path) and not made.exists(there):
            return MatchedFiles([])
        else:
            folder = made.info(there)["type"] == "directory"
        return MatchedFiles(self._below(path), path) if folder else MatchedFiles([path])

    def _below(self, folder: str) -> list[str]:
        """Return all files below a folder, with paths in the user's form."""
        made, there = self._connection(folder)
        if isinstance(made, fs.FileSystem):
            infos = made.get_file_info(fs.FileSelector(there, recursive=True))
            paths = [i.path for i in infos if i.type == fs.FileType.File]
        else:
            made.invalidate_cache()
            paths = made.find(there)
        beyond = [p[len(there) :].lstrip("/") for p in paths if p.startswith(there)]
        return sorted(f"{folder}/{p}" for p in beyond if not _hidden(PurePosixPath(p).parts))

    def remedy(self, error: BaseException) -> str:
        # What to do where a file cannot be read: it depends on whether the store or the file is at fault.
        if isinstance(error, (*PARSING, Moved)):
            return super().remedy(error)
        if isinstance(error, UnsupportedOperation):
            return "copy the file to this machine, or to a store"
        if _is_lasting(error):
            return "see that the file is there and that you may read it; or copy it to this machine"
        return (
            f"it was tried {MAX_TRIES} times, so see that the store answers, then fit again; or copy it to this machine"
        )

    def error_text(self, error: BaseException) -> str:
        return re.sub(r"(https?://[^\s?'\"]*)\?[^\s'\")]+", r"\1?...", str(error))

    def facts(self, path: str) -> Facts:
        made, there = self._connection(path)
        if isinstance(made, fs.FileSystem):
            info = made.get_file_info(there)
            if info.type != fs.FileType.File:
                raise FileNotFoundError(path)
            return Facts(info.size, info.mtime_ns or 0)
        found = made.info(there)
        written = found.get("LastModified") or found.get("last_modified") or found.get("mtime")
        if hasattr(written, "timestamp"):
            written = written.timestamp()
        return Facts(found["size"], int(written * 1e9) if isinstance(written, (int, float)) else 0)

    def open(self, path: str) -> pa.NativeFile:
        # Open a file; what is not asked for is not fetched.
        made, there = self._connection(path)
        if isinstance(made, fs.LocalFileSystem):
            return DISK.open(there)  # never mapped, whatever the file system was made to do
        if isinstance(made, fs.FileSystem):
            return made.open_input_file(there)
        return pa.PythonFile(made.open(there, "rb"), mode="r")

    def may_pass(self, error: BaseException) -> bool:
        # Whether a read that failed may succeed later: not if the file is not there, or may not be read.
        return not _is_lasting(error)


@cache
def this_machine() -> str:
    """A name of the machine that no other one has, as long as it runs."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return platform.node()


def failures(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """Return the errors that reading may raise, including those of servers that fsspec does not wrap."""
    found: list[type[Exception]] = [pa.ArrowException, OSError, TimeoutError, *more]
    for module, names in (("aiohttp", ("ClientError",)), ("botocore.exceptions", ("BotoCoreError", "ClientError"))):
        if module in sys.modules:
            found += [getattr(sys.modules[module], name) for name in names]
    return tuple(found)


def _is_lasting(error: BaseException) -> bool:
    """Whether trying again would not help: the file is not there, may not be read, or holds something else."""
    if isinstance(error, (*PARSING, UnsupportedOperation)):
        return True
    cause = error.__cause__ if isinstance(error, FileNotFoundError) else None
    if isinstance(cause, TypeError):
        return True  # an option that there is not
    status = getattr(cause or error, "status", None)
    if status is not None:
        return 400 <= status < 500 and status not in (408, 429)
    if cause is not None:
        return False  # a server that did not answer: nobody knows whether the file is there
    return isinstance(error, (FileNotFoundError, PermissionError)) or REFUSED.search(str(error)) is not None


def _glob_pattern(path: str) -> str:
    """A glob as a regular expression: a star stops at slashes, two of them do not."""
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    found = re.split(r"(\*\*/|\*\*|\*|\?|\[[^]]+\])", path)
    return "".join(words.get(w, w.replace("[!", "[^") if w.startswith("[") else re.escape(w)) for w in found)


def _hidden(parts: tuple[str, ...]) -> bool:
    """Whether a file, or one of its folders, is hidden or a marker that writers leave behind, and holds no data."""
    return any(p.startswith((".", "_")) and "=" not in p for p in parts)


def bare(path: str) -> str:
    """Return a path or URL without its query string, to find its extension."""
    return path.partition("?")[0] if _is_web(path) else path


def _is_web(path: str) -> bool:
    return path.lower().startswith(("http://", "https://"))


def _unsigned(paths: list[str]) -> dict[str, str]:
    """Return URLs with a query string by their form in error messages."""
    found: dict[str, str] = {}
    for path in paths:
        if _is_web(path) and "?" in path and path not in found:
            shown = f"{bare(path)}?..."
            found[path] = f"{shown}{len(found)}" if shown in found.values() else shown
    return found


def _plain(path: str) -> str:
    """Return the path of a `file://` URL; other values are returned unchanged."""
    found = re.match("file://(?:localhost(?=/))?", path, re.IGNORECASE)
    return unquote(path[found.end() :]) if found else path


def storage_of(data: object, filesystem: Any, options: dict[str, Any] | None) -> tuple[Storage, list[str]]:
    """Return the storage of a path, a URL or a list of them, and the paths in the form of error messages."""
    paths = [str(one) for one in (data if isinstance(data, (list, tuple)) else [data])]
    if filesystem is None:
        paths = [_plain(path) for path in paths]
    remote = [bool(re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", path)) for path in paths]
    if filesystem is None and not any(remote):
        if options is not None:
            raise DataError(f"storage_options apply to remote files, but {paths[0]} is on this machine")
        return DISK, paths
    if filesystem is None and not all(remote):
        raise DataError("some of the files are on this machine and some are not. Remedy: scan them separately")
    if filesystem is not None and options is not None:
        raise DataError("a filesystem has its own options. Remedy: give filesystem or storage_options, not both")
    if filesystem is None and any(urlsplit(path).password is not None for path in paths):
        raise DataError("a URL with a password would appear in errors and logs. Remedy: give storage_options instead")
    query = ""
    if urlsplit(paths[0]).scheme in NATIVE:
        query = paths[0].partition("?")[2] if re.search(r"\?\w+=", paths[0]) else ""
        paths = [path.removesuffix(f"?{query}") for path in paths] if query else paths
    shown = _unsigned(paths)
    return RemoteStore(filesystem, options, query, {v: k for k, v in shown.items()}), [shown.get(p, p) for p in paths]
