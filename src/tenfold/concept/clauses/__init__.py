"""Formulas of literals: k-CNF, k-DNF and k-term DNF."""
