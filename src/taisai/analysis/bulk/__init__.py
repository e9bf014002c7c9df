"""Bulk settlement: columns of bets settled at once, and files of them settled again."""
