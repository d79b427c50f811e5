"""Scoring: whatever predicts, beside what is true, as summaries that merge."""
