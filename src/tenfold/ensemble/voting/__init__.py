"""Voting: means or majorities of what several learners predict."""
