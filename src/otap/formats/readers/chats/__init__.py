"""Lists of messages as frameworks for agents keep them, in parts and blocks of their own."""
