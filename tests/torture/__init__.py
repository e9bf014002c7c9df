"""Faults as programs that stay: the simulator of a floor, and what it has found."""
