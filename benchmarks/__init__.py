"""Speed, side by side with other solvers: `scripts/bench` runs it and writes what it found."""
