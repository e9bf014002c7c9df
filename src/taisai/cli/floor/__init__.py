"""Commands that run tables: serve, deal."""
