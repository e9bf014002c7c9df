"""Commands about a journal: audit, report, replay, explain, verify, backup, restore, move."""
