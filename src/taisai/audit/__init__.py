"""A second, independent settlement, to be compared with the first."""
