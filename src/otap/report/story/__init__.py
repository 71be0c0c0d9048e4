"""What all views of a score tell alike: rows, signs and words, and what went wrong in short."""
