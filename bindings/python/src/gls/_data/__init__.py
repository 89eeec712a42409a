"""Datasets: building, opening, partitioning; tables."""
