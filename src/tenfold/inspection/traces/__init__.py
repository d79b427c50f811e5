"""Traces: what an algorithm does step by step, as tables."""
