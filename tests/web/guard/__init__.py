"""Tests of what keeps the loop and the descriptors free."""
