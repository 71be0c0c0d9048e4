"""What was learned, calibrated and selected, as people read it."""
