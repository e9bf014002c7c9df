"""Tables replayed for the audit, here and in other processes."""
