"""Tests of the table: the state machine of one shift."""
