"""The floor: live tables, each with one writer; people, dice, settings."""
