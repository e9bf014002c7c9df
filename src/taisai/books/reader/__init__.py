"""The reader that proves a rule book before anyone plays by it."""
