"""Batches and their arrays."""
