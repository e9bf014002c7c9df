"""The audit's own record of the tables, and its checks."""
