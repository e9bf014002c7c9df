"""The matter of each command, by part of a shift: what happens when it is allowed."""
