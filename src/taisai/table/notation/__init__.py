"""A shift as text that people read and write (`*.shift`)."""
