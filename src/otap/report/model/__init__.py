"""The content of all views of a score: rows, findings, a headline, parts of the loss."""
