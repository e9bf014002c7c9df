"""The table is explored, not sampled: every reachable state of a round at a small table."""
