"""What a table keeps on record: events when something is wrong, and what the events of a shift make of its state."""
