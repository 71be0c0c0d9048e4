"""Many results, and what changed between two files of them, as people read it."""
