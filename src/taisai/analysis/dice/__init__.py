"""Dice health: whether the dice of a tumbler are fair, and what it would be worth to a player if they were not."""
