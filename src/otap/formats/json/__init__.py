"""Reads the bytes of a file as JSON and tracks the path to each value, for every format."""
