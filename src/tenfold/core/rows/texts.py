"""Many short texts as two arrays, as Arrow has them: their UTF-8 bytes, and where each of them ends.

So vocabularies are fields of summaries and models, travel as arrays, and are written to files as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tenfold.core.arrays import Codes, Letters, Values

MISSING_TEXT = np.array([None], dtype=object)
"""the missing value of text columns"""


def pack(texts: Sequence[str]) -> tuple[Letters, Codes]:
    """The bytes of some texts, one after the other, and where each ends."""
    raw = [text.encode() for text in texts]
    return np.frombuffer(b"".join(raw), np.uint8), np.cumsum([len(one) for one in raw], dtype=np.int64)


def unpack(letters: Letters, ends: Codes) -> list[str]:
    """Return the texts stored in an array of bytes with these end offsets."""
    raw, cuts = letters.tobytes(), [0, *ends.tolist()]
    text = raw.decode()
    if len(text) == len(raw):  # a byte is a letter
        return [text[a:b] for a, b in pairwise(cuts)]
    return [raw[a:b].decode() for a, b in pairwise(cuts)]


def filled(texts: Values) -> list[str]:
    """Return texts as a list, with empty text where one is missing."""
    gone = np.equal(texts, MISSING_TEXT)
    if not gone.any():
        found: list[str] = texts.tolist()
        return found
    texts = texts.astype(object)
    texts[gone.astype(bool)] = ""
    return texts.tolist()  # type: ignore[no-any-return]


def are_texts(letters: Letters, ends: Codes, *, distinct: bool = True) -> bool:
    """Whether arrays, as a file has them, are texts; and, if `distinct`, each of them once."""
    cuts = [0, *ends.tolist()]
    if cuts[-1] != len(letters) or any(a > b for a, b in pairwise(cuts)):
        return False
    try:
        found = unpack(letters, ends)
    except UnicodeDecodeError:
        return False
    return not distinct or len(set(found)) == len(found)
