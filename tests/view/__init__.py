"""Tests of what people see of a table."""
