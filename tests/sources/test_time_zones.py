"""Clocks of time zones, second by second around the instants at which they are set."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tenfold.sources.time_zones import CALENDAR_CYCLE, FIRST_RULE_SECOND, ahead_of_utc

ZONES = ["Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Europe/Moscow", "Africa/Monrovia"]


def seconds(*text):
    return np.array(text, dtype="M8[s]").astype(np.int64)


def by_zoneinfo(zone, at):
    some = [datetime.fromtimestamp(int(t), UTC).astimezone(ZoneInfo(zone)).utcoffset() for t in at]
    return [one.total_seconds() for one in some]


@pytest.mark.parametrize("zone", ZONES)
def test_ahead_as_zoneinfo_says(zone):
    random = np.random.default_rng(0)
    at = random.integers(*seconds("1850-01-01", "2200-01-01"), 20)
    changes = seconds(
        "2024-03-31T01:00", "2024-10-27T01:00", "2024-03-10T07:00", "2024-11-03T06:00", "2024-04-06T15:00",
        "2024-10-05T15:30", "1985-12-31T18:30", "2010-03-27T23:00", "2011-03-26T23:00", "2014-10-25T22:00",
        "2050-03-27T01:00", "2050-10-30T01:00",
    )  # fmt: skip
    at = np.concatenate([at, changes - 1, changes, changes + 1])
    assert ahead_of_utc(zone, at).tolist() == by_zoneinfo(zone, at)


def test_summer_goes_on_after_2037_and_comes_again_after_400_years():
    july = seconds("2037-07-01", "2038-07-01", "2437-07-01", "2438-07-01", "9999-07-01", "9999-12-31")
    assert ahead_of_utc("Europe/Oslo", july).tolist() == [7200] * 5 + [3600]
    random = np.random.default_rng(1).integers(FIRST_RULE_SECOND, FIRST_RULE_SECOND + CALENDAR_CYCLE, 20)
    assert (
        ahead_of_utc("America/New_York", random) == ahead_of_utc("America/New_York", random + 19 * CALENDAR_CYCLE)
    ).all()


def test_offsets_and_what_is_no_zone():
    assert ahead_of_utc("+05:30", seconds("2000-01-01")).tolist() == [19_800]
    assert ahead_of_utc("-0930", seconds("2000-01-01")).tolist() == [-34_200]
    assert ahead_of_utc("UTC", np.zeros(0, np.int64)).tolist() == []
    for wrong in ("Mars/Olympus", "../etc/passwd", ""):
        with pytest.raises(ValueError, match="no time zone"):
            ahead_of_utc(wrong, seconds("2000-01-01"))
