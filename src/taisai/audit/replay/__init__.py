"""The tables of a journal replayed for the audit, in this process or in several."""
