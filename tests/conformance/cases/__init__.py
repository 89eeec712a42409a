"""The cases of the vectors: generate.py writes them with the results of the reference."""
