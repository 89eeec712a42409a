"""A second implementation of docs/contract.md, in plain Python, to be read beside it."""
