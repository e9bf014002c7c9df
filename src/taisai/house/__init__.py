"""People and their doings: accounts, sessions, seats, alerts, and the log of the house."""
