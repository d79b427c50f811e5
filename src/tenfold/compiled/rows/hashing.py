"""Words of UTF-8 texts, and hashes of n-grams by MurmurHash3, without Python objects for texts."""

from __future__ import annotations

from tenfold.compiled.decorators import inner, kernel

UINT32_MASK = 0xFFFFFFFF
SPACE_CHARACTER = 32


@inner
def mixed(k):
    """Return four bytes mixed as a block of MurmurHash3."""
    k = (k * 0xCC9E2D51) & UINT32_MASK
    k = ((k << 15) | (k >> 17)) & UINT32_MASK
    return (k * 0x1B873593) & UINT32_MASK


@inner
def murmur(text, start, stop):
    """MurmurHash3 of 32 bits, with seed 0, of `text[start:stop]`: from 0 to 2³² - 1."""
    h, at = 0, start
    while at + 4 <= stop:
        k = int(text[at]) | (int(text[at + 1]) << 8) | (int(text[at + 2]) << 16) | (int(text[at + 3]) << 24)
        h ^= mixed(k)
        h = ((h << 13) | (h >> 19)) & UINT32_MASK
        h = (h * 5 + 0xE6546B64) & UINT32_MASK
        at += 4
    k = 0
    for j in range(stop - at):
        k |= int(text[at + j]) << (8 * j)
    if at < stop:
        h ^= mixed(k)
    h ^= stop - start
    h ^= h >> 16
    h = (h * 0x85EBCA6B) & UINT32_MASK
    h ^= h >> 13
    h = (h * 0xC2B2AE35) & UINT32_MASK
    return h ^ (h >> 16)


@inner
def put(letter, out, at):
    """Write a letter as UTF-8; return the position after it."""
    if letter < 0x80:
        out[at] = letter
        return at + 1
    if letter < 0x800:
        out[at] = 0xC0 | (letter >> 6)
        out[at + 1] = 0x80 | (letter & 0x3F)
        return at + 2
    if letter < 0x10000:
        out[at] = 0xE0 | (letter >> 12)
        out[at + 1] = 0x80 | ((letter >> 6) & 0x3F)
        out[at + 2] = 0x80 | (letter & 0x3F)
        return at + 3
    out[at] = 0xF0 | (letter >> 18)
    out[at + 1] = 0x80 | ((letter >> 12) & 0x3F)
    out[at + 2] = 0x80 | ((letter >> 6) & 0x3F)
    out[at + 3] = 0x80 | (letter & 0x3F)
    return at + 4


@kernel
def cut_words(text, ends, table, out, starts, stops, last):
    """Cut texts, one after the other in valid UTF-8, into words of two or more letters; return the number of words.

    `table` has for each code point the letter to write, 0 if it is none. Words are written to `out`, a space behind
    each, from `starts` to `stops`; `last` is where the words of each text end.
    """
    words, to, at = 0, 0, 0
    for i in range(len(ends)):
        begin, run = to, 0
        while at <= ends[i]:
            letter = 0
            if at < ends[i]:
                byte = int(text[at])
                if byte < 0x80:
                    point, size = byte, 1
                elif byte < 0xE0:
                    point, size = byte & 0x1F, 2
                elif byte < 0xF0:
                    point, size = byte & 0x0F, 3
                else:
                    point, size = byte & 0x07, 4
                for j in range(1, size):
                    point = (point << 6) | (int(text[at + j]) & 0x3F)
                letter = int(table[point]) if point < len(table) else 0
                at += size
            else:
                size = 0
            if letter:
                to = put(letter, out, to)
                run += 1
                continue
            if run >= 2:
                starts[words], stops[words] = begin, to
                out[to] = SPACE_CHARACTER
                to += 1
                words += 1
            else:
                to = begin
            begin, run = to, 0
            if not size:
                break
        last[i] = words
    return words


@kernel
def hash_terms(text, starts, stops, last, low, high, features, signed, columns, values):
    """The feature of each run of `low` to `high` words of each document, and one, or its sign, beside it."""
    first, to = 0, 0
    for i in range(len(last)):
        for n in range(low, high + 1):
            for word in range(first, last[i] - n + 1):
                h = murmur(text, starts[word], stops[word + n - 1])
                sign = h >> 31
                size = (UINT32_MASK + 1 - h) if sign else h
                columns[to] = size % features
                values[to] = -1.0 if signed and sign else 1.0
                to += 1
        first = last[i]
    return to
