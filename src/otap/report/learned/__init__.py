"""Views of tools, calibrations and selections."""
