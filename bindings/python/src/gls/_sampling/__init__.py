"""Samplers and their options."""
