"""One score, and one graph, as they are drawn on a terminal or into a pipe."""
