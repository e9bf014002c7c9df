"""Tests of the journal in one SQLite file."""
