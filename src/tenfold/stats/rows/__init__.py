"""Rows as summaries: gathered, sampled, drawn or in windows."""
