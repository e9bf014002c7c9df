"""Exact sessions: what a player takes home, computed and not sampled."""
