"""The formats of chat messages, one module a format: each is a table of where its fields are."""
