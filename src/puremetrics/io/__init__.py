"""Readers: the only modules that touch files."""
