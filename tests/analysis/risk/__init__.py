"""Tests of the house's side."""
