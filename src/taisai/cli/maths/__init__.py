"""Commands about chance: session, house, simulate, dice."""
