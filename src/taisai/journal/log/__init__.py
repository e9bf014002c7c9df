"""The log over the journal: a Merkle tree of all records, signed heads, receipts. Other people's tools can read it."""
