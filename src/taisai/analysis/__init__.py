"""Mathematics beyond one round, and pictures of it. Whoever imports this room has NumPy and matplotlib to hand."""
