"""A recorded run in, the prepared run out: which of its steps count, their roles and graphs."""
