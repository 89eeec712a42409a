"""PyG's objects as datasets, and batches as PyG's objects."""
