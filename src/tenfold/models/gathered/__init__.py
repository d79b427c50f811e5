"""Cells whose rows are gathered, for learners that read them several times: each cell is a fit of its rows."""
