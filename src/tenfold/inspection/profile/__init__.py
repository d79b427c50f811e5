"""Profiles: what the columns of some rows hold, by summaries that merge."""
