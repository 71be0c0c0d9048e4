"""One score, and one graph, as they are drawn on a terminal or into a pipe.

What is drawn knows its paper: how wide it is, and which characters can be printed. Nothing is
loaded for it that takes time to load.
"""
