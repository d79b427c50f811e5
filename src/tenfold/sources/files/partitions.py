"""Folders named `name=value`: columns stored in the paths of files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote

import pyarrow as pa

from tenfold.core import DataError

NULL = "__HIVE_DEFAULT_PARTITION__"
"""a folder's name for a missing value"""


class Partitions(NamedTuple):
    """The columns that its place gives to each file."""

    values: list[dict[str, object]]
    """of each file, one value a column; None if it is missing"""
    types: dict[str, pa.DataType]

    def scalar(self, file: int, name: str) -> pa.Scalar:
        """The value that all rows of a file have."""
        return pa.scalar(self.values[file][name], self.types[name])


def folder_partitions(files: Sequence[str], folders: Sequence[Sequence[str]]) -> Partitions:
    """The columns of files by the names of the folders that each is in, integers or text."""
    texts = [_values(path, names) for path, names in zip(files, folders, strict=True)]
    for path, mine in zip(files, texts, strict=True):
        if mine.keys() != texts[0].keys():
            raise DataError(
                f"{path} is in folders of the columns {list(mine)}, {files[0]} in those of {list(texts[0])}. Remedy: "
                "put all files under folders of the same names, or scan them separately"
            )
    types = {name: _common([each[name] for each in texts]) for name in texts[0]}
    return Partitions([{n: _convert(v, types[n]) for n, v in each.items()} for each in texts], types)


def _values(path: str, folders: Sequence[str]) -> dict[str, str]:
    """The values that folders named `name=value` give to a file."""
    pairs = [(unquote(n), unquote(v)) for n, v in (folder.split("=", 1) for folder in folders if "=" in folder)]
    names = [n for n, _ in pairs]
    if len({*names}) < len(names) or not all(names):
        raise DataError(
            f"{path} is in folders that give the columns {names}. Remedy: rename the folders, so that each has a name "
            "of its own"
        )
    return dict(pairs)


def _common(values: list[str]) -> pa.DataType:
    """Integers if all are, missing ones aside; else text."""
    known = [v for v in values if v != NULL]
    return pa.int64() if known and all(map(_is_integer, known)) else pa.string()


def _is_integer(text: str) -> bool:
    """Whether a text is an integer of 64 bits, as it would be written: no blanks, underscores or odd digits."""
    return bool(re.fullmatch(r"-?[0-9]{1,19}", text)) and -(2**63) <= int(text) < 2**63


def _convert(value: str, kind: pa.DataType) -> object:
    return None if value == NULL else int(value) if pa.types.is_integer(kind) else value
