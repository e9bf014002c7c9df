"""Tests of what a table keeps on record."""
