"""Order that no value shows: ``conflicts`` of steps that write the same ``things``; ``said``."""
