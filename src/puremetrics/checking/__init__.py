"""Every conversion of user input, and every message about it."""
