"""What the public, a seat and the crew see of a table, and the difference between two views."""
