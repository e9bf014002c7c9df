"""What an operator may choose, and how it is read."""
