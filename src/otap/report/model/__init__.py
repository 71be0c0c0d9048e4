"""What is shown of a score, once for all views: rows, findings, a headline, parts of the loss."""
