"""Where portions are worked on: each engine is a module with ``run``, which keeps their order."""
