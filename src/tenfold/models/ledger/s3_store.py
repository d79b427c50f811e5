"""An object store that speaks as S3 does: objects that are put on the condition that none has their name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from tenfold.core import DataError
from tenfold.models.ledger.store import Store

MAX_TRIES = 8
"""how often an object is put while another request for its name is under way"""
UNDER_WAY = "ConditionalRequestConflict"
"""in an error of the store: somebody else is just putting an object of this name"""


class S3Store(Store):
    """Objects below a URL, `s3://bucket/folder`.

    Parameters
    ----------
    url : str
    options : dict, optional
        Options of s3fs for the connection: `key`, `secret`, `endpoint_url` and so on.
    """

    def __init__(self, url: str, options: dict[str, Any] | None = None) -> None:
        self.url, self.options = url.rstrip("/"), options or {}
        self.bucket, _, self.folder = self.url.removeprefix("s3://").partition("/")
        if not self.bucket or not self.folder:
            raise ValueError(f"a ledger in a store needs a bucket and a folder, 's3://bucket/folder', not {url!r}")

    @cached_property
    def files(self) -> Any:
        """The connection, made when it is first needed."""
        try:
            import s3fs
        except ImportError as error:
            raise DataError(
                f"{self.url} needs another package: {error}. Remedy: pip install 'tenfold[remote]'"
            ) from None
        return s3fs.S3FileSystem(**self.options, use_listings_cache=False)

    def _path(self, name: str) -> str:
        return f"{self.bucket}/{self.folder}/{name}"

    def put(self, name: str, raw: bytes) -> bool:
        key = f"{self.folder}/{name}"
        for left in reversed(range(MAX_TRIES)):
            try:
                self.files.call_s3("put_object", Bucket=self.bucket, Key=key, Body=raw, IfNoneMatch="*")
                return True
            except FileExistsError:  # it may be ours: an answer was lost, and the request was sent again
                return self._is(name, raw)
            except FileNotFoundError as error:
                raise DataError(
                    f"{self.url}: {error}. Remedy: create the bucket {self.bucket!r} first, and see that you may "
                    "write to it"
                ) from None
            except OSError as error:
                if UNDER_WAY not in str(error.__cause__ or error) or not left:
                    raise
        raise AssertionError("the last try returns or raises")

    def _is(self, name: str, raw: bytes) -> bool:
        try:
            return self.get(name) == raw
        except FileNotFoundError:  # deleted since
            return False

    def get(self, name: str) -> bytes:
        found: bytes = self.files.cat_file(self._path(name))
        return found

    def names(self) -> Mapping[str, str]:
        try:
            listed = self.files.ls(f"{self.bucket}/{self.folder}", detail=True, refresh=True)
        except FileNotFoundError:  # there is no object yet
            return {}
        files = (one for one in listed if one["type"] == "file")
        return {one["name"].rpartition("/")[2]: f"{one['ETag']} {one['LastModified']}" for one in files}

    def delete(self, *names: str) -> None:
        for name in names:
            self.files.rm_file(self._path(name))

    def place(self) -> str:
        return self.url
