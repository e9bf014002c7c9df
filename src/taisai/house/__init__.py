"""People and what they do: accounts, sign-ins, sessions, seats, digests, and the house's log."""
