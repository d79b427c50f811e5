"""Rules: rule lists, and trees read as rules."""
