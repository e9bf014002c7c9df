"""A second settlement of every book, which shares no code with the first."""
