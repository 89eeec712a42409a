"""Graphs that other packages have in memory, as datasets."""
