"""Tests of the second count."""
