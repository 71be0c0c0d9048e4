"""Many results, and what changed between two files of them, as lines and tables."""
