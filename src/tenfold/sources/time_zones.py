"""How far the clocks of a time zone are ahead of UTC: a step function of time, found once with `zoneinfo`.

Steps are found by looking at each day and bisecting those in which the clocks are set, then looked up for all rows at
once. Past the years that the database of time zones lists, the last rules go on, as the calendar does every 400 years.
(Arrow keeps to winter time from 2038 on.)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np

from tenfold.core import Codes

SECONDS_PER_DAY = 86_400
"""number of seconds of a day"""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_ZONE_SECOND = int(np.datetime64("1800-01-01", "s").astype(np.int64))
"""before it no clock was set by a zone: that of the place goes on"""
FIRST_RULE_SECOND = int(np.datetime64("2038-01-01", "s").astype(np.int64))
"""clock changes from here on follow rules, and the database does not list them"""
CALENDAR_CYCLE = 146_097 * SECONDS_PER_DAY
"""after 400 years, days of the week and leap years come again"""


def ahead_of_utc(zone: str, seconds: Codes) -> Codes:
    """Return the offset of a time zone from UTC, in seconds.

    Parameters
    ----------
    zone : str
        A name of the database of time zones, "Europe/Oslo", or an offset, "+02:00".
    seconds : array of int
        Since 1970 began, UTC.

    Returns
    -------
    ahead : array of int

    Raises
    ------
    ValueError
        If the zone is not in the database of this machine.
    """
    if not len(seconds):
        return np.zeros(0, np.int64)
    at = np.where(
        seconds >= FIRST_RULE_SECOND,
        FIRST_RULE_SECOND + (seconds - FIRST_RULE_SECOND) % CALENDAR_CYCLE,
        np.maximum(seconds, FIRST_ZONE_SECOND),
    )
    years = at.astype("M8[s]").astype("M8[Y]").astype(np.int64) + 1970
    first = int(years.min())
    starts, ahead = _steps(zone, tuple((np.flatnonzero(np.bincount(years - first)) + first).tolist()))
    found: Codes = ahead[np.searchsorted(starts, at, side="right") - 1]
    return found


@lru_cache(maxsize=64)
def _steps(zone: str, years: tuple[int, ...]) -> tuple[Codes, Codes]:
    """Return the clock changes of some years, and the offset from UTC after each."""
    steps = [step for year in years for step in _steps_of_year(zone, year)]
    starts, ahead = zip(*steps, strict=True)
    return np.array(starts, dtype=np.int64), np.array(ahead, dtype=np.int64)


@lru_cache(maxsize=4096)
def _steps_of_year(zone: str, year: int) -> list[tuple[int, int]]:
    """Return the clock changes of one year, with a first entry for its beginning."""
    begin, end = (int((datetime(y, 1, 1, tzinfo=UTC) - EPOCH).total_seconds()) for y in (year, year + 1))
    ahead = _clock(_zone(zone))
    days = [(at, ahead(at)) for at in range(begin, end + 1, SECONDS_PER_DAY)]
    changes = [
        (_change(ahead, at, next_day), after) for (at, before), (next_day, after) in pairwise(days) if after != before
    ]
    return [days[0], *changes]


def _change(ahead: Callable[[int], int], low: int, high: int) -> int:
    """The first second after `low` at which the clocks are set."""
    before = ahead(low)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if ahead(middle) == before else (low, middle)
    return high


def _clock(zone: tzinfo) -> Callable[[int], int]:
    """Return the offsets from UTC at seconds since 1970."""

    def ahead(at: int) -> int:
        found = (EPOCH + timedelta(seconds=at)).astimezone(zone).utcoffset()
        assert found is not None
        return int(found.total_seconds())

    return ahead


def _zone(name: str) -> tzinfo:
    """A zone by its name, or an offset from UTC."""
    if given := re.fullmatch(r"([+-])(\d\d):?(\d\d)", name):
        sign, hours, minutes = given.groups()
        return timezone((1 if sign == "+" else -1) * timedelta(hours=int(hours), minutes=int(minutes)))
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise ValueError(f"no time zone {name!r} is known here") from None
