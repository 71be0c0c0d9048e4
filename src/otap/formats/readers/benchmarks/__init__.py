"""Files of benchmarks: runs with their gold solutions, gold solutions alone, plans, workflows."""
