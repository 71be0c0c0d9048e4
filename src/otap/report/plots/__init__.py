"""What is drawn on axes of matplotlib: ``otap.plot`` is the door to it.

Colours are of Okabe and Ito, or of a map that grows in lightness; hatches and signs say the same.
"""
