"""Loaders: epochs of batches."""
